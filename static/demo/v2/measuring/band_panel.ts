/** Controls of bands and traces: the list of bands, and the display of traces. */
import { formatNumber, tableUnit, toPhysical, unitSymbol } from "../../../measure/axes.ts";
import { NEW_TRACE, PLAIN_TRACE, traceFacts } from "../../../measure/band_trace.ts";
import { type Baseline, baselineWords, type TraceSettings, usualSpan } from "../../../measure/baseline.ts";
import { element, swatch } from "../controls/element.ts";
import { checkField, fieldRow, removeButton } from "../controls/fields.ts";
import {
  type Band,
  columnsBetween,
  MOST_BANDS,
  movedEdges,
  numberedBand,
  type Trace,
  tracesOf,
} from "./bands.ts";
import { type End, panel, plotOver, ShapePanel, type Span } from "./panel.ts";
import { BASELINE_COLOR, type ChartCurve } from "./trace_curves.ts";
import { ParameterFields } from "./parameter_fields.ts";
import { type About, type Scan, shapeOf } from "./scan.ts";
import { rangeOf } from "./values_over_time.ts";
import type { Parameter } from "../../../measure/measurement.ts";
import type { Drawn } from "./drawn.ts";

const AVERAGE: readonly Parameter[] = [{
  key: "average",
  label: "Mean of",
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

/** Emits `change` when a trace may have changed. */
export class BandPanel extends ShapePanel<Band> {
  override readonly endNames: string[] = ["From", "to"];
  /** Columns of the line scan; 0 for an image. */
  #columns = 0;
  #last = 0;
  /** Settings of the traces, to be stored as JSON. */
  kept: TraceSettings = NEW_TRACE;
  #made: { of: unknown[]; traces: Trace[]; baselines: ChartCurve[] } = { of: [], traces: [], baselines: [] };
  readonly #list = element("ul", { className: "bands", "aria-label": "Bands" });
  readonly #hint = element("p", { className: "hint" });
  readonly #empty = element("p", { className: "missing", hidden: true, role: "status" });
  readonly #change = checkField("ΔF/F₀", "trace-change", false, () => this.#typed());
  readonly #average = new ParameterFields("trace", AVERAGE, () => this.#typed());
  readonly #fields = new ParameterFields("baseline", BASELINE, () => this.#typed());
  readonly #baseline = fieldRow(...this.#fields.labels);
  /** Whether a reference has a path to draw along. */
  hasPath = false;
  readonly element: HTMLDivElement;

  constructor() {
    super();
    const display = fieldRow(this.#change.label, ...this.#average.labels);
    const parts = [this.#hint, this.#list, this.slot, display, this.#baseline, this.#empty];
    this.element = panel(...parts);
    this.#showBaseline();
  }

  /** Starts with another picture. @param drawn drawn in it before */
  begin(scan: Scan, drawn: Drawn | null): void {
    this.scan = scan;
    this.draft = null;
    const end = shapeOf(scan)[0] * this.timeStep;
    this.#fields.timeUnit = this.timeUnit;
    const { span: _, ...kept } = this.kept;
    this.kept = drawn?.traces ?? { ...kept, from: 0, to: Number((end / 10).toPrecision(3)) };
    this.#change.input.checked = this.kept.isChange;
    this.#average.settings = { ...this.kept };
    this.#fields.settings = {
      ...this.kept,
      span: this.kept.span || usualSpan(shapeOf(scan)[0], this.timeStep),
    };
    this.#showBaseline();
    this.#columns = scan.isLineScan ? shapeOf(scan)[1] : 0;
    this.#last = Math.max(0, ...drawn?.bands.map(({ id }) => id) ?? []);
    this.set(drawn?.bands ?? []);
  }

  override described(band: Band): {
    name: string;
    color: string;
    ends: {
      x: null;
      y: number;
    }[];
    place: string;
  } {
    const { name, color, from, to } = band;
    return { name, color, ends: [from, to].map((y) => ({ x: null, y })), place: this.#placeText(band) };
  }

  override placed(band: Band, [from, to]: readonly End[]): {
    from: number;
    to: number;
  } {
    return movedEdges(band, Number(from?.y), Number(to?.y), this.#columns);
  }

  /** @param band with the default name if its own is empty */
  override add({ from, to, name }: Pick<Band, "from" | "to" | "name">): number | null {
    if (this.all.length >= MOST_BANDS || this.#columns === 0) return null;
    this.#last += 1;
    const band = numberedBand(this.#last, from, to, this.#columns);
    this.set([...this.all, { ...band, name: name || band.name }]);
    return band.id;
  }

  /** Follows a band being drawn. */
  draw({ y: from }: { y: number }, { y: to }: { y: number }, isDone: boolean): void {
    const band = { id: 0, name: "", color: "#ffffff", ...columnsBetween(from, to, this.#columns) };
    this.draft = isDone ? null : band;
    const id = isDone ? this.add(band) : null;
    if (id !== null) this.emit("select", { id });
  }

  /** Traces of the shown channels; the same array until something changes. */
  get traces(): {
    name: string;
    band: Band;
    channel: string;
    color: string;
    dash: string;
    values: Float64Array<ArrayBufferLike>;
    baseline: number;
    f0: Baseline;
  }[] {
    const { scan, kept, all } = this;
    const shown = scan?.isLineScan ? scan.group.shown : [];
    const of = [scan, kept, all, shown.length, ...shown.map(({ samples }) => samples)];
    if (of.every((part, i) => part === this.#made.of[i])) return this.#made.traces;
    const traces = scan === null ? [] : tracesOf({ plane: scan.group.plane, shown }, all, kept);
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
    return traceFacts(this.kept, time, isOne ? first : this.kept);
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
      ...this.all.map(({ name, from, to }) => ([
        name,
        `columns ${from} to ${to - 1}, ${edge(from)} to ${edge(to)} ${tableUnit(space)} (outer edges)`,
      ] as About[number])),
      ...this.settings,
      ...rests.flatMap(({ name, f0: { level, by } }) => ([
        [`F0 of ${name}`, level],
        ...kind === "automatic" ? [[`Method of F0 of ${name}`, baselineWords(by, time)]] : [],
      ] as About)),
    ];
  }

  get columns(): {
    name: string;
    values: Float64Array<ArrayBufferLike>;
  }[] {
    const { scan, traces } = this;
    if (scan === null || traces.length === 0) return [];
    const times = { name: "Time", unit: this.timeUnit, values: this.timesOf(scan) };
    const moved = traces.flatMap(({ name, f0: { course } }) =>
      course === null ? [] : [{ name: `F0 of ${name}`, values: course }]
    );
    return [times, ...traces.map(({ name, values }) => ({ name, values })), ...moved];
  }

  plot(span: Span): {
    y: {
      title: string;
      low: number;
      high: number;
    };
    traces: {
      name: string;
      color: string;
      dash: string;
      x: Float64Array<ArrayBuffer>;
      y: Float64Array<ArrayBufferLike>;
    }[];
    width: number;
    height: number;
    x: {
      low: number;
      high: number;
      title: string;
    };
    note: string;
  } | null {
    const { scan, traces, title } = this;
    if (scan === null || traces.length === 0) return null;
    const x = this.timesOf(scan);
    const y = { ...rangeOf({ curves: traces, points: [], level: null }, span), title };
    const curves = [...traces, ...this.baselines]
      .map(({ name = "", color, dash = "", values }) => ({ name, color, dash, x, y: values }));
    return { ...plotOver(scan, span), y, traces: curves };
  }

  #showBaseline() {
    const { kind, isChange } = this.kept;
    const [, percentile, span, from, to, offset] = this.#fields.labels as [
      HTMLLabelElement,
      HTMLLabelElement,
      HTMLLabelElement,
      HTMLLabelElement,
      HTMLLabelElement,
      HTMLLabelElement,
    ];
    percentile.hidden = kind === "window" || kind === "exponential";
    span.hidden = kind !== "moving";
    from.hidden = to.hidden = kind !== "window";
    offset.hidden = !isChange;
  }

  /** A setting of the traces has changed. */
  #typed() {
    const isChange = this.#change.input.checked;
    this.kept = { ...PLAIN_TRACE, isChange, ...this.#average.settings, ...this.#fields.settings };
    this.#showBaseline();
    this.changed();
  }

  override list(): void {
    const { all } = this;
    const isFull = all.length >= MOST_BANDS;
    const path = this.hasPath ? ", or along the path of the reference" : "";
    this.#hint.hidden = all.length > 0 && !isFull;
    this.#hint.textContent = isFull
      ? `${MOST_BANDS} bands at most: remove one to draw another.`
      : `Choose Band and drag up or down over the line scan${path}.`;
    this.#list.replaceChildren(
      ...this.scan === null ? [] : all.map((band) => {
        const { id, name, color } = band;
        const place = element("span", { className: "place", textContent: this.#placeText(band) });
        const title = element("span", { className: "name", textContent: name });
        const remove = removeButton(name, () => this.remove(id));
        return element("li", {}, this.pick(id, swatch(color), title, place), remove);
      }),
    );
  }

  /** Outer edges of the pixels. */
  #placeText({ from, to }: Band) {
    const [, space] = (this.scan as Scan).axes;
    const [low, high] = [from, to].map((column) =>
      formatNumber(Number(toPhysical(space, column).toPrecision(3)))
    );
    return `${low}–${high} ${unitSymbol(space.unit)}`;
  }
}
