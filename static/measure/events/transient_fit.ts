/**
 * Fits a transient to samples by least squares: a level, from which the trace rises at an onset with one time
 * constant and returns with another, `level + size * (1 - exp(-t / rise)) * exp(-t / decay)`.
 */
import { fitLeastSquares } from "../least_squares.ts";

/** Times and places in samples. */
export type Transient = Record<"level" | "size" | "onset" | "rise" | "decay", number>;

/** Shortest time constant, in samples; shorter rises look the same. */
const LEAST_RISE = 0.1;

/** Value of a transient without its level. */
export function computeTransient({ size, onset, rise, decay }: Transient, place: number): number {
  const time = place - onset;
  return time <= 0 ? 0 : size * (1 - Math.exp(-time / rise)) * Math.exp(-time / decay);
}

/**
 * Fits a transient to a trace, from a start.
 *
 * @param trace at least six finite samples
 * @returns `misfit` is the sum of the squared differences
 */
export const fitTransient = (
  trace: Float64Array,
  start: Transient,
): { transient: Transient; misfit: number } => {
  const within = (value: number) => Math.min(4 * trace.length, Math.max(LEAST_RISE, value));
  const factor = (power: number) => Math.exp(Math.min(2, Math.max(-2, power)));
  const { best, misfit } = fitLeastSquares(
    start,
    (transient) => writeTransientEquations(trace, transient),
    ({ level, size, onset, rise, decay }, move) => ({
      level: level + move[0]!,
      size: size + move[1]!,
      onset: onset + move[2]!,
      rise: within(rise * factor(move[3]!)),
      decay: within(decay * factor(move[4]!)),
    }),
  );
  return { transient: best, misfit };
};

/** Equations of level, size, onset and the logarithms of both time constants. */
function writeTransientEquations(trace: Float64Array, { level, size, onset, rise, decay }: Transient) {
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
    const off = trace[i]! - level - size * by[1]!;
    misfit += off * off;
    for (let j = 0; j < 5; j += 1) {
      slope[j]! += by[j]! * off;
      for (let k = 0; k <= j; k += 1) bend[j]![k]! += by[j]! * by[k]!;
    }
  }
  for (let j = 0; j < 5; j += 1) for (let k = j + 1; k < 5; k += 1) bend[j]![k] = bend[k]![j]!;
  return { misfit, bend, slope };
}
