/**
 * Fits a transient to samples by least squares: a level, from which the trace rises at an onset with one time
 * constant and returns with another, `level + size * (1 - exp(-t / rise)) * exp(-t / decay)`.
 */
import { boundFactor, fitLeastSquares } from "../least_squares.ts";

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
  const first = Math.max(0, Math.floor(onset) + 1);
  let [misfit, slope0, slope1, slope2, slope3, slope4] = [0, 0, 0, 0, 0, 0];
  let [bend10, bend11, bend20, bend21, bend22] = [0, 0, 0, 0, 0];
  let [bend30, bend31, bend32, bend33] = [0, 0, 0, 0];
  let [bend40, bend41, bend42, bend43, bend44] = [0, 0, 0, 0, 0];
  for (let i = 0; i < Math.min(first, trace.length); i += 1) {
    const off = trace[i]! - level;
    misfit += off * off;
    slope0 += off;
  }
  // Each exponential shrinks by a constant factor from one sample to the next.
  let [rest, left] = [Math.exp(-(first - onset) / rise), Math.exp(-(first - onset) / decay)];
  const [restStep, leftStep] = [Math.exp(-1 / rise), Math.exp(-1 / decay)];
  for (let i = first; i < trace.length; i += 1) {
    const time = i - onset;
    const bySize = (1 - rest) * left;
    const byOnset = size * (bySize / decay - rest * left / rise);
    const byRise = -size * (time / rise) * rest * left;
    const byDecay = size * bySize * time / decay;
    rest *= restStep;
    left *= leftStep;
    const off = trace[i]! - level - size * bySize;
    misfit += off * off;
    slope0 += off;
    slope1 += bySize * off;
    slope2 += byOnset * off;
    slope3 += byRise * off;
    slope4 += byDecay * off;
    bend10 += bySize;
    bend11 += bySize * bySize;
    bend20 += byOnset;
    bend21 += byOnset * bySize;
    bend22 += byOnset * byOnset;
    bend30 += byRise;
    bend31 += byRise * bySize;
    bend32 += byRise * byOnset;
    bend33 += byRise * byRise;
    bend40 += byDecay;
    bend41 += byDecay * bySize;
    bend42 += byDecay * byOnset;
    bend43 += byDecay * byRise;
    bend44 += byDecay * byDecay;
  }
  return {
    misfit,
    bend: [
      [trace.length, bend10, bend20, bend30, bend40],
      [bend10, bend11, bend21, bend31, bend41],
      [bend20, bend21, bend22, bend32, bend42],
      [bend30, bend31, bend32, bend33, bend43],
      [bend40, bend41, bend42, bend43, bend44],
    ],
    slope: [slope0, slope1, slope2, slope3, slope4],
  };
}
