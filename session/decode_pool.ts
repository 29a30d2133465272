/**
 * Decode workers: a few warm ones, a bounded queue before them, and what happens to those that do not answer.
 */
import type { Clock } from "./clock.ts";
import { type DecodedAcquisition, type DecodeJob, loadInParts, type Part } from "./divided_load.ts";
import { ShuttingDown, TooManyOpens } from "./errors.ts";
import { converse, type Loaded } from "./worker_conversation.ts";

/** Opens that may wait for a worker; one more is refused. */
export const MAX_WAITING = 32;

/** More workers than this gain nothing: decoding is bound by the disk then. */
const MAX_WORKERS = 5;

/** Lost workers that may exist; each may hold a core for ever, so no new ones are started beyond. */
const MAX_LOST = 8;

/** Starts a worker; tests give others. */
export type StartWorker = () => Worker;

/** Starts a real decode worker, which may read files and nothing else. */
export function startDecodeWorker(): Worker {
  return new Worker(new URL("../readers/decode_worker.ts", import.meta.url).href, {
    type: "module",
    name: "decode",
    deno: {
      permissions: {
        read: true,
        write: false,
        net: false,
        env: false,
        run: false,
        sys: false,
        ffi: false,
        import: false,
      },
    },
  });
}

interface Waiting {
  take(worker: Worker): void;
  refuse(reason: Error): void;
}

/** A pool that grows on demand to one worker more than the machine has cores: a load may take all cores but one worker. */
export class DecodePool {
  readonly #clock: Clock;
  readonly #start: StartWorker;
  readonly #size: number;
  readonly #idle: Worker[] = [];
  readonly #busy = new Set<Worker>();
  readonly #lost = new Set<Worker>();
  readonly #waiting = new Set<Waiting>();
  #closed = false;

  constructor(
    clock: Clock,
    start: StartWorker = startDecodeWorker,
    size = navigator.hardwareConcurrency + 1,
  ) {
    this.#clock = clock;
    this.#start = start;
    this.#size = Math.max(1, Math.min(size, MAX_WORKERS));
  }

  /** Workers by state, and opens that wait. */
  get counts(): { idle: number; busy: number; lost: number; waiting: number } {
    return {
      idle: this.#idle.length,
      busy: this.#busy.size,
      lost: this.#lost.size,
      waiting: this.#waiting.size,
    };
  }

  /** Starts one worker ahead of the first open. */
  warm(): void {
    if (!this.#closed && this.#idle.length + this.#busy.size === 0) this.#idle.push(this.#begin());
  }

  /**
   * Runs one load.
   *
   * @throws {TooManyOpens} the queue is full, or too many workers are lost
   * @throws {ShuttingDown} the pool is closed
   * @throws {ReaderError | SessionMemoryExceeded} as the load fails
   * @throws the reason of `job.signal`
   */
  async run(job: DecodeJob): Promise<DecodedAcquisition> {
    job.signal.throwIfAborted();
    const worker = await this.#acquire(job.signal);
    return await loadInParts(job, worker, {
      start: (worker, load, ended) => this.#load(worker, load, ended),
      spare: (most) => this.#spare(most),
    });
  }

  /** Ends all workers; opens that wait are refused. A lost worker ends with the process. */
  close(): void {
    this.#closed = true;
    for (const worker of [...this.#idle, ...this.#busy, ...this.#lost]) worker.terminate();
    this.#idle.length = 0;
    this.#busy.clear();
    this.#waiting.clear();
  }

  #acquire(signal: AbortSignal): Promise<Worker> {
    if (this.#closed) throw new ShuttingDown("The server is stopping");
    const worker = this.#idle.pop() ?? (this.#mayGrow() ? this.#begin() : null);
    if (worker) {
      this.#busy.add(worker);
      return Promise.resolve(worker);
    }
    if (this.#isStuck()) throw stuck();
    if (this.#waiting.size >= MAX_WAITING) {
      throw new TooManyOpens(`${MAX_WAITING} opens are waiting already; try again in a moment`);
    }
    return new Promise((resolve, reject) => {
      const leave = () => {
        this.#waiting.delete(waiting);
        reject(signal.reason);
      };
      const waiting: Waiting = {
        take: (free) => {
          signal.removeEventListener("abort", leave);
          resolve(free);
        },
        refuse: (reason) => {
          signal.removeEventListener("abort", leave);
          reject(reason);
        },
      };
      this.#waiting.add(waiting);
      signal.addEventListener("abort", leave, { once: true });
    });
  }

  /** Workers for parts of a load, as many as are free; one is always left for another open. */
  #spare(most: number): Worker[] {
    const workers: Worker[] = [];
    while (workers.length < most && this.#waiting.size === 0 && this.#busy.size < this.#size - 1) {
      const worker = this.#idle.pop() ?? (this.#mayGrow() ? this.#begin() : null);
      if (worker === null) break;
      this.#busy.add(worker);
      workers.push(worker);
    }
    return workers;
  }

  #mayGrow(): boolean {
    return this.#idle.length + this.#busy.size < this.#size && this.#lost.size < MAX_LOST;
  }

  /** No worker is left and none may be started: an open would wait for its time-out in vain. */
  #isStuck(): boolean {
    return this.#idle.length + this.#busy.size === 0 && this.#lost.size >= MAX_LOST;
  }

  #begin(): Worker {
    const worker = this.#start();
    this.#watch(worker);
    return worker;
  }

  /** Without a load nobody waits for a worker; its fault must not end the process. */
  #watch(worker: Worker): void {
    worker.onmessage = null;
    worker.onerror = (event) => {
      event.preventDefault();
      this.#discard(worker);
    };
  }

  /** Hands a worker that has answered to the next open, or keeps it warm. */
  #free(worker: Worker): void {
    if (this.#closed) return worker.terminate();
    if (this.#lost.delete(worker)) {
      worker.terminate();
      return this.#serveWaiting();
    }
    const [next] = this.#waiting;
    if (next) {
      this.#waiting.delete(next);
      return next.take(worker);
    }
    this.#busy.delete(worker);
    this.#idle.push(worker);
  }

  /** Takes a worker that cannot be used again out of the pool. */
  #discard(worker: Worker): void {
    worker.terminate();
    const at = this.#idle.indexOf(worker);
    if (at >= 0) this.#idle.splice(at, 1);
    this.#busy.delete(worker);
    this.#lost.delete(worker);
    this.#serveWaiting();
  }

  #serveWaiting(): void {
    const [next] = this.#waiting;
    if (!next || this.#closed || !this.#mayGrow()) return;
    this.#waiting.delete(next);
    const worker = this.#begin();
    this.#busy.add(worker);
    next.take(worker);
  }

  #refuseWaiting(): void {
    for (const waiting of this.#waiting) waiting.refuse(stuck());
    this.#waiting.clear();
  }

  /** Lets a worker do a load, or a part of one; `ended` is called when the worker is done with it. */
  #load(worker: Worker, load: Part, ended: () => void): Promise<Loaded> {
    return converse(worker, this.#clock, {
      ...load,
      lost: () => {
        this.#busy.delete(worker);
        this.#lost.add(worker);
        this.#serveWaiting();
        if (this.#isStuck()) this.#refuseWaiting();
      },
      answered: () => {
        this.#watch(worker);
        ended();
        this.#free(worker);
      },
      broken: () => {
        this.#watch(worker);
        ended();
        this.#discard(worker);
      },
    });
  }
}

const stuck = () =>
  new TooManyOpens(
    `${MAX_LOST} loads were stopped and do not end, so none can be started; restart the server if this stays`,
  );
