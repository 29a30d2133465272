/**
 * Events of a trace: peaks above a threshold that stand out from their surroundings, and their shapes (event_shape.js).
 * Peaks and prominence are defined as by `scipy.signal` (`find_peaks`, `peak_prominences`). A NaN ends the surroundings
 * of a peak, as an end of the trace does.
 *
 * @typedef {object} Threshold
 * @property {number} height least value of a peak
 * @property {number} [prominence] least height above the higher of the two valleys beside it
 * @property {number} [distance] least distance between two peaks in samples; of closer ones the higher stays
 *
 * @typedef {object} Peak
 * @property {number} peak index; for a plateau, its middle, rounded down
 * @property {number} value at the peak
 * @property {number} prominence height above the higher of the two valleys beside it
 *
 * @typedef {Peak & import("./event_shape.js").EventShape} TraceEvent
 */
import { eventShapes } from "./event_shape.js";
import { withoutNoisePeaks } from "./noise_peaks.js";
import { percentile } from "./traces.js";

/** @param {Float64Array} trace @param {Threshold} threshold @returns {TraceEvent[]} in order of time; peaks that noise makes on an event are omitted */
export const findEvents = (trace, threshold) =>
  measureEvents(trace, withoutNoisePeaks(trace, findPeaks(trace, threshold)));

/** Indices of all peaks, including those of noise. @param {Float64Array} trace @param {Threshold} threshold */
export function findPeaks(trace, { height, prominence = 0, distance = 1 }) {
  const high = peaksOf(trace).filter((peak) => trace[peak] >= height);
  return apart(trace, high, distance).filter((peak) => boundsOf(trace, peak).height >= prominence);
}

/**
 * Measures the events at known peaks, found or added by hand, each without the tails of the others.
 *
 * @param {Float64Array} trace
 * @param {readonly number[]} peaks indices in ascending order
 * @returns {TraceEvent[]}
 */
export function measureEvents(trace, peaks) {
  const bounds = peaks.map((peak) => boundsOf(trace, peak));
  return eventShapes(trace, peaks, bounds).map((shape, i) => ({
    peak: peaks[i],
    value: trace[peaks[i]],
    prominence: bounds[i].height,
    ...shape,
  }));
}

/**
 * A threshold halfway from the median to the maximum, and a quarter of this height as prominence.
 *
 * @param {Float64Array} trace
 * @returns {{height: number, prominence: number}} NaN for a trace without values
 */
export function proposedThreshold(trace) {
  const [middle, top] = [percentile(trace, 50), percentile(trace, 100)];
  return { height: (middle + top) / 2, prominence: (top - middle) / 4 };
}

/** Finds the highest sample near a position. @type {(trace: Float64Array, place: number, reach: number) => number} */
export function highestNear(trace, place, reach) {
  const middle = Math.min(trace.length - 1, Math.max(0, Math.round(place)));
  let best = middle;
  for (let i = Math.max(0, middle - reach); i <= Math.min(trace.length - 1, middle + reach); i += 1) {
    if (!(trace[i] <= trace[best])) best = Number.isNaN(trace[i]) ? best : i;
  }
  return best;
}

/** Indices of the local maxima; for a plateau, its middle. @param {Float64Array} trace */
function peaksOf(trace) {
  const peaks = [];
  for (let i = 1; i < trace.length - 1; i += 1) {
    if (!(trace[i - 1] < trace[i])) continue;
    let end = i;
    while (end + 1 < trace.length && trace[end + 1] === trace[i]) end += 1;
    if (end + 1 < trace.length && trace[end + 1] < trace[i]) peaks.push(Math.floor((i + end) / 2));
    i = end;
  }
  return peaks;
}

/** Removes peaks nearer than `distance` to a higher one. @type {(trace: Float64Array, peaks: number[], distance: number) => number[]} */
function apart(trace, peaks, distance) {
  const taken = new Set(peaks);
  // The later of two equal peaks stays.
  const byHeight = peaks.map((peak, i) => ({ peak, i }))
    .sort((a, b) => trace[b.peak] - trace[a.peak] || b.i - a.i);
  for (const { peak, i } of byHeight) {
    if (!taken.has(peak)) continue;
    for (let j = i - 1; j >= 0 && peak - peaks[j] < distance; j -= 1) taken.delete(peaks[j]);
    for (let j = i + 1; j < peaks.length && peaks[j] - peak < distance; j += 1) taken.delete(peaks[j]);
  }
  return peaks.filter((peak) => taken.has(peak));
}

/**
 * The lowest sample on each side of a peak, up to the next higher sample, and the height of the peak above the higher of
 * the two.
 *
 * @param {Float64Array} trace
 * @param {number} peak
 * @returns {import("./event_shape.js").Bounds}
 */
function boundsOf(trace, peak) {
  const [left, right] = [-1, 1].map((step) => {
    let lowest = peak;
    for (let i = peak; i >= 0 && i < trace.length && trace[i] <= trace[peak]; i += step) {
      if (trace[i] < trace[lowest]) lowest = i;
    }
    return lowest;
  });
  return { left, right, height: trace[peak] - Math.max(trace[left], trace[right]) };
}
