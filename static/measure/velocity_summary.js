/**
 * Summary of the velocities of a recording. In pulsatile flow, a median means little unless the recording covers whole
 * cycles, so the summary counts the cycles, too.
 *
 * @typedef {import("./velocity.js").VelocityAt} VelocityAt
 *
 * @typedef {object} Summary
 * @property {number} windows
 * @property {number} numbers windows with a velocity
 * @property {number} median pixels per line; NaN without velocities
 * @property {Cycle | null} cycle null if the velocity has no cycle that stands out from its errors
 *
 * @typedef {object} Cycle
 * @property {number} cycles number of cycles of the best sine in the recording; below 1 for part of a cycle
 * @property {number} period lines
 * @property {number} mean over as many whole cycles as fit, from the first window on; NaN if none fits
 */
import { sineShare } from "./heart_rate.js";
import { deviation, mean, percentile } from "./traces.js";

/** Whether a window has a velocity that counts; in JSON, NaN is null. @param {VelocityAt} found */
export const isNumber = ({ velocity, isLeftOut = false }) => Number.isFinite(velocity) && !isLeftOut;

/** A cycle needs at least this many velocities. */
const LEAST_NUMBERS = 5;

/** A change is larger than this fraction of the velocity and than this many errors. */
const [LEAST_CHANGE, ERRORS] = [0.03, 2];

/** Smallest fraction of the variance that a sine explains in pulsatile flow. */
const LEAST_EXPLAINED = 0.5;

/** Largest number of windows searched for a cycle: work grows with their square. */
const MOST_WINDOWS = 2000;

/** Frequencies tried per cycle in the recording. */
const FINE = 8;

/** @param {readonly VelocityAt[]} found at equal distances @param {number} window lines @returns {Summary} */
export function velocitySummary(found, window) {
  const velocities = Float64Array.from(found, (one) => isNumber(one) ? one.velocity : NaN);
  const numbers = velocities.filter(Number.isFinite).length;
  const period = periodOf(found.slice(0, MOST_WINDOWS), window);
  const cycle = period === null ? null : cyclesOf(found.filter(isNumber), window, period);
  return { windows: found.length, numbers, median: percentile(velocities, 50), cycle };
}

/**
 * Length in lines of the cycle that explains most of the change; null without one.
 *
 * @type {(found: readonly VelocityAt[], window: number) => number | null}
 */
function periodOf(found, window) {
  const numbers = found.filter(isNumber);
  if (numbers.length < LEAST_NUMBERS) return null;
  const velocities = Float64Array.from(found, (one) => isNumber(one) ? one.velocity : NaN);
  const noise = Float64Array.from(numbers, ({ velocity, error }) => error > 0 ? (velocity * error) ** 2 : 0);
  const least = Math.max(
    LEAST_CHANGE * Math.abs(meanOf(velocities)),
    ERRORS * Math.sqrt(meanOf(noise)),
  );
  if (!(deviation(velocities) > least)) return null;
  const step = found[1].line - found[0].line;
  const duration = numbers[numbers.length - 1].line - numbers[0].line + window;
  let best = { explained: 0, cycles: 0 };
  // From a quarter of a cycle in the recording to two and a half windows per cycle.
  for (let i = FINE / 4; i <= FINE * duration / (2.5 * step); i += 1) {
    const cycles = i / FINE;
    const explained = sineShare(velocities, cycles / duration * step);
    if (explained > best.explained) best = { explained, cycles };
  }
  return best.explained < LEAST_EXPLAINED ? null : duration / best.cycles;
}

/** @param {readonly VelocityAt[]} numbers @param {number} window @param {number} period lines @returns {Cycle} */
function cyclesOf(numbers, window, period) {
  const first = numbers[0].line;
  const cycles = (numbers[numbers.length - 1].line - first + window) / period;
  const whole = Math.floor(cycles * (1 + 1 / FINE)) * period;
  const within = numbers.filter(({ line }) => line - first < whole).map(({ velocity }) => velocity);
  return { cycles, period, mean: cycles < 1 ? NaN : meanOf(Float64Array.from(within)) };
}

/** @param {Float64Array} values */
const meanOf = (values) => mean(values, 0, values.length);
