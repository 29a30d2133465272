/**
 * Measures the bands of a recording without the page, one row for each band.
 *
 * @typedef {object} Settings drawings and measurements, in the form in which the page keeps them
 * @property {readonly {name: string, from: number, to: number}[] | undefined} [bands] columns `from` to `to`, end
 *   excluded; whole lines by default
 * @property {{[key in keyof TraceSettings]?: TraceSettings[key] | undefined} | undefined} [traces] raw values by default
 * @property {Readonly<Record<string, any>>} [measurements] settings by the keys of measurements.js; only these run
 */
import { isTime } from "./axes.js";
import { factsOf, factsRow, measured, rowOf, settingsOf, summaryOf } from "./measurement.js";
import { MEASUREMENTS } from "./measurements.js";
import { mean, percentile, PLAIN_TRACE, traceOf } from "./traces.js";

/** @import { Row } from "./csv.js" */
/** @import { Axes } from "./measurement.js" */
/** @import { TraceSettings } from "./traces.js" */

/**
 * @param {import("./velocity.js").Plane} plane rows are lines
 * @param {Axes} axes
 * @param {Settings} settings
 * @param {{pixelTime: number, isTyped: boolean}} scanned see `Band` in measurement.js
 * @returns {Row[]}
 * @throws {RangeError} rows are not time, or a band or window does not fit
 */
export function measuredRecording(plane, axes, settings, scanned) {
  if (!isTime(axes[0])) throw new RangeError("Not a line scan: its rows are not lines over time");
  const [lines, width] = plane.shape;
  const { bands = [] } = settings;
  const trace = /** @type {TraceSettings} */ ({ ...PLAIN_TRACE, ...settings.traces });
  const parts = bands.length > 0 ? bands : [{ name: "whole lines", from: 0, to: width }];
  return parts.map(({ name, from, to }) => {
    if (!(Number.isInteger(from) && Number.isInteger(to) && from >= 0 && from < to && to <= width)) {
      throw new RangeError(`Band ${name} has columns ${from} to ${to}; the recording has ${width}`);
    }
    const columns = /** @type {const} */ ([from, to]);
    const raw = traceOf(plane, columns, { ...trace, isChange: false }, axes[0].step).values;
    const change = traceOf(plane, columns, { ...trace, isChange: true }, axes[0].step);
    /** @type {Row} */
    const row = {
      Band: name,
      "First column": from,
      "Last column": to - 1,
      Mean: mean(raw),
      "Baseline F0": change.baseline,
      Trace: trace.isChange ? "dF/F0" : "raw",
      "Greatest value": percentile(trace.isChange ? change.values : raw, 100),
    };
    const band = { columns, axes, lines, trace, ...scanned };
    const wanted = settings.measurements ?? {};
    for (const measurement of MEASUREMENTS.filter(({ key }) => wanted[key])) {
      const wantedSettings = settingsOf(measurement, wanted[measurement.key], band);
      const { found, settings } = measured(measurement, plane, band, wantedSettings);
      Object.assign(row, factsRow(measurement, factsOf(measurement, settings, band)));
      Object.assign(row, rowOf(summaryOf(measurement, found, band, settings)));
    }
    return row;
  });
}
