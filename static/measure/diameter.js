/**
 * Diameter over time of a vessel that a line scan crosses: the width of the lumen in the mean of a few lines.
 *
 * `half-maximum` is the full width at half maximum: the distance between the two places where the profile crosses the
 * middle between background and lumen (Drew, Blinder, Cauwenberghs, Shih, Kleinfeld: J Comput Neurosci 2010, 29:5).
 * `gradient` is the distance between the steepest rise and the steepest fall (Fischer, Uchida, Messlinger:
 * Microcirculation 2010, 17:618, edges by the Sobel operator, that is by the greatest gradient).
 *
 * @typedef {object} DiameterAt
 * @property {number} line middle of the averaged lines, from 0
 * @property {number} diameter in columns; NaN unless clear
 * @property {number} left edge, as a column: 3.5 lies between columns 3 and 4
 * @property {number} right edge
 * @property {"clear" | "faint" | "cut" | "divided"} verdict "faint": no lumen stands out from the noise; "cut": the lumen
 *   reaches an end of the band; "divided": a second lumen is at least half as wide
 */
import { blurred, mean, noiseOf, percentile, runsOf } from "./traces.js";

/** @import { Band, Plane, Settings } from "./measurement.js" */

/** The lumen is brighter than the background by at least this many standard deviations of the noise. */
const CLEAR = 4;

/**
 * @param {Plane} plane
 * @param {Pick<Band, "columns">} band holds the vessel with background on both sides
 * @param {Settings} settings `window`, lines averaged for one diameter; `step`, lines from one to the next; `method`
 * @returns {DiameterAt[]}
 */
export function diameterOverTime({ samples, shape: [rows, all] }, { columns: [from, to] }, settings) {
  const { window, step, method } = settings;
  const found = [];
  for (let line = 0; line + window <= rows; line += step) {
    const sums = new Float64Array(to - from);
    for (let row = line; row < line + window; row += 1) {
      for (let x = from; x < to; x += 1) sums[x - from] += samples[row * all + x];
    }
    const { left, right, verdict } = edges(sums.map((sum) => sum / window), method);
    found.push({
      line: line + (window - 1) / 2,
      diameter: right - left,
      left: from + left,
      right: from + right,
      verdict,
    });
  }
  return found;
}

/**
 * Edges of the lumen, which is brighter than its surroundings, in a profile; NaN unless clear.
 *
 * @type {(profile: Float64Array, method: string) => {left: number, right: number, verdict: DiameterAt["verdict"]}}
 */
function edges(profile, method) {
  // Slopes are noisier than values.
  const smooth = blurred(profile, method === "gradient" ? 2 : 1, 4);
  const [low, high] = levels(smooth);
  const unclear = (/** @type {DiameterAt["verdict"]} */ verdict) => ({ left: NaN, right: NaN, verdict });
  if (!(high - low > CLEAR * noiseOf(profile))) return unclear("faint");
  const middle = (low + high) / 2;
  const [[start, end], next] = runsAbove(smooth, middle);
  if (start === 0 || end === profile.length) return unclear("cut");
  if (next !== undefined && next[1] - next[0] >= (end - start) / 2) return unclear("divided");
  if (method === "half-maximum") {
    const crossing = (/** @type {number} */ x) => x + (middle - smooth[x]) / (smooth[x + 1] - smooth[x]);
    return { left: crossing(start - 1), right: crossing(end - 1), verdict: "clear" };
  }
  const slopes = smooth.map((_, x) =>
    (smooth[Math.min(x + 1, smooth.length - 1)] - smooth[Math.max(x - 1, 0)]) / 2
  );
  const centre = Math.floor((start + end) / 2);
  return {
    left: extremum(slopes, 0, centre, 1),
    right: extremum(slopes, centre, slopes.length, -1),
    verdict: "clear",
  };
}

/**
 * Levels of the background (the median of the columns apart from the lumen) and of the lumen (the mean of its middle
 * third). Columns at the edges, which the optics blur, count for neither.
 */
function levels(/** @type {Float64Array} */ profile) {
  let [low, high] = [percentile(profile, 5), percentile(profile, 95)];
  for (let round = 0; round < 3; round += 1) {
    const [widest] = runsAbove(profile, (low + high) / 2);
    if (widest === undefined) return [low, high];
    const [start, end] = widest;
    const width = end - start;
    const third = Math.floor((width - 1) / 3);
    high = mean(profile, start + third, end - third);
    const apart = Math.max(3, width / 4);
    const outside = profile.filter((_, x) => x < start - apart || x >= end + apart);
    low = percentile(outside.length > 0 ? outside : profile, outside.length > 0 ? 50 : 5);
  }
  return [low, high];
}

/** Runs of columns above a level, the widest first. @param {Float64Array} profile @param {number} level */
const runsAbove = (profile, level) =>
  runsOf(profile.map((value) => value > level ? 1 : 0)).sort((a, b) => (b[1] - b[0]) - (a[1] - a[0]));

/**
 * Place of the greatest value times `sign`, interpolated between columns by a parabola.
 *
 * @type {(values: Float64Array, from: number, to: number, sign: 1 | -1) => number}
 */
function extremum(values, from, to, sign) {
  let best = from;
  for (let x = from; x < to; x += 1) if (sign * values[x] > sign * values[best]) best = x;
  const [a, b, c] = [values[best - 1], values[best], values[best + 1]];
  const bend = a - 2 * b + c;
  return Number.isFinite(bend) && bend !== 0 ? best + (a - c) / (2 * bend) : best;
}
