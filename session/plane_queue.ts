/** Planes that wait for a worker. The queue is bounded, and sessions take turns. */
import { TooManyOpens } from "./errors.ts";

/** Largest number of waiting planes of all sessions. */
const MAX_WAITING = 256;

/** Largest number of waiting planes of one session. */
const MAX_WAITING_OF_SESSION = 16;

/** A queue of jobs by session. */
export class PlaneQueue<Job> {
  /** Sessions in the order of their turns. */
  readonly #sessions = new Map<string, Set<Job>>();
  #size = 0;

  get size(): number {
    return this.#size;
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
    if (this.#size >= MAX_WAITING) {
      throw new TooManyOpens(`${MAX_WAITING} planes are waiting already; try again in a moment`);
    }
    this.#sessions.set(session, own.add(job));
    this.#size += 1;
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
    this.#size -= 1;
    return job!;
  }

  /** Removes a job that is no longer wanted. */
  remove(session: string, job: Job): void {
    const own = this.#sessions.get(session);
    if (!own?.delete(job)) return;
    if (own.size === 0) this.#sessions.delete(session);
    this.#size -= 1;
  }

  clear(): Job[] {
    const all = [...this.#sessions.values()].flatMap((own) => [...own]);
    this.#sessions.clear();
    this.#size = 0;
    return all;
  }
}
