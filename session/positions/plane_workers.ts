/**
 * Workers that keep acquisitions open for planes at other positions. They are no workers of the {@linkcode DecodePool}, so that an
 * open never waits for a plane.
 */
import type { Clock } from "../clock.ts";
import { DecodeWorkerClient } from "../decode_worker_client.ts";
import type { StartWorker } from "../decode_pool.ts";
import type { MemoryBudget, Reservation } from "../memory_budget.ts";

/** More workers gain nothing: planes are read from one disk and sent over one loopback. */
const MAX_WORKERS = 4;

/** Acquisitions that one worker keeps; the one that was not used longest is closed. */
const MAX_KEPT = 64;

/** Workers that do not answer; each may hold a core, so no new ones are started beyond. */
const MAX_LOST = 4;

/** The files of a worker that has had nothing to do for this time are closed. */
const REST_MS = 5000;

interface Entry {
  /** Keys of what it keeps, and the memory of each; the one that was used last is the last. */
  readonly kept: Map<string, Reservation | null>;
  busy: boolean;
  cancelRest(): void;
}

/** A few workers, started when they are needed and ended when nothing is kept any more. */
export class PlaneWorkers {
  readonly #clock: Clock;
  readonly #budget: MemoryBudget;
  readonly #start: StartWorker;
  readonly #size: number;
  readonly #workers = new Map<DecodeWorkerClient, Entry>();
  readonly #lost = new Set<DecodeWorkerClient>();
  /** Called when a worker that was busy may have become free, or was lost. */
  freed: () => void = () => {};
  /** Called when a worker has had nothing to do for a while. */
  rested: () => void = () => {};

  /** `size` is given by tests. */
  constructor(
    clock: Clock,
    budget: MemoryBudget,
    start: StartWorker,
    size: number = navigator.hardwareConcurrency,
  ) {
    this.#clock = clock;
    this.#budget = budget;
    this.#start = start;
    this.#size = Math.max(1, Math.min(size, MAX_WORKERS));
  }

  /** Workers by state. */
  get counts(): { idle: number; busy: number; lost: number } {
    const busy = [...this.#workers.values()].filter((entry) => entry.busy).length;
    return { idle: this.#workers.size - busy, busy, lost: this.#lost.size };
  }

  /** A worker for an acquisition, best one that keeps it; `null` where all are busy or none can be started. */
  take(key: string): DecodeWorkerClient | null {
    const idle = [...this.#workers].filter(([, entry]) => !entry.busy);
    const [worker, entry] = idle.find(([, { kept }]) => kept.has(key)) ?? idle[0] ?? this.#begin() ?? [];
    if (!worker || !entry) return null;
    entry.busy = true;
    entry.cancelRest();
    return worker;
  }

  /**
   * Takes a worker back that has answered. What it keeps from now on is counted in the memory of the sessions; where
   * there is none, it keeps nothing.
   *
   * @param indexBytes of the acquisition, also of one that was opened for work that failed; `null` where it is not to be kept
   */
  giveBack(worker: DecodeWorkerClient, key: string, indexBytes: number | null): void {
    const entry = this.#workers.get(worker);
    if (!entry) {
      if (this.#lost.delete(worker)) worker.terminate();
      return;
    }
    entry.busy = false;
    this.#keep(worker, entry, key, indexBytes);
    this.#restLater(worker, entry);
    this.freed();
  }

  /** Closes an acquisition in all workers that keep it. One that rests may be ended now that it keeps nothing more. */
  forget(key: string): void {
    for (const [worker, entry] of this.#workers) {
      const { kept } = entry;
      if (!kept.has(key)) continue;
      kept.get(key)?.release();
      kept.delete(key);
      worker.forget([key]);
      if (!entry.busy) this.#restLater(worker, entry);
    }
  }

  /** Ends all workers. */
  close(): void {
    for (const worker of [...this.#workers.keys(), ...this.#lost]) this.#end(worker);
  }

  #restLater(worker: DecodeWorkerClient, entry: Entry): void {
    entry.cancelRest();
    entry.cancelRest = this.#clock.after(REST_MS, () => this.#rest(worker, entry));
  }

  #keep(worker: DecodeWorkerClient, { kept }: Entry, key: string, indexBytes: number | null): void {
    const before = kept.get(key);
    kept.delete(key);
    const held = indexBytes === null
      ? null
      : before && before.bytes >= indexBytes
      ? before
      : this.#budget.tryReserve(indexBytes);
    if (before !== held) before?.release();
    if (held === null) return worker.forget([key]);
    kept.set(key, held);
    const [oldest] = kept;
    if (oldest === undefined || kept.size <= MAX_KEPT) return;
    oldest[1]?.release();
    kept.delete(oldest[0]);
    worker.forget([oldest[0]]);
  }

  /** Nothing was asked for some time. Memory of a decoder that cannot be dropped goes with its worker alone. */
  #rest(worker: DecodeWorkerClient, { kept }: Entry): void {
    if (kept.size === 0 || worker.endsWithLoad) this.#end(worker);
    else worker.rest();
    this.rested();
  }

  #begin(): [DecodeWorkerClient, Entry] | null {
    if (this.#workers.size >= this.#size || this.#lost.size >= MAX_LOST) return null;
    const started = this.#start();
    if (started === null) return null;
    const worker = new DecodeWorkerClient(started, this.#clock, {
      lost: (worker) => {
        this.#forgetAll(worker);
        this.#lost.add(worker);
        this.freed();
      },
      broken: (worker) => {
        this.#end(worker);
        this.freed();
      },
    });
    const entry: Entry = { kept: new Map(), busy: false, cancelRest: () => {} };
    this.#workers.set(worker, entry);
    return [worker, entry];
  }

  #end(worker: DecodeWorkerClient): void {
    this.#forgetAll(worker);
    this.#lost.delete(worker);
    worker.terminate();
  }

  #forgetAll(worker: DecodeWorkerClient): void {
    const entry = this.#workers.get(worker);
    entry?.cancelRest();
    for (const held of entry?.kept.values() ?? []) held?.release();
    this.#workers.delete(worker);
  }
}
