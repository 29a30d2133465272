/**
 * Decode workers: a few warm ones, a bounded queue before them, and what happens to those that do not answer.
 */
import type { Clock } from "./clock.ts";
import { type DecodedAcquisition, type DecodeJob, loadInParts, type Part } from "./load_acquisition.ts";
import { freeDescriptors } from "./descriptors.ts";
import { ShuttingDown, TooManyOpens } from "./errors.ts";
import { converse, type Loaded } from "./decode_worker_client.ts";

/** Opens that may wait for a worker; one more is refused. */
export const MAX_WAITING = 32;

/** More workers than this gain nothing: decoding is bound by the disk then. */
const MAX_WORKERS = 5;

/** Lost workers that may exist; each may hold a core for ever, so no new ones are started beyond. */
const MAX_LOST = 8;

/**
 * A worker that has decoded and then rested for this time is ended. The allocator keeps what decoders freed (up to 160 MiB were
 * measured), and time does not bring it back; the end of the thread does.
 */
const REST_MS = 5000;

/** Starts a worker, or gives `null` where the system has no room for one; tests give others. */
export type StartWorker = () => Worker | null;

/** A worker takes six, and the runtime ends the process where it gets none. */
const WORKER_DESCRIPTORS = 10;

/** Starts a real decode worker, which may read files and nothing else. */
export function startDecodeWorker(): Worker | null {
  if (freeDescriptors(WORKER_DESCRIPTORS) < WORKER_DESCRIPTORS) return null;
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
  /** Warm workers, and for those that have decoded how to keep them from being ended. */
  readonly #idle = new Map<Worker, () => void>();
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
      idle: this.#idle.size,
      busy: this.#busy.size,
      lost: this.#lost.size,
      waiting: this.#waiting.size,
    };
  }

  /** Starts one worker ahead of the next open, where there is none. */
  warm(): void {
    if (this.#closed || this.#idle.size + this.#busy.size > 0) return;
    const worker = this.#begin();
    if (worker !== null) this.#idle.set(worker, () => {});
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
      spare: () => this.#spare(),
    });
  }

  /** Ends all workers; opens that wait are refused. A lost worker ends with the process. */
  close(): void {
    this.#closed = true;
    for (const worker of [...this.#idle.keys(), ...this.#busy, ...this.#lost]) worker.terminate();
    for (const keep of this.#idle.values()) keep();
    this.#idle.clear();
    this.#busy.clear();
    this.#waiting.clear();
  }

  #acquire(signal: AbortSignal): Promise<Worker> {
    if (this.#closed) throw new ShuttingDown("The server is stopping");
    const worker = this.#takeIdle() ?? this.#begin();
    if (worker) {
      this.#busy.add(worker);
      return Promise.resolve(worker);
    }
    if (this.#idle.size + this.#busy.size === 0) throw this.#stuck();
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

  /** A worker for a part of a load, where one is free and another one is left for other opens; else `null`. */
  #spare(): Worker | null {
    if (this.#waiting.size > 0 || this.#busy.size >= this.#size - 1) return null;
    const worker = this.#takeIdle() ?? this.#begin();
    if (worker !== null) this.#busy.add(worker);
    return worker;
  }

  /** The worker that was used last: the others may rest and be ended. */
  #takeIdle(): Worker | null {
    const last = [...this.#idle].at(-1);
    if (last === undefined) return null;
    const [worker, keep] = last;
    keep();
    this.#idle.delete(worker);
    return worker;
  }

  /** Starts a worker, or gives `null` where none may be started. */
  #begin(): Worker | null {
    if (this.#idle.size + this.#busy.size >= this.#size || this.#lost.size >= MAX_LOST) return null;
    const worker = this.#start();
    if (worker !== null) this.#watch(worker);
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
    this.#idle.set(worker, this.#clock.after(REST_MS, () => this.#renew(worker)));
  }

  /** Ends a worker for the memory that goes only with it; a fresh one stands by where it was the last. */
  #renew(worker: Worker): void {
    this.#discard(worker);
    this.warm();
  }

  /** Takes a worker that cannot be used again out of the pool. */
  #discard(worker: Worker): void {
    worker.terminate();
    this.#idle.get(worker)?.();
    this.#idle.delete(worker);
    this.#busy.delete(worker);
    this.#lost.delete(worker);
    this.#serveWaiting();
  }

  /** Where no worker is left and none can be started, those that wait are refused: they would wait in vain. */
  #serveWaiting(): void {
    const [next] = this.#waiting;
    if (!next || this.#closed) return;
    const worker = this.#begin();
    if (worker !== null) {
      this.#waiting.delete(next);
      this.#busy.add(worker);
      next.take(worker);
    } else if (this.#idle.size + this.#busy.size === 0) {
      for (const waiting of this.#waiting) waiting.refuse(this.#stuck());
      this.#waiting.clear();
    }
  }

  #stuck(): TooManyOpens {
    return new TooManyOpens(
      this.#lost.size >= MAX_LOST
        ? `${MAX_LOST} loads were stopped and do not end, so none can be started; restart the server if this stays`
        : "Too few file descriptors are free to start a decode worker; close connections, or raise the limit (ulimit -n)",
    );
  }

  /** Lets a worker do a load, or a part of one; `ended` is called when the worker is done with it. */
  #load(worker: Worker, load: Part, ended: () => void): Promise<Loaded> {
    let endsWithLoad = false;
    return converse(worker, this.#clock, {
      ...load,
      planned: (plan) => {
        endsWithLoad = plan.working.endsWithWorker;
        return load.planned(plan);
      },
      lost: () => {
        this.#busy.delete(worker);
        this.#lost.add(worker);
        this.#serveWaiting();
      },
      answered: () => {
        this.#watch(worker);
        if (!endsWithLoad) {
          ended();
          return this.#free(worker);
        }
        this.#renew(worker);
        ended();
      },
      broken: () => {
        this.#watch(worker);
        ended();
        this.#discard(worker);
      },
    });
  }
}
