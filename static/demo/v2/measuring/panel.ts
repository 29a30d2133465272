/** What the measuring panels share. */
import { formatAxisTitle, formatTableUnit } from "../../../measure/axes.ts";
import { formatVelocityUnit } from "../../../measure/flow/velocity.ts";
import { element } from "../controls/element.ts";
import { Emitter, type Plain } from "../controls/emitter.ts";
import { type About, findShape, type Scan } from "../drawing/scan.ts";
import type { Column } from "../../../measure/csv.ts";
import type { SvgPlot } from "./svg_plot.ts";
import type { Drawn } from "../drawing/drawn.ts";
import type { Trace } from "./band_traces.ts";
import type { Samples } from "../../../measure/line_scan.ts";
import type { Measurement, Quantity } from "../../../measure/measurement.ts";
import type { Result } from "../../../measure/result.ts";

/** Visible lines. */
export type LineSpan = { from: number; to: number };

/** What a panel saves. */
export interface PanelFiles {
  /** How many things it has to save, such as events or traces; null if nothing was drawn or measured. */
  count: number | null;
  /** Settings and summary. */
  about?: About;
  /** Settings without the summary, if `about` has one. */
  settings?: About;
  /** False if `plot` always returns null. */
  hasPlot?: boolean;
  /** Columns of the table. */
  columns: readonly Column[];
  /** Null without content. */
  plot?: (span: LineSpan) => SvgPlot | null;
  /** Where it was measured, if not in the shown picture. */
  scan?: Scan<Samples> | null;
}

/** What was measured in the shown picture. */
export interface MeasuredPicture {
  drawn: Drawn;
  scan: Scan;
  /** What traces and measurements are of: the scan, or the means of its images. */
  traced: Scan<Samples>;
  traces: readonly Trace[];
  /** Tables of drawings, and in images the parts of the shown image and the profile of the line. */
  tables: Readonly<
    Partial<Record<"lines" | "tracks" | "cursors" | "regions" | "profile", readonly Column[]>>
  >;
  /** Means over a stack, a table for each part. */
  means: readonly MeansTable[];
  measurements: readonly { measurement: Measurement; tables: readonly ResultTable[] }[];
}

/** Kept means of a part as a table. */
export interface MeansTable {
  /** Id of the part. */
  id: string;
  /** The place of each image, then the means of each channel. */
  columns: Column[];
}

/** The table of a result, after edits. */
export interface ResultTable {
  result: Result;
  columns: readonly Column[];
  quantities: readonly Quantity[];
}

/** Size of a saved plot in CSS pixels: fits a column of a page. */
const [WIDTH, HEIGHT] = [720, 320];

/** The element of a panel, with children. */
export const panel = (...children: (Node | string)[]): HTMLDivElement =>
  element("div", { className: "panel" }, ...children);

/** A panel about the measured picture, or about what is traced in it; emits `change`. */
export class Panel<Events extends object = Plain, Of extends Samples = Float32Array>
  extends Emitter<Events & { change: Plain }> {
  scan: Scan<Of> | null = null;

  /** Unit of time in tables. */
  get timeUnit(): string {
    return formatTableUnit(this.scan?.axes[0] ?? { unit: "seconds" });
  }

  /** Time per line. */
  get timeStep(): number {
    return this.scan?.axes[0].step ?? 1;
  }

  /** Times of all lines. */
  timesOf(scan: Scan<Samples>): Float64Array<ArrayBuffer> {
    return Float64Array.from({ length: findShape(scan)[0] }, (_, line) => line * this.timeStep);
  }

  changed(): void {
    this.emit("change");
  }
}

/** Size, time axis and note of a plot. */
export function plotOver(
  { axes: [time], note }: Pick<Scan, "axes" | "note">,
  { from, to }: LineSpan,
): Omit<SvgPlot, "y" | "traces"> {
  const x = { low: (from - 0.5) * time.step, high: (to - 0.5) * time.step, title: formatAxisTitle(time) };
  return { width: WIDTH, height: HEIGHT, x, note };
}

/** Index of the item nearest to a line, for items at equal distances; -1 without any. */
export function findNearestIndex(found: readonly { line: number }[], line: number): number {
  const [first, second] = found;
  if (first === undefined) return -1;
  const step = second === undefined ? Infinity : second.line - first.line;
  return Math.min(found.length - 1, Math.max(0, Math.round((line - first.line) / step)));
}

/** A table column of velocities, in units per time of the axes; `null` for a window without a velocity. */
export const velocityColumn = ({ axes }: Pick<Scan, "axes">, values: (number | null)[]): Column & {
  values: (number | null)[];
} => ({
  name: "Velocity",
  unit: formatVelocityUnit(axes),
  values,
});
