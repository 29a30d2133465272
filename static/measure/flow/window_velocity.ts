/**
 * Velocity of the streaks in one window of a line scan, by the Radon transform method of Drew et al. (2010),
 * J. Comput. Neurosci. 29, 5-11: of all straight lines through the window, those along the streaks have integrals that
 * differ most from each other. The variance of the integrals along one direction is the sum of the window's
 * autocorrelation along it, which this module uses, with three changes. It omits lag 0, which contains the noise of
 * single samples. It smooths noise narrower than the streaks. Finally, it minimizes the squared difference of paired
 * samples relative to that of noise alone: pairs at the edges do not bias the velocity, and the remaining difference is
 * the variance of the noise, which gives the error of the velocity.
 *
 * Velocities are in pixels per line.
 */
import { makeAutocorrelation } from "./autocorrelation.ts";
import { type Likeness, measureLikeness, type Smoothed, smoothLine } from "./smoothing.ts";
import { computeMean } from "../traces.ts";

/** Why a window has a velocity or none. */
export type WindowVerdict =
  | "measured"
  | "changing"
  | "standing"
  | "two velocities"
  | "too slow"
  | "too fast"
  | "unclear";

/** The velocity of one window. */
export interface WindowVelocity {
  verdict: WindowVerdict;
  /** Pixels per line, towards greater positions; NaN unless measured. */
  velocity: number;
  /** Share of the window's variance that moves at this velocity, 0 to 1. */
  confidence: number;
  /** Estimated relative standard error; NaN unless measured. */
  error: number;
  /** Of a changing window: the velocity of the straightened streaks, before the correction for a bend. */
  straight?: { velocity: number; error: number };
}

type Scores = ReturnType<typeof computeScores>;

/** See {@linkcode computeScores}. */
type Direction = { velocity: number; share: number; difference: number };

/** A streak has a measurable angle if it moves at least this far along both axes within the window. */
export const LEAST_MOVE = 3;

/** Random agreement stays below this many standard deviations in a thousand directions. */
const LEAST_SIGNIFICANCE = 6;

/** Takes the slowest direction with this fraction of the best agreement, since neighbouring streaks look alike. */
const NEARLY = 0.8;

/** If the difference exceeds this fraction of that in the opposite direction, the pattern flickers but does not move. */
const AS_WELL = 0.5;

/** Streaks make up at least this share of the variance. */
const LEAST_SHARE = 0.1;

/** Largest relative standard error: keeps the error below 5 % for 95 of 100 velocities. */
const GREATEST_ERROR = 0.05 / 1.96;

/** Largest errors for the verdicts "too fast" (relative) and "too slow" (pixels over the window). */
const ROUGHLY = [0.1, LEAST_MOVE / 3];

/** Well outside the error, the difference must rise by this multiple of its rise at two standard errors. */
const LEAST_DROP = 2.5;

/** Interpolation between samples adds an error like noise of this fraction of the variance. */
const LEAST_NOISE = 1e-3;

/** Up to this many paired columns are too few to compare; each further column adds weight, so that nothing jumps. */
const LEAST_OVERLAP = 3;

/**
 * Measures the velocity in one window.
 *
 * @param values row-major lines without background; NaN or infinite for missing samples
 * @param rows lines
 * @param columns pixels per line
 */
export const measureWindow = (values: Float64Array, rows: number, columns: number): WindowVelocity =>
  keepMeasured(measureRoughly(values, rows, columns));

/** Without a velocity that was not measured. */
export const keepMeasured = ({ verdict, velocity, error, confidence }: WindowVelocity): WindowVelocity =>
  verdict === "measured" ? { verdict, velocity, confidence, error } : makeUnmeasured(verdict, confidence);

/**
 * Like {@linkcode measureWindow}, but with velocity and error for every verdict. Both are NaN if no direction stands out;
 * the error is infinite if others fit as well.
 */
