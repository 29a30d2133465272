/**
 * Controls of bands and traces: colour, name and position of each band, and the display of traces.
 *
 * Tested in `tests/browser/measure_test.ts`.
 */
import { formatNumber, tableUnit, toPhysical, unitSymbol } from "../../../measure/axes.js";
import { element } from "../controls/element.js";
import { BandTraces, DEFAULT_SETTINGS } from "./band_traces.js";
import { Bands, MOST_BANDS } from "./bands.js";
import { shapeOf } from "./scan.js";
import { button, checkField, choiceField, numberField } from "../controls/fields.js";

/** @import { Band } from "./bands.js" */
/** @import { Scan } from "./scan.js" */

/** Emits `change` when a trace may have changed. */
export class BandPanel extends EventTarget {
  bands = new Bands();
  #traces = new BandTraces();
  #settings = { ...DEFAULT_SETTINGS };
  /** Counts changes of the bands. */
  #version = 0;
  /** @type {{settings: object | null, version: number, samples: Float32Array[], traces: import("./band_traces.js").Trace[]}} */
  #kept = { settings: null, version: 0, samples: [], traces: [] };
  /** @type {Scan | null} */
  #scan = null;
  #list = element("ul", { className: "bands", "aria-label": "Bands" });
  #hint = element("p", { className: "hint" });
  #empty = element("p", { className: "missing", hidden: true, role: "status" });
  #baseline;
  #window;
  #change;
  #average;
  /** Whether a reference has a path to draw along. */
  hasPath = false;
  /** The band being dragged. @type {{from: number, to: number} | null} */
  draft = null;

  constructor() {
    super();
    this.#baseline = this.#baselineFields();
    this.#window = [this.#baseline.from, this.#baseline.to];
    this.#change = checkField("ΔF/F₀", false, (isChange) => this.#set({ isChange }), "trace-change");
    this.#average = numberField(
      "Mean of",
      { value: 1, min: 1, max: 100_000, step: 1, unit: "lines", id: "trace-average" },
      (average) => this.#set({ average }),
    );
    this.element = element(
      "div",
      { className: "panel" },
      this.#hint,
      this.#list,
      element("div", { className: "fields" }, this.#change.label, this.#average.label),
      this.#baseline.box,
      this.#empty,
    );
    this.#baseline.box.hidden = true;
    this.bands.addEventListener("change", () => {
      this.#version += 1;
      this.#listBands();
      this.#changed();
    });
  }

  get settings() {
    return this.#settings;
  }

  /** To be kept as JSON. @returns {import("./drawn.js").KeptTraces} */
  get kept() {
    const { isChange, baseline, offset, average } = this.#settings;
    const [percentile, from, to] = [this.#baseline.percentile, ...this.#window].map(({ number }) => number);
    return { isChange, kind: baseline.kind, percentile, from, to, offset, average };
  }

  /** Starts with another picture. @param {Scan | null} scan @param {import("./drawn.js").Drawn | null} drawn drawn in it before */
  begin(scan, drawn) {
    this.#scan = scan;
    this.draft = null;
    const time = scan?.axes[0];
    const end = time === undefined || scan === null ? 0 : shapeOf(scan)[0] * time.step;
    for (const [i, field] of this.#window.entries()) {
      field.number = i === 0 ? 0 : Number((end / 10).toPrecision(3));
      field.unitText.data = tableUnit(time ?? { unit: "seconds" });
    }
    if (drawn !== null) this.#take(drawn.traces);
    // With another time per line, a time means other lines.
    this.#settings = { ...this.#settings, baseline: this.#typedBaseline };
    this.bands.begin(scan?.isLineScan ? shapeOf(scan)[1] : 0, drawn?.bands);
  }

  /** @param {import("./drawn.js").KeptTraces} kept */
  #take({ isChange, kind, percentile, from, to, offset, average }) {
    const fields = this.#baseline;
    this.#change.input.checked = isChange;
    this.#average.number = average;
    fields.kind.select.value = kind;
    fields.offset.number = offset;
    fields.percentile.number = percentile;
    fields.from.number = from;
    fields.to.number = to;
    this.#settings = { ...this.#settings, isChange, offset, average };
    this.#showBaseline();
  }

  /** Traces of the shown channels; the same array until something changes. */
  get traces() {
    const shown = this.#scan?.isLineScan ? this.#scan.group.shown : [];
    const isSame = this.#kept.settings === this.#settings && this.#kept.version === this.#version &&
      this.#kept.samples.length === shown.length &&
      shown.every(({ samples }, i) => this.#kept.samples[i] === samples);
    if (isSame) return this.#kept.traces;
    const traces = this.#scan === null ? [] : this.#traces.of(
      { plane: this.#scan.group.plane, shown },
      this.bands.all,
      this.#settings,
    );
    const samples = shown.map(({ samples }) => samples);
    this.#kept = { settings: this.#settings, version: this.#version, samples, traces };
    this.#sayEmpty(traces);
    return traces;
  }

  /** Explains why an expected curve is empty. @param {readonly import("./band_traces.js").Trace[]} traces */
  #sayEmpty(traces) {
    const { isChange, offset } = this.#settings;
    const names = traces.filter(({ baseline }) => isChange && !(baseline > offset)).map(({ name }) => name);
    this.#empty.hidden = names.length === 0;
    this.#empty.textContent = `No ΔF/F₀, as F₀ is not above the detector offset: ${names.join(", ")}`;
  }

