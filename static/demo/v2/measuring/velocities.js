/**
 * Measures velocities in as many workers as there are cores. One chooses the window and estimates what stands still in
 * the recording; then each takes the next lines until none are left.
 *
 * @typedef {import("../../../measure/velocity.js").Plane} Plane
 * @typedef {import("../../../measure/velocity.js").VelocityAt} VelocityAt
 * @typedef {Omit<import("../../../measure/velocity.js").Windows, "window"> & {window: number | null, lineTime: number | null}} Wanted
 *   without a window one is chosen, with a step of half of it; `lineTime` in seconds
 * @typedef {{found: VelocityAt[], window: number, step: number}} Velocities
 */
import { windowStarts, withBends } from "../../../measure/velocity.js";
import { asked, withWorkers } from "./workers.js";

/** Most windows of an order: they outweigh its message and are soon done. */
const MOST_WINDOWS = 64;

/** Orders of each worker in a short recording, so that no core waits for long at its end. */
const ORDERS = 8;

/** Milliseconds between two calls of `onFound`. */
const SHOW_EVERY = 250;

/**
 * @param {Plane} plane its samples are copied
 * @param {Wanted} windows
 * @param {{signal: AbortSignal, onFound: (found: VelocityAt[], of: number) => void}} options `onFound` takes what is found
 *   so far, in order, of so many windows
 * @returns {Promise<Velocities>}
 * @throws {DOMException} `AbortError` when the signal ends it
 * @throws {Error} invalid windows, or workers are unavailable
 */
export async function measureVelocities(plane, windows, { signal, onFound }) {
  return await withWorkers(
    "velocity_worker.js",
    signal,
    (newWorker) => measured(newWorker, plane, windows, onFound),
  );
}

/** @type {(newWorker: () => Worker, plane: Plane, windows: Wanted, onFound: (found: VelocityAt[], of: number) => void) => Promise<Velocities>} */
async function measured(newWorker, plane, windows, onFound) {
  const first = newWorker();
  const { window, step, standing } = await asked(first, { plane, windows });
  const starts = windowStarts(plane.shape[0], { window, step });
  const cores = Math.max(1, navigator.hardwareConcurrency ?? 1);
  const size = Math.min(MOST_WINDOWS, Math.ceil(starts.length / cores / ORDERS)) || 1;
  const orders = Math.ceil(starts.length / size);
  /** @type {VelocityAt[][]} */
  const found = [];
  let [next, shownAt] = [0, -Infinity];
  const work = async (/** @type {Worker} */ worker) => {
    while (next < orders) {
      const order = next;
      next += 1;
      found[order] = await velocitiesIn(
        worker,
        plane,
        { ...windows, window, standing },
        starts.slice(order * size, (order + 1) * size),
      );
      if (performance.now() - shownAt < SHOW_EVERY) continue;
      shownAt = performance.now();
      onFound(found.flat(), starts.length);
    }
  };
  const more = Array.from({ length: Math.max(0, Math.min(cores, orders) - 1) }, newWorker);
  await Promise.all([first, ...more].map(work));
  return { found: withBends(found.flat(), { window, step }), window, step };
}

/**
 * Velocities of some windows, from a copy of their lines alone.
 *
 * @param {Worker} worker
 * @param {Plane} plane
 * @param {Wanted & {window: number}} windows
 * @param {readonly number[]} starts
 * @returns {Promise<VelocityAt[]>}
 */
async function velocitiesIn(worker, { samples, shape: [, columns] }, windows, starts) {
  const from = starts[0];
  const to = starts[starts.length - 1] + windows.window;
  const lines = samples.slice(from * columns, to * columns);
  const order = {
    plane: { samples: lines, shape: [to - from, columns] },
    windows,
    starts: starts.map((start) => start - from),
  };
  /** @type {VelocityAt[]} */
  const found = await asked(worker, order, [lines.buffer]);
  return found.map((one) => ({ ...one, line: one.line + from }));
}
