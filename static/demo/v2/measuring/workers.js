/**
 * Runs measurements in workers. A measurement that divides its work gets a worker per core; each takes the next order
 * until none is left.
 *
 * @typedef {(found: readonly Item[], done: number, of: number) => void} OnFound receives what was found so far, in
 *   order, after `done` of `of` orders
 */
import { linesOf, placed } from "../../../measure/measurement.js";
import { asked } from "../controls/worker.js";

/** @import { Band, Found, Item, Measurement, Order, Plane, Settings } from "../../../measure/measurement.js" */

/** Milliseconds between two calls of `onFound`. */
const SHOW_EVERY = 250;

/**
 * Measures a plane, whose samples are copied.
 *
 * @type {(measurement: Measurement, order: {plane: Plane, band: Band, settings: Settings}, options: {signal: AbortSignal, onFound: OnFound}) => Promise<Found>}
 * @throws {DOMException} `AbortError` when the signal ends it
 * @throws {Error} a setting does not fit, or workers are unavailable
 */
export function measuredInWorkers({ key, divide }, { plane, band, settings }, { signal, onFound }) {
  return withWorkers(signal, async (newWorker) => {
    if (divide === undefined) {
      return { found: await asked(newWorker(), { key, plane, band, settings }), settings };
    }
    const workers = Array.from({ length: Math.max(1, navigator.hardwareConcurrency ?? 1) }, newWorker);
    const steps = divide(plane, band, settings);
    let step = steps.next();
    while (!step.done) step = steps.next(await shared(workers, key, plane, step.value, onFound));
    return step.value;
  });
}

/**
 * Measures the item nearest to a place; null without one.
 *
 * @param {Measurement} measurement
 * @param {{plane: Plane, band: Band, settings: Settings, at: {line: number, column: number}}} order
 * @param {AbortSignal} signal
 */
export const measuredAt = ({ key }, order, signal) =>
  withWorkers(signal, (newWorker) => asked(newWorker(), { key, ...order }));

/** Distributes orders over all workers. @type {(workers: Worker[], key: string, plane: Plane, orders: readonly Order[], onFound: OnFound) => Promise<Item[][]>} */
async function shared(workers, key, plane, orders, onFound) {
  /** @type {Item[][]} */
  const found = [];
  let [next, done, shownAt] = [0, 0, -Infinity];
  await Promise.all(workers.map(async (worker) => {
    while (next < orders.length) {
      const i = next;
      next += 1;
      const order = orders[i];
      const lines = linesOf(plane, order);
      found[i] = placed(await asked(worker, { key, plane: lines, order }, [lines.samples.buffer]), order);
      done += 1;
      if (order.isTrial || performance.now() - shownAt < SHOW_EVERY) continue;
      shownAt = performance.now();
      onFound(found.flat(), done, orders.length);
    }
  }));
  return found;
}

/**
 * Runs work with workers, and terminates them after it.
 *
 * @template Result
 * @param {AbortSignal} signal ends work and workers
 * @param {(newWorker: () => Worker) => Promise<Result>} work
 * @returns {Promise<Result>}
 * @throws {DOMException} `AbortError` when the signal ends it
 */
async function withWorkers(signal, work) {
  signal.throwIfAborted();
  /** @type {Worker[]} */
  const workers = [];
  const newWorker = () => {
    const worker = new Worker(new URL("measurement_worker.js", import.meta.url), { type: "module" });
    workers.push(worker);
    return worker;
  };
  try {
    return await Promise.race([
      new Promise((_, failed) =>
        signal.addEventListener("abort", () => failed(signal.reason), { once: true })
      ),
      work(newWorker),
    ]);
  } finally {
    for (const worker of workers) worker.terminate();
  }
}
