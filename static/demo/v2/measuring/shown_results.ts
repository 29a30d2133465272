/** Results as the page shows them: tables, plots and peaks of one or several bands. */
import { formatCount } from "../../../measure/axes.ts";
import {
  type Item,
  listValuesOver,
  type Measurement,
  type OverTime,
  type Quantity,
  type ScanSampling,
} from "../../../measure/measurement.ts";
import type { NamedResult } from "../../../measure/result_tables.ts";
import { capitalize } from "../../../measure/stack.ts";
import { element } from "../controls/element.ts";
import { button, tables } from "../controls/fields.ts";
import { formatCell, makeColumnHead } from "./item_list.ts";
import { makeHistogram } from "./histogram.ts";
import { type LineSpan, plotOver } from "./panel.ts";
import { formatQuantities, type Scan } from "../drawing/scan.ts";
import { BASELINE_COLOR, type ChartCurve } from "./trace_curves.ts";
import { chooseRange, makeChartSeries, SERIES_RANGE } from "./values_over_time.ts";
import type { TraceSettings } from "../../../measure/light/baseline.ts";
import type { Trace } from "./band_traces.ts";
import type { SvgPlot } from "./svg_plot.ts";

/** A result with its edits, as the page shows it. */
export interface ShownResult extends NamedResult {
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
type EventThreshold = { trace?: TraceSettings; f0: number; height: number };

/** Dash of a threshold above an F₀ that moves. */
const THRESHOLD_DASH = "4 6";

/** Colour of a plot of a single result. */
const PLOT_COLOR = "#0072b2";

/** Most rejected candidates in the list. */
const MOST_REJECTED = 100;

/** Makes a function that finds the peaks of results in the traces of their channel; it gives the same curve again. */
export function makePeakFinder(): (shown: readonly ShownResult[], traces: readonly Trace[]) => PeaksInTraces {
  let made: { of: unknown[]; curve: ChartCurve | null } = { of: [], curve: null };
  return (shown, traces) => {
    const events = traces.length === 0 ? [] : shown.flatMap(({ items }) => items.map(({ line }) => line));
    const [one, ...others] = shown;
    // Bands have thresholds of their own.
    if (traces.length === 0 || one === undefined || others.length > 0) {
      return { events, level: null, threshold: null };
    }
    const { of: { band }, settings } = one.result;
    const { trace, f0, height } = settings as EventThreshold;
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
export function makeValuePlot(
  shown: readonly ShownResult[],
  overTime: OverTime,
  scan: Pick<Scan, "axes" | "note">,
  span: LineSpan,
): SvgPlot | null {
  const [{ step }] = scan.axes;
  const all = shown.map((one) => ({ one, series: makeChartSeries(overTime, [one], scan.axes) }))
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
  const range = chooseRange({ curves: [], points, level: null, least: SERIES_RANGE }, span);
  return { ...plotOver(scan, span), y: { ...range, title: all[0]!.series.title }, traces };
}

/** A histogram of the values over time, or of amplitudes; empty with few of them. */
export function makeDistribution(
  measurement: Measurement,
  shown: readonly ShownResult[],
  axes: ScanSampling,
): SVGSVGElement[] {
  const items = shown.flatMap((one) => one.items);
  const { overTime } = measurement;
  if (overTime !== undefined) {
    const title = makeColumnHead({ name: overTime.name, unit: overTime.unit(axes) });
    return makeHistogram(listValuesOver(measurement, items, axes), title);
  }
  const column = measurement.columns(items, axes).find(({ name }) => name === "Amplitude");
  return column === undefined
    ? []
    : makeHistogram(Float64Array.from(column.values, Number), makeColumnHead(column));
}

/** A line for each quantity: its name at the left and its value at the right. */
export const makeSummaryLines = (quantities: readonly Quantity[]): HTMLSpanElement[] =>
  formatQuantities(quantities).map(([name, value]) =>
    element(
      "span",
      { className: "quantity" },
      element("span", { className: "name", textContent: name }),
      " ",
      element("span", { className: "value", textContent: value }),
    )
  );

/** Quantities in a sentence, such as `Diameters 100 · Median diameter 12.3 µm`. */
export const writeSummary = (quantities: readonly Quantity[]): string =>
  formatQuantities(quantities).map((texts) => texts.join(" ")).join(" · ");

/** A row for each quantity and a column for each of several results. */
export function makeSummaryTable(title: string, shown: readonly ShownResult[]): HTMLTableElement[] {
  if (shown.length < 2) return [];
  const names = [...new Set(shown.flatMap(({ quantities }) => quantities.map(({ name }) => name)))];
  const values = shown.map(({ quantities }) => new Map(formatQuantities(quantities)));
  const rows = names.map((name) => [name, ...values.map((texts) => texts.get(name) ?? "")]).filter((
    [, ...texts],
  ) => texts.some((text) => text !== ""));
  return tables(`Summary of ${title.toLowerCase()}`, ["", ...shown.map(({ name }) => name)], rows);
}

/** Candidates that were rejected, each with its reason and a button that takes it; empty without any. */
export function makeRejectedTable(
  { title, columns: columnsOf }: Measurement,
  shown: readonly ShownResult[],
  { axes, noun }: Pick<Scan, "axes" | "noun">,
  onTake: (shown: ShownResult, item: Item) => void,
): HTMLElement[] {
  const all = shown.flatMap((one) => one.rejected.map((item) => ({ one, item })));
  if (all.length === 0) return [];
  const isNamed = shown.length > 1;
  const columns = columnsOf(all.map(({ item }) => item), axes).slice(0, 2);
  const rows = all.slice(0, MOST_REJECTED).map(({ one, item }, i) => [
    ...isNamed ? [one.name] : [],
    ...columns.map(({ values, step }) => formatCell(values[i], step)),
    item.reason,
    button("Take", () => onTake(one, item), { "aria-label": `Take candidate ${i + 1}` }),
  ]);
  const heads = [...isNamed ? [capitalize(noun)] : [], ...columns.map(makeColumnHead), "Reason", ""];
  const words = `${formatCount(all.length)} rejected ${all.length === 1 ? "candidate" : "candidates"}`;
  return [element(
    "details",
    {},
    element("summary", { textContent: words }),
    ...tables(`Rejected candidates of ${title.toLowerCase()}`, heads, rows),
  )];
}