export function measureRoughly(values: Float64Array, rows: number, columns: number): WindowVelocity {
  const middle = computeMean(values);
  const centre = values.map((value) => Number.isFinite(value) ? value - middle : NaN);
  const whole = centre.map((value) => Number.isNaN(value) ? 0 : value);
  const streaks = measureLikeness(whole, rows, columns, LEAST_SIGNIFICANCE);
  const scores = computeScores(smoothLine(centre, rows, columns, streaks.sigma), rows, columns);
  if (!(scores.energy > 0)) return makeUnmeasured("unclear", 0);
  const best = findBestDirection(scores);
  // The lines have structure, but no later line repeats it.
  if (best === null) return makeUnmeasured(streaks.isWide ? "too fast" : "unclear", 0);
  const velocity = climbToBest(scores, best);
  const share = measureMovingShare(whole, rows, columns, velocity);
  const error = computeRelativeError(scores, velocity, streaks);
  const found = (verdict: WindowVerdict) => ({
    verdict,
    velocity,
    confidence: Math.max(0, share),
    error,
  });
  const move = Math.abs(velocity) * rows;
  const [roughly, nearly] = ROUGHLY as [number, number];
  if (move < LEAST_MOVE) return found(error * move < nearly ? "too slow" : "unclear");
  // The samples agree nearly as well in the opposite direction, apart from the noise between nearby lines.
  const near = scores.of(velocity, Math.max(2, Math.floor(scores.duration(velocity) / 16))).difference;
  const [forth, back] = [velocity, -velocity].map((way) => scores.of(way).difference - near) as [
    number,
    number,
  ];
  if (share < LEAST_SHARE || forth > AS_WELL * back) return found("unclear");
  const isTooFast = columns / Math.abs(velocity) < LEAST_MOVE;
  if (isTooFast && error <= roughly) return found("too fast");
  if (isTooFast || !(error <= GREATEST_ERROR)) return found("unclear");
  return found("measured");
}

/** No velocity. */
export const makeUnmeasured = (verdict: WindowVerdict, share: number): WindowVelocity => ({
  verdict,
  velocity: NaN,
  confidence: Math.max(0, share),
  error: NaN,
});

/** Share of the variance that recurs some lines later, at eight distances up to most of a streak's visible length. */
export function measureMovingShare(
  values: Float64Array,
  rows: number,
  columns: number,
  velocity: number,
): number {
  const most = 0.7 * Math.min(rows, columns / Math.abs(velocity));
  let [product, energy] = [0, 0];
  for (let i = 1; i <= 8; i += 1) {
    const lines = Math.max(1, Math.round(most * i / 8));
    const below = Math.floor(velocity * lines);
    const part = velocity * lines - below;
    const last = Math.min(columns, columns - below - 1);
    for (let row = 0; row + lines < rows; row += 1) {
      const later = (row + lines) * columns + below;
      for (let column = Math.max(0, -below); column < last; column += 1) {
        const one = values[row * columns + column]!;
        const left = values[later + column]!;
        const right = values[later + column + 1]!;
        product += one * ((1 - part) * left + part * right);
        energy += (one * one + (1 - part) * left * left + part * right * right) / 2;
      }
    }
  }
  return energy > 0 ? product / energy : 0;
}

/**
 * Expected squared difference of smoothed unit-variance noise, for pairs at a distance along the line: twice the mean gain of the
 * columns that have a partner at this distance.
 */
function computeNoises(gains: Smoothed["gains"], columns: number): Float64Array {
  const noises = new Float64Array(columns);
  let sum = 0;
  for (let paired = 1; paired <= columns; paired += 1) {
    sum += gains[paired - 1]!;
    noises[columns - paired] = 2 * sum / paired;
  }
  return noises;
}

