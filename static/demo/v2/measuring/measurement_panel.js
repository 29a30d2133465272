/**
 * The panel of a measurement of a band (measurement.js): its settings, what was found, and edits by hand.
 *
 * @typedef {object} Series values over time
 * @property {string} title of the values
 * @property {readonly {line: number, value: number, opacity: number}[]} points
 * @property {readonly {line: number, value: number}[]} gaps places without a value (NaN) and those left out
 *
 * @typedef {object} Ordered
 * @property {Scan} scan
 * @property {import("../picture/channel.js").Channel} channel
 * @property {string} part of the lines
 * @property {{plane: Plane, band: MeasuredBand, settings: Settings}} order
 */
import { formatAt, rounded, significant } from "../../../measure/axes.js";
import {
  columnName,
  factsOf,
  measured,
  settingsOf,
  summaryOf,
  verdictOf,
} from "../../../measure/measurement.js";
import { PLAIN_TRACE } from "../../../measure/traces.js";
import { element, unbroken } from "../controls/element.js";
import {
  button,
  choiceField,
  fieldRow,
  numberField,
  removeButton,
  tables,
  textField,
} from "../controls/fields.js";
import { help } from "../controls/help.js";
import { MOST_ROWS } from "./drawn.js";
import { bandChoices, nearestTo, Panel, plotOver } from "./panel.js";
import { placeOf, quantitiesText, shapeOf } from "./scan.js";
import { rangeOf, SERIES_RANGE } from "./value_range.js";
import { measuredAt, measuredInWorkers } from "./workers.js";

