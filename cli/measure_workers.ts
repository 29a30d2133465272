/** Runs measurements in workers, so that several recordings are measured at the same time. */
import type { Found } from "../static/measure/measurement.ts";
import type { RunMeasurement } from "../static/measure/recording.ts";
import { foundIn, type WorkerAnswer, type WorkerOrder } from "../static/measure/worker_order.ts";

/** A number of workers; each measurement takes the first free one. */
export class MeasureWorkers {
  readonly #all: Worker[];
  readonly #free: Worker[];
  readonly #waiting: ((worker: Worker | null) => void)[] = [];
  /** Why a worker was lost; no measurement runs after that. */
  #loss: Error | null = null;

  constructor(count: number) {
    const none = { read: false, write: false, net: false, env: false, run: false, sys: false, ffi: false };
    this.#all = Array.from(
      { length: count },
      () =>
        new Worker(new URL("./measure_worker.ts", import.meta.url).href, {
          type: "module",
          name: "measure",
          deno: { permissions: { ...none, import: false } },
        }),
    );
    this.#free = [...this.#all];
  }

  /** Runs a measurement. @throws {RangeError} a setting does not fit @throws {Error} a bug, or a worker was lost */
  readonly run: RunMeasurement<Promise<Found>> = async ({ key }, plane, band, settings) => {
    const worker = this.#free.pop() ?? await new Promise<Worker | null>((take) => this.#waiting.push(take));
    if (this.#loss !== null || worker === null) throw this.#loss;
    const { promise, resolve } = Promise.withResolvers<WorkerAnswer<Found>>();
    worker.onmessage = ({ data }) => resolve(data);
    worker.onerror = (event) => {
      event.preventDefault();
      this.#loss = new Error(`A worker was lost: ${event.message}`);
      resolve({ bug: this.#loss.message });
    };
    worker.postMessage({ key, plane, band, settings } satisfies WorkerOrder);
    const answer = await promise;
    if (this.#loss !== null) { for (const take of this.#waiting.splice(0)) take(null); }
    const next = this.#waiting.shift();
    if (next === undefined) this.#free.push(worker);
    else next(worker);
    return foundIn(answer);
  };

  [Symbol.dispose](): void {
    for (const worker of this.#all) worker.terminate();
  }
}

/** Does work for each item, `count` at a time; the results have the order of the items. */
export async function doInTurn<Item, Result>(
  items: readonly Item[],
  count: number,
  work: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = new Array(items.length);
  const waiting = items.entries();
  await Promise.all(Array.from({ length: count }, async () => {
    for (const [i, item] of waiting) results[i] = await work(item);
  }));
  return results;
}
