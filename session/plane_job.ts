/** A piece of work for a worker that one or several requests wait for. */
import type { WorkerClient } from "./worker_client.ts";

/** What a worker is to do for a session, and what to do with the result in the end. */
export interface Work<Result> {
  /**
   * Does it.
   *
   * @param worker has nothing to do; the work gives it back
   */
  run(worker: WorkerClient, signal: AbortSignal): Promise<Result>;
  /** Called once, when everybody who waited has had the result. */
  dispose(result: Result): void;
}

/** Work that is given up when its last waiter leaves. */
export class PlaneJob<Result> {
  readonly #work: Work<Result>;
  readonly #abort = new AbortController();
  readonly #end = Promise.withResolvers<Result>();
  #waiters = 0;
  #done: { readonly result: Result } | null = null;

  /** Nothing is done yet. */
  constructor(work: Work<Result>) {
    this.#work = work;
    this.#end.promise.catch(() => {});
  }

  /** Aborted when nobody wants the result any longer. */
  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  /** True where nobody waits, as for a plane that is read ahead. */
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

  /** Does the work once there is a worker; it never fails. */
  async run(taken: Promise<WorkerClient>): Promise<void> {
    try {
      const result = await this.#work.run(await taken, this.signal);
      this.#done = { result };
      this.#end.resolve(result);
      if (this.isIdle) this.#finish(null);
    } catch (error) {
      this.abandon(error);
    }
  }

  /** Gives the work up. */
  abandon(reason: unknown): void {
    this.#end.reject(reason);
    this.#abort.abort(reason);
  }

  #finish(reason: unknown): void {
    if (this.#done === null) return this.abandon(reason);
    this.#work.dispose(this.#done.result);
  }
}
