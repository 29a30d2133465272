/**
 * Heart rate and pulsatility of a trace of velocity or diameter. The rate is the frequency with the highest power in the
 * spectrum (Lomb 1976, which allows missing values); the lag with the highest autocorrelation confirms it.
 */
import { computeMean, findPercentile } from "./traces.ts";

/** Rate and strength of a pulse. */
export interface HeartRate {
  /** Beats per unit of time, by the spectrum; NaN without a clear pulse. */
  frequency: number;
  /** The same by the autocorrelation; NaN without a peak. */
  byAutocorrelation: number;
  /** Fraction of the variance that the pulse and its first harmonic explain, 0 to 1. */
  certainty: number;
  /** (maximum - minimum) / |mean| of the mean beat, positive also for backward flow. */
  pulsatility: number;
  /** Number of beats in the trace. */
  beats: number;
  /**
   * "weak": noise alone may make such a peak; "short": fewer than five beats; "disagree": the methods differ
   * by more than a twentieth.
   */
  verdict: "clear" | "weak" | "short" | "disagree";
}

/** A rate needs at least this many beats. */
const LEAST_BEATS = 5;

/** Number of phases of the mean beat. */
const PHASES = 20;

/** Probability that noise alone reaches the least accepted peak. */
const FALSE_ALARM = 1e-3;

/** All frequencies are tried on this many values, as work grows with their square; a longer trace refines the best one. */
const MOST_VALUES = 2048;

/**
 * The heart rate in a trace of velocity or diameter.
 *
 * @param trace NaN if missing
 * @param step time from one value to the next
 */
export function measureHeartRate(trace: Float64Array, step: number): HeartRate {
  const none = { frequency: NaN, byAutocorrelation: NaN, certainty: 0, pulsatility: NaN, beats: NaN };
  const duration = trace.length * step;
  const part = Math.min(trace.length, MOST_VALUES);
  const [low, high] = [2 / (part * step), 0.45 / step];
  const values = withoutDrift(trace, Math.max(3, Math.round(2 / (low * step))));
  const count = values.filter(Number.isFinite).length;
  if (!(high > low) || count < 8) return { ...none, verdict: "weak" };
  let best = findHighestFrequency(values.subarray(0, part), low, high, step);
  if (part < values.length) {
    best = findHighestFrequency(values, best.frequency - low, best.frequency + low, step);
  }
  // By a parabola around the highest power.
  const shares = [-1, 0, 1].map((n) => computeSineShare(values, (best.frequency + n * best.distance) * step));
  const [before, , after] = shares as [number, number, number];
  const bend = before - 2 * shares[1]! + after;
  const frequency = bend < 0
    ? best.frequency + best.distance * (before - after) / (2 * bend)
    : best.frequency;
  // In noise, the greatest of m independent powers exceeds z with probability 1 - (1 - exp(-z))^m.
  const independent = Math.max(1, duration * (high - low));
  const least = -Math.log(1 - (1 - FALSE_ALARM) ** (1 / independent)) * 2 / count;
  const beats = duration * frequency;
  const certainty = Math.min(
    1,
    computeSineShare(values, frequency * step) + computeSineShare(values, 2 * frequency * step),
  );
  const byAutocorrelation = findRateByLag(values, 1 / (frequency * step), step);
  if (!(best.share > least)) return { ...none, certainty, verdict: "weak" };
  const difference = Math.abs(byAutocorrelation - frequency) / frequency;
  const verdict = beats < LEAST_BEATS ? "short" : difference > 0.05 ? "disagree" : "clear";
  return {
    frequency,
    byAutocorrelation,
    certainty,
    pulsatility: computePulsatility(trace, frequency * step),
    beats,
    verdict,
  };
}

/** The trace minus its running median over `reach` values. */
function withoutDrift(trace: Float64Array, reach: number) {
  const half = Math.ceil(reach / 2);
  // A median for each half window, and straight lines between them.
  const knots: number[] = [];
  for (let at = 0; at < trace.length + half; at += half) {
    const middle = Math.min(at, trace.length - 1);
    knots.push(findPercentile(trace.slice(Math.max(0, middle - half), middle + half + 1), 50));
  }
  return trace.map((value, i) => {
    const [knot, part] = [Math.floor(i / half), i / half - Math.floor(i / half)];
    const own = knots[knot]!;
    return value - (own * (1 - part) + (knots[knot + 1] ?? own) * part);
  });
}

