/**
 * Decode workers, which keep the acquisitions of sessions open. Opens go before planes, sessions take turns with their planes,
 * and read-ahead runs only while the pool has no other work.
 */
import type { Answers, Question } from "./worker/orders.ts";
import type { Clock } from "./clock.ts";
import { ShuttingDown, TooManyOpens } from "./errors.ts";
import type { MemoryBudget, Reservation } from "./memory_budget.ts";
import { LostLoads } from "./lost_loads.ts";
import { waitUnlessAborted } from "./waits.ts";
import { type KeyedSource, WorkerClient } from "./worker_client.ts";

const MAX_WAITING_OPENS = 32;

const MAX_WAITING_PLANES = 256;

const MAX_WAITING_OF_SESSION = 16;

/** Eight workers decode deflate as fast as a fast disk delivers it; one more is reserved for opens. */
const MAX_WORKERS = 9;

/** Each lost worker may occupy a core for ever, so no worker starts once this many are lost. */
const MAX_LOST = 8;

/**
 * A worker rests after this time without work. One that keeps nothing open or holds a decoder is replaced by a fresh one, since
 * allocator and heap keep much of what decoders and parsers freed (up to 160 MiB measured) until the thread ends. Any other
 * worker closes its files. Starting a worker blocks this thread for 12 to 50 ms, so a shorter time delays answers.
 */
const REST_MS = 15_000;

/** Starts a worker. */
export type StartWorker = () => Worker;

/** Starts a decode worker, which has read permission only. */
export function startDecodeWorker(): Worker {
  const none = { write: false, net: false, env: false, run: false, sys: false, ffi: false, import: false };
  return new Worker(new URL("./worker/acquisition_worker.ts", import.meta.url).href, {
    type: "module",
    name: "decode",
    deno: { permissions: { read: true, ...none } },
  });
}

type Waiting = PromiseWithResolvers<WorkerClient>;

interface PooledWorker {
  /** Open acquisitions by key, with their memory; the last used one is last. */
  readonly open: Map<string, Reservation>;
  busy: boolean;
  /** Key of the acquisition that it works on while it is busy; `null` while it opens one. */
  key: string | null;
  /** Cancels its rest; `null` if none is due. */
  cancelRest: (() => void) | null;
}

/** A pool that grows on demand to one worker more than the machine has cores. Planes leave one worker free for opens. */
export class DecodePool {
  readonly #clock: Clock;
  readonly #budget: MemoryBudget;
  readonly #start: StartWorker;
  readonly #size: number;
  /** Workers; the last used one is last. */
  readonly #workers = new Map<WorkerClient, PooledWorker>();
  readonly #lost = new Set<WorkerClient>();
  readonly #lostLoads: LostLoads;
  readonly #opens = new Set<Waiting>();
  readonly #planes = new PlaneQueue<Waiting>();
  /** Acquisitions of live sessions and of opens in progress, which workers may keep open. */
  readonly #live = new Set<string>();
  #closed = false;
  /** Called when a request asks for a worker, so that read-ahead gives way. */
  asked: () => void = () => {};
  /** Called when nothing waits and no worker is busy. */
  idle: () => void = () => {};
  /** Called when no worker has had work for a while. */
  rested: () => void = () => {};

  /** Creates a pool without workers. Tests pass `start` and `size`. */
  constructor(
    clock: Clock,
    budget: MemoryBudget,
    start: StartWorker = startDecodeWorker,
    size = navigator.hardwareConcurrency + 1,
  ) {
    this.#clock = clock;
    this.#lostLoads = new LostLoads(clock);
    this.#budget = budget;
    this.#start = start;
    this.#size = Math.max(1, Math.min(size, MAX_WORKERS));
  }

