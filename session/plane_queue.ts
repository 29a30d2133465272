/** Planes that wait for a worker: a bounded queue in which the sessions have their turns. */
import { TooManyOpens } from "./errors.ts";

/** Planes of all sessions that may wait. */
const MAX_WAITING = 256;

/** Planes of one session that may wait. */
const MAX_WAITING_OF_SESSION = 16;

/** What waits, by the session that it is for. */
export class PlaneQueue<Job> {
  /** Sessions in the order of their turns. */
  readonly #sessions = new Map<string, Set<Job>>();
  #size = 0;

  /** How many wait. */
  get size(): number {
    return this.#size;
  }

  /** Takes one more. @throws {TooManyOpens} the queue, or the part of the session, is full */
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

  /** The session whose turn it is, or `null`. */
  get turn(): string | null {
    const [session] = this.#sessions.keys();
    return session ?? null;
  }

  /** Takes out the first of the session whose turn it is. */
  next(): Job | null {
    const [turn] = this.#sessions;
    if (turn === undefined) return null;
    const [session, own] = turn;
    const [job] = own;
    this.#sessions.delete(session);
    if (own.size > 1) this.#sessions.set(session, own);
    if (job === undefined || !own.delete(job)) return null;
    this.#size -= 1;
    return job;
  }

  /** Takes one out that is no longer wanted; false where it does not wait. */
  remove(session: string, job: Job): boolean {
    const own = this.#sessions.get(session);
    if (!own?.delete(job)) return false;
    if (own.size === 0) this.#sessions.delete(session);
    this.#size -= 1;
    return true;
  }

  /** Takes all out. */
  clear(): Job[] {
    const all = [...this.#sessions.values()].flatMap((own) => [...own]);
    this.#sessions.clear();
    this.#size = 0;
    return all;
  }
}
