/** Events as a measurement (measurement.js): peaks of the trace of a band. Overlapping peaks affect each other's shapes. */
import { rounded, significant, tableUnit } from "./axes.js";
import { findEvents, highestNear, measureEvents, proposedThreshold } from "./events.js";
import { AUTOMATICALLY, chosenParameter, columnOf, medianOf, timeColumn } from "./measurement.js";
import { deviation, mean, traceFacts, traceOf } from "./traces.js";
import { perTime } from "./velocity.js";

/** @import { Measurement } from "./measurement.js" */
/** @import { TraceEvent } from "./events.js" */

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
  columns: (found, [time]) => [
    timeColumn(found, time),
    columnOf("Value", found, ({ value }) => value),
    columnOf("Baseline", found, ({ baseline }) => baseline),
    columnOf("Standard deviation of the baseline", found, ({ deviation }) => deviation),
    columnOf("Amplitude", found, ({ amplitude }) => amplitude),
    columnOf("Prominence", found, ({ prominence }) => prominence),
    columnOf("Onset", found, ({ onset }) => onset, time),
    columnOf("Rise 10-90 %", found, ({ rise }) => rise, time),
    columnOf("Duration at half maximum", found, ({ duration }) => duration, time),
    columnOf("Decay to 1/e", found, ({ decay }) => decay, time),
    columnOf("Measured on", found, ({ by }) => by === "fitted" ? "fitted transient" : "samples"),
    columnOf("Overlap", found, ({ overlap }) => overlap),
    columnOf("By hand", found, ({ isByHand }) => isByHand ? "yes" : ""),
    columnOf("Note", found, ({ note = "" }) => note),
  ],
  listed(found, [time]) {
    const [scale, unit] = time.unit === "seconds" ? [1000, "ms"] : [1, tableUnit(time)];
    // Column heads may break, which leaves room for the note.
    const lengths =
      /** @type {const} */ ([["Dura\u00adtion", "duration"], ["Rise", "rise"], ["Decay", "decay"]]);
    return [
      timeColumn(found, time),
      columnOf(
        "Ampli\u00adtude",
        found,
        ({ amplitude, overlap }) => `${rounded(amplitude)}${overlap === "overlaps" ? " *" : ""}`,
      ),
      ...lengths.map(([name, key]) => ({
        name,
        unit,
        // Three digits: the lengths are accurate to about a line.
        values: found.map((event) => rounded(significant(event[key] * time.step * scale, 3))),
      })),
    ];
  },
  summary(found, { axes: [time], lines }) {
    const amplitudes = Float64Array.from(found, ({ amplitude }) => amplitude);
    const overlapping = found.filter(({ overlap }) => overlap !== "");
    return [
      { name: "Events", value: found.length },
      { name: "Event rate", value: found.length / (lines * time.step), unit: `1/${perTime(time)}` },
      { name: "Overlapping events", value: overlapping.length, isCount: true },
      { name: "Mean amplitude", value: mean(amplitudes) },
      { name: "SD of amplitude", value: deviation(amplitudes) },
      medianOf("Median amplitude", found, ({ amplitude }) => amplitude),
      medianOf("Median prominence", found, ({ prominence }) => prominence),
      medianOf("Median rise 10-90 %", found, ({ rise }) => rise, time),
      medianOf("Median duration at half maximum", found, ({ duration }) => duration, time),
    ];
  },
};

/** @param {TraceEvent} event */
const itemOf = ({ peak, ...event }) => ({ line: peak, ...event });
