/** The list of bands, and how their traces are shown. */
import { formatTableUnit, toPhysical } from "../../../measure/axes.ts";
import { listTraceFacts, NEW_TRACE, PLAIN_TRACE } from "../../../measure/light/band_trace.ts";
import { chooseUsualSpan, describeBaseline, type TraceSettings } from "../../../measure/light/baseline.ts";
import { element } from "../controls/element.ts";
import { checkField, settingsGrid } from "../controls/fields.ts";
import { RegionList } from "../drawing/list.ts";
import { TRACES } from "../drawing/pieces.ts";
import { makeBandTraces, type Trace, TraceMemory } from "./band_traces.ts";
import { makeTraceColumns } from "../../../measure/result_tables.ts";
import { type LineSpan, Panel, panel, plotOver } from "./panel.ts";
import { BASELINE_COLOR, type ChartCurve } from "./trace_curves.ts";
import { ParameterFields } from "./parameter_fields.ts";
import { type About, findShape, isTraced, type Scan } from "../drawing/scan.ts";
import { chooseRange } from "./values_over_time.ts";
import type { Parameter } from "../../../measure/measurement.ts";
import type { Column } from "../../../measure/csv.ts";
import type { Plain } from "../controls/emitter.ts";
import type { BandRegion } from "../drawing/region.ts";
import type { Samples } from "../../../measure/line_scan.ts";
import type { Traced } from "./traced.ts";
import type { SvgPlot } from "./svg_plot.ts";
import type { Drawn } from "../drawing/drawn.ts";
import type { DrawingStore } from "../drawing/store.ts";

const AVERAGE: readonly Parameter[] = [{
  key: "average",
  label: "Average over",
  value: 1,
  unit: "lines",
  isCount: true,
  most: 100_000,
}];

const BASELINE: readonly Parameter[] = [
  {
    key: "kind",
    label: "F₀",
    value: NEW_TRACE.kind,
    choices: {
      automatic: "automatic",
      percentile: "percentile",
      moving: "moving percentile",
      exponential: "exponential",
      window: "mean of a time",
    },
  },
  { key: "percentile", label: "Percentile", value: 10, least: 0, most: 100 },
  { key: "span", label: "over", value: 1, least: 0, isTime: true },
  { key: "from", label: "From", value: 0, least: 0, isTime: true },
  { key: "to", label: "to", value: 1, least: 0, isTime: true },
  { key: "offset", label: "Detector offset", value: 0 },
];

/** Settings of traces in a picture without any of its own: those of the picture before, over the first tenth of its time. */
export function chooseTraceSettingsOver(
  { count, axis }: { count: number; axis: { step: number } },
  former: TraceSettings = NEW_TRACE,
): TraceSettings {
  const { span: _, ...settings } = former;
  return { ...settings, from: 0, to: Number((count * axis.step / 10).toPrecision(3)) };
}

/** Bands and their traces. */
export class TracePanel extends Panel<Plain, Samples> {
  readonly #piece;
  #bands: readonly BandRegion[] = [];
  #made: { of: unknown[]; traces: Trace[]; baselines: ChartCurve[] } = { of: [], traces: [], baselines: [] };
  readonly #memory = new TraceMemory();
  /** The settings in the fields. */
  #shown: TraceSettings | null = null;
  readonly #empty = element("p", { className: "missing", hidden: true, role: "status" });
  readonly #change = checkField("ΔF/F₀", "trace-change", false, () => this.#typed());
  readonly #average = new ParameterFields("trace", AVERAGE, () => this.#typed());
  readonly #fields = new ParameterFields("baseline", BASELINE, () => this.#typed());
  /** Whether a reference has a path to draw along. */
  hasPath = false;
  readonly list: RegionList;
  readonly element: HTMLDivElement;

