/**
 * Summary of the velocities of a recording. In pulsatile flow, a median means little unless the recording covers whole
 * cycles, so the summary counts the cycles, too.
 */
import { computeSineShare } from "../heart_rate.ts";
import { computeDeviation, computeMean, findPercentile } from "../traces.ts";
import type { VelocityAt } from "./velocity.ts";

/** What {@linkcode summarizeVelocities} returns. */
export type Summary = ReturnType<typeof summarizeVelocities>;

/** Whether a window has a velocity that counts; in JSON, NaN is null. */
export const hasCountedVelocity = ({ velocity, isLeftOut = false }: VelocityAt): boolean =>
  Number.isFinite(velocity) && !isLeftOut;

/** A cycle needs at least this many velocities. */
const LEAST_NUMBERS = 5;

/** A change is larger than this fraction of the velocity and than this many errors. */
const [LEAST_CHANGE, ERRORS] = [0.03, 2];

/** Smallest fraction of the variance that a sine explains in pulsatile flow. */
const LEAST_EXPLAINED = 0.5;

/** A rhythm has at least this many cycles, and values a cycle apart at least this correlation. */
const [LEAST_CYCLES, LEAST_LIKENESS] = [2, 0.3];

/** Largest number of windows searched for a cycle: work grows with their square. */
const MOST_WINDOWS = 2000;

/** Frequencies tried per cycle in the recording. */
const FINE = 8;

/**
 * Median and cycle of the velocities of a recording.
 *
 * @param found at equal distances
 * @param window lines
 * @returns `numbers` of windows with a velocity, their `median` in pixels per line, and the `cycle`, null
 *   if none stands out from the errors. `cycles` counts those of the best sine in the recording, below 1 for
 *   part of a cycle; `period` is in lines; `computeMean` is over as many whole cycles as fit, from the first window
 *   on, NaN if none fits; `isRhythm` if the cycle repeats.
 */
export function summarizeVelocities(found: readonly VelocityAt[], window: number): {
  numbers: number;
  median: number;
  cycle: {
    cycles: number;
    period: number;
    mean: number;
    isRhythm: boolean;
  } | null;
} {
  const numbers = found.filter(hasCountedVelocity);
  const velocities = Float64Array.from(found, (one) => hasCountedVelocity(one) ? one.velocity : NaN);
  const period = findCycleLength(found.slice(0, MOST_WINDOWS), window);
  const [first = 0, last = 0] = [numbers.at(0)?.line, numbers.at(-1)?.line];
  const cycles = period === null ? 0 : (last - first + window) / period;
  const whole = Math.floor(cycles * (1 + 1 / FINE)) * (period ?? 0);
  const within = numbers.filter(({ line }) => line - first < whole).map(({ velocity }) => velocity);
  return {
    numbers: numbers.length,
    median: findPercentile(velocities, 50),
    cycle: period === null ? null : {
      cycles,
      period,
      mean: cycles < 1 ? NaN : computeMean(within),
      isRhythm: cycles >= LEAST_CYCLES &&
        repeatsAfter(velocities, period / measureStep(found)),
    },
  };
}

/** Lines from one window to the next; NaN for fewer than two. */
export const measureStep = ([first, second]: readonly { readonly line: number }[]): number =>
  first === undefined || second === undefined ? NaN : second.line - first.line;

/** Whether values resemble those a period later. @param period in values */
function repeatsAfter(values: Float64Array, period: number) {
  const [middle, spread] = [computeMean(values), computeDeviation(values) ** 2];
  const away = Math.round(period);
  const earlier = values.subarray(0, Math.max(0, values.length - away));
  const products = earlier.map((value, i) => (value - middle) * (values[i + away]! - middle));
  return computeMean(products) > LEAST_LIKENESS * spread;
}

/**
 * Share of the time in which cells stand still, of the windows that show whether they do. A window between rest and flow
 * is half at rest if it does not say.
 *
 * @param found at equal distances
 */
export function shareOfRest(
  found: readonly { verdict: string; velocity: number | null; rest?: number }[],
): number {
  const known = found.map(({ verdict, velocity, rest = 0 }) =>
    verdict === "standing" ? 1 : rest > 0 ? rest : Number.isFinite(velocity) ? 0 : NaN
  );
  const shares = known.map((share, i) => {
    if (Number.isFinite(share)) return share;
    const before = known.slice(Math.max(0, i - 3), i).findLast(Number.isFinite) ?? NaN;
    const after = known.slice(i + 1, i + 4).find(Number.isFinite) ?? NaN;
    return (before + after) / 2;
  });
  return computeMean(shares);
}

/** Length in lines of the cycle that explains most of the change; null without one. */
function findCycleLength(found: readonly VelocityAt[], window: number): number | null {
  const numbers = found.filter(hasCountedVelocity);
  if (numbers.length < LEAST_NUMBERS) return null;
  const velocities = Float64Array.from(found, (one) => hasCountedVelocity(one) ? one.velocity : NaN);
  const noise = Float64Array.from(numbers, ({ velocity, error }) => error > 0 ? (velocity * error) ** 2 : 0);
  const least = Math.max(
    LEAST_CHANGE * Math.abs(computeMean(velocities)),
    ERRORS * Math.sqrt(computeMean(noise)),
  );
  if (!(computeDeviation(velocities) > least)) return null;
  const step = measureStep(found);
  const duration = (numbers.at(-1)?.line ?? NaN) - (numbers.at(0)?.line ?? NaN) + window;
  let best = { explained: 0, cycles: 0 };
  // From a quarter of a cycle in the recording to two and a half windows per cycle.
  for (let i = FINE / 4; i <= FINE * duration / (2.5 * step); i += 1) {
    const cycles = i / FINE;
    const explained = computeSineShare(velocities, cycles / duration * step);
    if (explained > best.explained) best = { explained, cycles };
  }
  return best.explained < LEAST_EXPLAINED ? null : duration / best.cycles;
}
