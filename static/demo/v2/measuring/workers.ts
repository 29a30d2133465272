/** Runs the measurements of the page: quick ones at once, others in workers, one per core. */
import {
  type Band,
  type Item,
  measureInThread,
  type Measurement,
  type Settings,
} from "../../../measure/measurement.ts";
import { MeasureWorkers, type OnFound } from "../../../measure/measure_workers.ts";
import {
  measureBy,
  type Recording,
  type Refusal,
  type RegionOrder,
  type RunMeasurement,
} from "../../../measure/recording.ts";
import type { Result } from "../../../measure/result.ts";
import type { ScanSamples } from "../../../measure/line_scan.ts";

/**
 * Measures quick measurements in this thread, others in workers, which get copies of the samples. What it gives back throws
 * `AbortError` when the signal ends it, and an error if a setting does not fit or workers are unavailable.
 */
export const runBy =
  (signal: AbortSignal, onFound: OnFound = () => {}): RunMeasurement =>
  (measurement, plane, band, settings) =>
    measurement.isQuick
      ? measureInThread(measurement, plane, band, settings)
      : withWorkers(signal, (workers) =>
        workers.measureDivided(measurement, { plane, band, settings }, onFound));

/** Most lines of all orders that a quick measurement measures at once: more stop the page for half a second and longer. */
const MOST_LINES_AT_ONCE = 50_000;

/** Whether orders take so short that this thread follows them. */
export const isDoneAtOnce = (orders: readonly RegionOrder[], lines: number): boolean =>
  orders.length * lines <= MOST_LINES_AT_ONCE && orders.every(({ measurement }) => measurement.isQuick);

/**
 * Follows many orders of a quick measurement, each in the first free worker.
 *
 * @param onDone receives how many were followed
 * @throws {DOMException} `AbortError` when the signal ends it
 */
export const measureTogether = (
  signal: AbortSignal,
  recording: Recording,
  orders: readonly RegionOrder[],
  onDone: (done: number) => void,
): Promise<(Result | Refusal)[]> =>
  withWorkers(signal, async (workers) => {
    let done = 0;
    const made = await Promise.all(orders.map(async (order) => {
      const found = await measureBy((...parts) => workers.measure(...parts), recording, [order]);
      onDone(done += 1);
      return found;
    }));
    return made.flat();
  });

/** Measures the item nearest to a place; null without one. */
export const measureAt = (
  measurement: Measurement,
  order: { plane: ScanSamples; band: Band; settings: Settings; at: { line: number; column: number } },
  signal: AbortSignal,
): Promise<Item | null> => withWorkers(signal, (workers) => workers.measureAt(measurement, order));

/** Runs work with workers, and terminates them after it. @throws {DOMException} `AbortError` when the signal ends it */
async function withWorkers<Result>(
  signal: AbortSignal,
  work: (workers: MeasureWorkers) => Promise<Result>,
): Promise<Result> {
  signal.throwIfAborted();
  const workers = new MeasureWorkers(
    Math.max(1, navigator.hardwareConcurrency ?? 1),
    () => new Worker(new URL("measurement_worker.ts", import.meta.url), { type: "module" }),
  );
  try {
    return await Promise.race([
      new Promise<never>((_, failed) =>
        signal.addEventListener("abort", () => failed(signal.reason), { once: true })
      ),
      work(workers),
    ]);
  } finally {
    workers[Symbol.dispose]();
  }
}
