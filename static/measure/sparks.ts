/**
 * Sparks: local, short rises in a line scan. They are found as by SparkMaster (Picht, Zima, Blatter, Bers: Am J Physiol
 * Cell Physiol 2007, 293:C1073): a spark is where the smoothed change against each column's median exceeds a number of
 * standard deviations of the noise. Its width is that of a Gaussian fitted along the line; its time course, weighted with
 * that Gaussian, is measured like an event of a trace.
 */
import { measureEvents } from "./events.ts";
import { fittedGaussian } from "./least_squares.ts";
import { blurred, extent, percentile } from "./traces.ts";
import type { Band } from "./measurement.ts";
import type { Plane } from "./velocity.ts";

type Field = ReturnType<typeof fieldOf>;

type Peak = ReturnType<typeof peaksOf>[number];

/** `threshold` is in standard deviations of the smoothed noise; `offset` is what the detector reads in the dark. */
export type SparkSettings = { threshold: number; offset: number };

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
}

/** Standard deviations of the smoothing in lines and columns: less than a spark's, so that near sparks stay separate. */
const [LINES, COLUMNS] = [2, 2];

/** Full width at half maximum of a Gaussian, in standard deviations. */
const FULL_WIDTH = 2 * Math.sqrt(2 * Math.LN2);

/** Lines and columns on each side of a place in which its spark is sought. */
const REACH = 6;

/** A spark has at least this many samples above half of its height: spikes of the detector have fewer. */
const LEAST_AREA = 12;

/**
 * Finds the sparks in the columns of a band.
 *
 * @returns in the order of time
 */
export function findSparks(plane: Plane, band: Pick<Band, "columns">, settings: SparkSettings): Spark[] {
  const field = fieldOf(plane, band, settings);
  const { smooth, rows, width, noise } = field;
  if (!(noise > 0)) return [];
  const places = [];
  for (let at = 0; at < smooth.length; at += 1) {
    if (smooth[at]! > settings.threshold * noise && isHighest(smooth, rows, width, at)) places.push(at);
  }
  places.sort((a, b) => smooth[b]! - smooth[a]!);
  return sparksOf(field, peaksOf(field, places, 2 * noise)).toSorted((a, b) => a.line - b.line);
}

/** Measures the spark at the greatest value near a place, even below the threshold; null if nothing rises there. */
export function sparkAt(
  plane: Plane,
  band: Pick<Band, "columns">,
  settings: SparkSettings,
  place: { line: number; column: number },
): Spark | null {
  const field = fieldOf(plane, band, settings);
  const { smooth, rows, width, from, noise } = field;
  let best = -1;
  const [top, left] = [Math.max(0, place.line - REACH), Math.max(0, place.column - from - REACH)];
  for (let line = top; line <= Math.min(rows - 1, place.line + REACH); line += 1) {
    for (let x = left; x <= Math.min(width - 1, place.column - from + REACH); x += 1) {
      const at = line * width + x;
      if (best < 0 || smooth[at]! > smooth[best]!) best = at;
    }
  }
  if (!(best >= 0 && smooth[best]! > 0 && noise > 0)) return null;
  return sparksOf(field, peaksOf(field, [best], Math.min(2 * noise, smooth[best]! / 2)))[0] ?? null;
}

/** The change in a band: `change` is ΔF/F₀ of each sample; `noise` is the standard deviation of `smooth`. */
function fieldOf(
  { samples, shape: [rows, all] }: Plane,
  { columns: [from, to] }: Pick<Band, "columns">,
  { offset }: SparkSettings,
) {
  const width = to - from;
  const [change, smooth] = [new Float64Array(rows * width), new Float64Array(rows * width)];
  for (let x = 0; x < width; x += 1) {
    // ΔF/F₀ against the median of the column.
    const trace = Float64Array.from({ length: rows }, (_, row) => samples[row * all + from + x]!);
    const rest = percentile(trace, 50);
    const light = rest - offset;
    const changes = trace.map((value) => light > 0 && Number.isFinite(value) ? (value - rest) / light : 0);
    const alongLines = blurred(changes, LINES);
    for (let row = 0; row < rows; row += 1) {
      change[row * width + x] = changes[row]!;
      smooth[row * width + x] = alongLines[row]!;
    }
  }
  for (let at = 0; at < rows * width; at += width) {
    smooth.set(blurred(smooth.subarray(at, at + width), COLUMNS), at);
  }
  // The median of |N(0, 1)| is 0.6745.
  const noise = percentile(smooth.map(Math.abs), 50) / 0.6745;
  return { change, smooth, rows, width, from, noise };
}