/** Agreement of the samples of a window along a direction. */
function computeScores({ values, gains }: Smoothed, rows: number, columns: number) {
  const productAt = makeAutocorrelation(values, rows, columns);
  const [differences, energies] = computeMeansAtLags(productAt, values, rows, columns) as [
    Float64Array,
    Float64Array,
  ];
  const noises = computeNoises(gains, columns);
  const wholeEnergy = productAt(0, 0);
  let spread = 1;
  for (let pixels = 1; pixels < columns; pixels += 1) spread += 2 * (productAt(0, pixels) / wholeEnergy) ** 2;
  return {
    rows,
    columns,
    energy: wholeEnergy,
    /** Factor by which similar neighbours along a line reduce the number of independent pairs (Bartlett's formula). */
    spread,
    /** Longest time in lines that a streak of a velocity stays in the window. */
    duration: (velocity: number) => Math.min(rows, columns / Math.abs(velocity)),
    /**
     * @param longest lines between the samples of a pair, at most
     * @returns `share`, the agreement of samples along the streaks, at most 1; `difference` of the samples,
     *   as the variance of the white noise that would cause it; `weight`, the summed squared difference that
     *   noise of variance 1 would cause; `pairs`, and the mean of their squared distances in lines, `square`
     */
    of(velocity: number, longest: number = rows - 1) {
      let [difference, energy, pairs, squares, weight] = [0, 0, 0, 0, 0];
      for (let lines = 1; lines <= longest; lines += 1) {
        const shift = velocity * lines;
        const distance = Math.abs(shift);
        const overlap = columns - distance - LEAST_OVERLAP;
        if (overlap <= 0) break;
        const below = Math.floor(shift);
        const part = shift - below;
        const at = lines * (2 * columns - 1) + columns - 1 + below;
        difference += overlap *
          interpolateCubic(
            differences[at - 1]!,
            differences[at]!,
            differences[at + 1]!,
            differences[at + 2]!,
            part,
          );
        energy += overlap * ((1 - part) * energies[at]! + part * energies[at + 1]!);
        const near = Math.floor(distance);
        const own = noises[near]!;
        const noise = own + (distance - near) * (noises[near + 1]! - own);
        pairs += overlap * (rows - lines);
        squares += overlap * (rows - lines) * lines * lines;
        weight += overlap * (rows - lines) * noise;
      }
      return {
        share: energy > 0 ? 1 - difference / energy : 0,
        difference: difference / weight,
        weight,
        pairs,
        square: squares / pairs,
      };
    },
  };
}

/** Squared differences and energies at all lags, row-major: lines from 0, pixels from `1 - columns`. */
function computeMeansAtLags(
  productAt: (lines: number, pixels: number) => number,
  values: Float64Array,
  rows: number,
  columns: number,
): Float64Array[] {
  const width = columns + 1;
  // Sum of squares above and left of each corner.
  const sums = new Float64Array((rows + 1) * width);
  for (let row = 0; row < rows; row += 1) {
    let line = 0;
    for (let column = 0; column < columns; column += 1) {
      line += values[row * columns + column]! ** 2;
      sums[(row + 1) * width + column + 1] = sums[row * width + column + 1]! + line;
    }
  }
  const box = (top: number, bottom: number, left: number, right: number): number =>
    sums[bottom * width + right]! - sums[top * width + right]! - sums[bottom * width + left]! +
    sums[top * width + left]!;
  const [differences, energies] = [0, 1].map(() => new Float64Array(rows * (2 * columns - 1))) as [
    Float64Array<ArrayBuffer>,
    Float64Array<ArrayBuffer>,
  ];
  for (let lines = 0; lines < rows; lines += 1) {
    for (let pixels = 1 - columns; pixels < columns; pixels += 1) {
      const from = Math.max(0, -pixels);
      const to = columns - Math.max(0, pixels);
      const energy = box(0, rows - lines, from, to) + box(lines, rows, from + pixels, to + pixels);
      const place = lines * (2 * columns - 1) + columns - 1 + pixels;
      differences[place] = (energy - 2 * productAt(lines, pixels)) / (to - from);
      energies[place] = energy / (to - from);
    }
  }
  return [differences, energies];
}

/** Catmull-Rom spline from b to c. */
const interpolateCubic = (a: number, b: number, c: number, d: number, part: number): number =>
  b + 0.5 * part * (c - a + part * (2 * a - 5 * b + 4 * c - d + part * (3 * (b - c) + d - a)));

/** Step between velocities: half a pixel at the end of a streak. */
const stepAt = (scores: Scores, velocity: number): number => 0.5 / scores.duration(velocity);