  /** Title of the values. */
  get title() {
    return this.#settings.isChange ? "ΔF/F₀" : "Mean";
  }

  /** The settings in words, for tables. @returns {[string, string | number][]} */
  get about() {
    const { isChange, baseline, offset, average } = this.#settings;
    const time = this.#scan?.axes[0].step ?? 1;
    const unit = tableUnit(this.#scan?.axes[0] ?? { unit: "seconds" });
    const rest = baseline.kind === "percentile"
      ? `percentile ${baseline.percentile}`
      : `mean from ${formatNumber(baseline.from * time)} to ${formatNumber(baseline.to * time)} ${unit}`;
    const change =
      /** @type {[string, string | number][]} */ ([["Baseline F0", rest], ["Detector offset", offset]]);
    const rests = this.traces.map((
      { name, baseline },
    ) => /** @type {[string, number]} */ ([`F0 of ${name}`, baseline]));
    return [
      ["Values", isChange ? "dF/F0" : "mean of the band"],
      ["Lines averaged", average],
      ...(isChange ? [...change, ...rests] : []),
    ];
  }

  #baselineFields() {
    const percentile = numberField(
      "Percentile",
      { value: 10, min: 0, max: 100, id: "baseline-percentile" },
      () => this.#setBaseline(),
    );
    const [from, to] = ["From", "to"].map((label, i) =>
      numberField(
        label,
        { value: i, min: 0, unit: "s", id: `baseline-${label.toLowerCase()}` },
        () => this.#setBaseline(),
      )
    );
    const kind = choiceField(
      "F₀",
      [{ value: "percentile", name: "percentile" }, { value: "window", name: "mean of a time" }],
      () => this.#setBaseline(),
      "baseline-kind",
    );
    const offset = numberField(
      "Detector offset",
      { value: 0, id: "baseline-offset" },
      (offset) => this.#set({ offset }),
    );
    const box = element(
      "div",
      { className: "fields" },
      kind.label,
      percentile.label,
      from.label,
      to.label,
      offset.label,
    );
    from.label.hidden = to.label.hidden = true;
    return { box, kind, percentile, from, to, offset };
  }

  #setBaseline() {
    this.#set({ baseline: this.#typedBaseline });
  }

  #showBaseline() {
    const { box, kind, percentile, from, to } = this.#baseline;
    const isWindow = kind.select.value === "window";
    percentile.label.hidden = isWindow;
    from.label.hidden = to.label.hidden = !isWindow;
    box.hidden = !this.#settings.isChange;
  }

  /** In lines of the shown picture. @returns {import("../../../measure/traces.js").Baseline} */
  get #typedBaseline() {
    const { kind, percentile, from, to } = this.#baseline;
    if (kind.select.value !== "window") {
      return { kind: "percentile", percentile: percentile.number };
    }
    const step = this.#scan?.axes[0].step ?? 1;
    // Lines whose times lie in the window, exclusive of its end; allows for rounding just above an integer.
    const [first, last] = [from, to].map(({ number }) => Math.ceil(number / step - 1e-6));
    return { kind: "window", from: first, to: Math.max(first + 1, last) };
  }

  /** @param {Partial<import("./band_traces.js").TraceSettings>} change */
  #set(change) {
    this.#settings = { ...this.#settings, ...change };
    this.#showBaseline();
    this.#changed();
  }

  #listBands() {
    const all = this.bands.all;
    const isFull = all.length >= MOST_BANDS;
    this.#hint.hidden = all.length > 0 && !isFull;
    this.#hint.textContent = isFull
      ? `${MOST_BANDS} bands are the most: remove one to draw another.`
      : `Choose Band and drag up or down over the line scan${
        this.hasPath ? ", or along the path of the reference" : ""
      }.`;
    // Keeps rows in place, since moving a row would take its focus; new bands come last.
    const rows = new Map(
      [...this.#list.children].map((row) => [/** @type {HTMLElement} */ (row).dataset.band, row]),
    );
    for (const band of all) {
      const row = rows.get(String(band.id)) ?? this.#list.appendChild(this.#row(band));
      rows.delete(String(band.id));
      const place = row.querySelector(".place");
      if (place !== null) place.textContent = this.#place(band);
    }
    for (const gone of rows.values()) gone.remove();
  }

  /** @param {Band} band */
  #row({ id, name, color }) {
    const swatch = element("input", { type: "color", value: color, "aria-label": `Colour of ${name}` });
    swatch.addEventListener("input", () => this.bands.change(id, { color: swatch.value }));
    const title = element("input", {
      type: "text",
      value: name,
      "aria-label": `Name of ${name}`,
      maxLength: 80,
    });
    title.addEventListener("input", () => this.bands.change(id, { name: title.value }));
    const place = element("span", { className: "place" });
    const remove = button("×", () => this.bands.remove(id), {
      className: "icon",
      "aria-label": `Remove ${name}`,
    });
    const row = element("li", {}, swatch, title, place, remove);
    row.dataset.band = String(id);
    return row;
  }

  /** From the outer edge of its first pixel to that of its last. @param {Band} band */
  #place({ from, to }) {
    const space = this.#scan?.axes[1];
    if (space === undefined) return "";
    const [low, high] = [toPhysical(space, from), toPhysical(space, to)].map((value) =>
      formatNumber(Number(value.toPrecision(3)))
    );
    return `${low}–${high} ${unitSymbol(space.unit)}`;
  }

  #changed() {
    this.dispatchEvent(new Event("change"));
  }
}
