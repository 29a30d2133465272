/** Time stamps and the steps between them. */

/** Largest number of times that are served: half an hour at 100 Hz. For longer series only the step is served. */
export const MAX_TIMES = 200_000;

/** Largest number of stamps that are read for a step, 8 bytes each: two minutes of a line scan at 8 kHz. */
export const MAX_STAMPS = 1 << 20;

/** Largest number of times that are read one by one, from documents or frames; each takes up to half a millisecond. */
export const MAX_TIME_RECORDS = 4096;

/** Seconds of each stamp since the first; `null` unless 2 to {@linkcode MAX_TIMES} stamps are finite and ascending. */
export function timesFrom(stamps: ArrayLike<number> | null, unitsPerSecond = 1): number[] | null {
  if (stamps === null || stamps.length < 2 || stamps.length > MAX_TIMES) return null;
  const first = stamps[0]!;
  const times = Array.from(stamps, (stamp) => (stamp - first) / unitsPerSecond);
  const rise = times.every((time, i) => Number.isFinite(time) && (i === 0 || time > times[i - 1]!));
  return rise ? times : null;
}

/** Mean step from the first to the last stamp; `null` unless it is positive. */
export function meanStep(stamps: ArrayLike<number> | null): number | null {
  if (stamps === null || stamps.length < 2) return null;
  const step = (stamps[stamps.length - 1]! - stamps[0]!) / (stamps.length - 1);
  return Number.isFinite(step) && step > 0 ? step : null;
}
