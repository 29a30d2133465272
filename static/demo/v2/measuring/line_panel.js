/**
 * Lines drawn over streaks, with time, distance and velocity.
 *
 * Tested in `tests/browser/measure_test.ts`.
 */
import { tableUnit } from "../../../measure/axes.js";
import { element, unbroken } from "../controls/element.js";
import { button, table } from "../controls/fields.js";
import { MOST_LINES } from "./drawn.js";
import { quantity, velocityText } from "./scan.js";
import { lineVelocity, velocityUnit } from "../../../measure/velocity.js";

/** @import { Place } from "../../../measure/velocity.js" */
/** @import { Line } from "./drawn.js" */
/** @import { Scan } from "./scan.js" */

const COLOR = "#ffffff";

/** Emits `change`. */
export class LinePanel extends EventTarget {
  /** @type {Line[]} */
  #lines = [];
  #made = 0;
  /** @type {Scan | null} */
  #scan = null;
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

  /** @param {Scan | null} scan @param {import("./drawn.js").Drawn | null} drawn what it has already */
  begin(scan, drawn) {
    this.#scan = scan;
    this.#lines = drawn?.lines ?? [];
    this.#made = Math.max(0, ...this.#lines.map(({ id }) => id));
    this.#draft = null;
    this.#output.textContent = "";
    this.#changed();
  }

  /** @returns {readonly Line[]} */
  get lines() {
    return this.#lines;
  }

  /** Follows a line being drawn. @param {Place} from @param {Place} to @param {boolean} isDone */
  draw(from, to, isDone) {
    this.#draft = isDone ? null : { from, to };
    const isLine = from.x !== to.x || from.y !== to.y;
    this.#output.replaceChildren(...(isLine ? unbroken(this.#words({ from, to }).join(" · ")) : []));
    if (!isDone || !isLine) return;
    if (this.#lines.length >= MOST_LINES) {
      this.#output.textContent = `Not kept: ${MOST_LINES} lines are the most. Remove one to draw another.`;
      return;
    }
    this.#made += 1;
    this.#lines.push({ id: this.#made, from, to });
    this.#changed();
  }

  /** Cancels the line being drawn. */
  giveUp() {
    if (this.#draft === null) return;
    this.#draft = null;
    this.#output.textContent = "";
  }

  /** @param {(x: number, y: number) => [number, number]} toScreen @returns {import("../picture/marks.js").Mark[]} marks over the picture */
  marks(toScreen) {
    const drawn = [...this.#lines, ...(this.#draft === null ? [] : [{ id: 0, ...this.#draft }])];
    return drawn.flatMap(({ id, from, to }) => {
      const points = [from, to].map(({ x, y }) => toScreen(x, y));
      const [[x0, y0], [x1, y1]] = /** @type {[number, number][]} */ (points);
      const line = { points, color: COLOR, width: 2, halo: true };
      if (id === 0) return [line];
      return [line, {
        text: String(id),
        at: [(x0 + x1) / 2 + 8, (y0 + y1) / 2],
        anchor: "start",
        color: COLOR,
        halo: true,
      }];
    });
  }

  /** Columns of the saved table. */
  get columns() {
    const scan = this.#scan;
    if (scan === null) return [];
    const [time, space] = scan.axes;
    const found = this.#lines.map(({ from, to }) => lineVelocity(from, to, scan.axes));
    const start = this.#lines.map(({ from, to }) => (Math.min(from.x, to.x) - 0.5) * time.step);
    return [
      { name: "Line", values: this.#lines.map(({ id }) => id) },
      { name: "Start", unit: tableUnit(time), values: start },
      { name: "Duration", unit: tableUnit(time), values: found.map(({ duration }) => duration) },
      { name: "Distance", unit: tableUnit(space), values: found.map(({ distance }) => distance) },
      {
        name: "Velocity",
        unit: velocityUnit(scan.axes).replace("µ", "u"),
        values: found.map(({ velocity }) => velocity),
      },
    ];
  }

  /** @param {{from: Place, to: Place}} line */
  #words({ from, to }) {
    const { axes } = /** @type {Scan} */ (this.#scan);
    const { duration, distance, velocity } = lineVelocity(from, to, axes);
    const four = (/** @type {number} */ value) => Number(value.toPrecision(4));
    return [
      `Δt ${quantity(four(duration), axes[0])}`,
      `Δx ${quantity(four(distance), axes[1])}`,
      `velocity ${velocityText(velocity, axes)}`,
    ];
  }

  #changed() {
    const rows = this.#lines.map((line) => {
      const [time, distance, velocity] = this.#words(line).map((text) => text.replace(/^\S+ /, ""));
      const remove = button("×", () => {
        this.#lines = this.#lines.filter(({ id }) => id !== line.id);
        this.#changed();
      }, { className: "icon", "aria-label": `Remove line ${line.id}` });
      return [String(line.id), time, distance, velocity, remove];
    });
    this.#rows.replaceChildren(
      ...(rows.length === 0 ? [] : [table("Lines", ["", "Δt", "Δx", "Velocity", ""], rows)]),
    );
    this.dispatchEvent(new Event("change"));
  }
}
