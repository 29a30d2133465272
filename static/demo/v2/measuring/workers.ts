/** Runs the measurements of the page: quick ones at once, others in workers, one per core. */
import {
  type Band,
  type Item,
  measureInThread,
  type Measurement,
  type Settings,
} from "../../../measure/measurement.ts";
import { MeasureWorkers, type OnFound } from "../../../measure/measure_workers.ts";
import type { RunMeasurement } from "../../../measure/recording.ts";
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
