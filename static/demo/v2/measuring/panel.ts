/** What the measuring panels share. */
import { axisTitle, tableUnit } from "../../../measure/axes.ts";
import { velocityTableUnit } from "../../../measure/velocity.ts";
import { element } from "../controls/element.ts";
import { Emitter, type Plain } from "../controls/emitter.ts";
import { button } from "../controls/fields.ts";
import { type About, type Scan, shapeOf } from "./scan.ts";
import type { Column } from "../../../measure/csv.ts";
import type { Plot } from "./svg_plot.ts";
import type { Drawn } from "./drawn.ts";
import type { Trace } from "./bands.ts";
import type { Measurement, Quantity } from "../../../measure/measurement.ts";
import type { Result } from "../../../measure/recording.ts";

/** Visible lines. */
export type Span = { from: number; to: number };

/** What a panel saves. */
export interface Saved {
  /** Settings and summary. */
  about?: About;
  /** Settings without the summary, if `about` has one. */
  settings?: About;
  /** False if `plot` always returns null. */
  hasPlot?: boolean;
  /** Columns of the table. */
  columns: readonly Column[];
  /** Null without content. */
  plot?: (span: Span) => Plot | null;
}

/** What was measured in the shown picture. */
export interface Measured {
  drawn: Drawn;
  scan: Scan;
  traces: readonly Trace[];
  /** Tables of drawings, and in images the means over a stack, the parts of the shown image and the profile of the line. */
  tables: Readonly<
    Partial<Record<"lines" | "cursors" | "images" | "regions" | "profile", readonly Column[]>>
  >;
  measurements: readonly { measurement: Measurement; tables: readonly ResultTable[] }[];
}

/** The table of a result, after edits. */
export interface ResultTable {
  result: Result;
  columns: readonly Column[];
  quantities: readonly Quantity[];
}

/** Position in the picture; null along an axis that the shape spans. */
export type End = { x: number | null; y: number | null };

/** Identifies a shape within its panel. */
export type Id = number | string;

/** A band, line, cursor or region, as its editor shows it. */
export interface Shape {
  id: Id;
  name: string;
  /** CSS, if it can be chosen. */
  color?: string;
  ends: readonly End[];
  /** Whether the ends are opposite corners. */
  isArea?: boolean;
  /** Place in words. */
  place: string;
}

/** What the editor changes in a shape. */
export type Change = { name?: string; color?: string; ends?: readonly End[] };

/** Size of a saved plot in CSS pixels: fits a column of a page. */
const [WIDTH, HEIGHT] = [720, 320];

/** The element of a panel, with children. */
export const panel = (...children: (Node | string)[]): HTMLDivElement =>
  element("div", { className: "panel" }, ...children);

/** A panel about the measured picture; emits `change`. */
export class Panel<Events extends object = Plain> extends Emitter<Events & { change: Plain }> {
  scan: Scan | null = null;

  /** Unit of time in tables. */
  get timeUnit(): string {
    return tableUnit(this.scan?.axes[0] ?? { unit: "seconds" });
  }

  /** Time per line. */
  get timeStep(): number {
    return this.scan?.axes[0].step ?? 1;
  }

  /** Times of all lines. */
  timesOf(scan: Scan): Float64Array<ArrayBuffer> {
    return Float64Array.from({ length: shapeOf(scan)[0] }, (_, line) => line * this.timeStep);
  }

  changed(): void {
    this.emit("change");
  }
}

/** A panel of bands, lines, cursors or regions; emits `select` `{id}` when one is drawn, or pressed in the list. */
export class ShapePanel<Drawing extends { id: Id }> extends Panel<{ select: { id: Id } }> {
  /** Names of the ends, such as `From` and `to`. */
  readonly endNames: readonly string[] = [];
  /** Holds the fields of the selected shape. */
  readonly slot: HTMLDivElement = element("div");
  all: readonly Drawing[] = [];
  /** The shape being drawn, or being moved. */
  draft: Drawing | null = null;
  #selected: Id | null = null;
  readonly #picks: Map<Id, HTMLButtonElement> = new Map();

  /** Describes a shape for its editor. */
  described(_shape: Drawing): Omit<Shape, "id"> {
    throw new TypeError("abstract");
  }

  /** What changes in a shape that is moved. */
  placed(_shape: Drawing, _ends: readonly End[]): Partial<Drawing> {
    return {};
  }

  /** Adds a shape with an id of its own. @returns its id; null beyond the limit */
  add(_shape: Drawing): Id | null {
    return null;
  }

  /** Lists `all`. */
  list(): void {}

  /** Shows other shapes. */
  set(all: readonly Drawing[]): void {
    this.all = all;
    this.list();
    this.changed();
  }

  /** Shapes with the one being drawn or moved. */
  get shown(): readonly Drawing[] {
    const { all, draft } = this;
    return draft === null ? all : [...all.filter(({ id }) => id !== draft.id), draft];
  }

  get shapes(): Shape[] {
    return this.all.map((one) => ({
      id: one.id,
      ...this.described(one.id === this.draft?.id ? this.draft : one),
    }));
  }

  /** @param isDone false while the shape is being moved */
  reshape(id: Id, { ends, ...change }: Change, isDone: boolean): void {
    const shape = this.all.find((shape) => shape.id === id);
    if (shape === undefined) return;
    const other = { ...shape, ...change, ...ends && this.placed(shape, ends) };
    this.draft = isDone ? null : other;
    if (isDone) this.set(this.all.map((former) => former === shape ? other : former));
  }

  /** @returns of the copy; null beyond the limit */
  duplicate(id: Id): Id | null {
    const shape = this.all.find((shape) => shape.id === id);
    if (shape === undefined) return null;
    return this.add({ ...shape, name: `${this.described(shape).name} copy`.slice(0, 80) });
  }

  remove(id: Id): void {
    this.set(this.all.filter((shape) => shape.id !== id));
  }

  /** Cancels the shape being drawn. */
  giveUp(): void {
    this.draft = null;
  }

  /** Makes the button that selects a shape in the list. */
  pick(id: Id, ...content: (Node | string)[]): HTMLButtonElement {
    const made = button("", () => this.emit("select", { id }), {
      className: "pick",
      title: "Select, to move or change it",
      "aria-pressed": String(id === this.#selected),
    });
    made.append(...content);
    this.#picks.set(id, made);
    return made;
  }

  /** Marks a shape in the list. */
  showSelected(id: Id | null): void {
    this.#selected = id;
    for (const [of, made] of this.#picks) made.ariaPressed = String(of === id);
  }
}

/** Size, time axis and note of a plot. */
export function plotOver({ axes: [time], note }: Scan, { from, to }: Span): {
  width: number;
  height: number;
  x: {
    low: number;
    high: number;
    title: string;
  };
  note: string;
} {
  const x = { low: (from - 0.5) * time.step, high: (to - 0.5) * time.step, title: axisTitle(time) };
  return { width: WIDTH, height: HEIGHT, x, note };
}

/** Index of the item nearest to a line, for items at equal distances; -1 without any. */
export function nearestTo(found: readonly { line: number }[], line: number): number {
  const [first, second] = found;
  if (first === undefined) return -1;
  const step = second === undefined ? Infinity : second.line - first.line;
  return Math.min(found.length - 1, Math.max(0, Math.round((line - first.line) / step)));
}

/** A table column of velocities, in units per time of the axes; `null` for a window without a velocity. */
export const velocityColumn = ({ axes }: Scan, values: (number | null)[]): {
  name: string;
  unit: string;
  values: (number | null)[];
} => ({
  name: "Velocity",
  unit: velocityTableUnit(axes),
  values,
});
