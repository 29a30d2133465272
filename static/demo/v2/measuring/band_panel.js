/** Controls of bands and traces: the list of bands, and the display of traces. */
import { formatNumber, tableUnit, toPhysical, unitSymbol } from "../../../measure/axes.js";
import { PLAIN_TRACE, traceFacts } from "../../../measure/traces.js";
import { element, swatch } from "../controls/element.js";
import {
  checkField,
  choiceField,
  countField,
  fieldRow,
  numberField,
  removeButton,
} from "../controls/fields.js";
import { columnsBetween, MOST_BANDS, movedEdges, numberedBand, tracesOf } from "./bands.js";
import { panel, plotOver, ShapePanel } from "./panel.js";
import { shapeOf } from "./scan.js";
import { rangeOf } from "./values_over_time.js";

/** @import { TraceSettings } from "../../../measure/traces.js" */
/** @import { Band, Trace } from "./bands.js" */
/** @import { About, End } from "./panel.js" */
/** @import { Scan } from "./scan.js" */

/** Emits `change` when a trace may have changed. @extends {ShapePanel<Band>} */
export class BandPanel extends ShapePanel {
  /** @override */
  endNames = ["From", "to"];
  /** Columns of the line scan; 0 for an image. */
  #columns = 0;
  #last = 0;
  /** Settings of the traces, to be stored as JSON. @type {TraceSettings} */
  kept = PLAIN_TRACE;
  /** @type {{of: unknown[], traces: Trace[]}} */
  #made = { of: [], traces: [] };
  #list = element("ul", { className: "bands", "aria-label": "Bands" });
  #hint = element("p", { className: "hint" });
  #empty = element("p", { className: "missing", hidden: true, role: "status" });
  #change = checkField("ΔF/F₀", "trace-change", false, (isChange) => this.#set({ isChange }));
  #average = countField(
    "Mean of",
    "trace-average",
    1,
    "lines",
    () => this.#set({ average: this.#average.number }),
  );
  #kind = choiceField("F₀", "baseline-kind", [
    { value: "percentile", name: "percentile" },
    { value: "window", name: "mean of a time" },
  ], () => {
    this.#set({ kind: this.#kind.select.value === "window" ? "window" : "percentile" });
  });
  #percentile = numberField(
    "Percentile",
    "baseline-percentile",
    10,
    (percentile) => this.#set({ percentile }),
    { min: 0, max: 100 },
  );
  #from = numberField("From", "baseline-from", 0, (from) => this.#set({ from }), { min: 0, unit: "s" });
  #to = numberField("to", "baseline-to", 1, (to) => this.#set({ to }), { min: 0, unit: "s" });
  #offset = numberField("Detector offset", "baseline-offset", 0, (offset) => this.#set({ offset }));
  #baseline = fieldRow(
    ...[this.#kind, this.#percentile, this.#from, this.#to, this.#offset].map(({ label }) => label),
  );
  /** Whether a reference has a path to draw along. */
  hasPath = false;

  constructor() {
    super();
    const display = fieldRow(this.#change.label, this.#average.label);
    const parts = [this.#hint, this.#list, this.slot, display, this.#baseline, this.#empty];
    this.element = panel(...parts);
    this.#showBaseline();
  }

  /** Starts with another picture. @param {Scan} scan @param {import("./drawn.js").Drawn | null} drawn drawn in it before */
  begin(scan, drawn) {
    this.scan = scan;
    this.draft = null;
    const end = shapeOf(scan)[0] * this.timeStep;
    for (const field of [this.#from, this.#to]) field.unitText.data = this.timeUnit;
    this.kept = drawn?.traces ?? { ...this.kept, from: 0, to: Number((end / 10).toPrecision(3)) };
    this.#change.input.checked = this.kept.isChange;
    this.#kind.select.value = this.kept.kind;
    this.#average.number = this.kept.average;
    this.#offset.number = this.kept.offset;
    this.#percentile.number = this.kept.percentile;
    this.#from.number = this.kept.from;
    this.#to.number = this.kept.to;
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
    this.#made = { of, traces };
    const empty = traces.filter(({ baseline }) => kept.isChange && !(baseline > kept.offset));
    this.#empty.hidden = empty.length === 0;
    const names = empty.map(({ name }) => name).join(", ");
    this.#empty.textContent = `No ΔF/F₀ where F₀ does not exceed the detector offset: ${names}`;
    return traces;
  }

  /** Title of the values. */
  get title() {
    return this.kept.isChange ? "ΔF/F₀" : "Mean";
  }

  /** @returns {About} */
  get settings() {
    return traceFacts(this.kept, this.scan?.axes[0] ?? { unit: "seconds" });
  }

  /** Places are the outer edges of the pixels, as on the page. @returns {About} */
  get about() {
    const space = this.scan?.axes[1] ?? { name: "", step: 1, unit: "" };
    // Removes the rounding errors of products.
    const edge = (/** @type {number} */ place) => Number(toPhysical(space, place).toPrecision(12));
    const rests = this.kept.isChange ? this.traces : [];
    return [
      ...this.all.map(({ name, from, to }) => /** @type {About[number]} */ ([
        name,
        `columns ${from} to ${to - 1}, ${edge(from)} to ${edge(to)} ${tableUnit(space)} (outer edges)`,
      ])),
      ...this.settings,
      ...rests.map(({ name, baseline }) => /** @type {About[number]} */ ([`F0 of ${name}`, baseline])),
    ];
  }

  get columns() {
    const { scan, traces } = this;
    if (scan === null || traces.length === 0) return [];
    const times = { name: "Time", unit: this.timeUnit, values: this.timesOf(scan) };
    return [times, ...traces.map(({ name, values }) => ({ name, values }))];
  }

  /** @param {import("./panel.js").Span} span */
  plot(span) {
    const { scan, traces, title } = this;
    if (scan === null || traces.length === 0) return null;
    const x = this.timesOf(scan);
    const y = { ...rangeOf({ curves: traces, points: [], level: null }, span), title };
    const curves = traces.map(({ name, color, dash, values }) => ({ name, color, dash, x, y: values }));
    return { ...plotOver(scan, span), y, traces: curves };
  }

  #showBaseline() {
    const isWindow = this.#kind.select.value === "window";
    this.#percentile.label.hidden = isWindow;
    this.#from.label.hidden = this.#to.label.hidden = !isWindow;
    this.#baseline.hidden = !this.kept.isChange;
  }

  /** @param {Partial<TraceSettings>} change */
  #set(change) {
    this.kept = { ...this.kept, ...change };
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
