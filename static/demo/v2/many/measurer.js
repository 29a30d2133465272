/** Measures a recording by drawings as the panels of the page do: it drives panels that nobody sees. */
import { tableUnit, toPhysical } from "../../../measure/axes.js";
import { MEASUREMENTS } from "../../../measure/measurements.js";
import { factsRow, rowOf } from "../../../measure/measurement.js";
import { deviation, mean } from "../../../measure/traces.js";
import { BandPanel } from "../measuring/band_panel.js";
import { CursorPanel } from "../measuring/cursor_panel.js";
import { MOST_ROWS } from "../measuring/drawn.js";
import { EventPanel } from "../measuring/event_panel.js";
import { LinePanel } from "../measuring/line_panel.js";
import { MeasurementPanel } from "../measuring/measurement_panel.js";
import { shapeOf } from "../measuring/scan.js";

/** @import { Band } from "../measuring/bands.js" */
/** @import { Drawn } from "../measuring/drawn.js" */
/** @import { Measured } from "../measuring/panel.js" */
/** @import { Scan } from "../measuring/scan.js" */

/**
 * @typedef {Record<string, string | number>} Row by column of the table, with units in their names; NaN is missing
 *
 * @typedef {object} What is measured
 * @property {boolean} events
 * @property {ReadonlySet<string>} measurements keys of measurements.js
 * @property {string} channel of events, where the drawings do not say
 */

const WHOLE = "whole lines";

export class Measurer {
  #bands = new BandPanel();
  #events = new EventPanel(() => null);
  #lines = new LinePanel();
  #cursors = new CursorPanel(() => null);
  #measurements = MEASUREMENTS.map((one) => new MeasurementPanel(one));

  /**
   * Measures all bands, and whole lines where something is measured in them.
   *
   * @param {Scan} scan a line scan
   * @param {Drawn} drawn regions and settings; events that are there are measured as they are
   * @param {What} what
   * @param {AbortController} running cancels it
   * @returns {Promise<{measured: Measured, rows: Row[]}>} the drawings with their results, and a row for each band
   * @throws {DOMException} `AbortError`
   */
  async measure(scan, drawn, what, running) {
    this.#bands.begin(scan, drawn);
    const measured = { ...drawn, measured: { ...drawn.measured } };
    const rows = [];
    for (const band of this.#parts(scan, drawn, what)) {
      const isWhole = band.id === 0;
      const row = placeOfBand(scan, band);
      if (what.events && !isWhole) {
        const { trace, values } = this.#findEvents(scan, drawn, band, what);
        Object.assign(row, values);
        if ((drawn.events?.trace ?? trace) === trace && !measured.events?.rows.length) {
          measured.events = this.#events.kept;
        }
      }
      for (const panel of this.#measurements) {
        const { key } = panel.measurement;
        if (!what.measurements.has(key)) continue;
        Object.assign(row, await this.#measurement(panel, scan, drawn, band, running));
        if ((drawn.measured?.[key]?.band || "0") === String(band.id)) measured.measured[key] = panel.kept;
      }
      rows.push(row);
    }
    return { measured: this.#show(scan, measured), rows };
  }

  /** What the page would show of the drawings. @param {Scan} scan @param {Drawn} drawn @returns {Measured} */
  #show(scan, drawn) {
    const { traces, title } = this.#bands;
    const panels = [this.#events, this.#lines, this.#cursors, ...this.#measurements];
    for (const panel of panels) panel.begin(scan, drawn);
    this.#events.listTraces(traces, title);
    const tables = {
      events: this.#events.columns,
      lines: this.#lines.columns,
      cursors: this.#cursors.columns,
    };
    return { drawn, scan, traces, tables, measurements: this.#measurements };
  }

  /** @param {Scan} scan @param {Drawn} drawn @param {What} what @returns {readonly Band[]} */
  #parts(scan, { measured, bands }, what) {
    const hasWhole = bands.length === 0 ||
      [...what.measurements].some((key) => measured?.[key]?.band === "");
    const whole = { id: 0, name: WHOLE, color: "", from: 0, to: shapeOf(scan)[1] };
    return hasWhole ? [whole, ...this.#bands.bands.all] : this.#bands.bands.all;
  }

  /** @param {MeasurementPanel} panel @param {Scan} scan @param {Drawn} drawn @param {Band} band @param {AbortController} running @returns {Promise<Row>} */
  async #measurement(panel, scan, drawn, { id }, running) {
    const { key } = panel.measurement;
    const kept = drawn.measured?.[key] ?? null;
    const band = id === 0 ? "" : String(id);
    // Items edited by hand are measured as they are.
    const isOwn = kept?.band === band && kept.found.length > 0;
    const { measured } = drawn;
    panel.begin(
      scan,
      isOwn
        ? drawn
        : { ...drawn, measured: { ...measured, [key]: kept && { ...kept, band, found: [], about: [] } } },
    );
    if (!isOwn && !kept) panel.choose(band);
    const fault = isOwn ? "" : await panel.measure(running);
    running.signal.throwIfAborted();
    if (fault !== "") return { Error: fault };
    const facts = panel.settings.filter(([name]) => name !== "Part of the lines");
    return { ...factsRow(panel.measurement, facts), ...rowOf(panel.quantities) };
  }

  /** @param {Scan} scan @param {Drawn} drawn @param {Band} band @param {What} what @returns {{trace: string, values: Row}} */
  #findEvents(scan, drawn, { id }, { channel }) {
    const panel = this.#events;
    const kept = drawn.events;
    const wanted = kept === null ? channel : kept.trace.replace(/^\d+ /, "");
    const traces = this.#bands.traces.filter(({ band }) => band.id === id);
    const trace = traces.find((trace) => trace.channel === wanted) ?? traces[0];
    const key = `${id} ${trace.channel}`;
    const isOwn = kept?.trace === key && (kept.found !== null || kept.rows.length > 0);
    const settings = kept && { ...kept, trace: key };
    panel.begin(scan, { ...drawn, events: isOwn || settings === null ? settings : withoutEvents(settings) });
    panel.listTraces([trace], this.#bands.title);
    if (!isOwn) panel.find();
    const { timeUnit, timeStep, rows } = panel;
    const found = panel.kept?.found ?? 0;
    const amplitudes = Float64Array.from(rows, ({ amplitude }) => amplitude);
    const { Trace: _, ...about } = Object.fromEntries(
      panel.about.filter(([name]) => !name.startsWith("Found")),
    );
    // The table of events ends there.
    const count = found > MOST_ROWS ? found : rows.length;
    return {
      trace: key,
      values: {
        "Events": count,
        [`Event rate (1/${timeUnit})`]: count / (trace.values.length * timeStep),
        "Mean amplitude": mean(amplitudes, 0, amplitudes.length),
        "SD of amplitude": deviation(amplitudes),
        "Event channel": trace.channel,
        ...Object.fromEntries(this.#bands.settings),
        "F0": trace.baseline,
        ...about,
      },
    };
  }
}

/** @param {import("../measuring/drawn.js").KeptEvents} kept */
const withoutEvents = (kept) => ({ ...kept, found: null, rows: [] });

/** @param {Scan} scan @param {Band} band @returns {Row} outer edges of the pixels */
function placeOfBand({ axes: [, space] }, { name, from, to }) {
  const edge = (/** @type {number} */ column) => Number(toPhysical(space, column).toPrecision(12));
  return {
    Band: name,
    "First column": from,
    "Last column": to - 1,
    [`From (${tableUnit(space)})`]: edge(from),
    [`To (${tableUnit(space)})`]: edge(to),
  };
}
