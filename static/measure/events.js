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

// Between two events, unlike between noise peaks on top of one event, the running mean of the trace falls deeper than that
// of noise does, for at least one length of the mean.

/** Standard deviations by which a valley exceeds the extremes of noise. */
const MARGIN = 2.5;

/** An estimate of the noise needs at least this many samples. */
const LEAST_SAMPLES = 40;

/**
 * Standard deviation of white noise: from differences of neighbouring samples, because events are slower, and by their
 * median, because events are rare.
 *
 * @param {Float64Array} trace
 */
export function noiseOf(trace) {
  const changes = trace.subarray(1).map((value, i) => Math.abs(value - trace[i]));
  return percentile(changes, 50) / (0.6745 * Math.SQRT2) || 0;
}

/** Removes peaks that noise makes on the event of a higher peak. @param {Float64Array} trace @param {readonly number[]} peaks indices in ascending order */
function withoutNoisePeaks(trace, peaks) {
  const noise = noiseOf(trace);
  const sums = new Float64Array(trace.length + 1);
  for (let i = 0; i < trace.length; i += 1) {
    sums[i + 1] = sums[i] + (Number.isFinite(trace[i]) ? trace[i] : 0);
  }
  /** @type {number[]} */
  const kept = [];
  for (const peak of peaks) {
    let isKept = true;
    while (isKept && kept.length > 0) {
      const previous = kept[kept.length - 1];
      if (isValley(trace, sums, previous, peak, noise)) break;
      // A higher peak replaces the previous one and is then compared with the one before that.
      if (trace[peak] > trace[previous]) kept.pop();
      else isKept = false;
    }
    if (isKept) kept.push(peak);
  }
  return kept;
}

/**
 * Whether the trace between two peaks is lower than noise explains.
 *
 * @type {(trace: Float64Array, sums: Float64Array, one: number, other: number, whole: number) => boolean}
 */
function isValley(trace, sums, one, other, whole) {
  const between = trace.subarray(one, other + 1);
  if (!between.every(Number.isFinite)) return true;
  // Photon noise grows with the light.
  const distance = other - one;
  const beside = Math.max(0, Math.ceil((LEAST_SAMPLES - distance) / 2));
  const noise = Math.max(whole, noiseOf(trace.subarray(Math.max(0, one - beside), other + beside)));
  for (let length = 1; length === 1 || length <= distance / 3; length *= 2) {
    const meanAt = (/** @type {number} */ at) => {
      const from = Math.min(trace.length - length, Math.max(0, at - (length >> 1)));
      return (sums[from + length] - sums[from]) / length;
    };
    let valley = one;
    for (let at = one; at <= other; at += 1) if (meanAt(at) < meanAt(valley)) valley = at;
    const tops = [[one - length, valley], [valley, other + length]].map(([from, to]) => {
      let top = -Infinity;
      for (let at = from; at <= to; at += 1) top = Math.max(top, meanAt(at));
      return top;
    });
    const extremes = 2 * Math.sqrt(2 * Math.log(Math.max(2, distance / length + 2)));
    if (Math.min(...tops) - meanAt(valley) > (extremes + MARGIN) * noise / Math.sqrt(length)) return true;
  }
  return false;
}
