/** A piece of work for a worker that one or several requests wait for. */
import type { DecodeWorkerClient } from "../decode_worker_client.ts";
import type { Reservation } from "../memory_budget.ts";
import type { Session } from "../store.ts";

/** What a worker is to do for a session, and what to do with the result in the end. */
export interface Work<Result> {
  /**
   * Does it.
   *
   * @param held takes the memory that is in use until the worker is quiet
   */
  run(worker: DecodeWorkerClient, signal: AbortSignal, held: Reservation[]): Promise<Result>;
  /** Called once, when everybody who waited has had the result. */
  dispose(result: Result): void;
}

/** A job, whatever its result is. */
export interface ScheduledJob {
  /** The session that it is for. */
  readonly session: Session;
  /** Aborted when nobody wants the result any more. */
  readonly signal: AbortSignal;
  /** True where nobody waits, as for a plane that is read ahead. */
  readonly isIdle: boolean;
  /** Does the work; it never fails. */
  run(worker: DecodeWorkerClient, held: Reservation[]): Promise<void>;
  /** Gives the work up. */
  abandon(reason: unknown): void;
}

/** Work that is given up when its last waiter leaves. */
export class PlaneJob<Result> implements ScheduledJob {
  readonly session: Session;
  readonly #work: Work<Result>;
  readonly #abort = new AbortController();
  readonly #end = Promise.withResolvers<Result>();
  #waiters = 0;
  #done: { readonly result: Result } | null = null;

  /** Nothing is done yet. */
  constructor(session: Session, work: Work<Result>) {
    this.session = session;
    this.#work = work;
    this.#end.promise.catch(() => {});
  }

  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  get isIdle(): boolean {
    return this.#waiters === 0;
  }

  /**
   * Waits for the result.
   *
   * @param take is called with it before it can be disposed of
   * @throws what the work throws, or the reason of `signal`
   */
  async wait<Taken>(signal: AbortSignal, take: (result: Result) => Taken): Promise<Taken> {
    this.#waiters += 1;
    const left = Promise.withResolvers<never>();
    const leave = () => left.reject(signal.reason);
    if (signal.aborted) leave();
    signal.addEventListener("abort", leave, { once: true });
    try {
      return take(await Promise.race([this.#end.promise, left.promise]));
    } finally {
      signal.removeEventListener("abort", leave);
      this.#waiters -= 1;
      if (this.isIdle) this.#finish(signal.reason);
    }
  }

  async run(worker: DecodeWorkerClient, held: Reservation[]): Promise<void> {
    try {
      const result = await this.#work.run(worker, this.signal, held);
      this.#done = { result };
      this.#end.resolve(result);
      if (this.isIdle) this.#finish(null);
    } catch (error) {
      this.abandon(error);
    }
  }

  abandon(reason: unknown): void {
    this.#end.reject(reason);
    this.#abort.abort(reason);
  }

  #finish(reason: unknown): void {
    if (this.#done === null) return this.abandon(reason);
    this.#work.dispose(this.#done.result);
  }
}
