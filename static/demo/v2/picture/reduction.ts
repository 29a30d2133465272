/**
 * Reduces the samples under a screen pixel to their mean, maximum or minimum. Each sample belongs to the pixel that
 * contains its centre, so that every sample counts once. NaN and infinities do not count; a pixel without finite
 * samples is NaN. All functions are pure.
 */

/** What a pixel shows of the samples under it. */
export type PixelStatistic = "mean" | "max" | "min";

/** Row-major; `isFinite` if all samples are finite, which is up to ten times as fast. */
export type Blocks = { samples: Float32Array; rows: number; columns: number; isFinite?: boolean };

/**
 * First of `length` entries in each of `pixels` equal parts of `[from, to)`, which are no shorter than an entry, and the
 * end of the last part: `pixels + 1` indices.
 */
export function divideIntoPixels(from: number, to: number, pixels: number, length: number): Uint32Array {
  const edges = new Uint32Array(pixels + 1);
  for (let i = 0; i <= pixels; i += 1) {
    edges[i] = Math.min(length, Math.max(0, Math.round(from + (i / pixels) * (to - from))));
  }
  return edges;
}

/** One value for each block between neighbouring edges, which ascend; row-major. */
export function reduceBlocks(
  plane: Blocks,
  rowEdges: Uint32Array,
  columnEdges: Uint32Array,
  statistic: PixelStatistic,
): Float32Array {
  if (statistic === "mean") return computeBlockMeans(plane, rowEdges, columnEdges);
  return computeBlockExtremes(plane, rowEdges, columnEdges, statistic === "max" ? 1 : -1);
}

/**
 * Statistics of a row of samples in each of `count` equal steps of `[from, to)`, which are no shorter than a sample; NaN
 * where a step has no finite value.
 */
export function computeEnvelope(
  samples: Float32Array,
  from: number,
  to: number,
  count: number,
  statistics: readonly PixelStatistic[],
): Float32Array[] {
  const row = { samples, rows: 1, columns: samples.length };
  const edges = divideIntoPixels(from, to, count, samples.length);
  return statistics.map((statistic) => reduceBlocks(row, Uint32Array.of(0, 1), edges, statistic));
}

function computeBlockMeans(
  { samples, columns, isFinite = false }: Blocks,
  rowEdges: Uint32Array,
  columnEdges: Uint32Array,
) {
  const [height, width] = [rowEdges.length - 1, columnEdges.length - 1];
  const reduced = new Float32Array(width * height);
  const [sums, counts] = [new Float64Array(width), new Float64Array(width)];
  /** Samples of one row, and 1 for each; both are 0 if a sample is missing. */
  const [line, there] = [new Float32Array(columns), new Float32Array(columns)];
  for (let y = 0; y < height; y += 1) {
    sums.fill(0);
    for (let x = 0; x < width; x += 1) {
      counts[x] = isFinite ? (columnEdges[x + 1]! - columnEdges[x]!) * (rowEdges[y + 1]! - rowEdges[y]!) : 0;
    }
    for (let row = rowEdges[y]!; row < rowEdges[y + 1]!; row += 1) {
      const start = row * columns;
      if (isFinite) {
        addRow(sums, samples, start, columnEdges);
        continue;
      }
      for (let i = 0; i < columns; i += 1) {
        const isThere = samples[start + i]! - samples[start + i]! === 0;
        there[i] = isThere ? 1 : 0;
        line[i] = isThere ? samples[start + i]! : 0;
      }
      addRow(sums, line, 0, columnEdges);
      addRow(counts, there, 0, columnEdges);
    }
    for (let x = 0; x < width; x += 1) reduced[y * width + x] = sums[x]! / counts[x]!;
  }
  return reduced;
}

/** Adds the samples of one row to the sums of its blocks. */
function addRow(sums: Float64Array, samples: Float32Array, start: number, columnEdges: Uint32Array) {
  const width = sums.length;
  let at = start + columnEdges[0]!;
  // Blocks of one column, as in most line scans.
  if (columnEdges[width]! - columnEdges[0]! === width) {
    for (let x = 0; x < width; x += 1, at += 1) sums[x]! += samples[at]!;
    return;
  }
  for (let x = 0; x < width; x += 1) {
    let sum = 0;
    for (const end = start + columnEdges[x + 1]!; at < end; at += 1) sum += samples[at]!;
    sums[x]! += sum;
  }
}

/** Greatest values, or least ones if `sign` is -1. */
function computeBlockExtremes(
  { samples, columns }: Blocks,
  rowEdges: Uint32Array,
  columnEdges: Uint32Array,
  sign: number,
) {
  const [height, width] = [rowEdges.length - 1, columnEdges.length - 1];
  const reduced = new Float32Array(width * height);
  const bests = new Float64Array(width);
  for (let y = 0; y < height; y += 1) {
    bests.fill(-Infinity);
    for (let row = rowEdges[y]!; row < rowEdges[y + 1]!; row += 1) {
      const start = row * columns;
      let at = start + columnEdges[0]!;
      for (let x = 0; x < width; x += 1) {
        let best = bests[x]!;
        for (const end = start + columnEdges[x + 1]!; at < end; at += 1) {
          const value = sign * samples[at]!;
          // NaN is not greater than anything.
          if (value > best && value < Infinity) best = value;
        }
        bests[x] = best;
      }
    }
    for (let x = 0; x < width; x += 1) {
      reduced[y * width + x] = bests[x] === -Infinity ? NaN : sign * bests[x]!;
    }
  }
  return reduced;
}

/** Such as `1 pixel = 34 lines, mean`; empty if no pixel covers more than one sample. */
export function formatReduction(
  { rows, columns }: { rows: number; columns: number },
  isLineScan: boolean,
  statistic: PixelStatistic,
): string {
  const all: [count: number, name: string][] = [[rows, isLineScan ? "lines" : "rows"], [columns, "columns"]];
  const counts = all
    .filter(([count]) => count > 1)
    .map(([count, name]) => {
      // Slightly more than one counts as one.
      const digits = count < 1.1 ? count.toPrecision(3) : count.toFixed(count < 10 ? 1 : 0);
      return `${digits.replace(/\.0$/, "")} ${name}`;
    });
  return counts.length === 0 ? "" : `1 pixel = ${counts.join(" × ")}, ${statistic}`;
}

/** Largest share of the pixels that sparse events cover. */
const MOST_BRIGHT = 0.05;

/**
 * Whether bright events of a few lines are lost in the mean, so that the maximum shows more. Events are neighbouring
 * pixels whose maximum exceeds `range` by its length; photon noise makes single ones.
 *
 * @param means of pixels
 * @param maxima of the same pixels
 * @param range of nearly all samples
 */
export function meanHidesEvents(
  means: Float32Array,
  maxima: Float32Array,
  [low, high]: readonly [low: number, high: number],
): boolean {
  const bright = high + (high - low);
  let [count, beside, hidden] = [0, 0, 0];
  for (let i = 0; i < maxima.length; i += 1) {
    if (!(maxima[i]! > bright)) continue;
    count += 1;
    if (maxima[i - 1]! > bright || maxima[i + 1]! > bright) beside += 1;
    if (means[i]! <= high) hidden += 1;
  }
  return beside >= count / 2 && hidden > count / 2 && count < MOST_BRIGHT * maxima.length;
}
