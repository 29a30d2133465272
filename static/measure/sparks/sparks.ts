/**
 * Sparks: local, short rises in a line scan. A candidate is a place at which the change stands out from the noise by a
 * number of standard deviations, as by SparkMaster (Picht, Zima, Blatter, Bers: Am J Physiol Cell Physiol 2007,
 * 293:C1073); spark_field.ts says what is compared. Its width is that of a Gaussian fitted along the line; its time
 * course, weighted with that Gaussian, is measured like an event of a trace. A candidate that cannot be a spark, or cannot
 * be measured, is rejected with a reason.
 */
import { findHighestNear, measureEvents, type TraceEvent } from "../events/events.ts";
import { fitGaussian } from "../least_squares.ts";
import { type Field, makeFieldByMedian, makeFieldByRunning } from "./spark_field.ts";
import { blurTrace, findExtent, findPercentile } from "../traces.ts";
import { type Band, MOST_ITEMS } from "../measurement.ts";
import type { ScanSamples } from "../line_scan.ts";

type SparkPeak = ReturnType<typeof listPeakAreas>[number];

/**
 * `threshold` is in standard deviations of the smoothed noise; `offset` is what the detector reads in the dark; `rest` is
 * the F₀ of each column: `running`, or its `median`, which rejects no candidates.
 */
export type SparkSettings = {
  threshold: number;
  offset: number;
  rest: string;
  /** Number of candidates that were rejected. */
  candidates?: number;
};

/** A spark, in lines and columns of the recording. */
export interface Spark {
  /** Line of its greatest value. */
  line: number;
  /** Centre, fractions included. */
  column: number;
  /** ΔF/F₀ above the baseline before it. */
  amplitude: number;
  /** Columns, full width at half maximum. */
  width: number;
  /** Lines at half maximum. */
  duration: number;
  /** Lines from onset to greatest value. */
  timeToPeak: number;
  /** Height in standard deviations of the smoothed noise. */
  strength: number;
}

/** Why a candidate is not a spark. */
export type Rejection =
  | "below the threshold"
  | "no fit along the line"
  | "narrower than a column"
  | "at an end of the line"
  | "at an end of the recording"
  | "no rise"
  | "shorter than a line"
  | "too few samples";

/** A candidate that was rejected. What could not be measured is NaN. */
export type RejectedSpark = Spark & { reason: Rejection };

/** Most rejected candidates that are listed. */
export const MOST_REJECTED = 500;

/** Candidates this much below the threshold are listed. */
const DOUBTFUL = 1.5;

/** Standard deviation, in lines, of the smoothing in which the top of a time course is sought. */
const SMOOTH = 2;

/** Lines before the top in which an onset is sought that does not stand out from the noise. */
const LONGEST_RISE = 200;

/** Full width at half maximum of a Gaussian, in standard deviations. */
const FULL_WIDTH = 2 * Math.sqrt(2 * Math.LN2);

/** Lines and columns on each side of a place in which its spark is sought. */
const REACH = 6;

/** A spark has at least this many samples above half of its height: spikes of the detector have fewer. */
const LEAST_AREA = 12;

const makeSparkField = (
  plane: ScanSamples,
  { columns }: Pick<Band, "columns">,
  { offset, rest }: SparkSettings,
): Field => (rest === "median" ? makeFieldByMedian : makeFieldByRunning)(plane, columns, offset);

/**
 * Finds the sparks in the columns of a band, and the candidates that it rejects.
 *
 * @returns both in the order of time; of the rejected candidates the strongest {@linkcode MOST_REJECTED}
 * @throws {RangeError} more candidates reach the threshold than can be measured
 */
