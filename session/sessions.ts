/** Everything that routes and commands need to open acquisitions and read their planes. */
import { collectAfter } from "../readers/io/runtime_internals.ts";
import type { Clock } from "./clock.ts";
import { DecodePool, type StartWorker } from "./decode_pool.ts";
import { Exporter } from "./exporter.ts";
import { FolderLister } from "./folder_listing.ts";
import { MemoryBudget } from "./memory_budget.ts";
import { Opener, type OpenRules } from "./opener.ts";
import { PlaneMemory } from "./plane_memory.ts";
import { PositionReader } from "./position_reader.ts";
import { SessionStore } from "./store.ts";

/** Configuration of sessions. */
export interface SessionRules extends OpenRules {
  readonly sessionTtlSeconds: number;
  readonly maxSessionMemory: number;
}

/** Sessions with their decode pool. */
export class Sessions {
  readonly store: SessionStore;
  readonly opener: Opener;
  readonly folders: FolderLister;
  readonly exporter: Exporter;
  readonly positions: PositionReader;
  readonly budget: MemoryBudget;
  readonly pool: DecodePool;

  /** Tests set how a worker starts, and the number of workers. */
  constructor(clock: Clock, rules: SessionRules, startWorker?: StartWorker, workers?: number) {
    const { sessionTtlSeconds, maxSessionMemory, loadTimeoutSeconds } = rules;
    const memory = new PlaneMemory(clock);
    const budget = new MemoryBudget(maxSessionMemory);
    const pool = new DecodePool(clock, budget, startWorker, workers);
    // Only at rest: a full collection delays every answer by 30 to 100 ms. Planes are freed without one.
    pool.rested = () => collectAfter(0);
    const resources = { pool, budget, memory };
    this.store = new SessionStore(
      clock,
      sessionTtlSeconds,
      memory,
      (session) => this.positions.forget(session),
    );
    this.opener = new Opener(clock, resources, this.store, rules);
    this.folders = new FolderLister(clock, rules);
    this.positions = new PositionReader(clock, resources, loadTimeoutSeconds);
    this.exporter = new Exporter(clock, resources, this.store, this.opener, loadTimeoutSeconds);
    this.budget = budget;
    this.pool = pool;
  }

  /** Ends all unfinished work, and refuses more. */
  stopWork(): void {
    this.opener.close();
    this.folders.close();
    this.exporter.close();
    this.positions.close();
  }

  close(): void {
    this.store.close();
    this.pool.close();
  }
}
