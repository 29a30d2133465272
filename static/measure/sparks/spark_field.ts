/**
 * Where a line scan rises above rest: the field in which sparks are sought (sparks.ts).
 *
 * By a running F₀, after IOCBIO Sparks (Laasmaa, Karro, Birkedal, Vendelin: PeerJ 2019, 7:e6652): each column has an F₀
 * that changes with time and leaves out the sparks of the round before; differences are divided by the noise at that F₀,
 * which grows with the light. They are then smoothed at several sizes, of which each place takes the one that stands out
 * most. By the median, as before: the smoothed change against the median of each column.
 */
import { blurTrace, findPercentile, makeGaussian } from "../traces.ts";
import type { ScanSamples } from "../line_scan.ts";

/** The columns of a band over time; all arrays are row-major. */
export interface Field {
  /** ΔF/F₀ of each sample; 0 where it is unknown. */
  change: Float64Array;
  /** What is compared with the threshold. */
  smooth: Float64Array;
  /** Standard deviation of `smooth` at rest. */
  noise: number;
  rows: number;
  width: number;
  /** Column of the recording in which the band begins. */
  from: number;
  /** Whether F₀ runs. */
  isRunning: boolean;
}

/** Standard deviations of the smoothing in lines and columns: less than a spark's, so that near sparks stay separate. */
const [LINES, COLUMNS] = [2, 2];

/** Standard deviations in lines and columns at which a running F₀ looks for sparks: the larger ones need less light. */
const SIZES = [[2, 2], [4, 3], [8, 4]] as const;

/** A running F₀ averages over a Gaussian of this part of the recording, but of so many lines where there are enough. */
const [SPAN, LEAST_SPAN] = [0.1, 150];

/** Rounds in which F₀ leaves out more and more of the sparks. */
const ROUNDS = 3;

/** Standard deviations beyond which a sample belongs to a spark and not to F₀. */
const AWAY = 2.5;

/** The median of |N(0, 1)|. */
const MEDIAN_DEVIATION = 0.6745;

/** The smoothed change against the median of each column. @param offset what the detector reads in the dark */
export function makeFieldByMedian(
  { samples, shape: [rows, all] }: ScanSamples,
  [from, to]: readonly [from: number, to: number],
  offset: number,
): Field {
  const width = to - from;
  const [change, smooth] = [new Float64Array(rows * width), new Float64Array(rows * width)];
  for (let x = 0; x < width; x += 1) {
    // ΔF/F₀ against the median of the column.
    const trace = Float64Array.from({ length: rows }, (_, row) => samples[row * all + from + x]!);
    const rest = findPercentile(trace, 50);
    const light = rest - offset;
    const changes = trace.map((value) => light > 0 && Number.isFinite(value) ? (value - rest) / light : 0);
    const alongLines = blurTrace(changes, LINES);
    for (let row = 0; row < rows; row += 1) {
      change[row * width + x] = changes[row]!;
      smooth[row * width + x] = alongLines[row]!;
    }
  }
  for (let at = 0; at < rows * width; at += width) {
    smooth.set(blurTrace(smooth.subarray(at, at + width), COLUMNS), at);
  }
  const noise = findPercentile(smooth.map(Math.abs), 50) / MEDIAN_DEVIATION;
  return { change, smooth, rows, width, from, noise, isRunning: false };
}

/**
 * The rise above a running F₀ in standard deviations of the noise, at the size that stands out most.
 *
 * @param offset what the detector reads in the dark
 */
export function makeFieldByRunning(
  { samples, shape: [rows, all] }: ScanSamples,
  [from, to]: readonly [from: number, to: number],
  offset: number,
): Field {
  const width = to - from;
  const light = new Float64Array(rows * width);
  for (let row = 0; row < rows; row += 1) {
    for (let x = 0; x < width; x += 1) light[row * width + x] = samples[row * all + from + x]!;
  }
  const rest = new Float64Array(light.length);
  const raised = new Float64Array(light.length);
  let smooth = new Float64Array(light.length);
  let noise = 0;
  for (let round = 0; round < ROUNDS; round += 1) {
    const isAtRest = (at: number) => Number.isFinite(light[at]) && !(Math.abs(smooth[at]!) > AWAY * noise);
    const length = estimateRest(light, rows, width, isAtRest, rest);
    const { varianceAt, gain } = fitNoiseModel(light, rest, rows, width, length, isAtRest);
    const spread = rest.map((value) => Math.sqrt(varianceAt(value)));
    for (let at = 0; at < light.length; at += 1) {
      const [value, unit] = [light[at]!, spread[at]!];
      raised[at] = Number.isFinite(value) && unit > 0 ? (value - rest[at]!) / unit : 0;
    }
    smooth = new Float64Array(light.length).fill(-Infinity);
    // Only the last round looks at all sizes: one suffices to leave out sparks.
    for (const size of round + 1 < ROUNDS ? SIZES.slice(1, 2) : SIZES) {
      const values = computeRises(raised, rows, width, size, (at) => gain / spread[at]!);
      const unit = measureSpread(values, raised);
      if (!(unit > 0)) continue;
      for (let at = 0; at < values.length; at += 1) smooth[at] = Math.max(smooth[at]!, values[at]! / unit);
    }
    noise = Number.isFinite(smooth[0]) ? 1 : 0;
  }
  const change = light.map((value, at) => {
    const below = rest[at]!;
    return Number.isFinite(value) && below - offset > 0 ? (value - below) / (below - offset) : 0;
  });
  return { change, smooth, rows, width, from, noise, isRunning: true };
}

