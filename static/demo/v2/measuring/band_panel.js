/** Controls of bands and traces: the list of bands, and the display of traces. */
import { formatNumber, tableUnit, toPhysical, unitSymbol } from "../../../measure/axes.js";
import { NEW_TRACE, PLAIN_TRACE, traceFacts } from "../../../measure/band_trace.js";
import { baselineWords, usualSpan } from "../../../measure/baseline.js";
import { element, swatch } from "../controls/element.js";
import { checkField, fieldRow, removeButton } from "../controls/fields.js";
import { columnsBetween, MOST_BANDS, movedEdges, numberedBand, tracesOf } from "./bands.js";
import { panel, plotOver, ShapePanel } from "./panel.js";
import { BASELINE_COLOR } from "./trace_curves.js";
import { ParameterFields } from "./parameter_fields.js";
import { shapeOf } from "./scan.js";
import { rangeOf } from "./values_over_time.js";

/** @import { Parameter } from "../../../measure/measurement.js" */
/** @import { TraceSettings } from "../../../measure/band_trace.js" */
/** @import { Band, Trace } from "./bands.js" */
/** @import { About, End } from "./panel.js" */
/** @import { Scan } from "./scan.js" */

/** @type {readonly Parameter[]} */
const AVERAGE = [{ key: "average", label: "Mean of", value: 1, unit: "lines", isCount: true, most: 100_000 }];

