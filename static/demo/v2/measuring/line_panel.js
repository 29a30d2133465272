/** Lines drawn over streaks, with time, distance and velocity. */
import { quantity, tableUnit } from "../../../measure/axes.js";
import { columnOf } from "../../../measure/measurement.js";
import { lineVelocity, velocityText } from "../../../measure/velocity.js";
import { element, unbroken } from "../controls/element.js";
import { removeButton, tables } from "../controls/fields.js";
import { MOST_LINES } from "./drawn.js";
import { panel, ShapePanel, velocityColumn } from "./panel.js";

/** @import { Place } from "../../../measure/velocity.js" */
/** @import { Mark } from "../picture/marks.js" */
/** @import { Line } from "./drawn.js" */
/** @import { Scan } from "./scan.js" */
/** @import { End } from "./panel.js" */

const COLOR = "#ffffff";

/** @extends {ShapePanel<Line>} */
export class LinePanel extends ShapePanel {
  /** @override */
  endNames = ["Start", "End"];
  #made = 0;
  #rows = element("div");
  /** Reads out the line being drawn or moved. */
  #output = element("output", { className: "drawn", "aria-live": "polite" });

  constructor() {
    super();
    const hint = element("p", { className: "hint", textContent: "Choose Line and draw along a streak." });
    this.element = panel(hint, this.#output, this.#rows, this.slot);
  }

  /** @param {Scan} scan @param {import("./drawn.js").Drawn | null} drawn drawn in it before */
  begin(scan, drawn) {
    this.scan = scan;
    this.draft = null;
    this.#output.textContent = "";
    this.#made = Math.max(0, ...drawn?.lines.map(({ id }) => id) ?? []);
    this.set(drawn?.lines ?? []);
  }

  /** @override @param {Line} line */
  described(line) {
    return { name: nameOf(line), ends: [line.from, line.to], place: this.#texts(line).join(", ") };
  }

  /** @override @param {Line} _line @param {readonly End[]} ends */
  placed(_line, ends) {
    const [from, to] = /** @type {Place[]} */ (ends);
    this.#read({ from, to });
    return { from, to };
  }

  /** Follows a line being drawn. @param {Place} from @param {Place} to @param {boolean} isDone */
  draw(from, to, isDone) {
    const isLine = from.x !== to.x || from.y !== to.y;
    const line = { id: 0, from, to };
    this.draft = isDone ? null : line;
    if (isLine) this.#read(line);
    else this.#output.textContent = "";
    const id = isDone && isLine ? this.add(line) : null;
    if (id !== null) this.emit("select", { id });
  }

  /** @override */
  giveUp() {
    if (this.draft !== null) this.#output.textContent = "";
    super.giveUp();
  }

  /** @param {(x: number, y: number) => [number, number]} toScreen @returns {Mark[]} */
  marks(toScreen) {
    return this.shown.flatMap((drawn) => {
      const [start, end] = [drawn.from, drawn.to].map(({ x, y }) => toScreen(x, y));
      const style = { color: COLOR, halo: true };
      const line = { points: [start, end], width: 2, ...style };
      if (drawn.id === 0) return [line];
      /** @type {[number, number]} */
      const at = [(start[0] + end[0]) / 2 + 12, (start[1] + end[1]) / 2];
      const text = drawn.name || String(drawn.id);
      return [line, { text, at, anchor: /** @type {const} */ ("start"), ...style }];
    });
  }

  get columns() {
    const { scan, all: lines } = this;
    if (scan === null) return [];
    const [time, space] = scan.axes;
    const found = lines.map(({ from, to }) => lineVelocity(from, to, scan.axes));
    return [
      { name: "Line", values: lines.map(({ id }) => id) },
      columnOf("Start", lines, ({ from, to }) => Math.min(from.x, to.x) - 0.5, time),
      { name: "Duration", unit: tableUnit(time), values: found.map(({ duration }) => duration) },
      { name: "Distance", unit: tableUnit(space), values: found.map(({ distance }) => distance) },
      velocityColumn(scan, found.map(({ velocity }) => velocity)),
      ...lines.some(({ name }) => name) ? [{ name: "Name", values: lines.map(({ name = "" }) => name) }] : [],
    ];
  }

  /** Time, distance and velocity. @param {{from: Place, to: Place}} line */
  #texts({ from, to }) {
    const { axes } = /** @type {Scan} */ (this.scan);
    const { duration, distance, velocity } = lineVelocity(from, to, axes);
    return [quantity(duration, axes[0]), quantity(distance, axes[1]), velocityText(velocity, axes)];
  }

  /** @param {{from: Place, to: Place}} line */
  #read(line) {
    const [time, distance, velocity] = this.#texts(line);
    this.#output.replaceChildren(...unbroken(`Δt ${time} · Δx ${distance} · velocity ${velocity}`));
  }

  /** @override @param {Pick<Line, "name" | "from" | "to">} line */
  add({ name, from, to }) {
    if (this.all.length >= MOST_LINES) {
      this.#output.textContent = `${MOST_LINES} lines at most: remove one to draw another.`;
      return null;
    }
    this.#made += 1;
    this.set([...this.all, { id: this.#made, ...name !== undefined && { name }, from, to }]);
    return this.#made;
  }

  /** @override */
  list() {
    const rows = this.all.map((line) => [
      this.pick(line.id, line.name || String(line.id)),
      ...this.#texts(line),
      removeButton(nameOf(line), () => this.remove(line.id)),
    ]);
    this.#rows.replaceChildren(...tables("Lines", ["", "Δt", "Δx", "Velocity", ""], rows));
  }
}

/** @param {Line} line */
const nameOf = ({ id, name }) => name || `Line ${id}`;
