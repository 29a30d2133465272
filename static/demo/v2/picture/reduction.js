/**
 * Reduces the samples under a screen pixel to their mean, maximum or minimum. Each sample belongs to the pixel that
 * contains its centre, so that every sample counts once. NaN and infinities do not count; a pixel without finite
 * samples is NaN. All functions are pure.
 *
 * @typedef {"mean" | "max" | "min"} Statistic
 * @typedef {{samples: Float32Array, columns: number}} Plane row-major
 */

/**
 * First of `length` entries in each of `pixels` equal parts of `[from, to)`, which are no shorter than an entry, and the
 * end of the last part: `pixels + 1` indices.
 *
 * @type {(from: number, to: number, pixels: number, length: number) => Uint32Array}
 */
export function pixelEdges(from, to, pixels, length) {
  const edges = new Uint32Array(pixels + 1);
  for (let i = 0; i <= pixels; i += 1) {
    edges[i] = Math.min(length, Math.max(0, Math.round(from + (i / pixels) * (to - from))));
  }
  return edges;
}

/**
 * One value for each block between neighbouring edges, which ascend; row-major.
 *
 * @type {(plane: Plane, rowEdges: Uint32Array, columnEdges: Uint32Array, statistic: Statistic) => Float32Array}
 */
export function reduceBlocks({ samples, columns }, rowEdges, columnEdges, statistic) {
  const [height, width] = [rowEdges.length - 1, columnEdges.length - 1];
  const [isMean, sign] = [statistic === "mean", statistic === "min" ? -1 : 1];
  const reduced = new Float32Array(width * height);
  /** Sum, or greatest value, of each block in a row of blocks. */
  const values = new Float64Array(width);
  const counts = new Float64Array(width);
  for (let y = 0; y < height; y += 1) {
    values.fill(isMean ? 0 : -Infinity);
    counts.fill(0);
    for (let row = rowEdges[y]; row < rowEdges[y + 1]; row += 1) {
      let at = row * columns + columnEdges[0];
      for (let x = 0; x < width; x += 1) {
        let [value, count] = [values[x], 0];
        for (const end = row * columns + columnEdges[x + 1]; at < end; at += 1) {
          const sample = sign * samples[at];
          // NaN for NaN and infinities.
          if (sample - sample !== 0) continue;
          count += 1;
          if (isMean) value += sample;
          else if (sample > value) value = sample;
        }
        values[x] = value;
        counts[x] += count;
      }
    }
    for (let x = 0; x < width; x += 1) {
      const value = isMean ? values[x] / counts[x] : sign * values[x];
      reduced[y * width + x] = counts[x] === 0 ? NaN : value;
    }
  }
  return reduced;
}

/**
 * Statistics of a row of samples in each of `count` equal steps of `[from, to)`, which are no shorter than a sample; NaN
 * where a step has no finite value.
 *
 * @type {(samples: Float32Array, from: number, to: number, count: number, statistics: readonly Statistic[]) => Float32Array[]}
 */
export function envelope(samples, from, to, count, statistics) {
  const row = { samples, columns: samples.length };
  const edges = pixelEdges(from, to, count, samples.length);
  return statistics.map((statistic) => reduceBlocks(row, Uint32Array.of(0, 1), edges, statistic));
}

/** Such as `1 pixel = 34 lines, mean`; empty if no pixel covers more than one sample. @param {{rows: number, columns: number}} perPixel @param {boolean} isLineScan @param {Statistic} statistic */
export function reductionText({ rows, columns }, isLineScan, statistic) {
  /** @type {[count: number, name: string][]} */
  const all = [[rows, isLineScan ? "lines" : "rows"], [columns, "columns"]];
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
 * @param {Float32Array} means of pixels
 * @param {Float32Array} maxima of the same pixels
 * @param {readonly [low: number, high: number]} range of nearly all samples
 */
export function meanHidesEvents(means, maxima, [low, high]) {
  const bright = high + (high - low);
  let [count, beside, hidden] = [0, 0, 0];
  for (let i = 0; i < maxima.length; i += 1) {
    if (!(maxima[i] > bright)) continue;
    count += 1;
    if (maxima[i - 1] > bright || maxima[i + 1] > bright) beside += 1;
    if (means[i] <= high) hidden += 1;
  }
  return beside >= count / 2 && hidden > count / 2 && count < MOST_BRIGHT * maxima.length;
}
