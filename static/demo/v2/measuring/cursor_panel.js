/**
 * Pinned cursors: the first shows its values, a second the difference of both. Values are means over some lines and
 * columns around a cursor.
 */
import { quantity, rounded, tableUnit } from "../../../measure/axes.js";
import { meanOver } from "../../../measure/image_parts.js";
import { velocityText } from "../../../measure/velocity.js";
import { element } from "../controls/element.js";
import { button, countField, fieldRow, removeButton, tables } from "../controls/fields.js";
import { panel, ShapePanel, velocityColumn } from "./panel.js";
import { shapeOf } from "./scan.js";

/** @import { Cursor } from "./drawn.js" */
/** @import { Scan } from "./scan.js" */
/** @import { Change, End, Id } from "./panel.js" */

const NAMES = ["A", "B"];
const COLORS = ["#ffd54a", "#7fd6ff"];

/** Largest window of a mean, in lines or columns. */
const MOST = 100_001;

/** A cursor has its rank as its id. @extends {ShapePanel<Cursor & {id: number}>} */
export class CursorPanel extends ShapePanel {
  /** @override */
  endNames = ["At"];
  #lines = countField("Mean of", "cursor-lines", 1, "lines ×", () => this.refresh(), MOST);
  #columns = countField("", "cursor-columns", 1, "columns", () => this.refresh(), MOST);
  #table = element("div", { className: "scrolled" });
  /** @type {() => Cursor | null} */
  #cursor;
  #hint = element("p", { className: "hint", role: "status" });

