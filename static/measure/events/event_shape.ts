/**
 * Shapes of the events of a trace. Each event is fitted with a transient (transient_fit.ts) after the tails of the others
 * are subtracted; the fit keeps photon noise from raising the peak. An event that no transient fits is measured on a
 * running mean of its samples.
 */
import { computeTransient, fitTransient, type Transient } from "./transient_fit.ts";
import { computeDeviation, computeMean, computeRunningMean, findPercentile } from "../traces.ts";

/** Places and lengths are in samples, with fractions; NaN if a level is not reached. */
export interface EventShape {
  /** Median of the stretch before the onset, without the tails of earlier events. */
  baseline: number;
  /** Standard deviation of that stretch. */
  deviation: number;
  /** Height above the baseline. */
  amplitude: number;
  /** Where the event exceeds the baseline by two standard deviations. */
  onset: number;
  /** Rise from 10 to 90 % of the amplitude. */
  rise: number;
  /** Width at half of the amplitude. */
  duration: number;
  /** Decay from the top until 1/e of the amplitude is left. */
  decay: number;
  /** Area under the curve and above the baseline, in values times samples. */
  area: number;
  /** Whether the fitted transient or the samples themselves were measured. */
  by: "fitted" | "samples";
  /** `separated` if the tails of other events were subtracted, `overlaps` if that was not possible. */
  overlap: "" | "separated" | "overlaps";
}

/** Valleys beside a peak, and its height above the higher valley. */
export type Bounds = { left: number; right: number; height: number };

/** A peak by its index. */
export type BoundedPeak = { peak: number; bounds: Bounds };

interface PeakBounds {
  /** Index. */
  peak: number;
  /** First index of the finite samples around the peak. */
  low: number;
  /** Last index of these samples. */
  high: number;
  /** Index of the valley to the previous event, or `low`. */
  before: number;
  /** Index of the valley to the next event, or `high`. */
  after: number;
  /** Value at `before`. */
  valley: number;
  /** Prominence. */
  height: number;
  /** Where the event rises through half of its prominence. */
  left: number;
  /** Where it falls through the same level. */
  right: number;
  transient: Transient | null;
  shape: EventShape;
}

/** A baseline needs at least this many samples before the onset. */
const LEAST_STRETCH = 3;

/** Length of the baseline: this many widths at half prominence, but at least this many samples. */
const [STRETCH_WIDTHS, STRETCH_SAMPLES] = [2, 20];

/** Largest systematic deviation of an accepted fit from the samples, as a fraction of the amplitude. */
const GREATEST_MISFIT = 0.02;

/** Lowest level of an onset, as a fraction of the amplitude, for a baseline without noise. */
const LEAST_ONSET = 1e-3;

/** A fit needs at least this many samples. */
const LEAST_FITTED = 8;

/** After this many time constants, a transient is below any noise. */
const GONE = 12;

/** A deviation of more standard errors is not noise. */
const CERTAIN = 2;

/** Above this fraction of its amplitude, an event resembles a parabola. */
const CREST = 0.7;

/** Events overlap if the tail of one, at the onset of the next, exceeds this fraction of the smaller amplitude. */
const OVERLAP = 0.05;

/** Rounds of fitting overlapping events, whose fits depend on each other. */
const ROUNDS = 4;

/**
 * The shapes of the events at peaks, in the order of the peaks.
 *
 * @param peaks in ascending order
 */
export function measureEventShapes(
  trace: Float64Array,
  peaks: readonly BoundedPeak[],
): EventShape[] {
  const smooth = computeRunningMean(trace, 3);
  const valleyBetween = (from: number, to: number) => {
    let least = from;
    for (let i = from; i <= to; i += 1) if (!(smooth[i]! >= smooth[least]!)) least = i;
    return least;
  };
  let [low, high] = [0, -1];
  const events: PeakBounds[] = peaks.map(({ peak, bounds: { left, right, height } }, i) => {
    const [previous, next] = [peaks[i - 1], peaks[i + 1]];
    // Peaks ascend, so those of one stretch of finite samples find it together.
    if (peak > high) {
      [low, high] = [peak, peak];
      while (Number.isFinite(trace[low - 1])) low -= 1;
      while (Number.isFinite(trace[high + 1])) high += 1;
    }
    const half = trace[peak]! - height / 2;
    const before = previous === undefined ? low : Math.max(low, valleyBetween(previous.peak, peak));
    const curve = (at: number) => smooth[at]!;
    return {
      peak,
      low,
      high,
      before,
      after: next === undefined ? high : Math.min(high, valleyBetween(peak, next.peak)),
      valley: curve(before),
      height,
      left: findCrossing(curve, peak, half, left) ?? left,
      right: findCrossing(curve, peak, half, right) ?? right,
      transient: null,
      // Measured below.
      shape: null as unknown as EventShape,
    };
  });
  for (const i of events.keys()) measureEvent(trace, events, i, false);
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const i of events.keys()) if (findOverlap(events, i) !== "") measureEvent(trace, events, i, true);
  }
  return events.map(({ shape }, i) => ({ ...shape, overlap: findOverlap(events, i) }));
}

