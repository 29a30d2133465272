/**
 * Fits a transient to samples by least squares: a level, from which the trace rises at an onset with one time
 * constant and returns with another, `level + size * (1 - exp(-t / rise)) * exp(-t / decay)`.
 */
import { boundFactor, EquationSums, fitLeastSquares } from "../least_squares.ts";

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
  const { best, misfit } = fitLeastSquares(
    start,
    (transient) => writeTransientEquations(trace, transient),
    ({ level, size, onset, rise, decay }, [raised = 0, grown = 0, later = 0, slower = 0, longer = 0]) => ({
      level: level + raised,
      size: size + grown,
      onset: onset + later,
      rise: within(rise * boundFactor(slower, 2)),
      decay: within(decay * boundFactor(longer, 2)),
    }),
  );
  return { transient: best, misfit };
};

/** Equations of level, size, onset and the logarithms of both time constants. */
function writeTransientEquations(trace: Float64Array, { level, size, onset, rise, decay }: Transient) {
  const sums = new EquationSums(5);
  const first = Math.max(0, Math.floor(onset) + 1);
  // Each exponential shrinks by a constant factor from one sample to the next.
  let [rest, left] = [Math.exp(-(first - onset) / rise), Math.exp(-(first - onset) / decay)];
  const [restStep, leftStep] = [Math.exp(-1 / rise), Math.exp(-1 / decay)];
  const by = Float64Array.of(1, 0, 0, 0, 0);
  for (let i = 0; i < trace.length; i += 1) {
    let shape = 0;
    if (i >= first) {
      const time = i - onset;
      shape = (1 - rest) * left;
      by[1] = shape;
      by[2] = size * (shape / decay - rest * left / rise);
      by[3] = -size * (time / rise) * rest * left;
      by[4] = size * shape * time / decay;
      rest *= restStep;
      left *= leftStep;
    }
    sums.add(by, trace[i]! - level - size * shape);
  }
  return sums.equations();
}
