/**
 * Runs measurements in workers. A measurement that divides its work gets a worker per core; each takes the next order
 * until none is left.
 */
import {
  type Band,
  copyLines,
  type Found,
  type Item,
  type LineOrder,
  measureInThread,
  type Measurement,
  type Settings,
  shiftItems,
} from "../../../measure/measurement.ts";
import { askWorker } from "../controls/worker.ts";
import { foundIn, type WorkerAnswer, type WorkerOrder } from "../../../measure/worker_order.ts";
import type { RunMeasurement } from "../../../measure/recording.ts";
import type { ScanSamples } from "../../../measure/line_scan.ts";

/** Receives what was found so far, in order, after `done` of `of` orders. */
export type OnFound = (found: readonly Item[], done: number, of: number) => void;

/** Milliseconds between two calls of `onFound`. */
const SHOW_EVERY = 250;

/**
 * Measures a plane, whose samples are copied.
 *
 * @throws {DOMException} `AbortError` when the signal ends it
 * @throws {Error} a setting does not fit, or workers are unavailable
 */
function measureInWorkers(
  { key, divide }: Measurement,
  { plane, band, settings }: { plane: ScanSamples; band: Band; settings: Settings },
  { signal, onFound }: { signal: AbortSignal; onFound: OnFound },
): Promise<Found> {
  return withWorkers(signal, async (newWorker) => {
    if (divide === undefined) {
      return await ask<Found>(newWorker(), { key, plane, band, settings });
    }
    const workers = Array.from({ length: Math.max(1, navigator.hardwareConcurrency ?? 1) }, newWorker);
    const steps = divide(plane, band, settings);
    let step = steps.next();
    while (!step.done) step = steps.next(await shareOrders(workers, key, plane, step.value, onFound));
    return step.value;
  });
}

/** Measures quick measurements in this thread, others in workers. */
export const runBy =
  (signal: AbortSignal, onFound: OnFound = () => {}): RunMeasurement =>
  (measurement, plane, band, settings) =>
    measurement.isQuick
      ? measureInThread(measurement, plane, band, settings)
      : measureInWorkers(measurement, { plane, band, settings }, { signal, onFound });

/** Measures the item nearest to a place; null without one. */
export const measureAt = (
  { key }: Measurement,
  order: { plane: ScanSamples; band: Band; settings: Settings; at: { line: number; column: number } },
  signal: AbortSignal,
): Promise<Item | null> =>
  withWorkers(signal, (newWorker) => ask<Item | null>(newWorker(), { key, ...order }));

/** What a worker found. @throws {Error} a setting does not fit, a bug, or the browser runs no workers */
const ask = async <Answer>(worker: Worker, order: WorkerOrder, transfer: Transferable[] = []) =>
  foundIn(await askWorker<WorkerAnswer<Answer>>(worker, order, transfer));

/** Distributes orders over all workers. */
async function shareOrders(
  workers: Worker[],
  key: string,
  plane: ScanSamples,
  orders: readonly LineOrder[],
  onFound: OnFound,
): Promise<Item[][]> {
  const found: Item[][] = [];
  let [next, done, shownAt] = [0, 0, -Infinity];
  await Promise.all(workers.map(async (worker) => {
    while (next < orders.length) {
      const i = next;
      next += 1;
      const order = orders[i]!;
      const lines = copyLines(plane, order);
      found[i] = shiftItems(
        await ask<Item[]>(worker, { key, plane: lines, order }, [lines.samples.buffer]),
        order,
      );
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
 * @param signal ends work and workers
 * @throws {DOMException} `AbortError` when the signal ends it
 */
async function withWorkers<Result>(
  signal: AbortSignal,
  work: (newWorker: () => Worker) => Promise<Result>,
): Promise<Result> {
  signal.throwIfAborted();
  const workers: Worker[] = [];
  const newWorker = () => {
    const worker = new Worker(new URL("measurement_worker.ts", import.meta.url), { type: "module" });
    workers.push(worker);
    return worker;
  };
  try {
    return await Promise.race([
      new Promise<never>((_, failed) =>
        signal.addEventListener("abort", () => failed(signal.reason), { once: true })
      ),
      work(newWorker),
    ]);
  } finally {
    for (const worker of workers) worker.terminate();
  }
}