/**
 * Measures an event after the transients of its neighbours are subtracted. `isLater` if the next events have been measured.
 */
function measureEvent(trace: Float64Array, events: PeakBounds[], i: number, isLater: boolean): void {
  const event = events[i]!;
  const { peak, low, high, left, right } = event;
  const width = Math.max(2, right - left);
  const stretch = Math.max(STRETCH_SAMPLES, Math.ceil(STRETCH_WIDTHS * width));
  const [previous, next] = [events[i - 1], events[i + 1]];
  const start = previous === undefined || previous.transient !== null ? low : event.before;
  const end = next === undefined || isLater && next.transient !== null ? high : event.after;
  const from = Math.max(start, Math.floor(left - width) - stretch);
  const to = Math.min(end, Math.ceil(right + 4 * width)) + 1;
  const alone = withoutOthers(trace, events, i, from, to);
  const rough = measureStretchBefore(alone, left - from - width, stretch);
  const transient = fitBetterTransient(alone, from, event, rough.baseline);
  if (transient !== null) {
    const top = findHighestSample(transient, peak);
    const { baseline, deviation } = measureStretchBefore(alone, transient.onset - from, stretch);
    const curve = (at: number) => transient.level + computeTransient(transient, at);
    // The curve does not count beyond `high`, the end of the recording.
    const value = curve(top) + measureMissedAtTop(alone, from, curve, curve(top) - baseline);
    const shape = shapeByCrossings(curve, top, value, { baseline, deviation, low: from, high });
    const first = Math.max(from, Math.floor(transient.onset));
    if (shape.amplitude > 0 && !isMisfit(alone.subarray(first - from), first, curve, shape.amplitude)) {
      event.transient = transient;
      const { size, rise, decay } = transient;
      // The integral of the transient, if enough of its decay was recorded.
      const area = Number.isNaN(shape.decay) ? NaN : size * decay * decay / (rise + decay);
      event.shape = { ...shape, area, by: "fitted", overlap: "" };
      return;
    }
  }
  event.transient = null;
  const samples = computeRunningMean(alone, Math.max(1, Math.floor(width / 8)));
  const curve = (at: number) => samples[at - from]!;
  const begin = findCrossing(curve, peak, rough.baseline + 2 * rough.deviation, from) ?? from;
  const { baseline, deviation } = measureStretchBefore(alone, Math.ceil(begin) - from, stretch);
  const limits = { baseline, deviation, low: from, high: to - 1 };
  const shape = shapeByCrossings(curve, peak, fitCrest(samples, peak - from, baseline), limits);
  const last = findCrossing(curve, peak, baseline + 2 * deviation, to - 1) ?? NaN;
  const area = sumOf(alone.subarray(Math.ceil(begin) - from, Math.floor(last) + 1 - from), baseline);
  event.shape = { ...shape, area: Number.isNaN(last) ? NaN : area, by: "samples", overlap: "" };
}

/** Shape of an event from the places where its curve crosses levels on both sides of the top. */
function shapeByCrossings(
  curve: (at: number) => number,
  top: number,
  value: number,
  { baseline, deviation, low, high }: Record<"baseline" | "deviation" | "low" | "high", number>,
) {
  const amplitude = value - baseline;
  const [before, after] = [low, high].map((end) => (part: number) =>
    findCrossing(curve, top, baseline + part * amplitude, end) ?? NaN
  ) as [(part: number) => number, (part: number) => number];
  return {
    baseline,
    deviation,
    amplitude,
    onset: before(Math.max(LEAST_ONSET, 2 * deviation / amplitude)),
    rise: before(0.9) - before(0.1),
    duration: after(0.5) - before(0.5),
    decay: after(1 / Math.E) - top,
  };
}

/** Sum of samples above a baseline. */
const sumOf = (samples: Float64Array, baseline: number): number =>
  samples.reduce((sum, value) => sum + value - baseline, 0);

/**
 * Where a curve falls to a level between `top` and `end`, interpolated linearly between samples; null if it does not.
 */
function findCrossing(curve: (at: number) => number, top: number, level: number, end: number): number | null {
  const step = end < top ? -1 : 1;
  let i = top;
  while (i !== end && curve(i) > level) i += step;
  if (!(curve(i) <= level)) return null;
  return i === top ? top : i - step * (level - curve(i)) / (curve(i - step) - curve(i));
}

/** The samples of a part of the trace without the transients of all other events. */
function withoutOthers(
  trace: Float64Array,
  events: readonly PeakBounds[],
  of: number,
  from: number,
  to: number,
): Float64Array {
  const alone = trace.slice(from, to);
  for (const [i, { transient }] of events.entries()) {
    if (transient === null || i === of || transient.onset >= to) continue;
    if (from - transient.onset > GONE * (transient.decay + transient.rise)) continue;
    for (const [at, value] of alone.entries()) alone[at] = value - computeTransient(transient, from + at);
  }
  return alone;
}

