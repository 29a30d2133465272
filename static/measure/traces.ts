/** Arithmetic of traces: means, percentiles and noise. NaN and infinities do not count; a value without finite samples is NaN. */

/**
 * Running mean of `count` values, fewer at the ends.
 *
 * The trace is divided into blocks of `count` values: each window is the end of one block and the beginning of the next.
 * Sums from both ends of each block make the cost independent of `count`. Nothing is subtracted, so a huge value affects
 * only the windows that contain it.
 *
 * @param count if even, one more value follows than precedes
 */
export function computeRunningMean(trace: Float64Array, count: number): Float64Array<ArrayBufferLike> {
  if (!(count > 1)) return trace;
  const before = Math.floor((count - 1) / 2);
  const { length } = trace;
  const [sums, counts] = [
    computeBlockSums(trace, count, (value) => value),
    computeBlockSums(trace, count, () => 1),
  ];
  return trace.map((_, i) => {
    const [from, to] = [Math.max(0, i - before), Math.min(length, i - before + count)];
    const isOne = Math.floor(from / count) === Math.floor((to - 1) / count);
    // A window within one block either begins or ends with it.
    if (isOne && from % count === 0) return sums.begun[to - 1]! / counts.begun[to - 1]!;
    const [sum, number] = [sums.left[from]!, counts.left[from]!];
    return isOne ? sum / number : (sum + sums.begun[to - 1]!) / (number + counts.begun[to - 1]!);
  });
}

/** Sums within each block, from its beginning to each place and from each place to its end. */
function computeBlockSums(
  trace: Float64Array,
  block: number,
  weigh: (value: number) => number,
): Record<"begun" | "left", Float64Array> {
  const weights = trace.map((value) => Number.isFinite(value) ? weigh(value) : 0);
  const [begun, left] = [new Float64Array(trace.length), new Float64Array(trace.length)];
  let sum = 0;
  for (let i = 0; i < trace.length; i += 1) {
    sum = i % block === 0 ? weights[i]! : weights[i]! + sum;
    begun[i] = sum;
  }
  sum = 0;
  for (let i = trace.length - 1; i >= 0; i -= 1) {
    sum = (i + 1) % block === 0 ? weights[i]! : weights[i]! + sum;
    left[i] = sum;
  }
  return { begun, left };
}

/** Mean of the finite values from index `from` up to `to`, exclusive. */
export function computeMean(trace: ArrayLike<number>, from = 0, to: number = trace.length): number {
  let [sum, count] = [0, 0];
  for (let i = Math.max(0, Math.ceil(from)); i < Math.min(trace.length, to); i += 1) {
    if (!Number.isFinite(trace[i])) continue;
    sum += trace[i]!;
    count += 1;
  }
  return sum / count;
}

/** Least and greatest finite value from index `from` up to `to`, exclusive. Without a finite value, both are infinite. */
export function findExtent(
  values: ArrayLike<number>,
  from = 0,
  to: number = values.length,
): [low: number, high: number] {
  let [low, high] = [Infinity, -Infinity];
  for (let i = from; i < to; i += 1) {
    const value = values[i]!;
    if (value < low && value > -Infinity) low = value;
    if (value > high && value < Infinity) high = value;
  }
  return [low, high];
}

/** Index of the greatest value from index `from` up to `to`, exclusive; the first of equal ones. A first NaN stays. */
export function findGreatest(values: ArrayLike<number>, from: number, to: number): number {
  let best = from;
  for (let i = from + 1; i < to; i += 1) if (values[i]! > values[best]!) best = i;
  return best;
}

/** Pairs of neighbours: each value but the last, and the next one. */
export const listPairs = <T>(values: readonly T[]): (readonly [one: T, next: T])[] =>
  values.slice(1).map((next, i) => [values[i]!, next]);

/** Half of the difference of the neighbours of each value; at an end, of the end and its neighbour. */
export const computeSlopes = (values: Float64Array): Float64Array => {
  const last = values.length - 1;
  return values.map((_, i) => (values[Math.min(i + 1, last)]! - values[Math.max(i - 1, 0)]!) / 2);
};

