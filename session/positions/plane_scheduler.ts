/** Which plane a free worker decodes next: opens go before planes, planes that somebody waits for before those read ahead. */
import { TooManyOpens } from "../errors.ts";
import type { DecodePool } from "../decode_pool.ts";
import type { DecodeWorkerClient } from "../decode_worker_client.ts";
import type { Reservation } from "../memory_budget.ts";
import type { ScheduledJob } from "./plane_job.ts";
import { PlaneQueue } from "./plane_queue.ts";
import type { PlaneWorkers } from "./plane_workers.ts";

/** Gives jobs to workers. */
export class PlaneScheduler {
  readonly #pool: DecodePool;
  readonly #workers: PlaneWorkers;
  readonly #queue = new PlaneQueue<ScheduledJob>();
  readonly #running = new Set<ScheduledJob>();
  /** Called when nothing waits or runs any more. */
  idle: () => void = () => {};

  /** Takes the pool of the opens and the workers that the jobs are for. */
  constructor(pool: DecodePool, workers: PlaneWorkers) {
    this.#pool = pool;
    this.#workers = workers;
    workers.freed = () => this.#serve();
    pool.asked = () => this.stopAhead();
    pool.unblocked = () => this.#serve();
  }

  /** Jobs that wait, and jobs that run. */
  get counts(): { waiting: number; running: number } {
    return { waiting: this.#queue.size, running: this.#running.size };
  }

  /** Takes a job that somebody waits for. What is read ahead ends. @throws {TooManyOpens} too many wait */
  add(job: ScheduledJob): void {
    this.stopAhead();
    this.#queue.add(job.session.id, job);
    job.signal.addEventListener("abort", () => this.#queue.remove(job.session.id, job), { once: true });
    this.#serve();
  }

  /** Takes a job that nobody waits for, where nothing else is to be done; else false. */
  addAhead(job: ScheduledJob): boolean {
    const { busy, waiting } = this.#pool.counts;
    if (busy + waiting + this.#queue.size + this.#running.size > 0) return false;
    const worker = this.#workers.take(job.session.id);
    if (worker !== null) void this.#run(job, worker);
    return worker !== null;
  }

  /** Gives up what nobody waits for. */
  stopAhead(): void {
    for (const job of this.#running) if (job.isIdle) job.abandon(new Error("Other work came first"));
  }

  /** Gives up all jobs. */
  close(reason: Error): void {
    for (const job of [...this.#queue.clear(), ...this.#running]) job.abandon(reason);
    this.#workers.close();
  }

  #serve(): void {
    while (this.#pool.counts.waiting === 0) {
      const job = this.#queue.peek();
      if (job === null) return this.#running.size === 0 ? this.idle() : undefined;
      const worker = this.#workers.take(job.session.id);
      if (worker === null) return this.#refuseIfStuck();
      this.#queue.next();
      void this.#run(job, worker);
    }
  }

  /** Without any worker, those that wait would wait in vain. */
  #refuseIfStuck(): void {
    const { idle, busy } = this.#workers.counts;
    if (idle + busy > 0) return;
    const stuck = new TooManyOpens("No decode worker can be started; try again in a moment");
    for (const job of this.#queue.clear()) job.abandon(stuck);
  }

  async #run(job: ScheduledJob, worker: DecodeWorkerClient): Promise<void> {
    const held: Reservation[] = [];
    this.#running.add(job);
    await job.run(worker, held);
    // The request may have gone long before the worker is done with its memory.
    await worker.quiet;
    for (const reservation of held) reservation.release();
    this.#running.delete(job);
    const { ended, id } = job.session;
    this.#workers.giveBack(worker, id, ended.aborted ? null : worker.indexBytes(id));
  }
}
