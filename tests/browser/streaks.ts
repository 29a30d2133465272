/**
 * Line scans with streaks of known velocity: dark cells of Gaussian shape at random distances on a bright ground, which
 * move by `velocity` pixels a line, with Gaussian noise in units of the streaks' standard deviation.
 */

import { findExtent } from "../../static/measure/traces.ts";

/** Numbers in [0, 1) by the linear congruential generator of Numerical Recipes. */
export function randomNumbers(seed: number): () => number {
  let state = (seed * 2654435761) >>> 0;
  const next = () => (state = (Math.imul(state, 1664525) + 1013904223) >>> 0) / 2 ** 32;
  for (let i = 0; i < 10; i += 1) next();
  return next;
}

/** Normally distributed numbers, by Box and Muller. */
export function normalNumbers(random: () => number): () => number {
  return () => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
}

export interface Streaks {
  readonly lines: number;
  readonly columns: number;
  /** Pixels a line; positive to greater columns. Or the way in pixels at a time in lines, from 0. */
  readonly velocity: number | ((time: number) => number);
  readonly noise: number;
  readonly seed: number;
  /** Full width at half depth of a streak along a line. */
  readonly width?: number;
  /** Mean distance of neighbouring streaks along a line. */
  readonly distance?: number;
  /** Time from one pixel to the next in lines; 0 scans a line at once. */
  readonly pixelTime?: number;
}

/** Row-major samples: mean 100, standard deviation of the streaks 10. */
export function streaks(what: Streaks): Float32Array {
  const { lines, columns, velocity, noise, seed, width = 5, distance = 14, pixelTime = 0 } = what;
  const random = randomNumbers(seed);
  const normal = normalNumbers(random);
  const sigma = width / 2.3548;
  const way = typeof velocity === "number" ? (time: number) => velocity * time : velocity;
  const ways = Array.from({ length: lines + 1 }, (_, line) => way(line));
  const [nearest, farthest] = findExtent(ways);
  const low = -farthest - 8 * width;
  const high = columns - nearest + 8 * width;
  const fine = 8;
  const cells = new Float64Array(Math.ceil((high - low + 2) * fine));
  for (let cell = low; cell < high; cell += width - Math.log(1 - random()) * (distance - width)) {
    const first = Math.max(0, Math.floor((cell - low - 5 * sigma) * fine));
    const last = Math.min(cells.length, Math.ceil((cell - low + 5 * sigma) * fine));
    for (let i = first; i < last; i += 1) {
      cells[i]! -= Math.exp(-(((i / fine + low - cell) / sigma) ** 2) / 2);
    }
  }
  const mean = cells.reduce((sum, value) => sum + value, 0) / cells.length;
  const spread = Math.sqrt(cells.reduce((sum, value) => sum + (value - mean) ** 2, 0) / cells.length);
  return Float32Array.from({ length: lines * columns }, (_, i) => {
    const column = i % columns;
    const place = (column - way(Math.floor(i / columns) + column * pixelTime) - low) * fine;
    const left = Math.floor(place);
    const value = cells[left]! * (left + 1 - place) + cells[left + 1]! * (place - left);
    return 100 + 10 * ((value - mean) / spread + noise * normal());
  });
}