  /** @param {() => Cursor | null} cursor position of the pointer or keyboard cursor */
  constructor(cursor) {
    super();
    this.#cursor = cursor;
    this.#columns.input.ariaLabel = "Columns of the mean";
    const pin = button("Pin", () => this.pin(), {
      id: "cursor-pin",
      title: "Pin the cursor where it is (x)",
    });
    const clear = button("Clear", () => this.set([]), { id: "cursor-clear" });
    const mean = fieldRow(this.#lines.label, this.#columns.label);
    this.element = panel(this.#hint, fieldRow(pin, clear), mean, this.#table, this.slot);
  }

  /** Cursors and their settings, to be stored as JSON. */
  get kept() {
    return {
      pinned: this.all.map(({ id: _, ...cursor }) => cursor),
      lines: this.#lines.number,
      columns: this.#columns.number,
    };
  }

  /** @param {Scan} scan @param {import("./drawn.js").Drawn | null} drawn pinned in it before */
  begin(scan, drawn) {
    this.scan = scan;
    if (drawn !== null) {
      this.#lines.number = drawn.cursors.lines;
      this.#columns.number = drawn.cursors.columns;
    }
    this.set(drawn?.cursors.pinned ?? []);
  }

  /** @override @param {Cursor & {id: number}} cursor */
  described({ id, x, y }) {
    return {
      name: this.#names[id],
      ends: [{ x: x + 0.5, y: y + 0.5 }],
      place: this.#quantities.slice(0, 2).map(({ values, text }) => text(Number(values[id]))).join(", "),
    };
  }

  /** @override @param {Cursor} _cursor @param {readonly End[]} ends */
  placed(_cursor, [{ x, y }]) {
    const [rows, columns] = shapeOf(/** @type {Scan} */ (this.scan));
    const pixel = (/** @type {number | null} */ place, /** @type {number} */ size) =>
      Math.min(size - 1, Math.floor(Number(place)));
    return { x: pixel(x, rows), y: pixel(y, columns) };
  }

  /** Values follow a cursor that is being moved. @override @param {Id} id @param {Change} change */
  reshape(id, change) {
    super.reshape(id, change, true);
  }

  /** A third cursor replaces the second. @override @param {Cursor} cursor */
  add({ x, y }) {
    this.set([...this.all.slice(0, 1), { x, y }]);
    return this.all.length - 1;
  }

  /** @override @param {readonly Cursor[]} pinned */
  set(pinned) {
    this.all = pinned.map((cursor, id) => ({ ...cursor, id }));
    this.refresh();
  }

  /** Pins the cursor where it is. */
  pin() {
    const cursor = this.#cursor();
    if (cursor === null || this.scan === null) {
      this.#hint.textContent =
        "Point at the picture or move its cursor with the arrow keys, then pin it with x.";
      return;
    }
    this.emit("select", { id: this.add(cursor) });
  }

  /** @param {(x: number, y: number) => [number, number]} toScreen @param {{width: number, height: number}} plot @returns {import("../picture/marks.js").Mark[]} */
  marks(toScreen, { width, height }) {
    return this.all.flatMap(({ x, y }, i) => {
      const [across, down] = toScreen(x + 0.5, y + 0.5);
      const style = { color: COLORS[i], halo: true };
      return [
        { points: [[across, 0], [across, height]], ...style },
        { points: [[0, down], [width, down]], ...style },
        { text: this.#names[i], at: [across + 6, down - 14], anchor: "start", ...style },
      ];
    });
  }

  /** Pinned lines of a line scan. */
  get lines() {
    return this.all.map(({ x }, i) => ({ line: x, label: this.#names[i] }));
  }

  /** @returns {import("./panel.js").About} */
  get about() {
    return [["Lines averaged", this.#lines.number], ["Columns averaged", this.#columns.number]];
  }

  get columns() {
    const [first, second] = this.#names;
    const labels = second === undefined ? this.#names : [first, second, `${second} - ${first}`];
    return [{ name: "Cursor", values: labels }, ...this.#quantities];
  }

  get #names() {
    return this.all.map(({ name }, i) => name || NAMES[i]);
  }

  /** Each quantity at the cursors, with its text; of two cursors in a line scan also the velocity from one to the other. */
  get #quantities() {
    const { scan } = this;
    if (scan === null) return [];
    const { axes, group, isLineScan } = scan;
    const names = isLineScan ? ["Time", "Position"] : ["Row", "Column"];
    const places = axes.map((axis, i) => ({
      name: names[i],
      unit: tableUnit(axis),
      values: this.#withDifference(({ x, y }) => (i === 0 ? x : y) * axis.step),
      text: (/** @type {number} */ value) => quantity(value, axis, 5),
    }));
    const [times, positions] = places.map(({ values }) => values);
    const velocities = isLineScan && times[2]
      ? [{
        ...velocityColumn(scan, [null, null, positions[2] / times[2]]),
        text: (/** @type {number | null} */ value) => value === null ? "" : velocityText(value, axes),
      }]
      : [];
    return [
      ...places,
      ...group.channels.map(({ name, samples }) => ({
        name,
        values: this.#withDifference((cursor) => this.#mean(samples, cursor)),
        text: rounded,
      })),
      ...velocities,
    ];
  }

  /** @param {(cursor: Cursor) => number} of */
  #withDifference(of) {
    const values = this.all.map(of);
    return values.length === 2 ? [...values, values[1] - values[0]] : values;
  }

  /** @param {Float32Array} samples @param {Cursor} cursor */
  #mean(samples, { x, y }) {
    const [lines, wide] = [this.#lines.number, this.#columns.number];
    const [top, left] = [x - Math.floor((lines - 1) / 2), y - Math.floor((wide - 1) / 2)];
    const place = { start: [left, top], stop: [left + wide, top + lines] };
    return meanOver(shapeOf(/** @type {Scan} */ (this.scan)), place)(samples);
  }

  /** Lists the cursors again, such as after a change of samples. */
  refresh() {
    this.#hint.textContent = this.all.length === 1 ? "Pin a second one for the differences." : "";
    const rows = this.all.length === 0 ? [] : this.#quantities.map(({ name, values, text }) => [
      name,
      ...Array.from(values, (value) => text(/** @type {number} */ (value))),
    ]);
    const names = this.#names;
    const heads = names.map((name, i) =>
      element(
        "span",
        { className: "picks" },
        this.pick(i, name),
        removeButton(`cursor ${name}`, () => this.remove(i)),
      )
    );
    const difference = names.length === 2 ? [`${names[1]} − ${names[0]}`] : [];
    this.#table.replaceChildren(...tables("Cursors", ["", ...heads, ...difference], rows));
    this.changed();
  }
}
