/** Results as the page shows them: tables, plots and peaks of one or several bands. */
import { counted } from "../../../measure/axes.ts";
import {
  type Axes,
  type Item,
  type Measurement,
  type OverTime,
  type Quantity,
  valuesOver,
} from "../../../measure/measurement.ts";
import type { Named } from "../../../measure/result_tables.ts";
import { capitalized } from "../../../measure/stack.ts";
import { element } from "../controls/element.ts";
import { button, tables } from "../controls/fields.ts";
import { headOf, textOf } from "./item_list.ts";
import { histogram } from "./histogram.ts";
import { plotOver, type Span } from "./panel.ts";
import { quantityTexts, type Scan } from "../drawing/scan.ts";
import { BASELINE_COLOR, type ChartCurve } from "./trace_curves.ts";
import { rangeOf, SERIES_RANGE, seriesOf } from "./values_over_time.ts";
import type { TraceSettings } from "../../../measure/light/baseline.ts";
import type { Trace } from "./band_traces.ts";
import type { Plot } from "./svg_plot.ts";

/** A result with its edits, as the page shows it. */
export interface Shown extends Named {
  /** CSS colour of its band; empty for whole lines. */
  color: string;
  /** Names it in lists and charts; empty if it is the only one. */
  name: string;
}

/** What the chart of traces marks. */
export interface PeaksInTraces {
  /** Lines of the peaks. */
  events: number[];
  /** A constant threshold. */
  level: number | null;
  /** A threshold above an F₀ that moves. */
  threshold: ChartCurve | null;
}

/** What a measurement of events adds to its settings. */
type Threshold = { trace?: TraceSettings; f0: number; height: number };

/** Dash of a threshold above an F₀ that moves. */
const THRESHOLD_DASH = "4 6";

/** Colour of a plot of a single result. */
const PLOT_COLOR = "#0072b2";

/** Most rejected candidates in the list. */
const MOST_REJECTED = 100;

/** Makes a function that finds the peaks of results in the traces of their channel; it gives the same curve again. */
export function peaksInTraces(): (shown: readonly Shown[], traces: readonly Trace[]) => PeaksInTraces {
  let made: { of: unknown[]; curve: ChartCurve | null } = { of: [], curve: null };
  return (shown, traces) => {
    const events = traces.length === 0 ? [] : shown.flatMap(({ items }) => items.map(({ line }) => line));
    const [one, ...others] = shown;
    // Bands have thresholds of their own.
    if (traces.length === 0 || one === undefined || others.length > 0) {
      return { events, level: null, threshold: null };
    }
    const { of: { band }, settings } = one.result;
    const { trace, f0, height } = settings as Threshold;
    const own = traces.find((trace) => trace.band.id === band);
    const course = trace?.isChange ? null : own?.f0.course ?? null;
    if (own === undefined || course === null) return { events, level: height, threshold: null };
    const of = [course, height - f0];
    if (of.some((part, i) => part !== made.of[i])) {
      const values = course.map((value) => value + height - f0);
      made = { of, curve: { color: BASELINE_COLOR, dash: THRESHOLD_DASH, values } };
    }
    return { events, level: null, threshold: made.curve };
  };
}

/** Values over time as a plot to be saved; null without any. */
export function plotOf(
  shown: readonly Shown[],
  overTime: OverTime,
  scan: Pick<Scan, "axes" | "note">,
  span: Span,
): Plot | null {
  const [{ step }] = scan.axes;
  const all = shown.map((one) => ({ one, series: seriesOf(overTime, [one], scan.axes) }))
    .filter(({ series }) => series.points.length > 0);
  const points = all.flatMap(({ series }) => series.points);
  if (points.length === 0) return null;
  const traces = all.flatMap(({ one, series }) => {
    const trace = {
      name: one.name,
      color: one.name === "" ? PLOT_COLOR : one.color || PLOT_COLOR,
      x: series.points.map(({ line }) => line * step),
      y: series.points.map(({ value }) => value),
    };
    const spread = series.points.map(({ spread }) => spread);
    return [{ ...trace, spread }, { ...trace, name: "", isDots: true }];
  });
  const range = rangeOf({ curves: [], points, level: null, least: SERIES_RANGE }, span);
  return { ...plotOver(scan, span), y: { ...range, title: all[0]!.series.title }, traces };
}

/** A histogram of the values over time, or of amplitudes; empty with few of them. */
export function distribution(
  measurement: Measurement,
  shown: readonly Shown[],
  axes: Axes,
): SVGSVGElement[] {
  const items = shown.flatMap((one) => one.items);
  const { overTime } = measurement;
  if (overTime !== undefined) {
    const title = headOf({ name: overTime.name, unit: overTime.unit(axes) });
    return histogram(valuesOver(measurement, items, axes), title);
  }
  const column = measurement.columns(items, axes).find(({ name }) => name === "Amplitude");
  return column === undefined ? [] : histogram(Float64Array.from(column.values, Number), headOf(column));
}

/** A line for each quantity: its name at the left and its value at the right. */
export const summaryLines = (quantities: readonly Quantity[]): HTMLSpanElement[] =>
  quantityTexts(quantities).map(([name, value]) =>
    element(
      "span",
      { className: "quantity" },
      element("span", { className: "name", textContent: name }),
      " ",
      element("span", { className: "value", textContent: value }),
    )
  );

/** Quantities in a sentence, such as `Diameters 100 · Median diameter 12.3 µm`. */
export const summaryWords = (quantities: readonly Quantity[]): string =>
  quantityTexts(quantities).map((texts) => texts.join(" ")).join(" · ");

/** A row for each quantity and a column for each of several results. */
export function summaryTable(title: string, shown: readonly Shown[]): HTMLTableElement[] {
  if (shown.length < 2) return [];
  const names = [...new Set(shown.flatMap(({ quantities }) => quantities.map(({ name }) => name)))];
  const values = shown.map(({ quantities }) => new Map(quantityTexts(quantities)));
  const rows = names.map((name) => [name, ...values.map((texts) => texts.get(name) ?? "")]).filter((
    [, ...texts],
  ) => texts.some((text) => text !== ""));
  return tables(`Summary of ${title.toLowerCase()}`, ["", ...shown.map(({ name }) => name)], rows);
}

/** Candidates that were rejected, each with its reason and a button that takes it; empty without any. */
export function rejectedTable(
  { title, columns: columnsOf }: Measurement,
  shown: readonly Shown[],
  { axes, noun }: Pick<Scan, "axes" | "noun">,
  onTake: (shown: Shown, item: Item) => void,
): HTMLElement[] {
  const all = shown.flatMap((one) => one.rejected.map((item) => ({ one, item })));
  if (all.length === 0) return [];
  const isNamed = shown.length > 1;
  const columns = columnsOf(all.map(({ item }) => item), axes).slice(0, 2);
  const rows = all.slice(0, MOST_REJECTED).map(({ one, item }, i) => [
    ...isNamed ? [one.name] : [],
    ...columns.map(({ values, step }) => textOf(values[i], step)),
    item.reason,
    button("Take", () => onTake(one, item), { "aria-label": `Take candidate ${i + 1}` }),
  ]);
  const heads = [...isNamed ? [capitalized(noun)] : [], ...columns.map(headOf), "Reason", ""];
  const words = `${counted(all.length)} rejected ${all.length === 1 ? "candidate" : "candidates"}`;
  return [element(
    "details",
    {},
    element("summary", { textContent: words }),
    ...tables(`Rejected candidates of ${title.toLowerCase()}`, heads, rows),
  )];
}
