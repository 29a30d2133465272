/**
 * Decode workers: a few warm ones, a bounded queue before them, and what happens to those that do not answer.
 */
import type { Clock } from "./clock.ts";
import { DecodeWorkerClient } from "./decode_worker_client.ts";
import { freeDescriptors, sharedDescriptors } from "./descriptors.ts";
import { ShuttingDown, TooManyOpens } from "./errors.ts";

/** Opens that may wait for a worker; one more is refused. */
const MAX_WAITING = 32;

/** One more than eight: as many decode deflate as fast as a fast disk gives it. */
const MAX_WORKERS = 9;

/** Lost workers that may exist; each may hold a core for ever, so no new ones are started beyond. */
const MAX_LOST = 8;

/**
 * A worker that has decoded and then rested for this time is ended. The allocator keeps what decoders freed (up to 160 MiB were
 * measured), and time does not bring it back; the end of the thread does. The last worker stays where it needed no decoder: the
 * next raw file takes a few milliseconds then, and fifty or more in a fresh one.
 */
const REST_MS = 5000;

/** Starts a worker, or gives `null` where the system has no room for one; tests give others. */
export type StartWorker = () => Worker | null;

/** A worker takes six, and the runtime ends the process where it gets none. */
const WORKER_DESCRIPTORS = 10;

/** Starts a real decode worker, which may read files and nothing else. */
export function startDecodeWorker(): Worker | null {
  // Counted while there is no worker yet.
  sharedDescriptors();
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

type Waiting = PromiseWithResolvers<DecodeWorkerClient>;

/** A pool that grows on demand to one worker more than the machine has cores: a load may take all cores but one worker. */
export class DecodePool {
  readonly #clock: Clock;
  readonly #start: StartWorker;
  readonly #size: number;
  /** Warm workers, each with what cancels its end; nothing ends one that has not decoded yet. */
  readonly #idle = new Map<DecodeWorkerClient, () => void>();
  readonly #busy = new Set<DecodeWorkerClient>();
  readonly #lost = new Set<DecodeWorkerClient>();
  readonly #waiting = new Set<Waiting>();
  /** Formats that were loaded, for whose readers fresh workers are prepared. */
  readonly #formats = new Set<string>();
  /** Called when an open asks for a worker: what can wait gives way. */
  asked: () => void = () => {};
  /** Called when no open waits any more. */
  unblocked: () => void = () => {};
  #closed = false;

  /** `start` and `size` are given by tests. */
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
   * Takes a worker, once there is one. It is to be given back when it is done.
   *
   * @throws {TooManyOpens} the queue is full, or too many workers are lost
   * @throws {ShuttingDown} the pool is closed
   * @throws the reason of `signal`
   */
  async acquire(signal: AbortSignal): Promise<DecodeWorkerClient> {
    signal.throwIfAborted();
    if (this.#closed) throw this.#stopping();
    this.asked();
    const worker = this.#take();
    if (worker !== null) return worker;
    if (this.#idle.size + this.#busy.size === 0) throw this.#stuck();
    if (this.#waiting.size >= MAX_WAITING) {
      throw new TooManyOpens(`${MAX_WAITING} opens are waiting already; try again in a moment`);
    }
    const waiting: Waiting = Promise.withResolvers();
    const leave = () => {
      this.#waiting.delete(waiting);
      waiting.reject(signal.reason);
    };
    this.#waiting.add(waiting);
    signal.addEventListener("abort", leave, { once: true });
    try {
      return await waiting.promise;
    } finally {
      signal.removeEventListener("abort", leave);
      if (this.#waiting.size === 0) this.unblocked();
    }
  }

  /** Takes a worker that may help, where one is free and another one is left for other opens; else `null`. */
  spare(): DecodeWorkerClient | null {
    return this.#waiting.size > 0 || this.#busy.size >= this.#size - 1 ? null : this.#take();
  }

  /** Hands a worker that has answered to the next open, or keeps it warm. One that cannot be used again is ended. */
  giveBack(worker: DecodeWorkerClient): void {
    // One that broke was taken out of the pool then.
    if (!this.#busy.has(worker) && !this.#lost.has(worker)) return;
    if (worker.format !== null) this.#formats.add(worker.format);
    if (worker.endsWithLoad) return this.#renew(worker);
    if (this.#lost.has(worker)) return this.#discard(worker);
    worker.close();
    const [next] = this.#waiting;
    if (next) {
      this.#waiting.delete(next);
      return next.resolve(worker);
    }
    this.#busy.delete(worker);
    this.#idle.set(worker, this.#clock.after(REST_MS, () => this.#rest(worker)));
  }

  /** Ends all workers; opens that wait are refused. A lost worker ends with the process. */
  close(): void {
    this.#closed = true;
    for (const worker of [...this.#idle.keys(), ...this.#busy, ...this.#lost]) worker.terminate();
    for (const keep of this.#idle.values()) keep();
    this.#idle.clear();
    this.#busy.clear();
    this.#refuseWaiting(this.#stopping());
  }

  /** An idle worker or a new one, busy from now on; `null` where there is none. */
  #take(): DecodeWorkerClient | null {
    const worker = this.#takeIdle() ?? this.#begin();
    if (worker !== null) this.#busy.add(worker);
    return worker;
  }

  /** The worker that was used last: the others may rest and be ended. */
  #takeIdle(): DecodeWorkerClient | null {
    const last = [...this.#idle].at(-1);
    if (last === undefined) return null;
    const [worker, keep] = last;
    keep();
    this.#idle.delete(worker);
    return worker;
  }

  /** Starts a worker, or gives `null` where none may be started. */
  #begin(): DecodeWorkerClient | null {
    if (this.#idle.size + this.#busy.size >= this.#size || this.#lost.size >= MAX_LOST) return null;
    const started = this.#start();
    const worker = started && new DecodeWorkerClient(started, this.#clock, {
      lost: (worker) => {
        this.#busy.delete(worker);
        this.#lost.add(worker);
        this.#serveWaiting();
      },
      broken: (worker) => this.#discard(worker),
    });
    if (this.#formats.size > 0) worker?.prepare([...this.#formats]);
    return worker;
  }

  /** A worker has had nothing to do for a while. */
  #rest(worker: DecodeWorkerClient): void {
    if (worker.usedDecoder || this.#idle.size + this.#busy.size > 1) this.#renew(worker);
  }

  /** Ends a worker for the memory that goes only with it; a fresh one stands by where it was the last. */
  #renew(worker: DecodeWorkerClient): void {
    this.#discard(worker);
    this.warm();
  }

  /** Takes a worker that cannot be used again out of the pool. */
  #discard(worker: DecodeWorkerClient): void {
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
      next.resolve(worker);
    } else if (this.#idle.size + this.#busy.size === 0) {
      this.#refuseWaiting(this.#stuck());
    }
  }

  #refuseWaiting(reason: Error): void {
    for (const waiting of this.#waiting) waiting.reject(reason);
    this.#waiting.clear();
  }

  #stopping(): ShuttingDown {
    return new ShuttingDown("The server is stopping");
  }

  #stuck(): TooManyOpens {
    return new TooManyOpens(
      this.#lost.size >= MAX_LOST
        ? `${MAX_LOST} loads were stopped and do not end, so none can be started; restart the server if this stays`
        : "Too few file descriptors are free to start a decode worker; close connections, or raise the limit (ulimit -n)",
    );
  }
}
