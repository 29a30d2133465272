/** Time stamps: which lists count, the mean step between them, and whether a stated step agrees. */
import type { Acquisition } from "../reader.ts";
import { type Warning, warning } from "../warning.ts";

/** Time points, or rows of a line scan, whose times are served: half an hour at 100 Hz. Longer series have a step only. */
export const MAX_TIMES = 200_000;

/** Stamps that are read for a step, 8 bytes each; a line scan at 8 kHz has as many after two minutes. */
export const MAX_STAMPS = 1 << 20;

/** Share by which a stated step may differ from the mean of the stamps. */
const TOLERANCE = 0.01;

/**
 * Seconds of each stamp from the first.
 *
 * @param stamps one for each time point or row
 * @param unitsPerSecond 1000 for milliseconds
 * @returns `null` unless there are 2 to {@linkcode MAX_TIMES} finite stamps that rise
 */
export function timesFrom(stamps: ArrayLike<number> | null, unitsPerSecond = 1): number[] | null {
  if (stamps === null || stamps.length < 2 || stamps.length > MAX_TIMES) return null;
  const first = stamps[0]!;
  const times = Array.from(stamps, (stamp) => (stamp - first) / unitsPerSecond);
  const rise = times.every((time, i) => Number.isFinite(time) && (i === 0 || time > times[i - 1]!));
  return rise ? times : null;
}

/** Mean distance of stamps in their unit, by the first and the last; `null` where it is not positive. */
export function meanStep(stamps: ArrayLike<number> | null): number | null {
  if (stamps === null || stamps.length < 2) return null;
  const step = (stamps[stamps.length - 1]! - stamps[0]!) / (stamps.length - 1);
  return Number.isFinite(step) && step > 0 ? step : null;
}

/** Warns where the stated step along `T`, or of the lines of a line scan, is not the mean distance of the time stamps. */
export function timeDoubts({ axes, times, lineScan }: Acquisition): Warning[] {
  const axis = axes.find(({ name }) => name === "T") ??
    (lineScan ? axes.find(({ name }) => name === "Y") : undefined);
  const mean = meanStep(times);
  if (mean === null || axis?.size !== times?.length || axis?.unit !== "seconds") return [];
  if (Math.abs(mean - axis.step) <= TOLERANCE * Math.max(mean, axis.step)) return [];
  return [
    warning(
      "metadata_disagree",
      `The step along ${axis.name} is stated as ${digits(axis.step)} seconds; the time stamps are ${
        digits(mean)
      } seconds apart on average`,
    ),
  ];
}

const digits = (seconds: number) => Number(seconds.toPrecision(6));
