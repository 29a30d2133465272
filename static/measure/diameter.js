/**
 * Diameter over time of a vessel that a line scan crosses: the width of the lumen in the mean of a few lines.
 *
 * `half-maximum` is the full width at half maximum: the distance between the two places where the profile crosses the
 * middle between background and lumen (Drew, Blinder, Cauwenberghs, Shih, Kleinfeld: J Comput Neurosci 2010, 29:5).
 * `gradient` is the distance between the steepest rise and the steepest fall (Fischer, Uchida, Messlinger:
 * Microcirculation 2010, 17:618, edges by the Sobel operator, that is by the greatest gradient).
 *
 * @typedef {keyof typeof DIAMETER_METHODS} DiameterMethod
 *
 * @typedef {object} DiameterAt
 * @property {number} line middle of the averaged lines, from 0
 * @property {number} diameter in columns; NaN unless clear
 * @property {number} left edge, as a column: 3.5 lies between columns 3 and 4
 * @property {number} right edge
 * @property {"clear" | "faint" | "cut" | "divided"} verdict "faint": no lumen stands out from the noise; "cut": the lumen
 *   reaches an end of the band; "divided": a second lumen is at least half as wide
 */
import { noiseOf } from "./events.js";
import { blurred, mean, percentile } from "./traces.js";

/** Methods with their names in tables. */
export const DIAMETER_METHODS = /** @type {const} */ ({
  "half-maximum": "full width at half maximum (Drew et al. 2010)",
  gradient: "steepest gradients (Fischer et al. 2010)",
});

/** The lumen is brighter than the background by at least this many standard deviations of the noise. */
const CLEAR = 4;

/** Standard deviation of the smoothing of a profile, in columns; slopes are noisier than values. */
const SMOOTHED = { "half-maximum": 1, gradient: 2 };

/**
 * @param {{samples: Float32Array, shape: readonly number[]}} plane rows are lines
 * @param {object} [options]
 * @param {readonly [number, number]} [options.columns] band that holds the vessel with background on both sides; all by default
 * @param {number} [options.window] lines averaged for one diameter
 * @param {number} [options.step] lines from one diameter to the next
 * @param {DiameterMethod} [options.method]
 * @returns {DiameterAt[]}
 */
export function diameterOverTime({ samples, shape }, options = {}) {
  const [rows, all] = shape;
  const { columns: [from, to] = [0, all], window = 10, step = window, method = "half-maximum" } = options;
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
 * @type {(profile: Float64Array, method: DiameterMethod) => {left: number, right: number, verdict: DiameterAt["verdict"]}}
 */
function edges(profile, method) {
  const smooth = blurred(profile, SMOOTHED[method], 4);
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

/** Runs of columns above a level, as start and excluded end; the widest first. */
function runsAbove(/** @type {Float64Array} */ profile, /** @type {number} */ level) {
  /** @type {[number, number][]} */
  const runs = [];
  for (const [x, value] of profile.entries()) {
    if (!(value > level)) continue;
    const last = runs.at(-1);
    if (last !== undefined && last[1] === x) last[1] = x + 1;
    else runs.push([x, x + 1]);
  }
  return runs.sort((a, b) => (b[1] - b[0]) - (a[1] - a[0]));
}

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