export function findSparks(
  plane: ScanSamples,
  band: Pick<Band, "columns">,
  settings: SparkSettings,
): { sparks: Spark[]; rejected: RejectedSpark[]; candidates: number } {
  const field = makeSparkField(plane, band, settings);
  const { smooth, rows, width, noise } = field;
  if (!(noise > 0)) return { sparks: [], rejected: [], candidates: 0 };
  const least = settings.threshold - (field.isRunning ? DOUBTFUL : 0);
  const places = [];
  for (let at = 0; at < smooth.length; at += 1) {
    if (smooth[at]! > least * noise && isHighest(smooth, rows, width, at)) places.push(at);
  }
  places.sort((a, b) => smooth[b]! - smooth[a]!);
  const peaks = listPeakAreas(field, places, 2 * noise);
  const reaching = peaks.filter(({ strength }) => strength > settings.threshold).length;
  if (reaching > MOST_ITEMS) {
    throw new RangeError(`${reaching} sparks are more than ${MOST_ITEMS}: raise the threshold`);
  }
  if (!field.isRunning) {
    const sparks = measureSparks(field, peaks).toSorted((a, b) => a.line - b.line);
    return { sparks, rejected: [], candidates: 0 };
  }
  const { sparks, rejected } = decideSparks(field, peaks, settings.threshold);
  const strongest = rejected.toSorted((a, b) => b.strength - a.strength).slice(0, MOST_REJECTED);
  return {
    sparks: sparks.toSorted((a, b) => a.line - b.line),
    rejected: strongest.toSorted((a, b) => a.line - b.line),
    candidates: rejected.length,
  };
}

/** Measures the spark at the greatest value near a place, even below the threshold; null if nothing rises there. */
export function measureSparkNear(
  plane: ScanSamples,
  band: Pick<Band, "columns">,
  settings: SparkSettings,
  place: { line: number; column: number },
): Spark | null {
  const field = makeSparkField(plane, band, settings);
  const { smooth, rows, width, from, noise } = field;
  let best = -1;
  const [top, left] = [Math.max(0, place.line - REACH), Math.max(0, place.column - from - REACH)];
  for (let line = top; line <= Math.min(rows - 1, place.line + REACH); line += 1) {
    for (let x = left; x <= Math.min(width - 1, place.column - from + REACH); x += 1) {
      const at = line * width + x;
      if (best < 0 || smooth[at]! > smooth[best]!) best = at;
    }
  }
  const greatest = smooth[best] ?? NaN;
  if (!(greatest > 0 && noise > 0)) return null;
  const [peak = null] = measureSparks(field, listPeakAreas(field, [best], Math.min(2 * noise, greatest / 2)));
  return peak;
}

/** A candidate that is rejected by its strength or its shape along the line; its time course is not measured. */
const makeRejected = ({ line, column, centre, sigma, strength }: SparkShape): Spark => ({
  line,
  column: Number.isFinite(sigma) ? centre : column,
  amplitude: NaN,
  width: FULL_WIDTH * sigma,
  duration: NaN,
  timeToPeak: NaN,
  strength,
});

/** Sparks and rejected candidates at peaks, in any order. Only sparks count as neighbours of others. */
function decideSparks(field: Field, peaks: readonly SparkPeak[], threshold: number) {
  const { change, width, from } = field;
  const shapes = dropSameShapes(
    peaks.map((peak) => moveToTop(field, { ...peak, ...fitGaussianAlong(change, width, peak) })),
  );
  const reasons = shapes.map((shape) => explainAlong(shape, width, threshold));
  const good = shapes.filter((_, i) => reasons[i] === null);
  const sparks: Spark[] = [];
  const rejected: RejectedSpark[] = [];
  for (const [i, shape] of shapes.entries()) {
    const spark = reasons[i] === null ? measureSpark(field, shape, good) : makeRejected(shape);
    const reason = reasons[i] ?? explainInTime(spark);
    const placed = { ...spark, column: from + spark.column };
    if (reason === null) sparks.push(placed);
    else rejected.push({ ...placed, reason });
  }
  return { sparks, rejected };
}

/**
 * One shape for each place: a column without samples parts a spark into two peaks, whose fits agree.
 *
 * @param shapes the strongest first
 */
function dropSameShapes(shapes: readonly SparkShape[]): SparkShape[] {
  const centres = new Map<number, number[]>();
  return shapes.filter(({ line, centre, sigma }) => {
    const others = centres.get(line) ?? [];
    if (others.some((other) => Math.abs(other - centre) < 1)) return false;
    if (Number.isFinite(sigma)) centres.set(line, [...others, centre]);
    return true;
  });
}

/** Why a candidate is not a spark by its strength and its shape along the line; null if it may be one. */
function explainAlong(
  { centre, sigma, strength }: SparkShape,
  width: number,
  threshold: number,
): Rejection | null {
  const full = FULL_WIDTH * sigma;
  if (!(strength > threshold)) return "below the threshold";
  if (!Number.isFinite(sigma)) return "no fit along the line";
  if (full < 1) return "narrower than a column";
  if (centre - full / 2 < -0.5 || centre + full / 2 > width - 0.5) return "at an end of the line";
  return null;
}

