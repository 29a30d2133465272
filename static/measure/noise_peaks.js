/**
 * Distinguishes events from noise peaks on top of one event. Between two events, the running mean of the trace falls
 * deeper than that of noise does, for at least one length of the mean.
 */
import { percentile } from "./traces.js";

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
export function withoutNoisePeaks(trace, peaks) {
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
