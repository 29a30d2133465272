/** Everything that routes and commands need to open acquisitions and read their planes. */
import { collectAfter } from "../readers/io/runtime_internals.ts";
import type { Clock } from "./clock.ts";
import { DecodePool, type StartWorker } from "./decode_pool.ts";
import { Exporter } from "./archive/exporter.ts";
import { MemoryBudget } from "./memory_budget.ts";
import { Opener } from "./opener.ts";
import { PlaneMemory } from "./plane_memory.ts";
import { PositionReader } from "./position_reader.ts";
import type { OpenRules } from "./source_path.ts";
import { SessionStore } from "./store.ts";
import { Waits } from "./waits.ts";

/** Configuration of sessions. */
export interface SessionRules extends OpenRules {
  readonly sessionTtlSeconds: number;
  readonly maxSessionMemory: number;
}

/** Sessions with their decode pool. */
export class Sessions {
  readonly store: SessionStore;
  readonly opener: Opener;
  readonly exporter: Exporter;
  readonly positions: PositionReader;
  readonly budget: MemoryBudget;
  readonly pool: DecodePool;
  readonly #waits: Waits;

  /** Tests set how a worker starts, and the number of workers. */
  constructor(clock: Clock, rules: SessionRules, startWorker?: StartWorker, workers?: number) {
    const { sessionTtlSeconds, maxSessionMemory, loadTimeoutSeconds } = rules;
    const memory = new PlaneMemory(clock);
    const budget = new MemoryBudget(maxSessionMemory);
    const pool = new DecodePool(clock, budget, startWorker, workers);
    // Only at rest: a full collection delays every answer by 30 to 100 ms. Planes are freed without one.
    pool.rested = () => collectAfter(0);
    const resources = { pool, budget, memory };
    const waits = new Waits(clock, loadTimeoutSeconds);
    this.store = new SessionStore(
      clock,
      sessionTtlSeconds,
      memory,
      (session) => this.positions.forget(session),
    );
    this.opener = new Opener(resources, waits, this.store, rules);
    this.positions = new PositionReader(resources, waits);
    this.exporter = new Exporter(clock, resources, waits, this.store, this.opener, this.positions);
    this.budget = budget;
    this.pool = pool;
    this.#waits = waits;
  }

  /** Ends all unfinished work, and refuses more. */
  stopWork(): void {
    this.#waits.close();
    this.exporter.links.close();
    this.positions.close();
  }

  close(): void {
    this.store.close();
    this.pool.close();
  }
}
