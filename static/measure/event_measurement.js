/** Events as a measurement (measurement.js): peaks of the trace of a band. Overlapping peaks affect each other's shapes. */
import { rounded, significant, tableUnit } from "./axes.js";
import { findEvents, highestNear, measureEvents, proposedThreshold } from "./events.js";
import { AUTOMATICALLY, chosenParameter, timeColumn } from "./measurement.js";
import { deviation, mean, percentile, traceFacts, traceOf } from "./traces.js";
import { perTime } from "./velocity.js";

/** @import { Axis, Band, Item, Measurement, Plane } from "./measurement.js" */
/** @import { TraceEvent } from "./events.js" */

/** @typedef {Item & Omit<TraceEvent, "peak">} EventItem `line` is the line of the peak */

/** Lines on each side of a place in which its peak is sought; a fiftieth of the trace if that is more. */
const REACH = 3;

/** @type {Measurement} */
export const EVENTS = {
  key: "events",
  title: "Events",
  noun: "event",
  hint: "Peaks in the trace of a band, which is set under Bands and traces.",
  isUsual: true,
  isQuick: true,
  isOfBands: true,
  hasNotes: true,
  parameters: [
    chosenParameter("Threshold chosen"),
    { key: "height", label: "Threshold", value: 0 },
    { key: "prominence", label: "Minimum prominence", value: 0, least: 0 },
    { key: "distance", label: "Minimum distance", value: 0, least: 0, isTime: true },
  ],
  defaults: ({ height }) => ({ chosen: height === undefined ? AUTOMATICALLY : "by hand" }),
  typed: (settings, key) =>
    key === "height" || key === "prominence" ? { ...settings, chosen: "by hand" } : settings,
  method: () => "peaks above a threshold with fitted transients",
  facts: ({ trace, f0 }, { axes: [time] }) => [
    ...traceFacts(trace, time),
    ...trace.isChange ? [/** @type {const} */ (["F0", f0])] : [],
  ],
  // deno-lint-ignore require-yield
  *divide(plane, band, { chosen, height, prominence, distance }) {
    const [{ step }] = band.axes;
    const { values, baseline } = traceOf(plane, band.columns, band.trace, step);
    const proposed = proposedThreshold(values);
    const isProposed = chosen === AUTOMATICALLY && Number.isFinite(proposed.height);
    const threshold = {
      height: isProposed ? significant(proposed.height, 3) : height,
      prominence: isProposed ? significant(proposed.prominence, 2) : prominence,
    };
    const found = findEvents(values, { ...threshold, distance: Math.max(1, distance / step) });
    return {
      found: found.map(itemOf),
      settings: { chosen, ...threshold, distance, trace: band.trace, f0: baseline },
    };
  },
  at(plane, band, _settings, { line }) {
    const { values } = traceOf(plane, band.columns, band.trace, band.axes[0].step);
    const peak = highestNear(values, line, Math.max(REACH, Math.round(values.length / 50)));
    return Number.isFinite(values[peak]) ? itemOf(measureEvents(values, [peak])[0]) : null;
  },
  again(plane, band, found) {
    const { values } = traceOf(plane, band.columns, band.trace, band.axes[0].step);
    const sorted = found.toSorted((a, b) => a.line - b.line);
    const events = measureEvents(values, sorted.map(({ line }) => line));
    return sorted.map((item, i) => ({ ...item, ...itemOf(events[i]) }));
  },
  columns(found, axes) {
    const unit = tableUnit(axes[0]);
    /** @param {string} name @param {(event: EventItem) => number} of */
    const times = (name, of) => ({ name, unit, values: found.map((event) => of(event) * axes[0].step) });
    return [
      timeColumn(found, axes[0]),
      { name: "Value", values: found.map(({ value }) => value) },
      { name: "Baseline", values: found.map(({ baseline }) => baseline) },
      { name: "Standard deviation of the baseline", values: found.map(({ deviation }) => deviation) },
      { name: "Amplitude", values: found.map(({ amplitude }) => amplitude) },
      { name: "Prominence", values: found.map(({ prominence }) => prominence) },
      times("Onset", ({ onset }) => onset),
      times("Rise 10-90 %", ({ rise }) => rise),
      times("Duration at half maximum", ({ duration }) => duration),
      times("Decay to 1/e", ({ decay }) => decay),
      {
        name: "Measured on",
        values: found.map(({ by }) => by === "fitted" ? "fitted transient" : "samples"),
      },
      { name: "Overlap", values: found.map(({ overlap }) => overlap) },
      { name: "By hand", values: found.map(({ isByHand }) => isByHand ? "yes" : "") },
      { name: "Note", values: found.map(({ note = "" }) => note) },
    ];
  },
  listed(found, [time]) {
    const [scale, unit] = time.unit === "seconds" ? [1000, "ms"] : [1, tableUnit(time)];
    // Column heads may break, which leaves room for the note.
    const lengths =
      /** @type {const} */ ([["Dura\u00adtion", "duration"], ["Rise", "rise"], ["Decay", "decay"]]);
    return [
      timeColumn(found, time),
      {
        name: "Ampli\u00adtude",
        values: found.map(({ amplitude, overlap }) =>
          `${rounded(amplitude)}${overlap === "overlaps" ? " *" : ""}`
        ),
      },
      ...lengths.map(([name, key]) => ({
        name,
        unit,
        // Three digits: the lengths are accurate to about a line.
        values: found.map((event) => rounded(significant(event[key] * time.step * scale, 3))),
      })),
    ];
  },
  summary(found, { axes: [time], lines }) {
    const unit = tableUnit(time);
    const amplitudes = Float64Array.from(found, ({ amplitude }) => amplitude);
    /** @param {string} name @param {(event: EventItem) => number} of */
    const median = (name, of) => ({ name, value: percentile(Float64Array.from(found, of), 50) });
    return [
      { name: "Events", value: found.length },
      { name: "Event rate", value: found.length / (lines * time.step), unit: `1/${perTime(time)}` },
      {
        name: "Overlapping events",
        value: found.filter(({ overlap }) => overlap !== "").length,
        isCount: true,
      },
      { name: "Mean amplitude", value: mean(amplitudes, 0, amplitudes.length) },
      { name: "SD of amplitude", value: deviation(amplitudes) },
      median("Median amplitude", ({ amplitude }) => amplitude),
      median("Median prominence", ({ prominence }) => prominence),
      { ...median("Median rise 10-90 %", ({ rise }) => rise * time.step), unit },
      { ...median("Median duration at half maximum", ({ duration }) => duration * time.step), unit },
    ];
  },
};

/** @param {TraceEvent} event @returns {EventItem} */
const itemOf = ({ peak, ...event }) => ({ line: peak, ...event });
