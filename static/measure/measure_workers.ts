/** Runs measurements in workers, for the page and for `acq-server measure`. */
import {
  type Band,
  copyLines,
  type Found,
  type Item,
  type LineOrder,
  type Measurement,
  type Settings,
  shiftItems,
} from "./measurement.ts";
import type { ScanSamples } from "./line_scan.ts";
import { foundIn, type WorkerAnswer, type WorkerOrder } from "./worker_order.ts";

/** Receives what was found so far, in order, after `done` of `of` orders. */
export type OnFound = (found: readonly Item[], done: number, of: number) => void;

/** Milliseconds between two calls of {@linkcode OnFound}. */
const SHOW_EVERY = 250;

/** What a worker is posted: an order, and the buffers that are moved to it. */
type Posted = { readonly order: WorkerOrder; readonly transfer?: Transferable[] };

/** Up to a number of workers, started when needed; each order goes to the first free one. */
export class MeasureWorkers {
  readonly #count: number;
  readonly #start: () => Worker;
  readonly #all: Worker[] = [];
  readonly #free: Worker[] = [];
  readonly #waiting: ((worker: Worker | null) => void)[] = [];
  /** Why a worker was lost; no order is carried out after that. */
  #loss: Error | null = null;

  /** @param start a worker that answers by {@linkcode answerOrder} */
  constructor(count: number, start: () => Worker) {
    this.#count = count;
    this.#start = start;
  }

  /** Measures in one worker. @throws {RangeError} a setting does not fit @throws {Error} a bug, or a worker was lost */
  measure({ key }: Measurement, plane: ScanSamples, band: Band, settings: Settings): Promise<Found> {
    return this.#ask<Found>(() => ({ order: { key, plane, band, settings } }));
  }

  /** Measures the item nearest to a place; null without one. @throws as {@linkcode measure} */
  measureAt(
    { key }: Measurement,
    order: { plane: ScanSamples; band: Band; settings: Settings; at: { line: number; column: number } },
  ): Promise<Item | null> {
    return this.#ask<Item | null>(() => ({ order: { key, ...order } }));
  }

  /** Measures in all workers if the measurement can be divided. @throws as {@linkcode measure} */
  async measureDivided(
    measurement: Measurement,
    { plane, band, settings }: { plane: ScanSamples; band: Band; settings: Settings },
    onFound: OnFound,
  ): Promise<Found> {
    const { key, divide } = measurement;
    if (divide === undefined) return await this.measure(measurement, plane, band, settings);
    const steps = divide(plane, band, settings);
    let step = steps.next();
    while (!step.done) step = steps.next(await this.#follow(key, plane, step.value, onFound));
    return step.value;
  }

  /** Terminates all workers; orders that they have are never answered. */
  [Symbol.dispose](): void {
    for (const worker of this.#all) worker.terminate();
  }

  /** Carries out the orders of one step. */
  async #follow(
    key: string,
    plane: ScanSamples,
    orders: readonly LineOrder[],
    onFound: OnFound,
  ): Promise<Item[][]> {
    const found: Item[][] = [];
    let [done, shownAt] = [0, -Infinity];
    await Promise.all(orders.map(async (order, i) => {
      const items = await this.#ask<Item[]>(() => {
        const lines = copyLines(plane, order);
        return { order: { key, plane: lines, order }, transfer: [lines.samples.buffer] };
      });
      found[i] = shiftItems(items, order);
      done += 1;
      if (order.isTrial || performance.now() - shownAt < SHOW_EVERY) return;
      shownAt = performance.now();
      onFound(found.flat(), done, orders.length);
    }));
    return found;
  }

  /** The answer of the first free worker. @param post makes the order once the worker is free, since it may copy samples */
  async #ask<Answer>(post: () => Posted): Promise<Answer> {
    const worker = this.#takeFree() ?? await new Promise<Worker | null>((take) => this.#waiting.push(take));
    if (this.#loss !== null || worker === null) throw this.#loss;
    const answer = await new Promise<WorkerAnswer<Answer> | null>((done) => {
      worker.onmessage = ({ data }) => done(data);
      worker.onerror = (event) => {
        event.preventDefault();
        this.#loss = new Error(`A worker was lost: ${event.message || "the browser runs no workers"}`);
        done(null);
      };
      const { order, transfer = [] } = post();
      worker.postMessage(order, transfer);
    });
    if (this.#loss !== null) { for (const take of this.#waiting.splice(0)) take(null); }
    if (answer === null) throw this.#loss;
    const next = this.#waiting.shift();
    if (next === undefined) this.#free.push(worker);
    else next(worker);
    return foundIn(answer);
  }

  #takeFree(): Worker | undefined {
    if (this.#free.length > 0 || this.#all.length === this.#count) return this.#free.pop();
    const worker = this.#start();
    this.#all.push(worker);
    return worker;
  }
}
