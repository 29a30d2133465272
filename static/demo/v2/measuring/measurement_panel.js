/**
 * The panel of a measurement of a band (measurement.js): its settings, what was found, and edits by hand.
 *
 * @typedef {object} Series values over time
 * @property {string} title of the values
 * @property {readonly {line: number, value: number, opacity: number}[]} points
 * @property {readonly {line: number, value: number}[]} gaps places without a value (NaN) and those left out
 */
import { rounded, significant } from "../../../measure/axes.js";
import { columnName, factsOf, settingsOf, summaryOf, verdictOf } from "../../../measure/measurement.js";
import { element, unbroken } from "../controls/element.js";
import { button, choiceField, fieldRow, numberField, removeButton, tables } from "../controls/fields.js";
import { help } from "../controls/help.js";
import { MOST_ROWS } from "./drawn.js";
import { bandChoices, nearestTo, Panel, plotOver } from "./panel.js";
import { placeOf, quantitiesText, shapeOf } from "./scan.js";
import { rangeOf, SERIES_RANGE } from "./value_range.js";
import { measuredAt, measuredInWorkers } from "./workers.js";

/** @import { Item, Measurement, Parameter, Quantity, Settings } from "../../../measure/measurement.js" */
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
  /** What a measurement has found so far, for the chart. @type {readonly any[] | null} */
  #arriving = null;
  /** Numbers of what was found. @type {readonly Quantity[]} */
  quantities = [];
  /** The measured samples. @type {Float32Array | null} */
  #samples = null;
  /** How `#found` was measured. @type {import("./panel.js").About} */
  #about = [];
  /** Columns of `#found`. @type {readonly [number, number]} */
  #columns = [0, 0];
  /** Settings of `#found`. @type {Settings} */
  #measured = {};
  /** @type {AbortController | null} */
  #running = null;
  /** Number of rows shown at most. */
  #most = ROWS_AT_ONCE;
  #band;
  #channel;
  /** By the keys of the parameters. @type {ReadonlyMap<string, Field>} */
  #fields;
  #range = element("p", { className: "hint" });
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
    const { key, title, hint, parameters, overTime, at, help: sections = [] } = measurement;
    this.measurement = measurement;
    this.#cursor = cursor;
    this.#band = choiceField("In", `${key}-band`, [], () => this.#typed());
    this.#channel = choiceField("Channel", `${key}-channel`, [], () => this.#typed());
    this.#fields = new Map(
      parameters.map((one) => [one.key, fieldOf(`${key}-${one.key}`, one, () => this.#typed(one.key))]),
    );
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
      this.#range,
      fieldRow(this.#start, this.#progress, ...edits),
      this.#result,
      ...sections.length === 0 ? [] : [
        element(
          "p",
          { className: "hint" },
          ...sections.flatMap(([anchor, name]) => [`${name} `, help(anchor, name), " "]),
        ),
      ],
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
      measured: this.#measured,
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
      this.#write(settingsOf(this.measurement, kept?.settings ?? {}, this.#bandOf(scan)));
      this.#explain();
      if (kept) this.#take(kept, scan);
    }
    this.changed();
  }

  /** @param {KeptMeasurement} kept @param {Scan} scan */
  #take({ channel, columns, measured, found, about, place }, scan) {
    // Another time point or focus has other results.
    if (found.length === 0 || (place !== null && place !== placeOf(scan))) return;
    this.#samples = scan.group.channels[Number(channel)]?.samples ?? null;
    this.#about = about;
    this.#columns = columns;
    this.#measured = measured;
    this.#show(found);
  }

  /** @param {Settings} settings */
  #write(settings) {
    for (const [key, field] of this.#fields) field.value = settings[key];
  }

  /** A setting has changed. @param {string} [key] */
  #typed(key) {
    const { typed } = this.measurement;
    if (key !== undefined && typed !== undefined) this.#write(typed(this.#settings, key));
    this.#explain();
    this.changed();
  }

  /** Describes what the settings can measure. */
  #explain() {
    const { scan, measurement: { explain } } = this;
    if (scan?.isLineScan && explain) this.#range.textContent = explain(this.#settings, this.#bandOf(scan));
  }

  /** The chosen part of a line scan. @param {Scan} scan */
  #bandOf(scan) {
    const band = this.#bands.find(({ id }) => String(id) === this.#band.select.value);
    const [lines, columns] = shapeOf(scan);
    const { from = 0, to = columns } = band ?? {};
    return {
      columns: /** @type {const} */ ([from, to]),
      axes: scan.axes,
      lines,
      pixelTime: scan.pixelTime,
      isTyped: scan.isTyped,
    };
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
    this.#columns = [0, 0];
    this.#measured = {};
    this.#most = ROWS_AT_ONCE;
    this.#result.textContent = "";
    this.#found = [];
    this.#arriving = null;
    this.quantities = [];
    this.#table.replaceChildren();
  }

  /** @param {readonly Band[]} bands */
  listBands(bands) {
    this.#bands = bands.map((band) => ({ ...band }));
    this.#band.offer(bandChoices(bands));
    this.#explain();
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

  /** Values over time for a chart; null without any. @returns {Series | null} */
  get series() {
    const [{ scan, measurement }, found] = [this, this.#arriving ?? this.#found];
    const { overTime } = measurement;
    if (scan === null || overTime === undefined || found.length === 0) return null;
    const valueOf = (/** @type {Item} */ item) => overTime.value(item, scan.axes);
    const counts = (/** @type {Item} */ item) => this.#counts(item);
    return {
      title: `${overTime.name} (${overTime.unit(scan.axes).replace(/^um/, "µm")})`,
      points: found.filter(counts).map((item) => ({
        line: item.line,
        value: valueOf(item),
        // The least certain points stay visible.
        opacity: 0.25 + 0.75 * Math.min(1, Math.max(0, overTime.certainty?.(item) ?? 1)),
      })),
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
    if (!this.#counts(item)) return verdictOf(item);
    const unit = overTime.unit(this.scan.axes).replace(/^um/, "µm");
    return `${rounded(overTime.value(item, this.scan.axes))} ${unit} ${overTime.error?.(item) ?? ""}`.trim();
  }

  /** @param {import("./panel.js").Span} span */
  plot(span) {
    const { scan, series, timeStep } = this;
    if (scan === null || series === null) return null;
    const { points, title } = series;
    if (points.length === 0) return null;
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

  /** What is measured by the fields, or why nothing can be. */
  #order() {
    const { scan, measurement: { parameters } } = this;
    const channel = scan?.group.channels[Number(this.#channel.select.value)];
    if (scan === null || channel === undefined) return "There is no channel";
    const wrong = parameters.find(({ key }) => this.#fields.get(key)?.isWrong);
    if (wrong !== undefined) {
      const { label, isCount = false, least = isCount ? 1 : undefined } = wrong;
      const limit = least === undefined ? "" : `, at least ${least}`;
      return `${label} must be a ${isCount ? "whole number" : "number"}${limit}.`;
    }
    const plane = { samples: channel.samples, shape: shapeOf(scan) };
    return { scan, channel, order: { plane, band: this.#bandOf(scan), settings: this.#settings } };
  }

  /**
   * Measures by the fields.
   *
   * @param {AbortController} running cancels it
   * @returns {Promise<string>} why nothing was measured; empty where it was
   */
  async measure(running) {
    const ordered = this.#order();
    if (typeof ordered === "string") return this.#result.textContent = ordered;
    const { scan, channel, order } = ordered;
    const { measurement } = this;
    const part = this.#band.select.selectedOptions[0]?.textContent ?? "";
    return await this.#run(running, async () => {
      const { found, settings } = await measuredInWorkers(measurement, order, {
        signal: running.signal,
        onFound: (found, done, of) => {
          Object.assign(this.#progress, { max: of, value: done });
          this.#arriving = found;
          this.changed();
        },
      });
      if (this.scan !== scan) return;
      const { columns } = order.band;
      this.#write(settings);
      this.#explain();
      this.#samples = channel.samples;
      this.#columns = columns;
      this.#measured = settings;
      const [method, ...facts] = factsOf(measurement, settings, order.band);
      this.#about = /** @type {import("./panel.js").About} */ ([
        method,
        ["Channel", channel.name],
        ["Part of the lines", `${part}, columns ${columns[0]} to ${columns[1] - 1}`],
        ...facts,
      ]);
      const byHand = this.#found.filter((item) => item.isByHand && !found.some(isSamePlace(item)));
      this.#show([...found, ...byHand]);
    });
  }

  /** Adds the item nearest to the cursor. */
  async #add() {
    const [ordered, place] = [this.#order(), this.#cursor()];
    if (typeof ordered === "string" || place === null) {
      this.#result.textContent =
        "Point at the line scan or move its cursor with the arrow keys, then add what is there.";
      return;
    }
    if (this.#about.length === 0) await this.measure(new AbortController());
    const at = { line: Math.floor(place.x), column: Math.floor(place.y) };
    const running = new AbortController();
    await this.#run(running, async () => {
      const item = await measuredAt(this.measurement, { ...ordered.order, at }, running.signal);
      if (this.scan !== ordered.scan) return;
      const isThere = item !== null && this.#found.some(isSamePlace(item));
      if (item === null || isThere) {
        this.#result.textContent = isThere ? "It is listed already." : "Nothing rises there.";
      } else this.#show([...this.#found, { ...item, isByHand: true }]);
    });
  }

  /** Runs work, which can be cancelled. @param {AbortController} running @param {() => Promise<void>} work @returns {Promise<string>} why it failed; empty where it did not */
  async #run(running, work) {
    this.#running = running;
    this.#start.textContent = "Cancel";
    this.#progress.hidden = false;
    this.#progress.removeAttribute("value");
    try {
      await work();
      return "";
    } catch (error) {
      const { message } = /** @type {Error} */ (error);
      return this.#result.textContent = running.signal.aborted ? "Cancelled" : message;
    } finally {
      if (this.#running === running) this.#running = null;
      // What was found so far is not kept.
      this.#arriving = null;
      this.#start.textContent = "Measure";
      this.#progress.hidden = true;
      this.changed();
    }
  }

  /** @param {readonly any[]} found in any order */
  #show(found) {
    const sorted = [...found].sort((a, b) => a.line - b.line);
    this.#found = this.measurement.at === undefined ? sorted : sorted.slice(0, MOST_ROWS);
    const band = { ...this.#bandOf(/** @type {Scan} */ (this.scan)), columns: this.#columns };
    this.quantities = summaryOf(this.measurement, this.#found, band, this.#measured);
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
    if (this.#running !== null || item === undefined || !this.#counts({ ...item, isLeftOut: false })) return;
    this.#show(this.#found.with(place, { ...item, isLeftOut: !item.isLeftOut }));
    this.changed();
  }
}

/** @typedef {{label: HTMLElement, value: number | string, isWrong: boolean}} Field */

/** A field for a parameter. @param {string} id @param {Parameter} parameter @param {() => void} changed @returns {Field} */
function fieldOf(id, { label, value, choices, unit = "", least, isCount = false, help: section }, changed) {
  const withHelp = (/** @type {HTMLElement} */ made) => {
    if (section !== undefined) made.append(help(section, label.toLowerCase()));
    return made;
  };
  if (choices !== undefined) {
    const options = Object.entries(choices).map(([value, name]) => ({ value, name }));
    const field = choiceField(label, id, options, changed);
    return {
      label: withHelp(field.label),
      isWrong: false,
      get value() {
        return field.select.value;
      },
      set value(chosen) {
        field.select.value = String(chosen);
      },
    };
  }
  const field = numberField(label, id, Number(value), changed, {
    min: least ?? (isCount ? 1 : -Infinity),
    step: isCount ? 1 : "any",
    unit: unit.replace(/^u/, "µ"),
  });
  return {
    label: withHelp(field.label),
    get isWrong() {
      return field.input.getAttribute("aria-invalid") === "true";
    },
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
