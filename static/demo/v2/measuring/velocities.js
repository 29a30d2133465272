/**
 * Measures velocities in as many workers as there are cores. Each takes the next lines until none are left: first those
 * of the windows that are tried, then those of the window that was chosen.
 *
 * @typedef {import("../../../measure/velocity.js").Plane} Plane
 * @typedef {import("../../../measure/velocity.js").VelocityAt} VelocityAt
 * @typedef {Omit<import("../../../measure/velocity.js").Windows, "window"> & {window: number | null, lineTime: number | null}} Wanted
 *   without a window one is chosen, with a step of half of it; `lineTime` in seconds
 * @typedef {{found: VelocityAt[], window: number, step: number}} Velocities
 */
import { standingPart } from "../../../measure/standing.js";
import { windowStarts, withBends } from "../../../measure/velocity.js";
import { TRIAL_METHOD, windowChoice } from "../../../measure/window_choice.js";
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
  const cores = Math.max(1, navigator.hardwareConcurrency ?? 1);
  return await withWorkers("velocity_worker.js", signal, (newWorker) => {
    const workers = Array.from({ length: cores }, newWorker);
    return measured(workers, plane, windows, onFound);
  });
}

/** @type {(workers: Worker[], plane: Plane, windows: Wanted, onFound: (found: VelocityAt[], of: number) => void) => Promise<Velocities>} */
async function measured(workers, plane, windows, onFound) {
  const rows = plane.shape[0];
  const window = windows.window ?? await chosenWindow(workers, plane, windows);
  const step = windows.window === null ? Math.max(1, Math.floor(window / 2)) : windows.step;
  const starts = windowStarts(rows, { window, step });
  const size = Math.min(MOST_WINDOWS, Math.ceil(starts.length / workers.length / ORDERS)) || 1;
  const order = orderOf(plane, { ...windows, window });
  const orders = Array.from(
    { length: Math.ceil(starts.length / size) },
    (_, i) => order(starts.slice(i * size, (i + 1) * size)),
  );
  let shownAt = -Infinity;
  const found = await shared(workers, plane, orders, (found) => {
    if (performance.now() - shownAt < SHOW_EVERY) return;
    shownAt = performance.now();
    onFound(found.flat(), starts.length);
  });
  return { found: withBends(found.flat(), { window, step }), window, step };
}

/** @param {Worker[]} workers @param {Plane} plane @param {Wanted} windows */
async function chosenWindow(workers, plane, windows) {
  const choice = windowChoice(plane.shape[0], windows.lineTime);
  let step = choice.next();
  while (!step.done) {
    const trials = step.value;
    const orders = trials.flatMap(({ window, starts }) => {
      const order = orderOf(plane, { ...windows, window, method: TRIAL_METHOD });
      return starts.map((start) => order([start]));
    });
    const found = (await shared(workers, plane, orders)).flat();
    step = choice.next(trials.map(({ starts }) => found.splice(0, starts.length)));
  }
  return step.value;
}

/**
 * @typedef {object} Order
 * @property {Wanted & {window: number, standing: Float64Array}} windows
 * @property {readonly number[]} starts
 */

/** Orders of windows that have the same length. @type {(plane: Plane, windows: Wanted & {window: number}) => (starts: readonly number[]) => Order} */
function orderOf({ samples, shape: [rows, columns] }, windows) {
  const standing = standingPart(samples, rows, columns, windows.window);
  return (starts) => ({ windows: { ...windows, standing }, starts });
}

/** Has orders done by all workers. @type {(workers: Worker[], plane: Plane, orders: readonly Order[], onFound?: (found: VelocityAt[][]) => void) => Promise<VelocityAt[][]>} */
async function shared(workers, plane, orders, onFound = () => {}) {
  /** @type {VelocityAt[][]} */
  const found = [];
  let next = 0;
  await Promise.all(workers.map(async (worker) => {
    while (next < orders.length) {
      const i = next;
      next += 1;
      found[i] = await velocitiesIn(worker, plane, orders[i]);
      onFound(found);
    }
  }));
  return found;
}

/** Velocities of some windows, from a copy of their lines alone. @type {(worker: Worker, plane: Plane, order: Order) => Promise<VelocityAt[]>} */
async function velocitiesIn(worker, { samples, shape: [, columns] }, { windows, starts }) {
  const from = starts[0];
  const to = starts[starts.length - 1] + windows.window;
  const lines = samples.slice(from * columns, to * columns);
  /** @type {VelocityAt[]} */
  const found = await asked(worker, {
    plane: { samples: lines, shape: [to - from, columns] },
    windows,
    starts: starts.map((start) => start - from),
  }, [lines.buffer]);
  return found.map((one) => ({ ...one, line: one.line + from }));
}
