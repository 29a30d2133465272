/** Velocities that are measured in synthetic streaks (streaks.ts), with their errors. */
import { measuredIn } from "../page/synthetic.ts";
import { streaks } from "./streaks.ts";

const WINDOWS = 10;

/** Streaks and their number; every other recording runs backwards. */
export interface Field {
  readonly window: number;
  readonly columns: number;
  /** Pixels a line. */
  readonly speed: number;
  readonly noise: number;
  /** Width and mean distance of the cells, in pixels. */
  readonly cells: readonly [width: number, distance: number];
  /** Of 10 windows each. */
  readonly recordings: number;
}

/** `off` is the true error as a part of the velocity, NaN where none was measured. */
export function measuredStreaks({ window, columns, speed, noise, cells, recordings }: Field) {
  const lines = WINDOWS * window;
  const [width, distance] = cells;
  return Array.from({ length: recordings }, (_, i) => {
    const velocity = i % 2 === 0 ? speed : -speed;
    const samples = streaks({ lines, columns, velocity, noise, seed: 100 + i, width, distance });
    return measuredIn("velocity", { samples, shape: [lines, columns] }, {
      method: "autocorrelation",
      window,
      step: window,
    }).found
      .map((found) => ({ ...found, off: Math.abs(found.velocity / velocity - 1) }));
  }).flat();
}

/** Which part of the values is below it, `part` from 0 to 1. */
export function percentile(values: readonly number[], part: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(part * sorted.length))] ?? NaN;
}