/**
 * F₀ of each sample: a straight line in time through the samples at rest around it, in its column.
 *
 * @returns lines between the places at which F₀ is computed
 */
function estimateRest(
  light: Float64Array,
  rows: number,
  width: number,
  isAtRest: (at: number) => boolean,
  rest: Float64Array,
): number {
  const sigma = Math.max(SPAN * rows, Math.min(LEAST_SPAN, rows / 3));
  const length = Math.max(1, Math.floor(sigma / 5));
  const count = Math.ceil(rows / length);
  const places = Float64Array.from(
    { length: count },
    (_, i) => (i * length + Math.min(rows, (i + 1) * length) - 1) / 2,
  );
  const [sums, counts] = [new Float64Array(count * width), new Float64Array(count * width)];
  for (let at = 0; at < light.length; at += 1) {
    if (!isAtRest(at)) continue;
    const block = Math.floor(Math.floor(at / width) / length) * width + at % width;
    sums[block]! += light[at]!;
    counts[block]! += 1;
  }
  const courses = new Float64Array(count * width);
  const reach = Math.ceil(3 * sigma / length);
  for (let i = 0; i < count; i += 1) {
    for (let x = 0; x < width; x += 1) {
      let [sum, first, second, whole, slope] = [0, 0, 0, 0, 0];
      for (let j = Math.max(0, i - reach); j <= Math.min(count - 1, i + reach); j += 1) {
        const away = (places[j]! - places[i]!) / sigma;
        const near = Math.exp(-away * away / 2);
        const [weight, light] = [near * counts[j * width + x]!, sums[j * width + x]!];
        sum += weight;
        first += weight * away;
        second += weight * away * away;
        whole += near * light;
        slope += near * away * light;
      }
      const bend = sum * second - first * first;
      courses[i * width + x] = bend > 1e-6 * sum * second
        ? (whole * second - slope * first) / bend
        : whole / sum;
    }
  }
  const [earliest = NaN] = places;
  for (let row = 0; row < rows; row += 1) {
    const block = Math.max(0, Math.min(count - 2, Math.floor((row - earliest) / length)));
    const next = Math.min(count - 1, block + 1);
    const [place, after] = [places[block]!, places[next]!];
    const part = next === block ? 0 : (row - place) / (after - place);
    for (let x = 0; x < width; x += 1) {
      const below = courses[block * width + x]!;
      rest[row * width + x] = below + (courses[next * width + x]! - below) * part;
    }
  }
  return length;
}

/** Rounds in which the straight line of the noise settles. */
const SETTLING = 4;

/** Dark columns have at least this part of the usual variance. */
const LEAST_VARIANCE = 0.02;

/**
 * The variance of a sample by its F₀: a straight line, since photon noise grows with the light and the noise of the
 * detector does not.
 *
 * @returns `gain` is the variance per light
 */
function fitNoiseModel(
  light: Float64Array,
  rest: Float64Array,
  rows: number,
  width: number,
  length: number,
  isAtRest: (at: number) => boolean,
) {
  const count = Math.ceil(rows / length) * width;
  const [levels, squares, counts] = [0, 1, 2].map(() => new Float64Array(count)) as [
    Float64Array,
    Float64Array,
    Float64Array,
  ];
  for (let at = 0; at < light.length; at += 1) {
    if (!isAtRest(at)) continue;
    const block = Math.floor(Math.floor(at / width) / length) * width + at % width;
    const level = rest[at]!;
    levels[block]! += level;
    squares[block]! += (light[at]! - level) ** 2;
    counts[block]! += 1;
  }
  const used = [...counts].flatMap((count, i) => {
    const [light, square] = [levels[i]!, squares[i]!];
    return count > 1 && Number.isFinite(light) ? [{ count, square, level: light / count }] : [];
  });
  let total = 0;
  for (const { square, count } of used) total += square / count / used.length;
  let [read, gain] = [total, 0];
  const varianceAt = (level: number) => Math.max(LEAST_VARIANCE * total, read + gain * level);
  for (let round = 0; round < SETTLING && total > 0; round += 1) {
    let [sum, first, second, whole, slope] = [0, 0, 0, 0, 0];
    for (const { count, square, level } of used) {
      // The error of a variance grows with the variance.
      const weight = count / varianceAt(level) ** 2;
      sum += weight;
      first += weight * level;
      second += weight * level * level;
      whole += weight * square / count;
      slope += weight * level * square / count;
    }
    const bend = sum * second - first * first;
    gain = bend > 1e-9 * sum * second ? Math.max(0, (sum * slope - first * whole) / bend) : 0;
    read = (whole - gain * first) / sum;
  }
  return { varianceAt, gain };
}