/** @import { Band as MeasuredBand, Item, Measurement, Parameter, Plane, Quantity, Settings } from "../../../measure/measurement.js" */
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
  /** How the traces of the bands are made. */
  #trace = PLAIN_TRACE;
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
      ...at
        ? [
          button("Add at cursor", () => this.#add(), { id: `${key}-add` }),
          button("Clear", () => this.#clear(), { id: `${key}-clear` }),
        ]
        : [],
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
      const { channels, shown } = scan.group;
      this.#channel.offer(
        channels.map(({ name }, i) => ({ value: String(i), name })),
        kept?.channel ?? String(Math.max(0, channels.findIndex((channel) => channel === shown[0]))),
      );
      this.listBands(drawn?.bands ?? [], drawn?.traces ?? PLAIN_TRACE);
      if ([...this.#band.select.options].some(({ value }) => value === (kept?.band ?? ""))) {
        this.#band.select.value = kept?.band ?? "";
      }
      for (const { key, isTime } of this.measurement.parameters) {
        const { unitText } = this.#fields.get(key) ?? {};
        if (isTime && unitText) unitText.data = this.timeUnit;
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
    this.#measureAgain();
  }

  /** Measures what is quick again, as its order has changed. */
  #measureAgain() {
    if (!this.measurement.isQuick || this.#about.length === 0) return;
    const ordered = this.#order();
    if (typeof ordered !== "string") this.#measureNow(ordered);
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
      trace: this.#trace,
    };
  }

  /** Samples of another time or focus make earlier results invalid. */
  refresh() {
    const isThere = this.scan?.group.channels.some(({ samples }) => samples === this.#samples) ?? false;
    if (this.#samples === null || isThere) return;
    if (this.measurement.isQuick) return this.#measureAgain();
    this.#clear();
  }

  #clear() {
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

  /** @param {readonly Band[]} bands @param {import("../../../measure/traces.js").TraceSettings} trace how their traces are made */
  listBands(bands, trace) {
    const { isQuick, isOfBands } = this.measurement;
    this.#bands = bands.map((band) => ({ ...band }));
    this.#trace = trace;
    const chosen = this.#band.select.value;
    this.#band.offer(bandChoices(bands).slice(isOfBands ? 1 : 0));
    this.#explain();
    if (!isQuick || this.#about.length === 0 || this.scan === null) return;
    const { columns } = this.#bandOf(this.scan);
    if (this.#band.select.value !== chosen) this.#clear();
    else if (JSON.stringify([columns, trace]) !== JSON.stringify([this.#columns, this.#measured.trace])) {
      this.#measureAgain();
    }
  }

  /** Chooses a band by its id. @param {string} band */
  choose(band) {
    this.#band.select.value = band;
  }

  get found() {
    return this.#found;
  }

  /** Lines of what was found in a trace that is shown, and its threshold. @param {readonly {band: Band, channel: string}[]} traces */
  inTraces(traces) {
    const channel = this.scan?.group.channels[Number(this.#channel.select.value)]?.name;
    const isShown = this.#about.length > 0 && traces.some((trace) => trace.channel === channel);
    return isShown
      ? { events: this.#found.map(({ line }) => line), level: this.#measured.height }
      : { events: [], level: null };
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

  /** What is measured by the fields, or why nothing can be. @returns {Ordered | string} */
  #order() {
    const { scan, measurement: { parameters, isOfBands } } = this;
    const channel = scan?.group.channels[Number(this.#channel.select.value)];
    if (scan === null || channel === undefined) return "There is no channel";
    if (isOfBands && this.#bands.length === 0) return "Draw a band first.";
    const wrong = parameters.find(({ key }) => this.#fields.get(key)?.isWrong);
    if (wrong !== undefined) {
      const { label, isCount = false, least = isCount ? 1 : undefined } = wrong;
      const limit = least === undefined ? "" : `, at least ${least}`;
      return `${label} must be a ${isCount ? "whole number" : "number"}${limit}.`;
    }
    const plane = { samples: channel.samples, shape: shapeOf(scan) };
    const part = this.#band.select.selectedOptions[0]?.textContent ?? "";
    return { scan, channel, part, order: { plane, band: this.#bandOf(scan), settings: this.#settings } };
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
    if (this.measurement.isQuick) return this.#measureNow(ordered);
    return await this.#run(running, async () => {
      const measured = await measuredInWorkers(this.measurement, ordered.order, {
        signal: running.signal,
        onFound: (found, done, of) => {
          Object.assign(this.#progress, { max: of, value: done });
          this.#arriving = found;
          this.changed();
        },
      });
      if (this.scan === ordered.scan) this.#keep(measured, ordered);
    });
  }

  /** Measures what is quick. @param {Ordered} ordered @returns {string} why nothing was measured; empty where it was */
  #measureNow(ordered) {
    const { plane, band, settings } = ordered.order;
    try {
      this.#keep(measured(this.measurement, plane, band, settings), ordered);
      this.changed();
      return "";
    } catch (error) {
      return this.#result.textContent = /** @type {Error} */ (error).message;
    }
  }

  /** @param {import("../../../measure/measurement.js").Found} measured @param {Ordered} ordered @throws {RangeError} too many items */
  #keep({ found, settings }, { channel, part, order: { band } }) {
    const { at, noun } = this.measurement;
    if (at !== undefined && found.length > MOST_ROWS) {
      throw new RangeError(`${found.length} ${noun}s are more than ${MOST_ROWS}: raise the threshold`);
    }
    const { columns } = band;
    this.#write(settings);
    this.#explain();
    this.#samples = channel.samples;
    this.#columns = columns;
    this.#measured = settings;
    const [method, ...facts] = factsOf(this.measurement, settings, band);
    this.#about = /** @type {import("./panel.js").About} */ ([
      method,
      ["Channel", channel.name],
      ["Part of the lines", `${part}, columns ${columns[0]} to ${columns[1] - 1}`],
      ...facts,
    ]);
    const noted = found.map((item) => {
      const { note = "" } = this.#found.find(isSamePlace(item)) ?? {};
      return note === "" ? item : { ...item, note };
    });
    const byHand = this.#found.filter((item) => item.isByHand && !found.some(isSamePlace(item)));
    if (byHand.length === 0) this.#show(noted);
    else this.#edit([...noted, ...byHand]);
  }

  /** Adds the item nearest to the cursor. */
  async #add() {
    const [ordered, place] = [this.#order(), this.#cursor()];
    if (typeof ordered === "string" || place === null) {
      this.#result.textContent = typeof ordered === "string"
        ? ordered
        : "Point at the line scan or move its cursor with the arrow keys, then add what is there.";
      return;
    }
    const { measurement, scan } = this;
    if (this.#about.length === 0) await this.measure(new AbortController());
    const at = { line: Math.floor(place.x), column: Math.floor(place.y) };
    const running = new AbortController();
    await this.#run(running, async () => {
      const { plane, band, settings } = ordered.order;
      const item = measurement.isQuick
        ? measurement.at?.(plane, band, settings, at) ?? null
        : await measuredAt(measurement, { ...ordered.order, at }, running.signal);
      if (this.scan !== scan) return;
      const isThere = item !== null && this.#found.some(isSamePlace(item));
      if (item === null || isThere) {
        this.#result.textContent = isThere ? "It is listed already." : "Nothing rises there.";
      } else this.#edit([...this.#found, { ...item, isByHand: true }]);
    });
  }

  /** Shows items after some were added or removed. @param {readonly any[]} found */
  #edit(found) {
    const { again } = this.measurement;
    const { scan } = this;
    if (again === undefined || scan === null || this.#samples === null) return this.#show(found);
    const plane = { samples: this.#samples, shape: shapeOf(scan) };
    const { trace = PLAIN_TRACE } = this.#measured;
    this.#show(again(plane, { ...this.#bandOf(scan), columns: this.#columns, trace }, found));
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
    this.#found = found.toSorted((a, b) => a.line - b.line);
    const band = { ...this.#bandOf(/** @type {Scan} */ (this.scan)), columns: this.#columns };
    this.quantities = summaryOf(this.measurement, this.#found, band, this.#measured);
    this.#result.replaceChildren(...unbroken(quantitiesText(this.quantities)));
    this.#list();
  }

  /** Rows to be edited, of items that are. */
  #list() {
    const { scan, measurement: { at, listed, hasNotes, noun, title } } = this;
    if (at === undefined || scan === null) return;
    const columns = listed?.(this.#found, scan.axes) ?? this.columns.slice(0, -1);
    const shown = this.#found.slice(0, this.#most);
    const rows = shown.map(({ note = "" }, i) => [
      ...columns.map(({ values, step }) => textOf(values[i], step)),
      ...hasNotes
        ? [textField(`Note on ${noun} ${i + 1}`, note, 200, (note) => {
          this.#found = this.#found.with(i, { ...this.#found[i], note });
          this.changed();
        })]
        : [],
      removeButton(`${noun} ${i + 1}`, () => {
        this.#edit(this.#found.toSpliced(i, 1));
        this.changed();
      }),
    ]);
    const heads = [...columns.map(columnName), ...hasNotes ? ["Note"] : [], ""];
    const left = this.#found.length - shown.length;
    const more = button(`Show ${Math.min(left, ROWS_AT_ONCE)} more of ${left}`, () => {
      this.#most += ROWS_AT_ONCE;
      this.#list();
    }, { id: `${this.measurement.key}-more` });
    this.#table.replaceChildren(...tables(title, heads, rows), ...left > 0 ? [more] : []);
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

/** @param {number | string | null | undefined} value @param {number} [step] that is shown */
const textOf = (value, step) =>
  typeof value === "string"
    ? value
    : step === undefined
    ? rounded(significant(Number(value), 3))
    : formatAt(Number(value), step);

/** @typedef {{label: HTMLElement, value: number | string, isWrong: boolean, unitText?: Text}} Field */

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
    unitText: field.unitText,
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

/** Whether another item lies at the same place; those of traces have no column. @param {{line: number, column?: number}} item @returns {(other: any) => boolean} */
const isSamePlace = ({ line, column = 0 }) => (other) =>
  other.line === line && Math.abs((other.column ?? 0) - column) < 1;