/**
 * Fraction of the variance that a sine explains, by least squares with a constant (Lomb 1976, Zechmeister and Kürster 2009).
 *
 * @param values NaN if missing
 * @param frequency cycles per value
 */
export function computeSineShare(values: Float64Array, frequency: number): number {
  const [turnX, turnY] = [Math.cos(2 * Math.PI * frequency), Math.sin(2 * Math.PI * frequency)];
  let [x, y, count] = [1, 0, 0];
  // Sums of values, cosines and sines, and of their products.
  let [v, c, s, vv, vc, vs, cc, cs, ss] = [0, 0, 0, 0, 0, 0, 0, 0, 0];
  for (let i = 0; i < values.length; i += 1) {
    const value = values[i]!;
    if (Number.isFinite(value)) {
      count += 1;
      v += value;
      c += x;
      s += y;
      vv += value * value;
      vc += value * x;
      vs += value * y;
      cc += x * x;
      cs += x * y;
      ss += y * y;
    }
    const before = x;
    x = x * turnX - y * turnY;
    y = before * turnY + y * turnX;
  }
  // In sums about the means, the constant drops out.
  vv -= v * v / count;
  vc -= v * c / count;
  vs -= v * s / count;
  cc -= c * c / count;
  cs -= c * s / count;
  ss -= s * s / count;
  const determinant = cc * ss - cs * cs;
  if (!(vv > 0 && determinant > 1e-6 * count * count)) return 0;
  return (vc * vc * ss - 2 * vc * vs * cs + vs * vs * cc) / determinant / vv;
}

/** The frequency of the highest power. */
function findHighestFrequency(
  values: Float64Array,
  low: number,
  high: number,
  step: number,
): { frequency: number; share: number; distance: number } {
  // Steps five times finer than the frequencies that the duration resolves.
  const count = Math.max(2, Math.ceil(5 * values.length * step * (high - low)));
  const distance = (high - low) / count;
  let [frequency, share] = [NaN, 0];
  for (let i = 0; i <= count; i += 1) {
    const found = computeSineShare(values, (low + i * distance) * step);
    if (found > share) [frequency, share] = [low + i * distance, found];
  }
  return { frequency, share, distance };
}

/**
 * Rate by the highest autocorrelation within a fifth of a beat; NaN without a peak.
 *
 * @param lag of a beat in values
 */
function findRateByLag(values: Float64Array, lag: number, step: number) {
  const likeness = (shift: number) => {
    let [sum, count] = [0, 0];
    for (let i = 0; i + shift < values.length; i += 1) {
      const product = values[i]! * values[i + shift]!;
      if (!Number.isFinite(product)) continue;
      sum += product;
      count += 1;
    }
    return sum / count;
  };
  // Uses a lag of as many beats as fit in half of the trace: more beats give a more exact rate.
  const several = Math.max(1, Math.floor(values.length / 2 / lag));
  const [from, to] = [Math.ceil((several - 0.2) * lag), Math.floor((several + 0.2) * lag)];
  const all = Array.from({ length: Math.max(0, to - from + 1) }, (_, i) => likeness(from + i));
  const best = all.indexOf(Math.max(...all));
  if (best <= 0 || best >= all.length - 1) return NaN;
  const [a, b, c] = all.slice(best - 1, best + 2) as [number, number, number];
  return several / ((from + best + (a - c) / (2 * (a - 2 * b + c))) * step);
}

/** (Maximum - minimum) / |mean| of the mean beat. @param frequency cycles per value */
function computePulsatility(trace: Float64Array, frequency: number) {
  const sums = new Float64Array(PHASES);
  const counts = new Float64Array(PHASES);
  for (const [i, value] of trace.entries()) {
    if (!Number.isFinite(value)) continue;
    const phase = Math.floor((i * frequency - Math.floor(i * frequency)) * PHASES);
    sums[phase]! += value;
    counts[phase]! += 1;
  }
  const beat = sums.map((sum, i) => sum / counts[i]!).filter(Number.isFinite);
  return (findPercentile(beat, 100) - findPercentile(beat, 0)) / Math.abs(computeMean(beat));
}