/** Median and standard deviation of up to `length` samples before a place; NaN if there are too few. */
function measureStretchBefore(
  samples: Float64Array,
  place: number,
  length: number,
): { baseline: number; deviation: number } {
  const end = Math.min(samples.length, Math.max(0, Math.ceil(place)));
  const stretch = samples.subarray(Math.max(0, end - length), end);
  if (stretch.length < LEAST_STRETCH) return { baseline: NaN, deviation: NaN };
  return { baseline: findPercentile(stretch, 50), deviation: computeDeviation(stretch) };
}

/** The better of two fits, which start from a slow and a sudden rise; null if it is implausible. */
function fitBetterTransient(
  samples: Float64Array,
  from: number,
  { peak, left, right }: PeakBounds,
  baseline: number,
): Transient | null {
  if (samples.length < LEAST_FITTED) return null;
  const [before, after] = [Math.max(1, peak - left), Math.max(1, right - peak)];
  const level = Number.isNaN(baseline) ? Math.min(...samples) : baseline;
  const size = 1.5 * (samples[peak - from]! - level);
  const decay = after / Math.LN2;
  const found = [
    { level, size, onset: left - before / 2 - from, rise: before / 2, decay },
    { level, size, onset: left - 0.5 - from, rise: 0.3, decay },
  ].map((start) => fitTransient(samples, start))
    .reduce((one, other) => other.misfit < one.misfit ? other : one).transient;
  const transient = { ...found, onset: found.onset + from };
  const far = Math.abs(transient.onset + computeTimeToTop(transient) - peak);
  return transient.size > 0 && far <= before + after ? transient : null;
}

const computeTimeToTop = ({ rise, decay }: Transient) => rise * Math.log(1 + decay / rise);

/** The sample at which a transient is greatest, since nothing between samples was measured. */
function findHighestSample(transient: Transient, peak: number): number {
  const place = Math.floor(transient.onset + computeTimeToTop(transient));
  if (!Number.isFinite(place)) return peak;
  return computeTransient(transient, place) >= computeTransient(transient, place + 1) ? place : place + 1;
}

/** Whether the deviations of neighbouring samples from the curve correlate; with noise alone they do not. */
function isMisfit(
  samples: Float64Array,
  from: number,
  curve: (at: number) => number,
  amplitude: number,
): boolean {
  const off = samples.map((value, i) => value - curve(from + i));
  let [alike, square] = [0, 0];
  let before = NaN;
  for (const [i, value] of off.entries()) {
    if (i > 0) {
      alike += value * before / off.length;
      square += value * value / off.length;
    }
    before = value;
  }
  return alike > Math.max((GREATEST_MISFIT * amplitude) ** 2, 3 * square / Math.sqrt(off.length));
}

/** Mean height of the samples above the curve around its top; 0 if it may be noise. */
function measureMissedAtTop(
  samples: Float64Array,
  from: number,
  curve: (at: number) => number,
  height: number,
): number {
  const off = samples.map((value, i) => value - curve(from + i));
  const near = off.filter((_, i) => curve(from + i) - curve(-Infinity) > CREST * height);
  const [missed, noise] = [computeMean(near), Math.sqrt(computeMean(off.map((value) => value * value)))];
  return Math.abs(missed) > CERTAIN * noise / Math.sqrt(near.length) ? missed : 0;
}

/** The top of a parabola through the samples above {@linkcode CREST}; the sample at `peak` if these are too few. */
function fitCrest(samples: Float64Array, peak: number, baseline: number): number {
  const top = samples[peak]!;
  const level = baseline + CREST * (top - baseline);
  let [from, to] = [peak, peak];
  while (samples[from - 1]! > level) from -= 1;
  while (samples[to + 1]! > level) to += 1;
  const reach = Math.min(peak - from, to - peak);
  if (reach < LEAST_STRETCH) return top;
  // Least squares on places that are symmetric about the peak.
  let [sum, weighted, squares, fourths] = [0, 0, 0, 0];
  const count = 2 * reach + 1;
  for (let i = -reach; i <= reach; i += 1) {
    const value = samples[peak + i]!;
    sum += value;
    weighted += value * i * i;
    squares += i * i;
    fourths += i ** 4;
  }
  return (fourths * sum - squares * weighted) / (count * fourths - squares * squares);
}

/** Whether an event begins on the tail of the previous one. */
function isOnTail(events: readonly PeakBounds[], i: number) {
  const [previous, event] = [events[i - 1], events[i]];
  if (previous === undefined || event === undefined) return false;
  const tail = previous.transient === null
    ? event.valley - previous.shape.baseline
    : computeTransient(previous.transient, event.transient?.onset ?? event.before);
  const heights = [previous, event].map(({ shape, height }) => shape.amplitude || height);
  return tail > OVERLAP * Math.min(...heights);
}

function findOverlap(events: readonly PeakBounds[], i: number) {
  const touching = [
    ...(isOnTail(events, i) ? [i - 1, i] : []),
    ...(isOnTail(events, i + 1) ? [i, i + 1] : []),
  ];
  if (touching.length === 0) return "";
  return touching.every((at) => events[at]?.transient) ? "separated" : "overlaps";
}