  get counts(): { idle: number; busy: number; lost: number; waiting: number } {
    const busy = this.#busy();
    return { idle: this.#workers.size - busy, busy, lost: this.#lost.size, waiting: this.#opens.size };
  }

  get waitingPlanes(): number {
    return this.#planes.size;
  }

  /** Bytes reserved for open acquisitions. */
  get openBytes(): number {
    const held = this.#workers.values().flatMap(({ open }) => open.values());
    return held.reduce((sum, { bytes }) => sum + bytes, 0);
  }

  /** Starts a first worker ahead of the next open. */
  warm(): void {
    if (!this.#closed && this.#workers.size === 0) this.#begin();
  }

  /**
   * Waits for a worker to open an acquisition, which workers keep open until {@linkcode forget}. The caller gives the worker back.
   *
   * @param path of the acquisition
   * @throws {TooManyOpens | LoadTimeout | ShuttingDown} or the reason of `signal`
   */
  async takeForOpen(key: string, path: string, signal: AbortSignal): Promise<WorkerClient> {
    this.#ask(signal);
    if (!this.#lostLoads.isEmpty) await waitUnlessAborted(this.#lostLoads.require(path), signal);
    if (this.#opens.size >= MAX_WAITING_OPENS) {
      throw new TooManyOpens(`${MAX_WAITING_OPENS} opens are waiting already; try again in a moment`);
    }
    const waiting: Waiting = Promise.withResolvers();
    this.#opens.add(waiting);
    const worker = await this.#turn(waiting, signal, () => this.#opens.delete(waiting));
    this.#live.add(key);
    return worker;
  }

  /** Waits for a worker to decode planes of an acquisition, preferably one that keeps it open. Throws like an open. */
  async takeForPlane({ key, source }: KeyedSource, signal: AbortSignal): Promise<WorkerClient> {
    this.#ask(signal);
    const path = source?.request.path;
    if (path !== undefined && !this.#lostLoads.isEmpty) {
      await waitUnlessAborted(this.#lostLoads.require(path), signal);
    }
    const waiting: Waiting = Promise.withResolvers();
    this.#planes.add(key, waiting);
    return await this.#turn(waiting, signal, () => this.#planes.remove(key, waiting));
  }

  /** Waits for a worker as for a plane, and asks it a question. */
  async ask<Type extends Question["type"]>(
    about: KeyedSource,
    question: Extract<Question, { readonly type: Type }>,
    signal: AbortSignal,
  ): Promise<Answers[Type]> {
    const worker = await this.takeForPlane(about, signal);
    try {
      return await worker.ask(about, question, signal);
    } finally {
      void this.giveBack(worker, about.key);
    }
  }

  /**
   * Takes a free worker for planes that nobody waits for, or to help with others; `null` if other work waits, or more than `most`
   * workers are busy. By default, another worker remains for opens.
   */
  spare(key: string, most = this.#size - 2): WorkerClient | null {
    const isFree = !this.#closed && this.#opens.size + this.#planes.size === 0 && this.#busy() <= most;
    return isFree ? this.#take(key) : null;
  }

  /** Takes back a worker once it is quiet. It keeps the acquisition open if the budget has room for its metadata. */
  async giveBack(worker: WorkerClient, key: string): Promise<void> {
    await worker.quiet;
    const entry = this.#workers.get(worker);
    if (!entry?.busy) {
      // A broken worker left the pool when it broke.
      if (this.#lost.has(worker)) this.#discard(worker);
      return;
    }
    entry.busy = false;
    this.#keep(worker, entry, key);
    this.#restLater(worker, entry);
    this.#serve();
  }

  /** Lets workers keep an acquisition open until it is forgotten. */
  retain(key: string): void {
    this.#live.add(key);
  }

  forget(key: string): void {
    this.#live.delete(key);
    for (const [worker, entry] of this.#workers) {
      if (!entry.open.has(key)) continue;
      this.#close(worker, entry, key);
      if (!entry.busy) this.#restLater(worker, entry);
    }
  }

  /** Closes acquisitions that no worker works on until `bytes` are free. */
  giveUp(bytes: number): void {
    let free = 0;
    for (const [worker, entry] of this.#workers) {
      for (const [key, held] of entry.open) {
        if (free >= bytes) return;
        if (entry.busy && key === entry.key) continue;
        free += held.bytes;
        this.#close(worker, entry, key);
      }
    }
  }

  /** Ends all workers and refuses all requests. A lost worker ends with the process. */
  close(): void {
    this.#closed = true;
    for (const worker of [...this.#workers.keys(), ...this.#lost]) this.#discard(worker);
    this.#refuseWaiting(new ShuttingDown());
  }

  #busy(): number {
    return this.#workers.values().filter(({ busy }) => busy).toArray().length;
  }

  /** @throws {ShuttingDown} or the reason of `signal` */
  #ask(signal: AbortSignal): void {
    signal.throwIfAborted();
    if (this.#closed) throw new ShuttingDown();
    this.asked();
  }

  /** Waits until {@linkcode #serve} resolves a queued request, or until its signal aborts. */
  async #turn(waiting: Waiting, signal: AbortSignal, leave: () => void): Promise<WorkerClient> {
    const abort = () => {
      leave();
      waiting.reject(signal.reason);
    };
    signal.addEventListener("abort", abort, { once: true });
    this.#serve();
    try {
      return await waiting.promise;
    } finally {
      signal.removeEventListener("abort", abort);
    }
  }

  /** Hands free workers to requests that wait, opens first; refuses all when no worker can start. */
  #serve(): void {
    while (!this.#closed) {
      const [open] = this.#opens;
      const { turn } = this.#planes;
      if (open === undefined && turn === null) return this.#busy() === 0 ? this.idle() : undefined;
      const isFull = this.#size > 1 && this.#busy() >= this.#size - 1;
      if (open === undefined && isFull) return;
      const worker = this.#take(open ? null : turn);
      if (worker === null) {
        if (this.#workers.size > 0) return;
        return this.#refuseWaiting(
          new TooManyOpens(
            `${MAX_LOST} stopped loads do not end, so no new one can start; restart the server if this persists`,
          ),
        );
      }
      if (open) this.#opens.delete(open);
      (open ?? this.#planes.next()!).resolve(worker);
    }
  }

  /** Makes a worker busy: one that keeps the acquisition open, else an idle one, else a new one; `null` if none is available. */
  #take(key: string | null): WorkerClient | null {
    const idle = [...this.#workers].filter(([, { busy }]) => !busy);
    // Prefers the worker used last, so that the others may rest and end.
    const found = idle.find(([, { open }]) => key !== null && open.has(key)) ?? idle.at(-1);
    const worker = found?.[0] ?? this.#begin();
    const entry = worker && this.#workers.get(worker);
    if (!worker || !entry) return null;
    entry.busy = true;
    entry.key = key;
    entry.cancelRest?.();
    this.#workers.delete(worker);
    this.#workers.set(worker, entry);
    return worker;
  }

  /** Starts a worker; `null` if no more may start. */
  #begin(): WorkerClient | null {
    if (this.#workers.size >= this.#size || this.#lost.size >= MAX_LOST) return null;
    const lost = (path: string | null) => {
      this.#release(worker);
      this.#lost.add(worker);
      if (path !== null) this.#lostLoads.note(worker, path);
      this.#serve();
    };
    const broken = () => {
      this.#discard(worker);
      this.#serve();
    };
    const worker = new WorkerClient(this.#start(), this.#clock, lost, broken);
    this.#workers.set(worker, { open: new Map(), busy: false, key: null, cancelRest: null });
    return worker;
  }

  #keep(worker: WorkerClient, { open }: PooledWorker, key: string): void {
    const before = open.get(key);
    open.delete(key);
    const bytes = this.#live.has(key) ? worker.indexBytes(key) : null;
    const isEnough = bytes !== null && before !== undefined && before.bytes >= bytes;
    const held = bytes === null ? null : isEnough ? before : this.#budget.tryReserve(bytes);
    if (before !== held) before?.release();
    if (held === null) worker.forget(key);
    else open.set(key, held);
  }

  #close(worker: WorkerClient, { open }: PooledWorker, key: string): void {
    open.get(key)?.release();
    open.delete(key);
    worker.forget(key);
  }

  #restLater(worker: WorkerClient, entry: PooledWorker): void {
    entry.cancelRest?.();
    entry.cancelRest = this.#clock.after(REST_MS, () => {
      entry.cancelRest = null;
      if (worker.holdsDecoder || entry.open.size === 0) {
        this.#discard(worker);
        this.warm();
      } else worker.rest();
      const isAtRest = ({ busy, cancelRest }: PooledWorker) => !busy && cancelRest === null;
      if (this.#workers.values().every(isAtRest)) this.rested();
    });
  }

  #discard(worker: WorkerClient): void {
    this.#release(worker);
    this.#lost.delete(worker);
    this.#lostLoads.end(worker);
    worker.terminate();
  }

  /** Removes a worker from the pool. */
  #release(worker: WorkerClient): void {
    const entry = this.#workers.get(worker);
    entry?.cancelRest?.();
    for (const held of entry?.open.values() ?? []) held.release();
    this.#workers.delete(worker);
  }