/** @type {readonly Parameter[]} */
const BASELINE = [
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

/** Emits `change` when a trace may have changed. @extends {ShapePanel<Band>} */
export class BandPanel extends ShapePanel {
  /** @override */
  endNames = ["From", "to"];
  /** Columns of the line scan; 0 for an image. */
  #columns = 0;
  #last = 0;
  /** Settings of the traces, to be stored as JSON. @type {TraceSettings} */
  kept = NEW_TRACE;
  /** @type {{of: unknown[], traces: Trace[], baselines: import("./trace_curves.js").ChartCurve[]}} */
  #made = { of: [], traces: [], baselines: [] };
  #list = element("ul", { className: "bands", "aria-label": "Bands" });
  #hint = element("p", { className: "hint" });
  #empty = element("p", { className: "missing", hidden: true, role: "status" });
  #change = checkField("ΔF/F₀", "trace-change", false, () => this.#typed());
  #average = new ParameterFields("trace", AVERAGE, () => this.#typed());
  #fields = new ParameterFields("baseline", BASELINE, () => this.#typed());
  #baseline = fieldRow(...this.#fields.labels);
  /** Whether a reference has a path to draw along. */
  hasPath = false;

  constructor() {
    super();
    const display = fieldRow(this.#change.label, ...this.#average.labels);
    const parts = [this.#hint, this.#list, this.slot, display, this.#baseline, this.#empty];
    this.element = panel(...parts);
    this.#showBaseline();
  }

  /** Starts with another picture. @param {Scan} scan @param {import("./drawn.js").Drawn | null} drawn drawn in it before */
  begin(scan, drawn) {
    this.scan = scan;
    this.draft = null;
    const end = shapeOf(scan)[0] * this.timeStep;
    this.#fields.timeUnit = this.timeUnit;
    const { span: _, ...kept } = this.kept;
    this.kept = drawn?.traces ?? { ...kept, from: 0, to: Number((end / 10).toPrecision(3)) };
    this.#change.input.checked = this.kept.isChange;
    this.#average.settings = this.kept;
    this.#fields.settings = {
      ...this.kept,
      span: this.kept.span || usualSpan(shapeOf(scan)[0], this.timeStep),
    };
    this.#showBaseline();
    this.#columns = scan.isLineScan ? shapeOf(scan)[1] : 0;
    this.#last = Math.max(0, ...drawn?.bands.map(({ id }) => id) ?? []);
    this.set(drawn?.bands ?? []);
  }

  /** @override @param {Band} band */
  described(band) {
    const { name, color, from, to } = band;
    return { name, color, ends: [from, to].map((y) => ({ x: null, y })), place: this.#placeText(band) };
  }

  /** @override @param {Band} band @param {readonly End[]} ends */
  placed(band, [from, to]) {
    return movedEdges(band, Number(from?.y), Number(to?.y), this.#columns);
  }

  /** @override @param {Pick<Band, "from" | "to" | "name">} band with the default name if its own is empty @returns {number | null} */
  add({ from, to, name }) {
    if (this.all.length >= MOST_BANDS || this.#columns === 0) return null;
    this.#last += 1;
    const band = numberedBand(this.#last, from, to, this.#columns);
    this.set([...this.all, { ...band, name: name || band.name }]);
    return band.id;
  }

  /** Follows a band being drawn. @param {{y: number}} from @param {{y: number}} to @param {boolean} isDone */
  draw({ y: from }, { y: to }, isDone) {
    const band = { id: 0, name: "", color: "#ffffff", ...columnsBetween(from, to, this.#columns) };
    this.draft = isDone ? null : band;
    const id = isDone ? this.add(band) : null;
    if (id !== null) this.emit("select", { id });
  }

  /** Traces of the shown channels; the same array until something changes. */
  get traces() {
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
  get baselines() {
    return this.traces.length === 0 ? [] : this.#made.baselines;
  }

  /** Title of the values. */
  get title() {
    return this.kept.isChange ? "ΔF/F₀" : "Mean";
  }

  /** @returns {About} */
  get settings() {
    const time = this.scan?.axes[0] ?? { unit: "seconds" };
    const [first = this.kept, ...others] = this.traces.map(({ f0 }) => f0.by);
    const isOne = others.every(({ kind }) => kind === first.kind);
    return traceFacts(this.kept, time, isOne ? first : this.kept);
  }

  /** Places are the outer edges of the pixels, as on the page. @returns {About} */
  get about() {
    const space = this.scan?.axes[1] ?? { name: "", step: 1, unit: "" };
    // Removes the rounding errors of products.
    const edge = (/** @type {number} */ place) => Number(toPhysical(space, place).toPrecision(12));
    const { isChange, kind } = this.kept;
    const rests = isChange || kind !== "percentile" && kind !== "window" ? this.traces : [];
    const time = this.scan?.axes[0] ?? { unit: "seconds" };
    return [
      ...this.all.map(({ name, from, to }) => /** @type {About[number]} */ ([
        name,
        `columns ${from} to ${to - 1}, ${edge(from)} to ${edge(to)} ${tableUnit(space)} (outer edges)`,
      ])),
      ...this.settings,
      ...rests.flatMap(({ name, f0: { level, by } }) => /** @type {About} */ ([
        [`F0 of ${name}`, level],
        ...kind === "automatic" ? [[`Method of F0 of ${name}`, baselineWords(by, time)]] : [],
      ])),
    ];
  }

  get columns() {
    const { scan, traces } = this;
    if (scan === null || traces.length === 0) return [];
    const times = { name: "Time", unit: this.timeUnit, values: this.timesOf(scan) };
    const moved = traces.flatMap(({ name, f0: { course } }) =>
      course === null ? [] : [{ name: `F0 of ${name}`, values: course }]
    );
    return [times, ...traces.map(({ name, values }) => ({ name, values })), ...moved];
  }

  /** @param {import("./panel.js").Span} span */
  plot(span) {
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
    const [, percentile, span, from, to, offset] = this.#fields.labels;
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

  /** @override */
  list() {
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

  /** Outer edges of the pixels. @param {Band} band */
  #placeText({ from, to }) {
    const [, space] = /** @type {Scan} */ (this.scan).axes;
    const [low, high] = [from, to].map((column) =>
      formatNumber(Number(toPhysical(space, column).toPrecision(3)))
    );
    return `${low}–${high} ${unitSymbol(space.unit)}`;
  }
}
