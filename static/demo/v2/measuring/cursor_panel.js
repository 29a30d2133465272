/**
 * Pinned cursors: the first shows its values, a second the difference of both. Values are means over some lines and
 * columns around a cursor.
 *
 * Tested in `tests/browser/measure_test.ts`.
 *
 * @typedef {{x: number, y: number}} Cursor pixel of the picture: x counts rows, y columns
 */
import { isTime, tableUnit } from "../../../measure/axes.js";
import { element } from "../controls/element.js";
import { button, numberField, table } from "../controls/fields.js";
import { quantity, rounded, shapeOf, velocityText } from "./scan.js";
import { velocityUnit } from "../../../measure/velocity.js";

/** @import { Scan } from "./scan.js" */

const NAMES = /** @type {const} */ (["A", "B"]);
const COLORS = ["#ffd54a", "#7fd6ff"];

/** Emits `change`. */
export class CursorPanel extends EventTarget {
  /** @type {Scan | null} */
  #scan = null;
  /** @type {Cursor[]} */
  #pinned = [];
  #lines;
  #columns;
  #table = element("div", { className: "scrolled" });
  /** @type {() => Cursor | null} */
  #cursor;
  #hint = element("p", { className: "hint", role: "status" });

  /** @param {() => Cursor | null} cursor position of the pointer or keyboard cursor */
  constructor(cursor) {
    super();
    this.#cursor = cursor;
    const again = () => this.#list();
    this.#lines = numberField("Mean of", {
      value: 1,
      min: 1,
      max: 100_001,
      step: 1,
      unit: "lines ×",
      id: "cursor-lines",
    }, again);
    this.#columns = numberField("", {
      value: 1,
      min: 1,
      max: 100_001,
      step: 1,
      unit: "columns",
      id: "cursor-columns",
    }, again);
    this.#columns.input.ariaLabel = "Columns of the mean";
    this.element = element(
      "div",
      { className: "panel" },
      this.#hint,
      element(
        "div",
        { className: "fields" },
        button("Pin", () => this.pin(this.#cursor()), {
          id: "cursor-pin",
          title: "Pin the cursor where it is (x)",
        }),
        button("Clear", () => this.#clear(), { id: "cursor-clear" }),
      ),
      element("div", { className: "fields" }, this.#lines.label, this.#columns.label),
      this.#table,
    );
  }

  /** To be kept as JSON. @returns {import("./drawn.js").Drawn["cursors"]} */
  get kept() {
    const [lines, columns] = [this.#lines.number, this.#columns.number];
    return { pinned: this.#pinned, lines, columns };
  }

  /** @param {Scan | null} scan @param {import("./drawn.js").Drawn | null} drawn what it has already */
  begin(scan, drawn) {
    this.#scan = scan;
    this.#pinned = drawn?.cursors.pinned ?? [];
    if (drawn !== null) {
      this.#lines.number = drawn.cursors.lines;
      this.#columns.number = drawn.cursors.columns;
    }
    this.#list();
  }

  /** The samples have changed. */
  refresh() {
    this.#list();
  }

  /** A third cursor replaces the second. @param {Cursor | null} cursor */
  pin(cursor) {
    if (cursor === null || this.#scan === null) {
      this.#hint.textContent =
        "Point at the picture, or move its cursor by the arrow keys, then pin it with x.";
      return;
    }
    this.#pinned = [...this.#pinned.slice(0, 1), { ...cursor }];
    this.#list();
  }

  /** @param {(x: number, y: number) => [number, number]} toScreen @param {{width: number, height: number}} plot @returns {import("../picture/marks.js").Mark[]} */
  marks(toScreen, { width, height }) {
    return this.#pinned.flatMap(({ x, y }, i) => {
      const [across, down] = toScreen(x + 0.5, y + 0.5);
      const style = { color: COLORS[i], halo: true };
      return [
        { points: [[across, 0], [across, height]], ...style },
        { points: [[0, down], [width, down]], ...style },
        { text: NAMES[i], at: [across + 6, down - 9], anchor: "start", ...style },
      ];
    });
  }

  /** Lines of a line scan that are pinned. */
  get lines() {
    return this.#pinned.map(({ x }, i) => ({ line: x, label: String(NAMES[i]) }));
  }

  /** @returns {[string, string | number][]} */
  get about() {
    return [["Lines averaged", this.#lines.number], ["Columns averaged", this.#columns.number]];
  }

  /** Columns of the saved table. */
  get columns() {
    if (this.#scan === null) return [];
    const { axes, group } = this.#scan;
    const places = this.#withDifference(({ x }) => x * axes[0].step);
    const across = this.#withDifference(({ y }) => y * axes[1].step);
    const velocity = this.#velocity;
    return [
      {
        name: "Cursor",
        values: [...NAMES.slice(0, this.#pinned.length), ...(this.#pinned.length === 2 ? ["B - A"] : [])],
      },
      { name: isTime(axes[0]) ? "Time" : "Row", unit: tableUnit(axes[0]), values: places },
      { name: isTime(axes[0]) ? "Position" : "Column", unit: tableUnit(axes[1]), values: across },
      ...group.channels.map(({ name, samples }) => ({
        name,
        values: this.#withDifference((cursor) => this.#mean(samples, cursor)),
      })),
      ...(velocity === null ? [] : [{
        name: "Velocity",
        unit: velocityUnit(axes).replace("µ", "u"),
        values: [null, null, velocity],
      }]),
    ];
  }

  /** Difference of both, in the axes' units; null without two cursors. */
  get #velocity() {
    const [[a, b], scan] = [this.#pinned, this.#scan];
    if (!scan?.isLineScan || a === undefined || b === undefined || a.x === b.x) return null;
    return (b.y - a.y) * scan.axes[1].step / ((b.x - a.x) * scan.axes[0].step);
  }

  /** @param {(cursor: Cursor) => number} of @returns {number[]} */
  #withDifference(of) {
    const values = this.#pinned.map(of);
    return values.length === 2 ? [...values, values[1] - values[0]] : values;
  }

  /** @param {Float32Array} samples @param {Cursor} cursor */
  #mean(samples, { x, y }) {
    const [rows, columns] = shapeOf(/** @type {Scan} */ (this.#scan));
    const [lines, wide] = [this.#lines.number, this.#columns.number];
    const [top, left] = [x - Math.floor((lines - 1) / 2), y - Math.floor((wide - 1) / 2)];
    let [sum, count] = [0, 0];
    for (let row = Math.max(0, top); row < Math.min(rows, top + lines); row += 1) {
      for (let column = Math.max(0, left); column < Math.min(columns, left + wide); column += 1) {
        const value = samples[row * columns + column];
        if (!Number.isFinite(value)) continue;
        sum += value;
        count += 1;
      }
    }
    return sum / count;
  }

  #clear() {
    this.#pinned = [];
    this.#list();
  }

  #list() {
    const scan = this.#scan;
    this.#hint.textContent = this.#pinned.length === 1 ? "Pin a second one for the differences." : "";
    if (scan === null || this.#pinned.length === 0) {
      this.#table.replaceChildren();
    } else {
      const { axes, group } = scan;
      const heads = [
        "",
        ...this.#pinned.map((_, i) => String(NAMES[i])),
        ...(this.#pinned.length === 2 ? ["B − A"] : []),
      ];
      const placed = axes.map((axis, i) => [
        i === 0 && scan.isLineScan ? "Time" : i === 0 ? "Row" : scan.isLineScan ? "Position" : "Column",
        ...this.#withDifference((cursor) => (i === 0 ? cursor.x : cursor.y) * axis.step)
          .map((value) => quantity(Number(value.toPrecision(5)), axis)),
      ]);
      const values = group.channels.map(({ name, samples }) => [
        name,
        ...this.#withDifference((cursor) => this.#mean(samples, cursor)).map(rounded),
      ]);
      const found = this.#velocity;
      const velocity = found === null ? [] : [["Velocity", "", "", velocityText(found, axes)]];
      this.#table.replaceChildren(table("Cursors", heads, [...placed, ...values, ...velocity]));
    }
    this.dispatchEvent(new Event("change"));
  }
}
