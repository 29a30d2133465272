/**
 * Measures the bands of a recording by settings, without a page, one row for each band.
 *
 * @typedef {object} Settings what the page keeps of its drawings, and what it does not need to know
 * @property {readonly {name: string, from: number, to: number}[] | undefined} [bands] columns `from` to `to`, which is not
 *   included; none measures whole lines
 * @property {TraceSettings | undefined} [traces] of events: ΔF/F₀ with its baseline; raw values by default
 * @property {Threshold | null | undefined} [events] of all bands; proposed for each trace by default
 * @property {Readonly<Record<string, any>>} [measurements] settings of those in
 *   measurements.js by their keys; without an entry they are not measured
 *
 * @typedef {object} TraceSettings times in the unit of the time axis
 * @property {boolean | undefined} [isChange] ΔF/F₀
 * @property {"percentile" | "window" | undefined} [kind] of the baseline
 * @property {number | undefined} [percentile]
 * @property {number | undefined} [from] start of the baseline's window
 * @property {number | undefined} [to]
 * @property {number | undefined} [offset] dark level
 * @property {number | undefined} [average] lines
 *
 * @typedef {object} Threshold
 * @property {number} height
 * @property {number | undefined} [prominence]
 * @property {number | undefined} [distance] in the unit of the time axis
 *
 * @typedef {{step: number, unit: string}} Axis
 * @typedef {Record<string, number | string>} Row by column of the table; NaN is missing
 */
import { isTime } from "./axes.js";
import { findEvents, proposedThreshold } from "./events.js";
import { factsOf, factsRow, measured, rowOf, settingsOf, summaryOf } from "./measurement.js";
import { MEASUREMENTS } from "./measurements.js";
import { bandMean, mean, percentile, relativeChange, runningMean } from "./traces.js";

/**
 * @param {import("./velocity.js").Plane} plane rows are lines
 * @param {readonly [Axis, Axis]} axes time and position
 * @param {Settings} settings
 * @param {{pixelTime: number, isTyped: boolean}} scanned see `Band` in measurement.js
 * @returns {Row[]}
 * @throws {RangeError} rows are not time, or a band or window does not fit
 */
export function measuredRecording(plane, axes, settings, scanned) {
  if (!isTime(axes[0])) throw new RangeError("Not a line scan: its rows are not lines over time");
  const [lines, columns] = plane.shape;
  const { bands = [] } = settings;
  const parts = bands.length > 0 ? bands : [{ name: "whole lines", from: 0, to: columns }];
  return parts.map(({ name, from, to }) => {
    if (!(Number.isInteger(from) && Number.isInteger(to) && from >= 0 && from < to && to <= columns)) {
      throw new RangeError(`Band ${name} has columns ${from} to ${to}; the recording has ${columns}`);
    }
    return {
      Band: name,
      "First column": from,
      "Last column": to - 1,
      ...ofTrace(plane, axes, settings, from, to),
      ...ofMeasurements(plane, settings.measurements ?? {}, { columns: [from, to], axes, lines, ...scanned }),
    };
  });
}

/**
 * @param {import("./velocity.js").Plane} plane
 * @param {readonly [Axis, Axis]} axes
 * @param {Settings} settings
 * @param {number} from
 * @param {number} to
 * @returns {Row}
 */
function ofTrace({ samples, shape }, [time], { traces = {}, events }, from, to) {
  const { isChange = false, kind = "percentile", average = 1, offset = 0 } = traces;
  const raw = runningMean(bandMean(samples, shape, from, to), average);
  const baseline = kind === "window"
    ? { kind, from: (traces.from ?? 0) / time.step, to: (traces.to ?? 0) / time.step }
    : { kind, percentile: traces.percentile ?? 10 };
  const change = relativeChange(raw, baseline, offset);
  const values = isChange ? change.values : raw;
  const threshold = events ?? proposedThreshold(values);
  const found = findEvents(values, {
    height: threshold.height,
    prominence: threshold.prominence ?? 0,
    distance: Math.max(1, (events?.distance ?? 0) / time.step),
  });
  const median = (/** @type {(event: typeof found[number]) => number} */ of) =>
    percentile(Float64Array.from(found, of), 50);
  return {
    "Mean": mean(raw, 0, raw.length),
    "Baseline F0": change.baseline,
    "Trace": isChange ? "dF/F0" : "raw",
    "Greatest value": percentile(values, 100),
    "Event threshold": threshold.height,
    "Events": found.length,
    "Overlapping events": found.filter(({ overlap }) => overlap !== "").length,
    "Median amplitude": median(({ amplitude }) => amplitude),
    "Median prominence": median(({ prominence }) => prominence),
    "Median rise 10-90 %": median(({ rise }) => rise * time.step),
    "Median duration at half maximum": median(({ duration }) => duration * time.step),
  };
}

/** @type {(plane: import("./velocity.js").Plane, wanted: NonNullable<Settings["measurements"]>, band: import("./measurement.js").Band) => Row} */
function ofMeasurements(plane, wanted, band) {
  return Object.assign(
    {},
    ...MEASUREMENTS.filter(({ key }) => wanted[key]).map((measurement) => {
      const wantedSettings = settingsOf(measurement, wanted[measurement.key], band);
      const { found, settings } = measured(measurement, plane, band, wantedSettings);
      return {
        ...factsRow(measurement, factsOf(measurement, settings, band)),
        ...rowOf(summaryOf(measurement, found, band, settings)),
      };
    }),
  );
}
