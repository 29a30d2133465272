/**
 * What the measuring panels share.
 *
 * @typedef {import("../../../measure/csv.js").Column} Column
 * @typedef {import("./scan.js").About} About
 * @typedef {{from: number, to: number}} Span visible lines
 *
 * @typedef {object} Saved what a panel saves
 * @property {About} [about] settings and summary
 * @property {About} [settings] without the summary, if `about` has one
 * @property {boolean} [hasPlot] false if `plot` always returns null
 * @property {readonly Column[]} columns of the table
 * @property {(span: Span) => import("./svg_plot.js").Plot | null} [plot] null without content
 *
 * @typedef {object} Measured what was measured in the shown picture
 * @property {import("./drawn.js").Drawn} drawn
 * @property {Scan} scan
 * @property {readonly import("./bands.js").Trace[]} traces
 * @property {Readonly<Partial<Record<"lines" | "cursors" | "images" | "regions" | "profile", readonly Column[]>>>} tables of
 *   drawings, and in images the means over a stack, the parts of the shown image and the profile of the line
 * @property {readonly {measurement: Measurement, columns: readonly Column[], quantities: readonly Quantity[]}[]} measurements
 *
 * @typedef {{x: number | null, y: number | null}} End position in the picture; null along an axis that the shape spans
 *
 * @typedef {number | string} Id
 *
 * @typedef {object} Shape
 * @property {Id} id
 * @property {string} name
 * @property {string} [color] CSS, if it can be chosen
 * @property {readonly End[]} ends
 * @property {boolean} [isArea] whether the ends are opposite corners
 * @property {string} place in words
 *
 * @typedef {{name?: string, color?: string, ends?: readonly End[]}} Change
 */
import { axisTitle, tableUnit } from "../../../measure/axes.js";
import { velocityTableUnit } from "../../../measure/velocity.js";
import { element } from "../controls/element.js";
import { Emitter } from "../controls/emitter.js";
import { button } from "../controls/fields.js";
import { shapeOf } from "./scan.js";

/** @import { Measurement, Quantity } from "../../../measure/measurement.js" */
/** @import { Scan } from "./scan.js" */

/** Size of a saved plot in CSS pixels: fits a column of a page. */
const [WIDTH, HEIGHT] = [720, 320];

/** @param {...(Node | string)} children */
export const panel = (...children) => element("div", { className: "panel" }, ...children);

/** A panel about the measured picture; emits `change`. */
export class Panel extends Emitter {
  /** @type {Scan | null} */
  scan = null;

  /** Unit of time in tables. */
  get timeUnit() {
    return tableUnit(this.scan?.axes[0] ?? { unit: "seconds" });
  }

  /** Time per line. */
  get timeStep() {
    return this.scan?.axes[0].step ?? 1;
  }

  /** Times of all lines. @param {Scan} scan */
  timesOf(scan) {
    return Float64Array.from({ length: shapeOf(scan)[0] }, (_, line) => line * this.timeStep);
  }

  changed() {
    this.emit("change");
  }
}

/** A panel of bands, lines, cursors or regions; emits `select` `{id}` when one is drawn, or pressed in the list. @template {{id: Id}} [Drawing=any] */
export class ShapePanel extends Panel {
  /** Names of the ends, such as `From` and `to`. @type {readonly string[]} */
  endNames = [];
  /** Holds the fields of the selected shape. */
  slot = element("div");
  /** @type {readonly Drawing[]} */
  all = [];
  /** The shape being drawn, or being moved. @type {Drawing | null} */
  draft = null;
  /** @type {Id | null} */
  #selected = null;
  /** @type {Map<Id, HTMLButtonElement>} */
  #picks = new Map();

  /** Describes a shape for its editor. @param {Drawing} _shape @returns {Omit<Shape, "id">} */
  described(_shape) {
    throw new TypeError("abstract");
  }

  /** What changes in a shape that is moved. @param {Drawing} _shape @param {readonly End[]} _ends @returns {Partial<Drawing>} */
  placed(_shape, _ends) {
    return {};
  }

  /** Adds a shape with an id of its own. @param {Drawing} _shape @returns {Id | null} its id; null beyond the limit */
  add(_shape) {
    return null;
  }

  /** Lists `all`. */
  list() {}

  /** Shows other shapes. @param {readonly Drawing[]} all */
  set(all) {
    this.all = all;
    this.list();
    this.changed();
  }

  /** Shapes with the one being drawn or moved. */
  get shown() {
    const { all, draft } = this;
    return draft === null ? all : [...all.filter(({ id }) => id !== draft.id), draft];
  }

  /** @returns {Shape[]} */
  get shapes() {
    return this.all.map((one) => ({
      id: one.id,
      ...this.described(one.id === this.draft?.id ? this.draft : one),
    }));
  }

  /** @param {Id} id @param {Change} change @param {boolean} isDone false while the shape is being moved */
  reshape(id, { ends, ...change }, isDone) {
    const shape = this.all.find((shape) => shape.id === id);
    if (shape === undefined) return;
    const other = { ...shape, ...change, ...ends && this.placed(shape, ends) };
    this.draft = isDone ? null : other;
    if (isDone) this.set(this.all.map((former) => former === shape ? other : former));
  }

  /** @param {Id} id @returns {Id | null} of the copy; null beyond the limit */
  duplicate(id) {
    const shape = this.all.find((shape) => shape.id === id);
    if (shape === undefined) return null;
    return this.add({ ...shape, name: `${this.described(shape).name} copy`.slice(0, 80) });
  }

  /** @param {Id} id */
  remove(id) {
    this.set(this.all.filter((shape) => shape.id !== id));
  }

  /** Cancels the shape being drawn. */
  giveUp() {
    this.draft = null;
  }

  /** Makes the button that selects a shape in the list. @param {Id} id @param {...(Node | string)} content */
  pick(id, ...content) {
    const made = button("", () => this.emit("select", { id }), {
      className: "pick",
      title: "Select, to move or change it",
      "aria-pressed": String(id === this.#selected),
    });
    made.append(...content);
    this.#picks.set(id, made);
    return made;
  }

  /** Marks a shape in the list. @param {Id | null} id */
  showSelected(id) {
    this.#selected = id;
    for (const [of, made] of this.#picks) made.ariaPressed = String(of === id);
  }
}

/** Size, time axis and note of a plot. @param {Scan} scan @param {Span} span */
export function plotOver({ axes: [time], note }, { from, to }) {
  const x = { low: (from - 0.5) * time.step, high: (to - 0.5) * time.step, title: axisTitle(time) };
  return { width: WIDTH, height: HEIGHT, x, note };
}

/** Index of the item nearest to a line, for items at equal distances; -1 without any. @param {readonly {line: number}[]} found @param {number} line */
export function nearestTo(found, line) {
  const [first, second] = found;
  if (first === undefined) return -1;
  const step = second === undefined ? Infinity : second.line - first.line;
  return Math.min(found.length - 1, Math.max(0, Math.round((line - first.line) / step)));
}

/** @param {Scan} scan @param {(number | null)[]} values */
export const velocityColumn = ({ axes }, values) => ({
  name: "Velocity",
  unit: velocityTableUnit(axes),
  values,
});