  #refuseWaiting(reason: Error): void {
    for (const waiting of [...this.#opens, ...this.#planes.clear()]) waiting.reject(reason);
    this.#opens.clear();
  }
}

/** Planes that wait for a worker. The queue is bounded, and sessions take turns. */
export class PlaneQueue<Job> {
  /** Jobs by session, in the order of turns. */
  readonly #sessions = new Map<string, Set<Job>>();

  get size(): number {
    return this.#sessions.values().reduce((sum, own) => sum + own.size, 0);
  }

  /** The session whose turn it is, or `null`. */
  get turn(): string | null {
    const [session = null] = this.#sessions.keys();
    return session;
  }

  /** Adds a job. @throws {TooManyOpens} the queue is full, or the session's share of it */
  add(session: string, job: Job): void {
    const own = this.#sessions.get(session) ?? new Set();
    if (own.size >= MAX_WAITING_OF_SESSION) {
      throw new TooManyOpens(
        `${MAX_WAITING_OF_SESSION} planes of this session are waiting already; try again in a moment`,
      );
    }
    if (this.size >= MAX_WAITING_PLANES) {
      throw new TooManyOpens(`${MAX_WAITING_PLANES} planes are waiting already; try again in a moment`);
    }
    this.#sessions.set(session, own.add(job));
  }

  /** Removes the first job of the session whose turn it is. That session's next turn comes after all others. */
  next(): Job | null {
    const [turn] = this.#sessions;
    if (turn === undefined) return null;
    const [session, own] = turn;
    const [job] = own;
    this.#sessions.delete(session);
    if (own.size > 1) this.#sessions.set(session, own);
    own.delete(job!);
    return job!;
  }

  remove(session: string, job: Job): void {
    const own = this.#sessions.get(session);
    if (own?.delete(job) && own.size === 0) this.#sessions.delete(session);
  }

  clear(): Job[] {
    const all = [...this.#sessions.values()].flatMap((own) => [...own]);
    this.#sessions.clear();
    return all;
  }
}
