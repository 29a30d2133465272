/**
 * The screen columns that the curves of a chart fill; curve_image.js draws them.
 *
 * @typedef {object} ChartCurve
 * @property {string} color
 * @property {string} [dash]
 * @property {Float64Array} values one per line
 */
import { throughSamples } from "../picture/curve_image.js";

/** @import { Curve } from "../picture/curve_image.js" */

/**
 * @param {ChartCurve} curve
 * @param {{from: number, to: number}} span lines at the edges
 * @param {number} count columns
 * @param {number} density columns in a CSS pixel
 * @returns {Curve}
 */
export function curveColumns({ values, color, dash = "" }, { from, to }, count, density) {
  const columns = to - from > count
    ? extremes(values, from, to, count)
    : lineThrough(values, from, to, count);
  if (dash !== "") interrupt(columns, dash.split(" ").map((length) => Number(length) * density));
  return { color, lows: null, highs: null, ...columns };
}

/** Fewer samples than columns: a line through them. */
function lineThrough(
  /** @type {Float64Array} */ values,
  /** @type {number} */ from,
  /** @type {number} */ to,
  /** @type {number} */ count,
) {
  const [first, last] = [Math.max(0, Math.floor(from) - 1), Math.min(values.length, Math.ceil(to) + 2)];
  return throughSamples(Float32Array.from(values.subarray(first, last)), from - first, to - first, count);
}

/** Several samples in a column: from the least to the greatest, and to what the column before reaches. */
function extremes(
  /** @type {Float64Array} */ values,
  /** @type {number} */ from,
  /** @type {number} */ to,
  /** @type {number} */ count,
) {
  const [bottoms, tops] = [new Float32Array(count).fill(NaN), new Float32Array(count).fill(NaN)];
  const edge = (/** @type {number} */ x) =>
    Math.min(values.length, Math.max(0, Math.round(from + x / count * (to - from))));
  let i = edge(0);
  for (let x = 0; x < count; x += 1) {
    let [low, high] = [Infinity, -Infinity];
    for (const end = edge(x + 1); i < end; i += 1) {
      const value = values[i];
      // False for NaN and infinities.
      if (value - value !== 0) continue;
      if (value < low) low = value;
      if (value > high) high = value;
    }
    if (low > high) continue;
    bottoms[x] = low;
    tops[x] = high;
    // False where the column before has nothing.
    if (tops[x - 1] < low) bottoms[x] = tops[x - 1];
    if (bottoms[x - 1] > high) tops[x] = bottoms[x - 1];
  }
  return { bottoms, tops };
}

/** Takes the gaps of a broken line out. @param {{bottoms: Float32Array, tops: Float32Array}} columns @param {readonly number[]} lengths */
function interrupt({ bottoms, tops }, lengths) {
  const period = lengths.reduce((sum, length) => sum + length, 0);
  for (let x = 0; x < tops.length; x += 1) {
    let [place, part] = [x % period, 0];
    while (place >= lengths[part]) {
      place -= lengths[part];
      part += 1;
    }
    if (part % 2 === 1) bottoms[x] = tops[x] = NaN;
  }
}
