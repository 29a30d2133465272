/**
 * Events of a trace: peaks above a threshold that stand out from their surroundings, and their shapes (event_shape.ts).
 * Peaks and prominence are defined as by `scipy.signal` (`find_peaks`, `peak_prominences`). A NaN ends the surroundings
 * of a peak, as an end of the trace does.
 */
import { type Bounds, type EventShape, measureEventShapes } from "./event_shape.ts";
import { measureQuietPart } from "../light/baseline.ts";
import { computeRunningMean, estimateWhiteNoise, findExtent, findPercentile } from "../traces.ts";

/** What a peak must reach to be an event. */
export interface Threshold {
  /** Least value of a peak. */
  height: number;
  /** Least height above the higher of the two valleys beside it. */
  prominence?: number;
  /** Least distance between two peaks in samples; of closer ones the higher stays. */
  distance?: number;
  /** Samples whose running mean must reach the height at a peak, instead of the peak itself. */
  average?: number;
}

/** A peak of a trace. */
export interface Peak {
  /** Index; for a plateau, its middle, rounded down. */
  peak: number;
  /** Value at the peak. */
  value: number;
  /** Height above the higher of the two valleys beside it. */
  prominence: number;
}

/** A peak with the shape of its event. */
export type TraceEvent = Peak & EventShape;

/**
 * The events of a trace that reach a threshold, with their shapes.
 *
 * @returns in order of time; peaks that noise makes on an event are omitted
 */
export const findEvents = (trace: Float64Array, threshold: Threshold): TraceEvent[] =>
  measureEvents(trace, seekPeaks(trace, threshold));

/** Indices of the highest samples of events; peaks that noise makes on an event are omitted. */
function seekPeaks(trace: Float64Array, threshold: Threshold): number[] {
  const { height, prominence = 0, distance = 1, average = 1 } = threshold;
  const means = computeRunningMean(trace, average);
  const high = listMaxima(trace).filter((peak) => readHighestNear(means, peak, average >> 1) >= height);
  const peaks = keepApart(trace, high, distance).filter((peak) =>
    findBounds(trace, peak).height >= prominence
  );
  return withoutNoisePeaks(trace, peaks);
}

/** Indices of all peaks, also of noise. */
export function findPeaks(
  trace: Float64Array,
  { height, prominence = 0, distance = 1 }: Threshold,
): number[] {
  const high = listMaxima(trace).filter((peak) => trace[peak]! >= height);
  return keepApart(trace, high, distance).filter((peak) => findBounds(trace, peak).height >= prominence);
}

/**
 * Measures the events at known peaks, found or added by hand, each without the tails of the others.
 *
 * @param peaks indices in ascending order
 */
export function measureEvents(trace: Float64Array, peaks: readonly number[]): TraceEvent[] {
  const bounded = peaks.map((peak) => ({ peak, bounds: findBounds(trace, peak) }));
  const shapes = measureEventShapes(trace, bounded);
  return bounded.map(({ peak, bounds }, i) => ({
    peak,
    value: trace[peak]!,
    prominence: bounds.height,
    ...shapes[i]!,
  }));
}

/**
 * A threshold halfway from the median to the maximum, and a quarter of this height as prominence.
 *
 * @returns NaN for a trace without values
 */
export function proposeThreshold(trace: Float64Array): { height: number; prominence: number } {
  const [middle, top] = [findPercentile(trace, 50), findPercentile(trace, 100)];
  return { height: (middle + top) / 2, prominence: (top - middle) / 4 };
}

/** Standard deviations by which an event rises above the baseline. */
const CLEAR = 5;

/** Standard deviations above which a peak below the threshold may be an event. */
const DOUBTFUL = 3;

/** The highest event rises this many times as high as the lowest that should be found: else means of more samples are taken. */
const LOWEST = 5;

/** Standard deviations of the noise of single samples by which a peak stands out from the valleys beside it. */
const STANDS_OUT = 4;

/** Without noise, events rise above the baseline by this fraction of the highest. */
const LEAST_RISE = 0.01;

