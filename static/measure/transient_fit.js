/**
 * Fits a transient to samples by least squares: a level, from which the trace rises at an onset with one time
 * constant and returns with another, `level + size * (1 - exp(-t / rise)) * exp(-t / decay)`.
 *
 * @typedef {Record<"level" | "size" | "onset" | "rise" | "decay", number>} Transient times and places in samples
 */
import { leastSquares } from "./least_squares.js";

/** Shortest time constant, in samples; shorter rises look the same. */
const LEAST_RISE = 0.1;

/** Value of a transient without its level. @type {(transient: Transient, place: number) => number} */
export function transientAt({ size, onset, rise, decay }, place) {
  const time = place - onset;
  return time <= 0 ? 0 : size * (1 - Math.exp(-time / rise)) * Math.exp(-time / decay);
}

/**
 * @param {Float64Array} trace at least six finite samples
 * @param {Transient} start
 * @returns {{transient: Transient, misfit: number}} `misfit` is the sum of the squared differences
 */
export const fittedTransient = (trace, start) => {
  const within = (/** @type {number} */ value) => Math.min(4 * trace.length, Math.max(LEAST_RISE, value));
  const factor = (/** @type {number} */ power) => Math.exp(Math.min(2, Math.max(-2, power)));
  const { best, misfit } = leastSquares(
    start,
    (transient) => equations(trace, transient),
    ({ level, size, onset, rise, decay }, move) => ({
      level: level + move[0],
      size: size + move[1],
      onset: onset + move[2],
      rise: within(rise * factor(move[3])),
      decay: within(decay * factor(move[4])),
    }),
  );
  return { transient: best, misfit };
};

/** Equations of level, size, onset and the logarithms of both time constants. @param {Float64Array} trace @param {Transient} transient */
function equations(trace, { level, size, onset, rise, decay }) {
  const bend = Array.from({ length: 5 }, () => [0, 0, 0, 0, 0]);
  const slope = [0, 0, 0, 0, 0];
  let misfit = 0;
  const first = Math.max(0, Math.floor(onset) + 1);
  // Each exponential shrinks by a constant factor from one sample to the next.
  let [rest, left] = [Math.exp(-(first - onset) / rise), Math.exp(-(first - onset) / decay)];
  const [restStep, leftStep] = [Math.exp(-1 / rise), Math.exp(-1 / decay)];
  const by = [1, 0, 0, 0, 0];
  for (let i = 0; i < trace.length; i += 1) {
    by.fill(0, 1);
    if (i >= first) {
      const time = i - onset;
      by[1] = (1 - rest) * left;
      by[2] = size * (by[1] / decay - rest * left / rise);
      by[3] = -size * (time / rise) * rest * left;
      by[4] = size * by[1] * time / decay;
      rest *= restStep;
      left *= leftStep;
    }
    const off = trace[i] - level - size * by[1];
    misfit += off * off;
    for (let j = 0; j < 5; j += 1) {
      slope[j] += by[j] * off;
      for (let k = 0; k <= j; k += 1) bend[j][k] += by[j] * by[k];
    }
  }
  for (let j = 0; j < 5; j += 1) for (let k = j + 1; k < 5; k += 1) bend[j][k] = bend[k][j];
  return { misfit, bend, slope };
}
