/** The panel of a measurement of a band (measurement.js): its settings, what was found, and edits by hand. */
import { columnName, settingsOf, summaryOf, verdictOf } from "../../../measure/measurement.js";
import { element, unbroken } from "../controls/element.js";
import { button, choiceField, fieldRow, numberField, removeButton, tables } from "../controls/fields.js";
import { MOST_ROWS } from "./drawn.js";
import { bandChoices, nearestTo, Panel, plotOver } from "./panel.js";
import { placeOf, quantitiesText, rounded, shapeOf, significant } from "./scan.js";
import { rangeOf, SERIES_RANGE } from "./trace_charts.js";
import { asked, withWorkers } from "./workers.js";

/** @import { Item, Measurement, Parameter, Quantity } from "../../../measure/measurement.js" */
/** @import { Mark } from "../picture/marks.js" */
/** @import { Band } from "./bands.js" */
/** @import { Drawn, KeptMeasurement } from "./drawn.js" */
/** @import { Scan } from "./scan.js" */

/** Colour of outlines and saved plots. */
const [OUTLINE, PLOTTED] = ["#ffeb3b", "#0072b2"];

/** Rows shown at once: each row blocks the browser for some time. */
const ROWS_AT_ONCE = 100;

/** Emits `change` when settings or results change. */
export class MeasurementPanel extends Panel {
  /** @type {readonly Band[]} */
  #bands = [];
  /** @type {readonly any[]} */
  #found = [];
  /** The measured samples. @type {Float32Array | null} */
  #samples = null;
  /** Settings of the measurement. @type {import("./panel.js").About} */
  #about = [];
  /** Columns that were measured. @type {readonly [number, number]} */
  #columns = [0, 0];
  /** @type {AbortController | null} */
  #running = null;
  /** Number of rows shown at most. */
  #most = ROWS_AT_ONCE;
  #band;
  #channel;
  /** By the keys of the parameters. @type {ReadonlyMap<string, Field>} */
  #fields;
  #result = element("p", { className: "result", role: "status" });
  #table = element("div", { className: "scrolled" });
  #progress;
  #start;
  #cursor;

