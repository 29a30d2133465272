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
  signal.throwIfAborted();
  /** @type {Worker[]} */
  const workers = [];
  const newWorker = () => {
    const worker = new Worker(new URL("velocity_worker.js", import.meta.url), { type: "module" });
    workers.push(worker);
    return worker;
  };
  try {
    return await Promise.race([
      new Promise((_, failed) =>
        signal.addEventListener("abort", () => failed(signal.reason), { once: true })
      ),
      measured(newWorker, plane, windows, onFound),
    ]);
  } finally {
    for (const worker of workers) worker.terminate();
  }
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

/** @type {(worker: Worker, order: object, transfer?: Transferable[]) => Promise<any>} */
const asked = (worker, order, transfer = []) =>
  new Promise((done, failed) => {
    worker.onmessage = ({ data }) => data.fault === undefined ? done(data) : failed(new Error(data.fault));
    worker.onerror = (event) => {
      event.preventDefault();
      failed(new Error(event.message || "The browser runs no workers"));
    };
    worker.postMessage(order, transfer);
  });