/** Why a candidate is not a spark by its time course; null if it is one. */
function explainInTime({ amplitude, width, duration, timeToPeak }: Spark): Rejection | null {
  if (!Number.isFinite(duration)) return "at an end of the recording";
  if (duration < 1) return "shorter than a line";
  // At few photons, chance lifts some neighbouring samples at once.
  if (Math.PI / 4 * width * duration < LEAST_AREA) return "too few samples";
  if (!(amplitude > 0) || !(timeToPeak > 0)) return "no rise";
  return null;
}

function measureSparks(field: Field, peaks: readonly SparkPeak[]): Spark[] {
  const { change, width, from } = field;
  const shapes = peaks.map((peak) => ({ ...peak, ...fitGaussianAlong(change, width, peak) }))
    .map((shape) => moveToTop(field, shape))
    .filter(({ sigma }) => Number.isFinite(sigma));
  return shapes.map((spark) => measureSpark(field, spark, shapes))
    .filter(({ amplitude, duration }) => amplitude > 0 && Number.isFinite(duration))
    .map((spark) => ({ ...spark, column: from + spark.column }));
}

/**
 * Peaks with the area above half of their height. A place whose area overlaps that of a higher one is a flank, not a peak.
 *
 * @param places the highest first
 * @param floor lowest level of an area
 * @returns the first and last line, and the left and right column, above half of the height of each peak
 */
function listPeakAreas({ smooth, rows, width, noise }: Field, places: readonly number[], floor: number) {
  const taken = new Uint8Array(smooth.length);
  const peaks = [];
  for (const at of places) {
    const top = smooth[at]!;
    const level = Math.max(floor, top / 2);
    const area = findAreaAbove(smooth, rows, width, at, level);
    const isFlank = area.some((place) => taken[place] === 1);
    for (const place of area) taken[place] = 1;
    if (isFlank || area.length < LEAST_AREA) continue;
    const [first, last] = findExtent(area.map((place) => Math.floor(place / width)));
    const [left, right] = findExtent(area.map((place) => place % width));
    const strength = top / noise;
    peaks.push({ line: Math.floor(at / width), column: at % width, strength, first, last, left, right });
  }
  return peaks;
}

/** Whether no neighbour is higher. */
function isHighest(values: Float64Array, rows: number, width: number, at: number): boolean {
  const [line, column] = [Math.floor(at / width), at % width];
  for (let y = Math.max(0, line - 1); y <= Math.min(rows - 1, line + 1); y += 1) {
    for (let x = Math.max(0, column - 1); x <= Math.min(width - 1, column + 1); x += 1) {
      if (values[y * width + x]! > values[at]!) return false;
    }
  }
  return true;
}

/** Indices of the connected area above a level around a place. */
function findAreaAbove(
  values: Float64Array,
  rows: number,
  width: number,
  start: number,
  level: number,
): number[] {
  const area = [start];
  const seen = new Set(area);
  for (const at of area) {
    const [line, column] = [Math.floor(at / width), at % width];
    const near = [
      line > 0 ? at - width : -1,
      line < rows - 1 ? at + width : -1,
      column > 0 ? at - 1 : -1,
      column < width - 1 ? at + 1 : -1,
    ];
    for (const next of near) {
      if (next < 0 || seen.has(next) || !(values[next]! > level)) continue;
      seen.add(next);
      area.push(next);
    }
  }
  return area;
}

/** Centre and standard deviation of a Gaussian fitted to the mean of the lines of a peak. */
function fitGaussianAlong(change: Float64Array, width: number, peak: SparkPeak) {
  const reach = Math.max(6, 2 * (peak.right - peak.left + 1));
  const [from, to] = [Math.max(0, peak.column - reach), Math.min(width, peak.column + reach + 1)];
  const profile = Float64Array.from({ length: to - from }, (_, i) => {
    let sum = 0;
    for (let line = peak.first; line <= peak.last; line += 1) sum += change[line * width + from + i]!;
    return sum / (peak.last - peak.first + 1);
  });
  const start = {
    level: 0,
    size: findPercentile(profile, 100),
    centre: peak.column - from,
    sigma: (peak.right - peak.left + 1) / FULL_WIDTH,
  };
  const best = fitGaussian(profile, start, (model) => ({
    ...model,
    sigma: Math.min(profile.length, Math.max(0.3, model.sigma)),
  }));
  const isInside = best.centre > -0.5 && best.centre < profile.length - 0.5 && best.size > 0;
  return { centre: from + best.centre, sigma: isInside ? best.sigma : NaN };
}

