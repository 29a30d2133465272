/**
 * Velocities in a line scan: over time, from windows (by the method in window_velocity.ts and changing_velocity.ts), and
 * of a line drawn over a streak. A velocity is positive if the position increases with time.
 */
import { chooseUnitSymbol, formatRounded, formatTableUnit } from "../axes.ts";
import { formatPerTime, type Sampling, type ScanSamples, type SegmentPlace } from "../line_scan.ts";
import { measureChangingVelocity } from "./changing_velocity.ts";
import { measureByPiv, measureByRadon } from "./published_methods.ts";
import { computeMean, findExtent } from "../traces.ts";
import { type Flow, measureWindowFlow, type WindowFlow } from "./window_flow.ts";
import { LEAST_MOVE, makeUnmeasured, type WindowVelocity } from "./window_velocity.ts";

/** Name of a method of {@linkcode METHODS}. */
export type Method = keyof typeof METHODS;

/** How windows are measured. */
export interface Windows {
  /** Lines per window. */
  window: number;
  /** Part of each line, end excluded. */
  columns: readonly [from: number, to: number];
  method: Method;
  /** Stationary part of each column of the recording. */
  standing: Float64Array;
  /** Time from one pixel of a line to the next, in lines; 0 if unknown. */
  pixelTime: number;
  /** Lines of which the mean is taken first, to try long windows quickly; a divisor of `window`. */
  every?: number;
}

/**
 * The velocity of a window. `line` is its middle, from 0; `isLeftOut` if the user left it out; `isIndicative` if its error is not
 * calibrated.
 */
export type VelocityAt = WindowVelocity & Partial<Flow> & {
  line: number;
  isLeftOut?: boolean;
  isIndicative?: boolean;
};

/** A window needs at least this many lines and columns for a measurable angle. */
export const SHORTEST_WINDOW: number = 2 * LEAST_MOVE;

/** Methods by name, as tables cite them. */
export const METHODS = {
  agreeing: "Radon transform (Drew et al. 2010) by autocorrelation, of windows that agree",
  autocorrelation: "Radon transform (Drew et al. 2010) by autocorrelation",
  radon: "Radon transform as published (Drew et al. 2010)",
  piv: "line-scanning PIV as published (Kim et al. 2012)",
};

/**
 * First lines of windows that lie `step` lines apart; empty if none fits.
 *
 * @throws {RangeError} invalid step
 */
export function listWindowStarts(rows: number, window: number, step: number): number[] {
  if (!(Number.isInteger(step) && step >= 1)) {
    throw new RangeError(`A step needs at least 1 line, not ${step}`);
  }
  const count = Math.max(0, Math.floor((rows - window) / step) + 1);
  return Array.from({ length: count }, (_, i) => i * step);
}

/** Error left by the correction, as a fraction of it: a pulse also bends in higher orders. */
const MISSED = 0.15;

/** Rounds after which corrections of neighbours no longer change each other. */
const ROUNDS = 4;

/**
 * Corrects velocities for the bend of their course over time, such as at the top of a pulse. Least squares over n lines
 * add n² / 40 times the second derivative. The windows half a window away give it with less noise than the window itself.
 */
export function withBends(found: readonly VelocityAt[], window: number, step: number): VelocityAt[] {
  const away = Math.max(1, Math.round(window / 2 / step));
  const part = window ** 2 / 40 / (away * step) ** 2;
  const straight = found.map(({ straight, velocity, error }) => straight ?? { velocity, error });
  const noises = straight.map(({ velocity, error }) => Math.abs(velocity) * error);
  let bends = straight.map(() => 0);
  for (let round = 0; round < ROUNDS; round += 1) {
    const at = (i: number) => (straight[i]?.velocity ?? NaN) - (bends[i] ?? NaN);
    const own = noises.map((noise, i) => {
      const bend = part * (at(i - away) - 2 * at(i) + at(i + away));
      const around = part * Math.hypot(noises[i - away] ?? NaN, 2 * noise, noises[i + away] ?? NaN);
      // Removes what noise alone contributes.
      return bend === 0 ? 0 : bend * Math.max(0, 1 - (around / bend) ** 2);
    });
    // The first and last windows have neighbours on one side only, and take the bend of a neighbour.
    bends = own.map((bend, i) => Number.isFinite(bend) ? bend : own[i - away] || own[i + away] || NaN);
  }
  return found.map(({ straight: _, ...one }, i) => {
    const [bend = NaN, noise = NaN, own] = [bends[i], noises[i], straight[i]];
    if (!Number.isFinite(bend) || own === undefined) return one;
    const velocity = own.velocity - bend;
    // The window's own noise also enters through the bend, with the same sign.
    const error = Math.hypot((1 + 2 * part) * noise, MISSED * bend) / Math.abs(velocity);
    return { ...one, velocity, error };
  });
}

/**
 * Measures the velocity in the windows that begin at the given lines.
 *
 * @throws {RangeError} invalid window, columns or time along the line
 */
