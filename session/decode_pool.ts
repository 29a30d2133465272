/**
 * Decode workers: a few warm ones, a bounded queue before them, and what happens to those that do not answer.
 */
import { basename } from "node:path";
import { DecodeFailed, quoted } from "../readers/errors.ts";
import type { AcquisitionSummary, LoadRequest } from "../readers/load.ts";
import type { Clock } from "./clock.ts";
import { ShuttingDown, TooManyOpens } from "./errors.ts";
import type { Reservation } from "./memory_budget.ts";
import { type Conversation, converse, dropPlanes, type Loaded, type Planned } from "./worker_conversation.ts";

/** Opens that may wait for a worker; one more is refused. */
export const MAX_WAITING = 32;

/** More workers than this gain nothing: decoding is bound by the disk then. */
const MAX_WORKERS = 5;

/** Smaller loads are done before another worker has read the metadata once more. */
const MIN_DIVIDED_BYTES = 16 << 20;

/** Lost workers that may exist; each may hold a core for ever, so no new ones are started beyond. */
const MAX_LOST = 8;

/** One load for the pool. */
export interface DecodeJob {
  readonly request: LoadRequest;
  readonly roots: readonly string[] | null;
  /** Reserves the memory of the planes. @throws {SessionMemoryExceeded} */
  reserve(bytes: number): Reservation;
  /** Its abort stops the load; the promise is rejected with its reason at once. */
  readonly signal: AbortSignal;
}

/** What a job gives. */
export interface DecodedAcquisition {
  readonly summary: AcquisitionSummary;
  readonly planes: readonly Float32Array<ArrayBuffer>[];
  readonly referencePlanes: readonly Float32Array<ArrayBuffer>[];
  /** Covers the planes, and a rest where a reference image could not be decoded. */
  readonly reservation: Reservation;
}

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
    const { request, roots } = job;
    const failed = new AbortController();
    const signal = AbortSignal.any([job.signal, failed.signal]);
    const parts: Promise<Loaded>[] = [];
    let reservation: Reservation | null = null;
    let running = 0;
    const start = (worker: Worker, request: LoadRequest, planned: Conversation["planned"]) => {
      running += 1;
      const part = this.#load(worker, { request, roots, signal, planned }, () => {
        running -= 1;
        giveBack();
      });
      part.catch((error) => failed.abort(error));
      parts.push(part);
    };
    // What was reserved is in use until the last worker is done, also where the caller has its answer already.
    const giveBack = () => {
      if (failed.signal.aborted && running === 0) reservation?.release();
    };
    start(worker, request, ({ bytes, apart, files }) => {
      reservation = job.reserve(bytes);
      if (apart === null || bytes < MIN_DIVIDED_BYTES) return Infinity;
      const helpers = this.#spare(apart.length - 1);
      const shares = sharesOf(apart.length, helpers.length + 1);
      let from = shares[0]!;
      for (const [i, helper] of helpers.entries()) {
        const channelIndices = apart.slice(from, from += shares[i + 1]!);
        start(helper, { ...request, channelIndices, planesOnly: true }, (plan) => {
          requireSameFiles(request.path, files, plan.files);
          return Infinity;
        });
      }
      return shares[0]!;
    });
    try {
      const first = await parts[0]!;
      const all = await Promise.all(parts);
      const planes = all.flatMap((part) => part.planes);
      if (planes.some(({ length }) => length !== planes[0]!.length)) throw changed(request.path);
      return { ...first, planes, reservation: reservation! };
    } catch (error) {
      failed.abort(error);
      for (const part of parts) void part.then(dropPlanes, () => {});
      giveBack();
      throw error;
    }
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
  #load(
    worker: Worker,
    load: Omit<Conversation, "lost" | "answered" | "broken">,
    ended: () => void,
  ): Promise<Loaded> {
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

/** Planes of each part when `planes` are divided among `parts` workers, the first having no fewer than the last. */
function sharesOf(planes: number, parts: number): number[] {
  return Array.from({ length: parts }, (_, i) => Math.ceil((planes - i) / parts));
}

/** Parts of one acquisition must come from the same files. @throws {DecodeFailed} one was replaced or changed */
function requireSameFiles(path: string, first: Planned["files"], other: Planned["files"]): void {
  for (const [file, mark] of first) if ((other.get(file) ?? mark) !== mark) throw changed(path);
}

const changed = (path: string) =>
  new DecodeFailed(`Cannot read ${quoted(basename(path))}: it was changed while it was read`);
