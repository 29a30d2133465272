/** Lines drawn over streaks, with time, distance and velocity. */
import { tableUnit, toPhysical } from "../../../measure/axes.js";
import { lineVelocity } from "../../../measure/velocity.js";
import { element, unbroken } from "../controls/element.js";
import { removeButton, tables } from "../controls/fields.js";
import { MOST_LINES } from "./drawn.js";
import { Panel, velocityColumn } from "./panel.js";
import { quantity, significant, velocityText } from "./scan.js";

/** @import { Place } from "../../../measure/velocity.js" */
/** @import { Mark } from "../picture/marks.js" */
/** @import { Line } from "./drawn.js" */
/** @import { Scan } from "./scan.js" */

const COLOR = "#ffffff";

export class LinePanel extends Panel {
  /** @type {readonly Line[]} */
  lines = [];
  #made = 0;
  #rows = element("div");
  /** Reads out the line being drawn. */
  #output = element("output", { className: "drawn", "aria-live": "polite" });
  /** @type {{from: Place, to: Place} | null} */
  #draft = null;

  constructor() {
    super();
    const hint = element("p", { className: "hint", textContent: "Choose Line and draw along a streak." });
    this.element = element("div", { className: "panel" }, hint, this.#output, this.#rows);
  }

  /** @param {Scan} scan @param {import("./drawn.js").Drawn | null} drawn drawn in it before */
  begin(scan, drawn) {
    this.scan = scan;
    this.#draft = null;
    this.#output.textContent = "";
    this.#made = Math.max(0, ...drawn?.lines.map(({ id }) => id) ?? []);
    this.#set(drawn?.lines ?? []);
  }

  /** Follows a line being drawn. @param {Place} from @param {Place} to @param {boolean} isDone */
  draw(from, to, isDone) {
    this.#draft = isDone ? null : { from, to };
    const isLine = from.x !== to.x || from.y !== to.y;
    const [time, distance, velocity] = this.#texts({ from, to });
    const text = `Δt ${time} · Δx ${distance} · velocity ${velocity}`;
    this.#output.replaceChildren(...(isLine ? unbroken(text) : []));
    if (!isDone || !isLine) return;
    if (this.lines.length >= MOST_LINES) {
      this.#output.textContent = `${MOST_LINES} lines at most: remove one to draw another.`;
      return;
    }
    this.#made += 1;
    this.#set([...this.lines, { id: this.#made, from, to }]);
  }

  /** Cancels the line being drawn. */
  giveUp() {
    if (this.#draft === null) return;
    this.#draft = null;
    this.#output.textContent = "";
  }

  /** @param {(x: number, y: number) => [number, number]} toScreen @returns {Mark[]} marks over the picture */
  marks(toScreen) {
    const drawn = [...this.lines, ...(this.#draft === null ? [] : [{ id: 0, ...this.#draft }])];
    return drawn.flatMap(({ id, from, to }) => {
      const [start, end] = [toScreen(from.x, from.y), toScreen(to.x, to.y)];
      const style = { color: COLOR, halo: true };
      const line = { points: [start, end], width: 2, ...style };
      if (id === 0) return [line];
      /** @type {[number, number]} */
      const at = [(start[0] + end[0]) / 2 + 8, (start[1] + end[1]) / 2];
      return [line, { text: String(id), at, anchor: /** @type {const} */ ("start"), ...style }];
    });
  }

  get columns() {
    const { scan, lines } = this;
    if (scan === null) return [];
    const [time, space] = scan.axes;
    const found = lines.map(({ from, to }) => lineVelocity(from, to, scan.axes));
    return [
      { name: "Line", values: lines.map(({ id }) => id) },
      {
        name: "Start",
        unit: tableUnit(time),
        values: lines.map(({ from, to }) => toPhysical(time, Math.min(from.x, to.x))),
      },
      { name: "Duration", unit: tableUnit(time), values: found.map(({ duration }) => duration) },
      { name: "Distance", unit: tableUnit(space), values: found.map(({ distance }) => distance) },
      velocityColumn(scan, found.map(({ velocity }) => velocity)),
    ];
  }

  /** Time, distance and velocity. @param {{from: Place, to: Place}} line */
  #texts({ from, to }) {
    const { axes } = /** @type {Scan} */ (this.scan);
    const { duration, distance, velocity } = lineVelocity(from, to, axes);
    return [
      quantity(significant(duration, 4), axes[0]),
      quantity(significant(distance, 4), axes[1]),
      velocityText(velocity, axes),
    ];
  }

  /** @param {readonly Line[]} lines */
  #set(lines) {
    this.lines = lines;
    const rows = lines.map((line) => [
      String(line.id),
      ...this.#texts(line),
      removeButton(`line ${line.id}`, () => this.#set(this.lines.filter((other) => other !== line))),
    ]);
    this.#rows.replaceChildren(...tables("Lines", ["", "Δt", "Δx", "Velocity", ""], rows));
    this.changed();
  }
}
