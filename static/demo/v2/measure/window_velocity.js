/**
 * Velocity of the streaks in one window of a line scan, by the Radon transform method of Drew et al. (2010),
 * J. Comput. Neurosci. 29, 5-11: of all straight lines through the window, those along the streaks have integrals that
 * differ most from each other. The variance of the integrals along one direction is the sum of the window's
 * autocorrelation along it, so that it is taken from there, with two changes. Lag 0 is left out, where noise of single
 * samples lies. The sum is divided by the energy of the samples that are paired, so that directions with many and few
 * pairs compare, and the greatest value is 1: the samples are equal wherever the streak takes them. That is what
 * line-scanning particle image velocimetry (Kim et al. 2012, PLoS ONE 7, e38590) does for one lag, here for all.
 *
 * Velocities are pixels a line here.
 */
import { autocorrelation } from "./autocorrelation.js";

/**
 * @typedef {"measured" | "too slow" | "too fast" | "unclear"} Verdict
 * @typedef {object} WindowVelocity
 * @property {Verdict} verdict
 * @property {number} velocity pixels a line, towards greater positions; NaN unless measured
 * @property {number} confidence share of the window's variance that moves so, 0 to 1
 * @property {number} error estimated standard error as a part of the velocity; NaN unless measured
 *
 * @typedef {object} Agreement
 * @property {number} share how far samples agree along the streaks of a velocity, at most 1
 * @property {number} pairs
 * @property {number} square mean of the squared distances of the pairs, in lines
 */

/** A streak that moves less, along either axis within the window, has no angle that could be measured. */
export const LEAST_MOVE = 3;

/** Random agreement reaches so many standard deviations in none of some thousand directions. */
const LEAST_SIGNIFICANCE = 6;

/** Of directions that agree nearly as well as the best the slowest is taken: neighbouring streaks look alike. */
const NEARLY = 0.8;

/** What agrees nearly as well the other way round gets brighter and darker, but goes nowhere. */
const AS_WELL = 0.75;

/** Where less of the variance moves, it is something else that does. */
const LEAST_SHARE = 0.1;

/** Where the estimated error is greater there is no number. */
const GREATEST_ERROR = 0.1;

/** Pairs this near to the ends of the lines are too few to compare. */
const LEAST_OVERLAP = 3;

/**
 * @param {Float64Array} values row-major lines without background; NaN where there is no sample
 * @param {number} rows lines
 * @param {number} columns pixels of a line
 * @returns {WindowVelocity}
 */
export function windowVelocity(values, rows, columns) {
  const scores = new Scores(centred(values), rows, columns);
  if (!(scores.energy > 0)) return unmeasured("unclear", 0);
  const best = bestDirection(scores);
  // Structure along the lines that no later line has again.
  if (best === null) return unmeasured(scores.isStructured ? "too fast" : "unclear", 0);
  const velocity = climbed(scores, best);
  const { share } = scores.of(velocity);
  if (Math.abs(velocity) * rows < LEAST_MOVE) return unmeasured("too slow", share);
  if (share < LEAST_SHARE || scores.of(-velocity).share > AS_WELL * share) {
    return unmeasured("unclear", share);
  }
  if (columns / Math.abs(velocity) < LEAST_MOVE) return unmeasured("too fast", share);
  const error = standardError(scores, velocity);
  if (!(error <= GREATEST_ERROR)) return unmeasured("unclear", share);
  return { verdict: "measured", velocity, confidence: share, error };
}

/** @type {(verdict: Verdict, share: number) => WindowVelocity} */
const unmeasured = (verdict, share) => ({
  verdict,
  velocity: NaN,
  confidence: Math.max(0, share),
  error: NaN,
});

/** Values about their mean, 0 where there is none. @param {Float64Array} values */
function centred(values) {
  let [sum, count] = [0, 0];
  for (const value of values) {
    if (Number.isFinite(value)) {
      sum += value;
      count += 1;
    }
  }
  return values.map((value) => Number.isFinite(value) ? value - sum / count : 0);
}

