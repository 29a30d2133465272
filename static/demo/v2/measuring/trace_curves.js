/**
 * The screen columns that the curves of a chart fill; chart.js draws them.
 *
 * @typedef {object} ChartCurve
 * @property {string} [name]
 * @property {string} color
 * @property {string} [dash]
 * @property {Float64Array} values one per line
 */
import { throughSamples } from "../picture/chart.js";
import { envelope } from "../picture/reduction.js";

/** Colour of F₀ and of thresholds above it, over traces of any colour. */
export const BASELINE_COLOR = "#808080";

/** @import { Curve } from "../picture/chart.js" */

/**
 * @param {ChartCurve} curve
 * @param {{from: number, to: number}} span lines at the edges
 * @param {number} count columns
 * @param {number} density columns in a CSS pixel
 * @returns {Curve}
 */
export function curveColumns({ values, color, dash = "" }, { from, to }, count, density) {
  const [first, last] = [Math.max(0, Math.floor(from) - 1), Math.min(values.length, Math.ceil(to) + 2)];
  const samples = Float32Array.from(values.subarray(first, last));
  const columns = to - from > count
    ? connected(envelope(samples, from - first, to - first, count, ["min", "max"]))
    : throughSamples(samples, from - first, to - first, count);
  if (dash !== "") interrupt(columns, dash.split(" ").map((length) => Number(length) * density));
  return { color, lows: null, highs: null, ...columns };
}

/** A line from the least to the greatest value in each column, without gaps between columns. @param {Float32Array[]} ends */
function connected([lows, highs]) {
  const [bottoms, tops] = [lows.slice(), highs.slice()];
  for (let x = 1; x < lows.length; x += 1) {
    // Both comparisons are false if a column has no value (NaN).
    if (tops[x - 1] < lows[x]) bottoms[x] = tops[x - 1];
    if (bottoms[x - 1] > highs[x]) tops[x] = bottoms[x - 1];
  }
  return { bottoms, tops };
}

/** Clears the gaps of a dashed line. @param {{bottoms: Float32Array, tops: Float32Array}} columns @param {readonly number[]} lengths */
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