  /**
   * @param {Measurement} measurement
   * @param {() => {x: number, y: number} | null} [cursor]
   */
  constructor(measurement, cursor = () => null) {
    super();
    const { key, title, hint, parameters, overTime, at } = measurement;
    this.measurement = measurement;
    this.#cursor = cursor;
    const changed = () => this.changed();
    this.#band = choiceField("In", `${key}-band`, [], changed);
    this.#channel = choiceField("Channel", `${key}-channel`, [], changed);
    this.#fields = new Map(parameters.map((one) => [one.key, fieldOf(`${key}-${one.key}`, one, changed)]));
    this.#progress = element("progress", { hidden: true, "aria-label": title });
    this.#start = button("Measure", () => this.#toggle(), { id: `${key}-start` });
    const edits = [
      ...overTime
        ? [button("Leave out at the cursor", () => {
          const line = cursor()?.x;
          if (line !== undefined) this.toggle(line);
        }, {
          title: "Leaves the value at the cursor out, or takes it in again; as a click in the chart does",
        })]
        : [],
      ...at ? [button("Add at cursor", () => this.#add(), { id: `${key}-add` })] : [],
    ];
    this.element = element(
      "div",
      { className: "panel" },
      element("p", { className: "hint", textContent: hint }),
      fieldRow(
        this.#band.label,
        this.#channel.label,
        ...[...this.#fields.values()].map(({ label }) => label),
      ),
      fieldRow(this.#start, this.#progress, ...edits),
      this.#result,
      this.#table,
    );
  }

  /** To be kept as JSON; null for images. @returns {KeptMeasurement | null} */
  get kept() {
    if (!this.scan?.isLineScan) return null;
    return {
      band: this.#band.select.value,
      channel: this.#channel.select.value,
      settings: this.#settings,
      columns: this.#columns,
      found: this.#found,
      about: this.#about,
      place: this.#found.length === 0 ? "" : placeOf(this.scan),
    };
  }

  /** Starts with another picture. @param {Scan} scan @param {Drawn | null} drawn measured in it before */
  begin(scan, drawn) {
    this.#forget();
    this.scan = scan;
    if (scan.isLineScan) {
      const kept = drawn?.measured?.[this.measurement.key];
      this.#channel.offer(
        scan.group.channels.map(({ name }, i) => ({ value: String(i), name })),
        kept?.channel ?? "0",
      );
      this.listBands(drawn?.bands ?? []);
      if ([...this.#band.select.options].some(({ value }) => value === (kept?.band ?? ""))) {
        this.#band.select.value = kept?.band ?? "";
      }
      const settings = settingsOf(this.measurement, kept?.settings);
      for (const [key, field] of this.#fields) field.value = settings[key];
      if (kept) this.#take(kept, scan);
    }
    this.changed();
  }

  /** @param {KeptMeasurement} kept @param {Scan} scan */
  #take({ channel, columns, found, about, place }, scan) {
    // Another time point or focus has other results.
    if (found.length === 0 || (place !== null && place !== placeOf(scan))) return;
    this.#samples = scan.group.channels[Number(channel)]?.samples ?? null;
    this.#about = about;
    this.#columns = columns;
    this.#show(found);
  }

  /** Samples of another time or focus make earlier results invalid. */
  refresh() {
    const isThere = this.scan?.group.channels.some(({ samples }) => samples === this.#samples) ?? false;
    if (this.#samples === null || isThere) return;
    this.#forget();
    this.changed();
  }

  #forget() {
    this.#running?.abort();
    this.#samples = null;
    this.#about = [];
    this.#most = ROWS_AT_ONCE;
    this.#result.textContent = "";
    this.#found = [];
    this.#table.replaceChildren();
  }

  /** @param {readonly Band[]} bands */
  listBands(bands) {
    this.#bands = bands.map((band) => ({ ...band }));
    this.#band.offer(bandChoices(bands));
  }

  /** Chooses a band by its id. @param {string} band */
  choose(band) {
    this.#band.select.value = band;
  }

  get found() {
    return this.#found;
  }

  get #settings() {
    return Object.fromEntries([...this.#fields].map(([key, field]) => [key, field.value]));
  }

  /** Numbers of what was found. @returns {Quantity[]} */
  get quantities() {
    const { scan } = this;
    if (scan === null || this.#about.length === 0) return [];
    return summaryOf(
      this.measurement,
      this.#found,
      { columns: this.#columns, axes: scan.axes },
      shapeOf(scan)[0],
    );
  }

  get settings() {
    return this.#about;
  }

  get hasPlot() {
    return this.measurement.overTime !== undefined;
  }

  /** @returns {import("./panel.js").About} */
  get about() {
    const unit = (/** @type {Quantity} */ { value }) =>
      typeof value === "number" ? significant(value, 6) : value;
    return [
      ...this.#about,
      ...this.quantities.map((
        quantity,
      ) => /** @type {[string, string | number]} */ ([columnName(quantity), unit(quantity)])),
    ];
  }

  get columns() {
    return this.scan === null ? [] : this.measurement.columns(this.#found, this.scan.axes);
  }

  /** Values over time for a chart; null without any. @returns {import("./trace_charts.js").Series | null} */
  get series() {
    const [{ scan, measurement }, found] = [this, this.#found];
    const { overTime } = measurement;
    if (scan === null || overTime === undefined || found.length === 0) return null;
    const valueOf = (/** @type {Item} */ item) => overTime.value(item, scan.axes);
    const counts = (/** @type {Item} */ item) => this.#counts(item);
    return {
      title: `${overTime.name} (${overTime.unit(scan.axes).replace(/^um/, "µm")})`,
      points: found.filter(counts).map((item) => ({ line: item.line, value: valueOf(item), opacity: 1 })),
      gaps: found.filter((item) => !counts(item)).map((item) => ({ line: item.line, value: valueOf(item) })),
    };
  }

  /** Whether an item has a value that was not left out. @param {Item} item */
  #counts(item) {
    const { overTime } = this.measurement;
    return this.scan !== null && !item.isLeftOut && Number.isFinite(overTime?.value(item, this.scan.axes));
  }

  /** Describes the value around a line; empty without one. @param {number} line */
  textAt(line) {
    const item = this.#found[nearestTo(this.#found, line)];
    const { overTime } = this.measurement;
    if (item === undefined || this.scan === null || overTime === undefined) return "";
    const value = overTime.value(item, this.scan.axes);
    if (item.isLeftOut || !Number.isFinite(value)) return verdictOf(item);
    return `${rounded(value)} ${overTime.unit(this.scan.axes).replace(/^um/, "µm")}`;
  }

  /** @param {import("./panel.js").Span} span */
  plot(span) {
    const { scan, series, timeStep } = this;
    if (scan === null || series === null) return null;
    const { points, title } = series;
    const trace = {
      name: "",
      color: PLOTTED,
      x: points.map(({ line }) => line * timeStep),
      y: points.map(({ value }) => value),
    };
    const y = { ...rangeOf({ curves: [], points, level: null, least: SERIES_RANGE }, span), title };
    return { ...plotOver(scan, span), y, traces: [trace, { ...trace, isDots: true }] };
  }

  /** @param {(x: number, y: number) => [number, number]} toScreen @returns {Mark[]} what was found, over the picture */
  marks(toScreen) {
    const { outline, overTime } = this.measurement;
    if (outline === undefined) return [];
    const drawn = overTime === undefined
      ? this.#found.map(outline)
      : edgesOf(this.#found.map((item) => this.#counts(item) ? outline(item) : null));
    return drawn.map((line) => ({
      points: line.map(({ x, y }) => toScreen(x, y)),
      color: OUTLINE,
      width: 1.5,
      halo: true,
    }));
  }

  #toggle() {
    if (this.#running !== null) return this.#running.abort();
    return this.measure(new AbortController());
  }

  /** What is measured by the fields; null without samples. */
  #order() {
    const { scan } = this;
    const channel = scan?.group.channels[Number(this.#channel.select.value)];
    if (scan === null || channel === undefined) return null;
    const band = this.#bands.find(({ id }) => String(id) === this.#band.select.value);
    const shape = shapeOf(scan);
    /** @type {[number, number]} */
    const columns = band === undefined ? [0, shape[1]] : [band.from, band.to];
    const axes = scan.axes.map(({ step, unit }) => ({ step, unit }));
    const plane = { samples: channel.samples, shape };
    const { key } = this.measurement;
    return { scan, channel, order: { key, plane, band: { columns, axes }, settings: this.#settings } };
  }

  /**
   * Measures by the fields.
   *
   * @param {AbortController} running cancels it
   * @returns {Promise<string>} why nothing was measured; empty where it was
   */
  async measure(running) {
    const ordered = this.#order();
    if (ordered === null) return "There is no channel";
    const { scan, channel, order } = ordered;
    return await this.#run(running, order, (/** @type {readonly any[]} */ found) => {
      const { columns } = order.band;
      const part = this.#band.select.selectedOptions[0]?.textContent ?? "";
      const { parameters, method } = this.measurement;
      this.#samples = channel.samples;
      this.#columns = columns;
      this.#about = [
        ["Method", method(order.settings)],
        ["Channel", channel.name],
        ["Part of the lines", `${part}, columns ${columns[0]} to ${columns[1] - 1}`],
        ...parameters.filter(({ choices }) => choices === undefined).map((
          { key, label, unit },
        ) => /** @type {[string, string | number]} */ ([
          columnName({ name: label, value: 0, ...unit !== undefined && { unit } }),
          order.settings[key],
        ])),
      ];
      const byHand = this.#found.filter((item) => item.isByHand && !found.some(isSamePlace(item)));
      this.#show([...found, ...byHand]);
    }, scan);
  }

  /** Adds the item nearest to the cursor. */
  async #add() {
    const [ordered, place] = [this.#order(), this.#cursor()];
    if (ordered === null || place === null) {
      this.#result.textContent =
        "Point at the line scan or move its cursor with the arrow keys, then add what is there.";
      return;
    }
    if (this.#about.length === 0) await this.measure(new AbortController());
    const at = { line: Math.floor(place.x), column: Math.floor(place.y) };
    const { scan, order } = ordered;
    await this.#run(new AbortController(), { ...order, at }, (item) => {
      const isThere = item !== null && this.#found.some(isSamePlace(item));
      if (item === null || isThere) {
        this.#result.textContent = isThere ? "It is listed already." : "Nothing rises there.";
        return;
      }
      this.#show([...this.#found, { ...item, isByHand: true }]);
    }, scan);
  }

  /**
   * Runs an order in a worker.
   *
   * @param {AbortController} running
   * @param {object} order
   * @param {(found: any) => void} take
   * @param {Scan} scan
   * @returns {Promise<string>} why it failed; empty where it did not
   */
  async #run(running, order, take, scan) {
    this.#running = running;
    this.#start.textContent = "Cancel";
    this.#progress.hidden = false;
    try {
      const found = await withWorkers(
        "measurement_worker.js",
        running.signal,
        (newWorker) => asked(newWorker(), order),
      );
      if (this.scan === scan) take(found);
      return "";
    } catch (error) {
      const { message } = /** @type {Error} */ (error);
      return this.#result.textContent = running.signal.aborted ? "Cancelled" : message;
    } finally {
      if (this.#running === running) this.#running = null;
      this.#start.textContent = "Measure";
      this.#progress.hidden = true;
      this.changed();
    }
  }

  /** @param {readonly any[]} found in any order */
  #show(found) {
    const sorted = [...found].sort((a, b) => a.line - b.line);
    this.#found = this.measurement.at === undefined ? sorted : sorted.slice(0, MOST_ROWS);
    this.#result.replaceChildren(...unbroken(quantitiesText(this.quantities)));
    this.#list();
  }

  /** Rows to be edited, of items that are. */
  #list() {
    if (this.measurement.at === undefined || this.scan === null) return;
    const columns = this.columns.slice(0, -1);
    const { noun, title } = this.measurement;
    const shown = this.#found.slice(0, this.#most);
    const rows = shown.map((item, i) => [
      ...columns.map(({ values }) => rounded(significant(Number(values[i]), 3))),
      removeButton(`${noun} ${i + 1}`, () => {
        this.#show(this.#found.filter((other) => other !== item));
        this.changed();
      }),
    ]);
    const left = this.#found.length - shown.length;
    const more = button(`Show ${Math.min(left, ROWS_AT_ONCE)} more of ${left}`, () => {
      this.#most += ROWS_AT_ONCE;
      this.#list();
    });
    this.#table.replaceChildren(
      ...tables(title, [...columns.map(({ name, unit }) => unit ? `${name} (${unit})` : name), ""], rows),
      ...left > 0 ? [more] : [],
    );
  }

  /** Leaves the value around a line out, or takes it in again. @param {number} line */
  toggle(line) {
    const place = nearestTo(this.#found, line);
    const item = this.#found[place];
    if (this.#running !== null || item === undefined) return;
    this.#show(this.#found.with(place, { ...item, isLeftOut: !item.isLeftOut }));
    this.changed();
  }
}

/** @typedef {{label: HTMLElement, value: number | string}} Field */

/** A field for a parameter. @param {string} id @param {Parameter} parameter @param {() => void} changed @returns {Field} */
function fieldOf(id, { label, value, choices, unit = "", least, isCount = false }, changed) {
  if (choices !== undefined) {
    const options = Object.entries(choices).map(([value, name]) => ({ value, name }));
    const field = choiceField(label, id, options, changed);
    return {
      label: field.label,
      get value() {
        return field.select.value;
      },
      set value(chosen) {
        field.select.value = String(chosen);
      },
    };
  }
  const limits = isCount
    ? { min: 1, step: /** @type {const} */ (1) }
    : { ...least !== undefined && { min: least } };
  const field = numberField(label, id, Number(value), changed, { ...limits, unit });
  return {
    label: field.label,
    get value() {
      return field.number;
    },
    set value(number) {
      field.number = Number(number);
    },
  };
}

/** Lines along both edges, with a gap where a value has no edge. @param {readonly (readonly {x: number, y: number}[] | null)[]} outlines */
function edgesOf(outlines) {
  /** @type {{x: number, y: number}[][]} */
  const lines = [];
  let isGoing = false;
  for (const ends of outlines) {
    if (ends !== null) {
      if (!isGoing) lines.push(...ends.map(() => []));
      ends.forEach((end, side) => lines.at(side - ends.length)?.push(end));
    }
    isGoing = ends !== null;
  }
  return lines;
}

/** Whether another item is the same spark. @param {{line: number, column: number}} item @returns {(other: any) => boolean} */
const isSamePlace = ({ line, column }) => (other) =>
  other.line === line && Math.abs(other.column - column) < 1;