/** A velocity near the one along which the window agrees best, or null if nothing agrees. */
function findBestDirection(scores: Scores) {
  const fastest = (2 / 3) * scores.columns;
  const sides: Direction[][] = [1, -1].map((sign) => {
    const side = [];
    for (let speed = 0; speed < fastest; speed += stepAt(scores, speed)) {
      const { share, pairs, difference } = scores.of(sign * speed);
      const isCertain = share * Math.sqrt(pairs / scores.spread) >= LEAST_SIGNIFICANCE;
      side.push({ velocity: sign * speed, share: isCertain ? share : 0, difference });
    }
    return side;
  });
  const greatest = Math.max(...sides.flat().map(({ share }) => share));
  if (greatest === 0) return null;
  const peaks = sides.map((side) => findFirstPeak(side, NEARLY * greatest)).filter((peak) => peak !== null);
  // Peaks that both begin at 0 are one peak, and the lesser difference decides; otherwise the slower one.
  const isOnePeak = peaks.every(({ start }) => start === 0);
  const rank = ({ velocity, difference }: Direction) => isOnePeak ? difference : Math.abs(velocity);
  return peaks.reduce((one, other) => rank(one.best) < rank(other.best) ? one : other).best.velocity;
}

/** The direction with the least difference in the first run that reaches a level. */
function findFirstPeak(side: Direction[], level: number) {
  const start = side.findIndex(({ share }) => share >= level);
  if (start < 0) return null;
  let best = side[start]!;
  // Noise makes a run uneven, so search all of it.
  for (let i = start; i < side.length && side[i]!.share >= NEARLY * level; i += 1) {
    if (side[i]!.difference < best.difference) best = side[i]!;
  }
  return { start, best };
}

/** Where samples differ least near a velocity, by parabolas through three converging points. */
function climbToBest(scores: Scores, start: number): number {
  let velocity = start;
  let step = stepAt(scores, start);
  for (let round = 0; round < 9; round += 1) {
    const [below, here, above] = [-step, 0, step].map((move) => scores.of(velocity + move).difference) as [
      number,
      number,
      number,
    ];
    const bend = below - 2 * here + above;
    if (bend > 0) velocity += Math.max(-step, Math.min(step, (0.5 * step * (below - above)) / bend));
    step /= 1.7;
  }
  return velocity;
}

/**
 * Relative standard error. The sum of squared differences is least where its slope is 0; the variance of the slope over
 * the square of the curvature is the variance of the velocity. The slope contains products of noise with streaks and of
 * noise with noise. At the low noise of most recordings this is the Cramér-Rao bound. Infinite if another velocity fits
 * as well.
 */
function computeRelativeError(scores: Scores, velocity: number, { sigma, part }: Likeness): number {
  const step = 1 / scores.duration(velocity);
  const { difference, square, pairs, weight } = scores.of(velocity);
  const [below, above] = [-step, step].map((move) => scores.of(velocity + move).difference) as [
    number,
    number,
  ];
  if (!(difference < Math.min(below, above))) return Infinity;
  const bend = weight * (below - 2 * difference + above) / (step * step);
  const noise = Math.max(difference, LEAST_NOISE * scores.energy / (scores.rows * scores.columns));
  // Smoothing removes more noise from the slope than signal from the curvature.
  const steepness = bend / (2 * pairs * square) * (1 + part * part) / (1 + 2 * part * part);
  const [width, move] = [scores.columns - LEAST_OVERLAP, Math.abs(velocity) * scores.rows];
  const longest = Math.min(scores.rows, width / Math.abs(velocity));
  // Of the lengths, in lines, of all lines along the velocity; the window cuts some short.
  const fifthPowers = longest ** 5 * (Math.abs(width - move) + Math.min(width, move) / 3);
  const withStreaks = noise * steepness * fifthPowers / 3;
  // Squared slope of the curve between lags of white noise: 2.4 for Catmull-Rom, that of a Gaussian after smoothing.
  const slope = Math.min(2.4, 1 / (8 * Math.sqrt(2 * Math.PI) * sigma ** 3));
  const withNoise = 4 * slope * noise * noise * pairs * square;
  const error = Math.sqrt(withStreaks + withNoise) / bend;
  const least = difference + LEAST_DROP * bend / weight * (2 * error) ** 2 / 2;
  for (const far of [4, 6, 8, 12, 16, 20]) {
    const others = [-far, far].map((errors) => scores.of(velocity + errors * error).difference);
    if (Math.min(...others) < least) return Infinity;
  }
  return error / Math.abs(velocity);
}
