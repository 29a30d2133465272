/**
 * The stationary part of a line scan, such as the wall of a vessel, which would count as streaks of velocity 0. The
 * mean of each column over all lines contains it but, for slow streaks in a short recording, also much of the streaks.
 * The correlation between distant parts of the recording shows how much of the mean is stationary.
 */

import type { Samples } from "../line_scan.ts";

/** Parts at least this far apart share no streak; neighbours may. */
const FAR = 2;

/** Largest number of lines used; more hardly change the estimate but delay the first velocity. */
const MOST_LINES = 20_000;

/**
 * Estimates the stationary part of each column, with mean 0, from parts spread evenly over the recording.
 * Zeros if there are too few parts, whose length in lines, `part`, lets a streak move on.
 */
export function estimateStanding(
  samples: Samples,
  rows: number,
  columns: number,
  part: number,
): Float64Array {
  const there = Math.floor(rows / part);
  const parts = Math.min(there, Math.max(FAR + 1, Math.floor(MOST_LINES / part)));
  const means = Array.from({ length: parts }, (_, i) => {
    const from = Math.floor(i * there / parts) * part;
    return averageColumns(samples, from, from + part, columns);
  });
  const sum = new Float64Array(columns);
  for (const mean of means) for (const [column, value] of mean.entries()) sum[column]! += value;
  const all = rows <= MOST_LINES
    ? averageColumns(samples, 0, rows, columns)
    : sum.map((value) => value / parts);
  const variance = computeCovariance(all, all);
  if (parts <= FAR || !(variance > 0)) return new Float64Array(columns);
  // Subtracts the pairs of near parts from the sum over all pairs, which takes time linear in the number of parts.
  let likeness = computeCovariance(sum, sum);
  let pairs = parts * parts;
  for (let lag = 0; lag < FAR; lag += 1) {
    const twice = lag === 0 ? 1 : 2;
    for (const [i, later] of means.slice(lag).entries()) {
      likeness -= twice * computeCovariance(means[i]!, later);
    }
    pairs -= twice * (parts - lag);
  }
  const share = Math.min(1, Math.max(0, likeness / pairs / variance));
  return all.map((mean) => share * mean);
}

/** Means of the columns minus the mean of these; 0 for a column without samples. */
function averageColumns(samples: Samples, from: number, to: number, columns: number): Float64Array {
  const [sums, counts] = [new Float64Array(columns), new Float64Array(columns)];
  for (let row = from; row < to; row += 1) {
    for (let column = 0; column < columns; column += 1) {
      const value = samples[row * columns + column]!;
      if (!Number.isFinite(value)) continue;
      sums[column]! += value;
      counts[column]! += 1;
    }
  }
  const there = counts.filter((count) => count > 0).length;
  // NaN without samples.
  const means = sums.map((sum, column) => sum / counts[column]!);
  const whole = means.reduce((whole, mean) => Number.isNaN(mean) ? whole : whole + mean / there, 0);
  return means.map((mean) => Number.isNaN(mean) ? 0 : mean - whole);
}

/** Covariance of two profiles with mean 0. */
const computeCovariance = (one: Float64Array, other: Float64Array): number =>
  one.reduce((sum, value, column) => sum + value * other[column]!, 0) / one.length;
