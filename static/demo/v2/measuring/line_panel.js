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
/** @import { Change, Id } from "./panel.js" */

const COLOR = "#ffffff";

/** @extends {ShapePanel<Line>} */
export class LinePanel extends ShapePanel {
  endNames = ["Start", "End"];
  /** @type {readonly Line[]} */
  lines = [];
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
    this.#set(drawn?.lines ?? []);
  }

  get shapes() {
    return this.withDraft(this.lines).filter(({ id }) => id !== 0).map((line) => ({
      id: line.id,
      name: nameOf(line),
      ends: [line.from, line.to],
      place: this.#texts(line).join(", "),
    }));
  }

  /** @param {Id} id @param {Change} change @param {boolean} isDone */
  reshape(id, { name, ends }, isDone) {
    const line = this.lines.find((line) => line.id === id);
    if (line === undefined) return;
    const [from, to] = /** @type {Place[]} */ (ends ?? [line.from, line.to]);
    const other = { ...line, from, to, ...name !== undefined && { name } };
    this.draft = isDone ? null : other;
    if (ends !== undefined) this.#read(other);
    if (isDone) this.#set(this.lines.map((former) => former === line ? other : former));
  }

  /** @param {Id} id */
  duplicate(id) {
    const line = this.lines.find((line) => line.id === id);
    if (line === undefined) return null;
    const { from, to } = line;
    return this.#add({ id: 0, name: `${nameOf(line)} copy`.slice(0, 80), from, to });
  }

  /** @param {Id} id */
  remove(id) {
    this.#set(this.lines.filter((line) => line.id !== id));
  }

  /** Follows a line being drawn. @param {Place} from @param {Place} to @param {boolean} isDone */
  draw(from, to, isDone) {
    const isLine = from.x !== to.x || from.y !== to.y;
    const line = { id: 0, from, to };
    this.draft = isDone ? null : line;
    if (isLine) this.#read(line);
    else this.#output.textContent = "";
    const id = isDone && isLine ? this.#add(line) : null;
    if (id !== null) this.emit("select", { id });
  }

  /** Cancels the line being drawn. */
  giveUp() {
    if (this.draft !== null) this.#output.textContent = "";
    this.draft = null;
  }

  /** @param {(x: number, y: number) => [number, number]} toScreen @returns {Mark[]} */
  marks(toScreen) {
    return this.withDraft(this.lines).flatMap((drawn) => {
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
    const { scan, lines } = this;
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

  /** @param {Line} line @returns {number | null} its id; null beyond the limit */
  #add(line) {
    if (this.lines.length >= MOST_LINES) {
      this.#output.textContent = `${MOST_LINES} lines at most: remove one to draw another.`;
      return null;
    }
    this.#made += 1;
    this.#set([...this.lines, { ...line, id: this.#made }]);
    return this.#made;
  }

  /** @param {readonly Line[]} lines */
  #set(lines) {
    this.lines = lines;
    const rows = lines.map((line) => [
      this.pick(line.id, line.name || String(line.id)),
      ...this.#texts(line),
      removeButton(nameOf(line), () => this.remove(line.id)),
    ]);
    this.#rows.replaceChildren(...tables("Lines", ["", "Δt", "Δx", "Velocity", ""], rows));
    this.changed();
  }
}

/** @param {Line} line */
const nameOf = ({ id, name }) => name || `Line ${id}`;