  constructor(store: DrawingStore<Drawn>) {
    super();
    this.#piece = store.register(TRACES);
    this.list = new RegionList(
      store,
      ["band"],
      "Bands",
      () => this.hasPath ? ", or along the path of the reference" : "",
    );
    const settings = settingsGrid(this.#change.label, ...this.#average.labels, ...this.#fields.labels);
    this.element = panel(this.list.element, settings, this.#empty);
    this.#showBaseline();
  }

  /** How traces are made; means over focus are shown as they are. */
  get kept(): TraceSettings {
    return this.scan?.isLineScan === false ? PLAIN_TRACE : this.#piece.value ?? NEW_TRACE;
  }

  /** Shows bands and settings of the document. @param picture that bands are drawn in */
  show({ scan, bands }: Traced, picture: Scan): void {
    this.scan = scan;
    this.#bands = bands;
    this.list.element.hidden = scan.noun === "region";
    this.list.show(picture);
    this.#average.lineUnit = scan.noun === "band" ? "lines" : "images";
    const { kept } = this;
    if (kept === this.#shown) return;
    this.#shown = kept;
    this.#fields.timeUnit = this.timeUnit;
    this.#change.input.checked = kept.isChange;
    this.#average.settings = { ...kept };
    this.#fields.settings = {
      ...kept,
      span: kept.span || chooseUsualSpan(findShape(scan)[0], this.timeStep),
    };
    this.#showBaseline();
  }

  /** Traces of the shown channels; the same array until something changes. */
  get traces(): Trace[] {
    const { scan, kept } = this;
    const all = this.#bands;
    const shown = scan !== null && isTraced(scan) ? scan.group.shown : [];
    const of = [scan, kept, all.length, ...all, ...shown.map(({ samples }) => samples)];
    const { of: former } = this.#made;
    if (of.length === former.length && of.every((part, i) => part === former[i])) return this.#made.traces;
    this.#memory.begin();
    const traces = scan === null
      ? []
      : makeBandTraces({ plane: scan.group.plane, shown }, all, kept, this.#memory.make);
    const baselines = kept.isChange
      ? []
      : traces.flatMap(({ name, f0: { course } }) =>
        course === null ? [] : [{ name: `F₀ of ${name}`, color: BASELINE_COLOR, values: course }]
      );
    this.#made = { of, traces, baselines };
    const empty = traces.filter(({ baseline }) => kept.isChange && !(baseline > kept.offset));
    this.#empty.hidden = empty.length === 0;
    const names = empty.map(({ name }) => name).join(", ");
    this.#empty.textContent = `No ΔF/F₀ where F₀ does not exceed the detector offset: ${names}`;
    return traces;
  }

  /** F₀ of the traces of means, where it changes. */
  get baselines(): ChartCurve[] {
    return this.traces.length === 0 ? [] : this.#made.baselines;
  }

  /** Title of the values. */
  get title(): "ΔF/F₀" | "Mean" {
    return this.kept.isChange ? "ΔF/F₀" : "Mean";
  }

  get settings(): About {
    const time = this.scan?.axes[0] ?? { unit: "seconds" };
    const [first = this.kept, ...others] = this.traces.map(({ f0 }) => f0.by);
    const isOne = others.every(({ kind }) => kind === first.kind);
    const facts = listTraceFacts(this.kept, time, isOne ? first : this.kept, this.scan?.noun);
    const { timing } = this.scan ?? {};
    return timing === undefined ? facts : [...facts, ["Timing", timing]];
  }

  /** Places are the outer edges of the pixels, as on the page. */
  get about(): About {
    const space = this.scan?.axes[1] ?? { name: "", step: 1, unit: "" };
    // Removes the rounding errors of products.
    const edge = (place: number) => Number(toPhysical(space, place).toPrecision(12));
    const { isChange, kind } = this.kept;
    const rests = isChange || kind !== "percentile" && kind !== "window" ? this.traces : [];
    const time = this.scan?.axes[0] ?? { unit: "seconds" };
    return [
      ...this.#bands.map(({ name, from, to, place }) => ([
        place === undefined ? `Columns of ${name}` : `Place of ${name}`,
        place ??
          `columns ${from} to ${to - 1}, ${edge(from)} to ${edge(to)} ${
            formatTableUnit(space)
          } (outer edges)`,
      ] as About[number])),
      ...this.settings,
      ...rests.flatMap(({ name, f0: { level, by } }) => ([
        [`F0 of ${name}`, level],
        ...kind === "automatic" ? [[`Method of F0 of ${name}`, describeBaseline(by, time)]] : [],
      ] as About)),
    ];
  }

  get count(): number | null {
    // Means over focus have a table of their own.
    return this.scan?.isLineScan ? this.traces.length || null : null;
  }

  get columns(): Column[] {
    const { scan, traces } = this;
    if (scan === null || traces.length === 0) return [];
    const named = traces.map(({ band, ...trace }) => ({ ...trace, band: band.name }));
    return makeTraceColumns(named, scan.axes[0], this.kept.isChange, scan.noun);
  }

  plot(span: LineSpan): SvgPlot | null {
    const { scan, traces, title } = this;
    if (scan === null || traces.length === 0) return null;
    const x = this.timesOf(scan);
    const y = { ...chooseRange({ curves: traces, points: [], level: null }, span), title };
    const curves = [...traces, ...this.baselines]
      .map(({ name = "", color, dash = "", values }) => ({ name, color, dash, x, y: values }));
    return { ...plotOver(scan, span), y, traces: curves };
  }

  #showBaseline() {
    const { kind, isChange } = this.kept;
    const [, percentile, span, from, to, offset] = this.#fields.labels as HTMLLabelElement[];
    percentile!.hidden = kind === "window" || kind === "exponential";
    span!.hidden = kind !== "moving";
    from!.hidden = to!.hidden = kind !== "window";
    offset!.hidden = !isChange;
  }

  /** A setting of the traces has changed. */
  #typed() {
    const isChange = this.#change.input.checked;
    this.#shown = { ...PLAIN_TRACE, isChange, ...this.#average.settings, ...this.#fields.settings };
    this.#piece.write(this.#shown);
    this.#showBaseline();
  }
}