/**
 * Means over a Gaussian of a size, in units of their noise; beyond the ends of the lines and of the recording there is
 * nothing to average.
 *
 * @param raised in standard deviations of each sample
 * @param growth how much the variance of a sample grows with a standard deviation of light
 */
function computeRises(
  raised: Float64Array,
  rows: number,
  width: number,
  [lines, columns]: readonly [lines: number, columns: number],
  growth: (at: number) => number,
): Float64Array {
  const down = smoothField(raised, rows, width, lines, true);
  const values = smoothField(down, rows, width, columns, false);
  const [alongTime, alongLine] = [sumWeights(rows, lines), sumWeights(width, columns)];
  for (let row = 0; row < rows; row += 1) {
    const [inTime, deviation] = [alongTime.sums[row]!, alongTime.deviations[row]!];
    for (let x = 0; x < width; x += 1) {
      const at = row * width + x;
      const sum = values[at]!;
      const mean = sum / (inTime * alongLine.sums[x]!);
      // A sum of photons is skewed: chance makes more high values than a Gaussian has. Their square root is not.
      const grown = 1 + growth(at) * Math.max(0, mean);
      values[at] = sum * (2 / (1 + Math.sqrt(grown)) / (deviation * alongLine.deviations[x]!));
    }
  }
  return values;
}

/** Sums weighted with a Gaussian, along time or along the line. */
function smoothField(
  values: Float64Array,
  rows: number,
  width: number,
  sigma: number,
  isAlongTime: boolean,
): Float64Array {
  const reach = 3 * sigma;
  const weights = makeGaussian(reach, sigma);
  const sums = new Float64Array(values.length);
  for (let row = 0; row < rows; row += 1) {
    const start = row * width;
    if (!isAlongTime) {
      addAlongLine(values, start, width, weights, reach, sums);
      continue;
    }
    const [first, last] = [Math.max(-reach, -row), Math.min(reach, rows - 1 - row)];
    let away = first;
    // Two lines at once: the sums are read and written half as often.
    for (; away < last; away += 2) {
      const one = weights[away + reach]!;
      const other = weights[away + 1 + reach]!;
      const from = start + away * width;
      for (let x = 0; x < width; x += 1) {
        sums[start + x] = sums[start + x]! + one * values[from + x]! + other * values[from + width + x]!;
      }
    }
    if (away > last) continue;
    const weight = weights[last + reach]!;
    for (let x = 0; x < width; x += 1) sums[start + x]! += weight * values[start + last * width + x]!;
  }
  return sums;
}

/** Adds weighted sums along one line, which begins at `start`. */
function addAlongLine(
  values: Float64Array,
  start: number,
  width: number,
  weights: readonly number[],
  reach: number,
  sums: Float64Array,
): void {
  for (let x = 0; x < width; x += 1) {
    const last = Math.min(reach, width - 1 - x);
    let sum = 0;
    for (let away = Math.max(-reach, -x); away <= last; away += 1) {
      sum += weights[away + reach]! * values[start + x + away]!;
    }
    sums[start + x] = sum;
  }
}

/** Sums of the weights that lie within a length, and the standard deviations of sums of unit noise. */
function sumWeights(length: number, sigma: number): Record<"sums" | "deviations", Float64Array> {
  const reach = 3 * sigma;
  const weights = makeGaussian(reach, sigma);
  const of = (power: number) =>
    Float64Array.from({ length }, (_, at) => {
      let sum = 0;
      for (let away = -reach; away <= reach; away += 1) {
        if (at + away >= 0 && at + away < length) sum += weights[away + reach]! ** power;
      }
      return sum;
    });
  return { sums: of(1), deviations: of(2).map(Math.sqrt) };
}

/** Samples whose spread tells that of all to a percent. */
const ENOUGH = 100_000;

/** A sample that departs less from rest, in standard deviations, is without noise, as a column of zeros is. */
const QUIET = 1e-6;

/**
 * Standard deviation of the noise, from the values below rest: sparks only rise.
 *
 * @param raised samples; into those without noise, only a part of their neighbours' noise is blurred
 */
function measureSpread(values: Float64Array, raised: Float64Array): number {
  const every = 1 + 2 * Math.floor(values.length / ENOUGH / 2);
  const below = values.filter((value, at) => at % every === 0 && value < 0 && Math.abs(raised[at]!) > QUIET);
  return -findPercentile(below, 50) / MEDIAN_DEVIATION;
}