type SparkShape = SparkPeak & { centre: number; sigma: number };

/** The mean change over time along the line, weighted with the Gaussian of a shape. */
function averageOverShape({ change, rows, width }: Field, { centre, sigma }: SparkShape): Float64Array {
  const from = Math.max(0, Math.floor(centre - 2 * sigma));
  const to = Math.min(width, Math.ceil(centre + 2 * sigma) + 1);
  const weights = Array.from(
    { length: to - from },
    (_, i) => Math.exp(-((from + i - centre) ** 2) / (2 * sigma ** 2)),
  );
  const total = weights.reduce((sum, weight) => sum + weight * weight, 0);
  return Float64Array.from(
    { length: rows },
    (_, row) => weights.reduce((sum, weight, i) => sum + weight * change[row * width + from + i]!, 0) / total,
  );
}

/** A shape whose line is the highest of its trace: a wide smoothing shifts the top of a spark towards its decay. */
function moveToTop(field: Field, shape: SparkShape): SparkShape {
  if (!field.isRunning || !Number.isFinite(shape.sigma)) return shape;
  const reach = SMOOTH * 3;
  const start = Math.max(0, shape.first - reach);
  const trace = averageOverShape(field, shape).subarray(start, shape.last + reach + 1);
  const smooth = blurTrace(trace, SMOOTH);
  const [from, to] = [shape.first - start, shape.last - start + 1];
  let best = from;
  for (let i = from; i < to; i += 1) if (smooth[i]! > smooth[best]!) best = i;
  return { ...shape, line: start + findHighestNear(trace, best, SMOOTH) };
}

/** Measures a spark beside the others, whose tails are subtracted from its time course. */
function measureSpark(field: Field, spark: SparkShape, all: readonly SparkShape[]): Spark {
  const made = measureSparkAtTop(field, spark, all);
  if (!field.isRunning || Number.isFinite(made.duration)) return made;
  // A higher sample beside the top ends the fall to half of its height before it is reached.
  const trace = averageOverShape(field, spark);
  let { line } = spark;
  for (let i = spark.first; i <= spark.last; i += 1) if (trace[i]! > trace[line]!) line = i;
  if (line === spark.line) return made;
  const higher = { ...spark, line };
  return measureSparkAtTop(field, higher, all.map((one) => one === spark ? higher : one));
}

/** Measures a spark whose line is its top. */
function measureSparkAtTop(field: Field, spark: SparkShape, all: readonly SparkShape[]): Spark {
  const { centre, sigma } = spark;
  const near = all.filter((one) => Math.abs(one.centre - centre) < 2 * sigma).map(({ line }) => line);
  const peaks = [...new Set(near)].sort((a, b) => a - b);
  const trace = averageOverShape(field, spark);
  const event = measureEvents(trace, peaks)[peaks.indexOf(spark.line)]!;
  const { amplitude, duration } = event;
  // In noise of half the amplitude, nothing rises above two standard deviations.
  const onset = !field.isRunning || event.onset < spark.line
    ? event.onset
    : findOnset(trace, spark.line, event);
  return {
    line: spark.line,
    column: centre,
    amplitude,
    width: FULL_WIDTH * sigma,
    duration,
    timeToPeak: spark.line - onset,
    strength: spark.strength,
  };
}

/** Where the smoothed trace rises above a tenth of the amplitude; NaN if it does so from the beginning. */
function findOnset(trace: Float64Array, line: number, { baseline, amplitude }: TraceEvent): number {
  const start = Math.max(0, line - LONGEST_RISE);
  const smooth = blurTrace(trace.subarray(start, line + SMOOTH * 3), SMOOTH);
  for (let i = line - start - 1; i >= 0; i -= 1) {
    if (smooth[i]! <= baseline + amplitude / 10) return start + i;
  }
  return NaN;
}