/** How far the samples of a window agree along a direction. */
class Scores {
  /** Mean product, and mean energy of both partners, of all pairs at a lag, times the pairs of lines. */
  #products;
  #energies;

  /**
   * @param {Float64Array} values
   * @param {number} rows
   * @param {number} columns
   */
  constructor(values, rows, columns) {
    this.rows = rows;
    this.columns = columns;
    const lags = autocorrelation(values, rows, columns);
    [this.#products, this.#energies] = meansAtLags(lags, sumsOfSquares(values, rows, columns));
    this.energy = lags.at(0, 0);
    /** Neighbours along a line that are alike make pairs count less (Bartlett's formula). */
    this.spread = 1;
    for (let pixels = 1; pixels < columns; pixels += 1) {
      this.spread += 2 * (lags.at(0, pixels) / this.energy) ** 2;
    }
    /** Whether neighbours along the lines are more alike than noise is. */
    this.isStructured = lags.at(0, 1) / this.energy > LEAST_SIGNIFICANCE / Math.sqrt(rows * columns);
  }

  /** Longest time, in lines, for which a streak of a velocity is seen. @param {number} velocity */
  duration(velocity) {
    return Math.min(this.rows, this.columns / Math.abs(velocity));
  }

  /** @param {number} velocity @returns {Agreement} */
  of(velocity) {
    const { rows, columns } = this;
    const [products, energies] = [this.#products, this.#energies];
    let [product, energy, pairs, squares] = [0, 0, 0, 0];
    for (let lines = 1; lines < rows; lines += 1) {
      const shift = velocity * lines;
      const overlap = columns - Math.abs(shift);
      if (overlap < LEAST_OVERLAP) break;
      const below = Math.floor(shift);
      const part = shift - below;
      const at = lines * (2 * columns - 1) + columns - 1 + below;
      product += overlap *
        cubic(products[at - 1], products[at], products[at + 1], products[at + 2], part);
      energy += overlap * ((1 - part) * energies[at] + part * energies[at + 1]);
      pairs += overlap * (rows - lines);
      squares += overlap * (rows - lines) * lines * lines;
    }
    return { share: energy > 0 ? product / energy : 0, pairs, square: squares / pairs };
  }
}

/**
 * Row-major lags: lines from 0, pixels from `1 - columns`.
 *
 * @param {import("./autocorrelation.js").Lags} lags
 * @param {Float64Array} sums of squares
 * @returns {[products: Float64Array, energies: Float64Array]}
 */
function meansAtLags({ rows, columns, at }, sums) {
  const width = columns + 1;
  const box = (
    /** @type {number} */ top,
    /** @type {number} */ bottom,
    /** @type {number} */ left,
    /** @type {number} */ right,
  ) =>
    sums[bottom * width + right] - sums[top * width + right] - sums[bottom * width + left] +
    sums[top * width + left];
  const [products, energies] = [0, 1].map(() => new Float64Array(rows * (2 * columns - 1)));
  for (let lines = 0; lines < rows; lines += 1) {
    for (let pixels = 1 - columns; pixels < columns; pixels += 1) {
      const [from, to] = [Math.max(0, -pixels), columns - Math.max(0, pixels)];
      const energy = box(0, rows - lines, from, to) + box(lines, rows, from + pixels, to + pixels);
      const place = lines * (2 * columns - 1) + columns - 1 + pixels;
      products[place] = 2 * at(lines, pixels) / (to - from);
      energies[place] = energy / (to - from);
    }
  }
  return [products, energies];
}

/** Of each corner, the sum of squares above and left of it. @type {(values: Float64Array, rows: number, columns: number) => Float64Array} */
function sumsOfSquares(values, rows, columns) {
  const width = columns + 1;
  const sums = new Float64Array((rows + 1) * width);
  for (let row = 0; row < rows; row += 1) {
    let line = 0;
    for (let column = 0; column < columns; column += 1) {
      line += values[row * columns + column] ** 2;
      sums[(row + 1) * width + column + 1] = sums[row * width + column + 1] + line;
    }
  }
  return sums;
}

/** Catmull and Rom's curve through b and c. @type {(a: number, b: number, c: number, d: number, part: number) => number} */
const cubic = (a, b, c, d, part) =>
  b + 0.5 * part * (c - a + part * (2 * a - 5 * b + 4 * c - d + part * (3 * (b - c) + d - a)));

/** Half a pixel at the end of the streak. @type {(scores: Scores, velocity: number) => number} */
const stepAt = (scores, velocity) => 0.5 / scores.duration(velocity);

/** A velocity near the one along which the window agrees best, or null where nothing agrees. @param {Scores} scores */
function bestDirection(scores) {
  const fastest = (2 / 3) * scores.columns;
  /** @type {{velocity: number, share: number}[][]} */
  const sides = [1, -1].map((sign) => {
    const side = [];
    for (let speed = 0; speed < fastest; speed += stepAt(scores, speed)) {
      const { share, pairs } = scores.of(sign * speed);
      const isCertain = share * Math.sqrt(pairs / scores.spread) >= LEAST_SIGNIFICANCE;
      side.push({ velocity: sign * speed, share: isCertain ? share : 0 });
    }
    return side;
  });
  const greatest = Math.max(...sides.flat().map(({ share }) => share));
  if (greatest === 0) return null;
  const slowest = sides.map((side) => firstPeak(side, NEARLY * greatest)).filter((peak) => peak !== null);
  return slowest.reduce((one, other) => nearer(one, other)).velocity;
}

/** The greatest share of the first run that reaches a level. @param {{velocity: number, share: number}[]} side @param {number} level */
function firstPeak(side, level) {
  const start = side.findIndex(({ share }) => share >= level);
  if (start < 0) return null;
  let best = side[start];
  for (let i = start; i < side.length && side[i].share >= level; i += 1) {
    if (side[i].share > best.share) best = side[i];
  }
  return best;
}

/** Both signs can hold a part of one peak about 0; otherwise the slower one. */
function nearer(
  /** @type {{velocity: number, share: number}} */ one,
  /** @type {{velocity: number, share: number}} */ other,
) {
  const [slow, fast] = [one, other].sort((a, b) => Math.abs(a.velocity) - Math.abs(b.velocity));
  return slow.velocity === 0 ? fast : slow;
}

/** The top near a velocity, by parabolas through three points that draw together. @type {(scores: Scores, start: number) => number} */
function climbed(scores, start) {
  let velocity = start;
  let step = stepAt(scores, start);
  for (let round = 0; round < 7; round += 1) {
    const [below, here, above] = [-step, 0, step].map((move) => scores.of(velocity + move).share);
    const bend = below - 2 * here + above;
    if (bend < 0) velocity += Math.max(-step, Math.min(step, (0.5 * step * (below - above)) / bend));
    step /= 1.7;
  }
  return velocity;
}

/**
 * The least error that any method could have (Cramer and Rao) for streaks as steep as the agreement's top is sharp, half
 * as much again: pairs of noisy samples know less than the streaks themselves.
 *
 * @type {(scores: Scores, velocity: number) => number}
 */
function standardError(scores, velocity) {
  const step = 0.6 * stepAt(scores, velocity);
  const { share, square } = scores.of(velocity);
  const [below, above] = [-step, step].map((move) => scores.of(velocity + move).share);
  const steepness = (2 * share - below - above) / (step * step * share * square);
  // Rounding can leave a little more than all.
  const noise = Math.max(1e-6, (1 - share) / share);
  const duration = scores.duration(velocity);
  const lever = Math.max(1, duration * duration - 1) / 12;
  const variance = noise * (1 + noise) / (steepness * scores.rows * scores.columns * lever);
  return 1.5 * Math.sqrt(variance) / Math.abs(velocity);
}
