/**
 * Decode workers, which keep the acquisitions of sessions open. Opens go before planes; sessions that wait for planes take
 * turns; read-ahead runs while nothing else does.
 */
import type { Clock } from "./clock.ts";
import { ShuttingDown, TooManyOpens } from "./errors.ts";
import type { MemoryBudget, Reservation } from "./memory_budget.ts";
import { PlaneQueue } from "./plane_queue.ts";
import { WorkerClient } from "./worker_client.ts";

/** Opens that may wait for a worker; one more is refused. */
const MAX_WAITING = 32;

/** One more than eight: as many decode deflate as fast as a fast disk gives it. */
const MAX_WORKERS = 9;

/** Lost workers that may exist; each may hold a core for ever, so no new ones are started beyond. */
const MAX_LOST = 8;

/** Acquisitions that one worker keeps open; the least recently used one is closed. */
const MAX_OPEN = 64;

/**
 * After this time without work a worker that keeps nothing open is ended where it used a decoder or is not the last one: the
 * allocator keeps what decoders freed (up to 160 MiB were measured) until its thread ends. One that keeps acquisitions open
 * closes their files.
 */
const REST_MS = 5000;

/** Starts a worker; tests start others. */
export type StartWorker = () => Worker;

/** Starts a real decode worker, which may read files and nothing else. */
export function startDecodeWorker(): Worker {
  return new Worker(new URL("../readers/acquisition_worker.ts", import.meta.url).href, {
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

type Waiting = PromiseWithResolvers<WorkerClient>;

/** What the pool knows of a worker. */
interface Entry {
  /** Keys of the acquisitions that it keeps open, each with its memory; the one that was used last is the last. */
  readonly open: Map<string, Reservation>;
  /** What it works for. */
  busy: "open" | "plane" | null;
  cancelRest(): void;
}

/** A pool that grows on demand to one worker more than the machine has cores: planes leave one worker to opens. */
export class DecodePool {
  readonly #clock: Clock;
  readonly #budget: MemoryBudget;
  readonly #start: StartWorker;
  readonly #size: number;
  /** The one that was used last is the last. */
  readonly #workers = new Map<WorkerClient, Entry>();
  readonly #lost = new Set<WorkerClient>();
  readonly #opens = new Set<Waiting>();
  readonly #planes = new PlaneQueue<Waiting>();
  /** Acquisitions that may be kept open: those of live sessions and of opens in progress. */
  readonly #live = new Set<string>();
  /** Formats that were opened, for whose readers fresh workers are prepared. */
  readonly #formats = new Set<string>();
  /** Called when somebody asks for a worker: read-ahead gives way. */
  asked: () => void = () => {};
  /** Called when nobody waits and no worker is busy. */
  idle: () => void = () => {};
  /** Called when a worker has had nothing to do for a while. */
  rested: () => void = () => {};
  #closed = false;

  /** `start` and `size` are given by tests. */
  constructor(
    clock: Clock,
    budget: MemoryBudget,
    start: StartWorker = startDecodeWorker,
    size = navigator.hardwareConcurrency + 1,
  ) {
    this.#clock = clock;
    this.#budget = budget;
    this.#start = start;
    this.#size = Math.max(1, Math.min(size, MAX_WORKERS));
  }

  /** Workers by state, and opens that wait. */
  get counts(): { idle: number; busy: number; lost: number; waiting: number } {
    const busy = this.#busy();
    return {
      idle: this.#workers.size - busy,
      busy,
      lost: this.#lost.size,
      waiting: this.#opens.size,
    };
  }

  /** Planes that wait. */
  get waitingPlanes(): number {
    return this.#planes.size;
  }

  /** Bytes that are reserved for open acquisitions. */
  get openBytes(): number {
    return this.#workers.values().flatMap(({ open }) => open.values()).reduce(
      (sum, { bytes }) => sum + bytes,
      0,
    );
  }

  /** Starts one worker ahead of the next open, where there is none. */
  warm(): void {
    if (!this.#closed && this.#workers.size === 0) this.#begin();
  }

  /**
   * Takes a worker for an open, once there is one. It is to be given back when it is done.
   *
   * @param key of the acquisition, which workers may keep open until it is forgotten
   * @throws {TooManyOpens} the queue is full, or no worker can be started
   * @throws {ShuttingDown} the pool is closed
   * @throws the reason of `signal`
   */
  async takeForOpen(key: string, signal: AbortSignal): Promise<WorkerClient> {
    this.#requireOpen(signal);
    const worker = this.#take(key, "open") ?? await this.#waitForOpen(signal);
    this.#live.add(key);
    return worker;
  }

  /** @throws {TooManyOpens} */
  #waitForOpen(signal: AbortSignal): Promise<WorkerClient> {
    this.#requireWorkers();
    if (this.#opens.size >= MAX_WAITING) {
      throw new TooManyOpens(`${MAX_WAITING} opens are waiting already; try again in a moment`);
    }
    return this.#wait(signal, (waiting) => {
      this.#opens.add(waiting);
      return () => void this.#opens.delete(waiting);
    });
  }

  /**
   * Takes a worker for planes of a session, best one that keeps its acquisition open.
   *
   * @throws {TooManyOpens} too many planes wait, of all sessions or of this one
   * @throws as {@linkcode takeForOpen}
   */
  async takeForPlane(key: string, signal: AbortSignal): Promise<WorkerClient> {
    this.#requireOpen(signal);
    return await this.#wait(signal, (waiting) => {
      this.#planes.add(key, waiting);
      this.#serve();
      return () => void this.#planes.remove(key, waiting);
    });
  }

  /** Takes a worker that may help, where one is free and another one is left for opens; else `null`. */
  spare(key: string): WorkerClient | null {
    const isFree = this.#opens.size + this.#planes.size === 0 && this.#busy() < this.#size - 1;
    return isFree ? this.#take(key, "plane") : null;
  }

  /** Takes a worker for read-ahead, where nothing else is to be done; else `null`. */
  takeAhead(key: string): WorkerClient | null {
    const isFree = !this.#closed && this.#opens.size + this.#planes.size + this.#busy() === 0;
    return isFree ? this.#take(key, "plane") : null;
  }

  /**
   * Takes back a worker that is quiet. What it keeps open from now on is counted in the memory of the sessions; where that is
   * full, it keeps nothing.
   */
  giveBack(worker: WorkerClient, key: string): void {
    const entry = this.#workers.get(worker);
    // One that broke was taken out of the pool then.
    if (!entry?.busy) {
      if (this.#lost.has(worker)) this.#discard(worker);
      return;
    }
    if (worker.format !== null) this.#formats.add(worker.format);
    entry.busy = null;
    this.#keep(worker, entry, key);
    this.#restLater(worker, entry);
    this.#serve();
  }

  /** Closes an acquisition in all workers that keep it open. */
  forget(key: string): void {
    this.#live.delete(key);
    for (const [worker, entry] of this.#workers) {
      if (!entry.open.has(key)) continue;
      this.#close(worker, entry, key);
      if (!entry.busy) this.#restLater(worker, entry);
    }
  }

  /** Closes acquisitions that idle workers keep open, until so many bytes are free. */
  giveUp(bytes: number): void {
    let free = 0;
    for (const [worker, entry] of this.#workers) {
      if (entry.busy) continue;
      for (const [key, held] of entry.open) {
        if (free >= bytes) return;
        free += held.bytes;
        this.#close(worker, entry, key);
      }
    }
  }

  /** Ends all workers; who waits is refused. A lost worker ends with the process. */
  close(): void {
    this.#closed = true;
    for (const worker of [...this.#workers.keys(), ...this.#lost]) this.#discard(worker);
    this.#refuseWaiting(new ShuttingDown("The server is stopping"));
  }

  #busy(): number {
    return this.#workers.values().filter(({ busy }) => busy !== null).toArray().length;
  }

  #requireOpen(signal: AbortSignal): void {
    signal.throwIfAborted();
    if (this.#closed) throw new ShuttingDown("The server is stopping");
    this.asked();
  }

  /** @throws {TooManyOpens} who waits would wait in vain */
  #requireWorkers(): void {
    if (this.#workers.size === 0) throw this.#stuck();
  }

  async #wait(signal: AbortSignal, enter: (waiting: Waiting) => () => void): Promise<WorkerClient> {
    const waiting: Waiting = Promise.withResolvers();
    const leave = enter(waiting);
    const abort = () => {
      leave();
      waiting.reject(signal.reason);
    };
    signal.addEventListener("abort", abort, { once: true });
    try {
      return await waiting.promise;
    } finally {
      signal.removeEventListener("abort", abort);
    }
  }

  /** An idle worker or a new one, busy from now on; `null` when all are busy and no more may start. */
  #take(key: string, busy: Entry["busy"]): WorkerClient | null {
    const idle = [...this.#workers].filter(([, entry]) => entry.busy === null);
    // The worker that was used last: the others may rest and be ended.
    const worker = (idle.find(([, { open }]) => open.has(key)) ?? idle.at(-1))?.[0] ?? this.#begin();
    const entry = worker && this.#workers.get(worker);
    if (!worker || !entry) return null;
    entry.busy = busy;
    entry.cancelRest();
    this.#workers.delete(worker);
    this.#workers.set(worker, entry);
    return worker;
  }

  /** Starts a worker, or gives `null` where none may be started. */
  #begin(): WorkerClient | null {
    if (this.#workers.size >= this.#size || this.#lost.size >= MAX_LOST) return null;
    const worker = new WorkerClient(this.#start(), this.#clock, {
      lost: (worker) => {
        this.#release(worker);
        this.#lost.add(worker);
        this.#serve();
      },
      broken: (worker) => {
        this.#discard(worker);
        this.#serve();
      },
    });
    if (this.#formats.size > 0) worker.prepare([...this.#formats]);
    this.#workers.set(worker, { open: new Map(), busy: null, cancelRest: () => {} });
    return worker;
  }

  /** Hands free workers to those that wait, opens first; where no worker can be had they are refused. */
  #serve(): void {
    while (!this.#closed) {
      const [open] = this.#opens;
      const { turn } = this.#planes;
      if (open === undefined && turn === null) return this.#busy() === 0 ? this.idle() : undefined;
      const isFull = this.#size > 1 && this.#busy() >= this.#size - 1;
      if (open === undefined && isFull) return;
      const worker = open ? this.#take("", "open") : this.#take(turn!, "plane");
      if (worker === null) {
        if (this.#workers.size === 0) this.#refuseWaiting(this.#stuck());
        return;
      }
      if (open) this.#opens.delete(open);
      (open ?? this.#planes.next()!).resolve(worker);
    }
  }

  #keep(worker: WorkerClient, entry: Entry, key: string): void {
    const { open } = entry;
    const before = open.get(key);
    open.delete(key);
    const bytes = this.#live.has(key) ? worker.indexBytes(key) : null;
    const isEnough = bytes !== null && before !== undefined && before.bytes >= bytes;
    const held = bytes === null ? null : isEnough ? before : this.#budget.tryReserve(bytes);
    if (before !== held) before?.release();
    if (held === null) return worker.forget([key]);
    open.set(key, held);
    const [oldest] = open.keys();
    if (oldest !== undefined && open.size > MAX_OPEN) this.#close(worker, entry, oldest);
  }

  #close(worker: WorkerClient, { open }: Entry, key: string): void {
    open.get(key)?.release();
    open.delete(key);
    worker.forget([key]);
  }

  #restLater(worker: WorkerClient, entry: Entry): void {
    entry.cancelRest();
    entry.cancelRest = this.#clock.after(REST_MS, () => this.#rest(worker, entry));
  }

  /** A worker has had nothing to do for a while. Memory of a decoder that cannot be dropped goes with its worker alone. */
  #rest(worker: WorkerClient, { open }: Entry): void {
    const keepsNothing = open.size === 0 && (worker.usedDecoder || this.#workers.size > 1);
    if (worker.holdsDecoder || keepsNothing) {
      this.#discard(worker);
      this.warm();
    } else if (open.size > 0) worker.rest();
    this.rested();
  }

  /** Takes a worker that cannot be used again out of the pool. */
  #discard(worker: WorkerClient): void {
    this.#release(worker);
    this.#lost.delete(worker);
    worker.terminate();
  }

  #release(worker: WorkerClient): void {
    const entry = this.#workers.get(worker);
    entry?.cancelRest();
    for (const held of entry?.open.values() ?? []) held.release();
    this.#workers.delete(worker);
  }

  #refuseWaiting(reason: Error): void {
    for (const waiting of [...this.#opens, ...this.#planes.clear()]) waiting.reject(reason);
    this.#opens.clear();
  }

  #stuck(): TooManyOpens {
    return new TooManyOpens(
      `${MAX_LOST} loads were stopped and do not end, so none can be started; restart the server if this stays`,
    );
  }
}