/** Place of the extremum of a parabola through a value and its neighbours; NaN where there is none. */
export function findParabolaTop(values: ArrayLike<number>, at: number): { place: number; bend: number } {
  const [before = NaN, value = NaN, after = NaN] = [values[at - 1], values[at], values[at + 1]];
  const bend = before - 2 * value + after;
  return { place: at + (before - after) / (2 * bend), bend };
}

/** Runs of values of one sign, as start and excluded end; zeros and NaN end a run. */
export function listRuns(values: Float64Array): [from: number, to: number][] {
  const runs: [from: number, to: number][] = [];
  for (const [i, value] of values.entries()) {
    if (!(value * value > 0)) continue;
    const last = runs.at(-1);
    if (last !== undefined && last[1] === i && value * values[i - 1]! > 0) last[1] = i + 1;
    else runs.push([i, i + 1]);
  }
  return runs;
}

/** A Gaussian with a height of 1, from `-reach` to `reach`. */
export const makeGaussian = (reach: number, sigma: number): number[] =>
  Array.from({ length: 2 * reach + 1 }, (_, i) => Math.exp(-((i - reach) ** 2) / (2 * sigma ** 2)));

/**
 * Convolution with a Gaussian cut off at `reach` standard deviations; the first and last value continue beyond the ends.
 */
export function blurTrace(values: Float64Array, sigma: number, reach = 3): Float64Array {
  const side = Math.ceil(reach * sigma);
  const weights = makeGaussian(side, sigma);
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  return values.map((_, at) => {
    let sum = 0;
    for (let i = -side; i <= side; i += 1) {
      sum += weights[i + side]! * values[Math.min(values.length - 1, Math.max(0, at + i))]!;
    }
    return sum / total;
  });
}

/** Sample standard deviation of the finite values; NaN for fewer than two. */
export function computeDeviation(values: Float64Array): number {
  const there = values.filter(Number.isFinite);
  const middle = computeMean(there);
  const squares = there.reduce((sum, value) => sum + (value - middle) ** 2, 0);
  return there.length < 2 ? NaN : Math.sqrt(squares / (there.length - 1));
}

/** Standard error of the mean of the finite values; NaN for fewer than two. */
export const computeStandardError = (values: Float64Array): number =>
  computeDeviation(values) / Math.sqrt(values.filter(Number.isFinite).length);

/** A percentile of the finite values, interpolated linearly. */
export function findPercentile(trace: Float64Array, percent: number): number {
  const there = new Float64Array(trace.length);
  let count = 0;
  for (let i = 0; i < trace.length; i += 1) {
    const value = trace[i]!;
    if (!(value > -Infinity && value < Infinity)) continue;
    there[count] = value;
    count += 1;
  }
  if (count === 0) return NaN;
  const place = Math.min(1, Math.max(0, percent / 100)) * (count - 1);
  const rank = Math.floor(place);
  const below = selectRank(there, count, rank);
  if (place === rank) return below;
  // The greater values follow.
  let above = Infinity;
  for (let i = rank + 1; i < count; i += 1) if (there[i]! < above) above = there[i]!;
  return below + (above - below) * (place - rank);
}

/**
 * The value that has so many values before it in order, by Hoare's algorithm. Lesser values come to lie before it, and
 * greater ones after it.
 *
 * @param values of which the first `count` matter; moved
 */
function selectRank(values: Float64Array, count: number, rank: number): number {
  let low = 0;
  let high = count - 1;
  while (low < high) {
    const pivot = values[(low + high) >> 1]!;
    let i = low;
    let j = high;
    while (i <= j) {
      while (values[i]! < pivot) i += 1;
      while (values[j]! > pivot) j -= 1;
      if (i > j) break;
      const value = values[i]!;
      values[i] = values[j]!;
      values[j] = value;
      i += 1;
      j -= 1;
    }
    if (rank <= j) high = j;
    else if (rank >= i) low = i;
    else break;
  }
  return values[rank]!;
}

/**
 * Standard deviation of white noise: from differences of neighbouring samples, because events are slower, and by their
 * median, because events are rare.
 */
export function estimateWhiteNoise(trace: Float64Array): number {
  const changes = trace.subarray(1).map((value, i) => Math.abs(value - trace[i]!));
  return findPercentile(changes, 50) / (0.6745 * Math.SQRT2) || 0;
}