/** This many means tell the noise to a percent. */
const ENOUGH = 20_000;

/** Most samples in one mean, as a fraction of the trace. */
const LONGEST_MEAN = 0.02;

/**
 * A threshold of five standard deviations above the baseline of a trace that does not drift, in running means of as few
 * samples as make the highest event stand out; and four standard deviations of the noise of single samples as prominence.
 *
 * @returns `rise` is the height above the baseline, `noise` the standard deviation of the baseline in
 *   running means; all but `average` are NaN for a trace without values
 */
export function computeNoiseThreshold(
  trace: Float64Array,
): { height: number; rise: number; prominence: number; average: number; noise: number } {
  let best = { ratio: -Infinity, average: 1, level: NaN, noise: NaN, top: NaN };
  for (let average = 1; average === 1 || average <= LONGEST_MEAN * trace.length; average *= 2) {
    const means = computeRunningMean(trace, average);
    const { level, noise } = measureQuietMeans(means, average);
    const [, top] = findExtent(means);
    const ratio = (top - level) / noise;
    if (ratio > best.ratio || Number.isNaN(best.level)) best = { ratio, average, level, noise, top };
    if (!(best.ratio < LOWEST * CLEAR)) break;
  }
  const { average, level, noise, top } = best;
  const least = LEAST_RISE * (top - level);
  const prominence = Math.max(STANDS_OUT * estimateWhiteNoise(trace), least);
  const rise = Math.max(CLEAR * noise, least);
  return { height: level + rise, rise, prominence, average, noise };
}

/**
 * The number of peaks `between` three standard deviations above the baseline and the threshold, and the standard deviation,
 * `noise`, of the baseline in running means.
 *
 * @param trace that does not drift
 */
export function countPeaksBelow(trace: Float64Array, { height, distance = 1, average = 1 }: Threshold): {
  noise: number;
  between: number;
} {
  const means = computeRunningMean(trace, average);
  const { level, noise } = measureQuietMeans(means, average);
  const doubtful = { height: level + DOUBTFUL * noise, prominence: STANDS_OUT * estimateWhiteNoise(trace) };
  const peaks = seekPeaks(trace, { ...doubtful, distance, average });
  const isBelow = (peak: number) => readHighestNear(means, peak, average >> 1) < height;
  return { noise, between: peaks.filter(isBelow).length };
}

/** Level and noise of the baseline of running means, from means that share no sample. */
function measureQuietMeans(means: Float64Array, average: number) {
  const every = average * Math.ceil(means.length / average / ENOUGH);
  return measureQuietPart(means.filter((_, i) => i % every === average >> 1));
}

/** Finds the highest sample near a position. */
export function findHighestNear(trace: Float64Array, place: number, reach: number): number {
  const middle = Math.min(trace.length - 1, Math.max(0, Math.round(place)));
  let best = middle;
  for (let i = Math.max(0, middle - reach); i <= Math.min(trace.length - 1, middle + reach); i += 1) {
    if (!(trace[i]! <= trace[best]!)) best = Number.isNaN(trace[i]) ? best : i;
  }
  return best;
}

const readHighestNear = (trace: Float64Array, place: number, reach: number): number =>
  trace[findHighestNear(trace, place, reach)] ?? NaN;

/** Indices of the local maxima; for a plateau, its middle. */
function listMaxima(trace: Float64Array) {
  const peaks = [];
  for (let i = 1; i < trace.length - 1; i += 1) {
    const value = trace[i]!;
    if (!(trace[i - 1]! < value)) continue;
    let end = i;
    while (end + 1 < trace.length && trace[end + 1] === value) end += 1;
    if (end + 1 < trace.length && trace[end + 1]! < value) peaks.push(Math.floor((i + end) / 2));
    i = end;
  }
  return peaks;
}