function sparksOf({ change, rows, width, from }: Field, peaks: readonly Peak[]): Spark[] {
  const shapes = peaks.map((peak) => ({ ...peak, ...gaussianAlong(change, width, peak) }))
    .filter(({ sigma }) => Number.isFinite(sigma));
  return shapes.map((spark) => measured(change, rows, width, spark, shapes))
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
function peaksOf({ smooth, rows, width }: Field, places: readonly number[], floor: number) {
  const taken = new Uint8Array(smooth.length);
  const peaks = [];
  for (const at of places) {
    const level = Math.max(floor, smooth[at]! / 2);
    const area = areaAbove(smooth, rows, width, at, level);
    const isFlank = area.some((place) => taken[place] === 1);
    for (const place of area) taken[place] = 1;
    if (isFlank || area.length < LEAST_AREA) continue;
    const [first, last] = extent(area.map((place) => Math.floor(place / width)));
    const [left, right] = extent(area.map((place) => place % width));
    peaks.push({ line: Math.floor(at / width), column: at % width, first, last, left, right });
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
function areaAbove(
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
function gaussianAlong(change: Float64Array, width: number, peak: Peak) {
  const reach = Math.max(6, 2 * (peak.right - peak.left + 1));
  const [from, to] = [Math.max(0, peak.column - reach), Math.min(width, peak.column + reach + 1)];
  const profile = Float64Array.from({ length: to - from }, (_, i) => {
    let sum = 0;
    for (let line = peak.first; line <= peak.last; line += 1) sum += change[line * width + from + i]!;
    return sum / (peak.last - peak.first + 1);
  });
  const start = {
    level: 0,
    size: percentile(profile, 100),
    centre: peak.column - from,
    sigma: (peak.right - peak.left + 1) / FULL_WIDTH,
  };
  const best = fittedGaussian(profile, start, (model) => ({
    ...model,
    sigma: Math.min(profile.length, Math.max(0.3, model.sigma)),
  }));
  const isInside = best.centre > -0.5 && best.centre < profile.length - 0.5 && best.size > 0;
  return { centre: from + best.centre, sigma: isInside ? best.sigma : NaN };
}

type Shape = Peak & { centre: number; sigma: number };
function measured(
  change: Float64Array,
  rows: number,
  width: number,
  spark: Shape,
  all: readonly Shape[],
): Spark {
  const { centre, sigma } = spark;
  const from = Math.max(0, Math.floor(centre - 2 * sigma));
  const to = Math.min(width, Math.ceil(centre + 2 * sigma) + 1);
  const weights = Array.from(
    { length: to - from },
    (_, i) => Math.exp(-((from + i - centre) ** 2) / (2 * sigma ** 2)),
  );
  const total = weights.reduce((sum, weight) => sum + weight * weight, 0);
  const trace = Float64Array.from(
    { length: rows },
    (_, row) => weights.reduce((sum, weight, i) => sum + weight * change[row * width + from + i]!, 0) / total,
  );
  const near = all.filter((one) => Math.abs(one.centre - centre) < 2 * sigma).map(({ line }) => line);
  const peaks = [...new Set(near)].sort((a, b) => a - b);
  const { amplitude, duration, onset } = measureEvents(trace, peaks)[peaks.indexOf(spark.line)]!;
  return {
    line: spark.line,
    column: centre,
    amplitude,
    width: FULL_WIDTH * sigma,
    duration,
    timeToPeak: spark.line - onset,
  };
}