export function measureVelocities(
  { samples, shape: [, width] }: ScanSamples,
  windows: Windows,
  starts: readonly number[],
): VelocityAt[] {
  const { window, columns: [from, to], pixelTime, method, standing, every = 1 } = windows;
  if (!(Number.isInteger(window) && window >= SHORTEST_WINDOW)) {
    throw new RangeError(`A window needs at least ${SHORTEST_WINDOW} lines, not ${window}`);
  }
  if (!(from >= 0 && to <= width && to - from >= SHORTEST_WINDOW)) {
    throw new RangeError(`A velocity needs at least ${SHORTEST_WINDOW} columns, not ${from} to ${to}`);
  }
  if (!(pixelTime >= 0 && pixelTime * width <= 1)) {
    throw new RangeError(`${width} pixels of ${pixelTime} lines are longer than a line`);
  }
  if (!Object.hasOwn(METHODS, method)) throw new RangeError(`There is no method ${method}`);
  const isAgreeing = method === "agreeing";
  const [size, rows] = [to - from, Math.floor(window / every)];
  const values = new Float64Array(rows * size);
  const own = standing.slice(from, to);
  const wall = own.map((value) => value - computeMean(own));
  return starts.map((start) => {
    values.fill(0);
    for (let row = 0; row < rows * every; row += 1) {
      const at = Math.floor(row / every) * size;
      for (let column = from; column < to; column += 1) {
        const value = samples[(start + row) * width + column]! - (isAgreeing ? 0 : standing[column]!);
        values[at + column - from]! += value / every;
      }
    }
    const line = start + (window - 1) / 2;
    if (!isAgreeing) {
      const measure = method === "autocorrelation" ? measureChangingVelocity : published[method];
      return { line, ...correctAlongLine(measure(values, rows, size), pixelTime) };
    }
    return {
      line,
      ...correctAlongLine(scalePerLine(measureWindowFlow(values, rows, size, wall), every), pixelTime),
    };
  });
}

/** Velocities per line, of means over several lines. */
function scalePerLine(found: WindowFlow, every: number): WindowFlow {
  if (every === 1) return found;
  const { velocity, second = NaN, rough } = found;
  const { straight: _, whole: __, ...rest } = found;
  return {
    ...rest,
    velocity: velocity / every,
    ...Number.isFinite(second) && { second: second / every },
    rough: { velocity: rough.velocity / every, error: rough.error / every },
  };
}

/** Measures by a published method, which gives a velocity for any window except a uniform one. */
const withVerdict = (
  measure: (values: Float64Array, rows: number, columns: number) => number,
): (values: Float64Array, rows: number, columns: number) => WindowVelocity =>
(values, rows, columns) => {
  const [low, high] = findExtent(values);
  // Rounding errors in a uniform window are not a pattern.
  const isEven = high - low <= 1e-9 * Math.max(Math.abs(low), Math.abs(high));
  const velocity = isEven ? NaN : measure(values, rows, columns);
  const unclear = makeUnmeasured("unclear", NaN);
  return Number.isFinite(velocity) ? { ...unclear, verdict: "measured", velocity } : unclear;
};

const published = { radon: withVerdict(measureByRadon), piv: withVerdict(measureByPiv) };

/**
 * Corrects for the time along the line. Pixel `x` of line `n` was scanned at the time `n + x * pixelTime`, in lines, so a
 * slope `a` in the picture means the velocity `a / (1 + a * pixelTime)`.
 */
function correctAlongLine<F extends WindowVelocity & Partial<Flow>>(found: F, pixelTime: number): F {
  const { second, secondError = NaN } = found;
  // The streak is faster than the scan.
  if (1 + Math.min(found.velocity, second ?? Infinity) * pixelTime <= 0) {
    return { ...found, verdict: "too fast", velocity: NaN, error: NaN };
  }
  const corrected = ({ velocity, error }: { velocity: number; error: number }) => {
    const slower = 1 + velocity * pixelTime;
    return { velocity: velocity / slower, error: error / slower };
  };
  const { straight, whole } = found;
  const other = second === undefined ? null : corrected({ velocity: second, error: secondError });
  return {
    ...found,
    ...corrected(found),
    ...straight && { straight: corrected(straight) },
    ...whole && { whole: { ...whole, ...corrected(whole) } },
    ...other && { second: other.velocity, secondError: other.error },
  };
}

/**
 * Time, distance and velocity of a drawn line in the axes' units; the velocity is infinite for a line that takes no time.
 */
export function measureDrawnLine(
  from: SegmentPlace,
  to: SegmentPlace,
  [time, space]: readonly [Sampling, Sampling],
): Record<"duration" | "distance" | "velocity", number> {
  const [first, last] = from.x <= to.x ? [from, to] : [to, from];
  const duration = (last.x - first.x) * time.step;
  const distance = (last.y - first.y) * space.step;
  return { duration, distance, velocity: distance / duration };
}

/** Converts pixels per line to the axes' units. */
export const convertVelocity = (velocity: number, [time, space]: readonly [Sampling, Sampling]): number =>
  velocity * space.step / time.step;

/** Unit of a velocity for tables, such as `um/s`. */
export const formatVelocityUnit = ([time, space]: readonly [Sampling, Sampling]): string =>
  `${formatTableUnit(space)}/${formatPerTime(time)}`;

/** Formats a velocity, such as `1.2 mm/s`. @param velocity in the axes' units */
export function formatVelocity(velocity: number, [time, space]: readonly [Sampling, Sampling]): string {
  if (Number.isNaN(velocity)) return "–";
  if (!Number.isFinite(velocity)) return "no duration";
  const [value, unit] = space.unit === "um" && Math.abs(velocity) >= 1000
    ? [velocity / 1000, "mm"]
    : [velocity, chooseUnitSymbol(space.unit)];
  return `${formatRounded(value)} ${unit}/${formatPerTime(time)}`;
}

/** The slowest and the fastest velocity that a window can measure, in pixels per line. */
export const findResolvable = (
  { window, columns: [from, to] }: Pick<Windows, "window" | "columns">,
): number[] => [LEAST_MOVE / window, (to - from) / LEAST_MOVE];