/** Removes peaks nearer than `distance` to a higher one. */
function keepApart(trace: Float64Array, peaks: number[], distance: number): number[] {
  const taken = new Set(peaks);
  // The later of two equal peaks stays.
  const byHeight = peaks.map((peak, i) => ({ peak, i, value: trace[peak]! }))
    .sort((a, b) => b.value - a.value || b.i - a.i);
  for (const { peak, i } of byHeight) {
    if (!taken.has(peak)) continue;
    for (const step of [-1, 1]) {
      let j = i + step;
      for (
        let near = peaks[j];
        near !== undefined && Math.abs(near - peak) < distance;
        near = peaks[j += step]
      ) {
        taken.delete(near);
      }
    }
  }
  return peaks.filter((peak) => taken.has(peak));
}

/**
 * The lowest sample on each side of a peak, up to the next higher sample, and the height of the peak above the higher of
 * the two.
 */
function findBounds(trace: Float64Array, peak: number): Bounds {
  const top = trace[peak]!;
  const [left, right] = [-1, 1].map((step) => {
    let [lowest, least] = [peak, top];
    for (let i = peak; i >= 0 && i < trace.length; i += step) {
      const value = trace[i]!;
      if (!(value <= top)) break;
      if (value < least) [lowest, least] = [i, value];
    }
    return { at: lowest, least };
  }) as [{ at: number; least: number }, { at: number; least: number }];
  return { left: left.at, right: right.at, height: top - Math.max(left.least, right.least) };
}

// Between two events, unlike between noise peaks on top of one event, the running mean of the trace falls deeper than that
// of noise does, for at least one length of the mean.

/** Standard deviations by which a valley exceeds the extremes of noise. */
const MARGIN = 2.5;

/** An estimate of the noise needs at least this many samples. */
const LEAST_SAMPLES = 40;

/** Removes peaks that noise makes on the event of a higher peak. @param peaks indices in ascending order */
function withoutNoisePeaks(trace: Float64Array, peaks: readonly number[]) {
  const noise = estimateWhiteNoise(trace);
  const sums = new Float64Array(trace.length + 1);
  let sum = 0;
  for (const [i, value] of trace.entries()) {
    if (Number.isFinite(value)) sum += value;
    sums[i + 1] = sum;
  }
  const kept: number[] = [];
  for (const peak of peaks) {
    let isKept = true;
    for (let previous = kept.at(-1); isKept && previous !== undefined; previous = kept.at(-1)) {
      if (isValley(trace, sums, previous, peak, noise)) break;
      // A higher peak replaces the previous one and is then compared with the one before that.
      if (trace[peak]! > trace[previous]!) kept.pop();
      else isKept = false;
    }
    if (isKept) kept.push(peak);
  }
  return kept;
}

/** Whether the trace between two peaks is lower than noise explains. */
function isValley(
  trace: Float64Array,
  sums: Float64Array,
  one: number,
  other: number,
  whole: number,
): boolean {
  const between = trace.subarray(one, other + 1);
  if (!between.every(Number.isFinite)) return true;
  // Photon noise grows with the light.
  const distance = other - one;
  const beside = Math.max(0, Math.ceil((LEAST_SAMPLES - distance) / 2));
  const noise = Math.max(
    whole,
    estimateWhiteNoise(trace.subarray(Math.max(0, one - beside), other + beside)),
  );
  for (let length = 1; length === 1 || length <= distance / 3; length *= 2) {
    const meanAt = (at: number) => {
      const from = Math.min(trace.length - length, Math.max(0, at - (length >> 1)));
      return (sums[from + length]! - sums[from]!) / length;
    };
    let valley = one;
    for (let at = one; at <= other; at += 1) if (meanAt(at) < meanAt(valley)) valley = at;
    const tops = ([[one - length, valley], [valley, other + length]] as const).map(([from, to]) => {
      let top = -Infinity;
      for (let at = from; at <= to; at += 1) top = Math.max(top, meanAt(at));
      return top;
    });
    const extremes = 2 * Math.sqrt(2 * Math.log(Math.max(2, distance / length + 2)));
    if (Math.min(...tops) - meanAt(valley) > (extremes + MARGIN) * noise / Math.sqrt(length)) return true;
  }
  return false;
}
