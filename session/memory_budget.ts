import { SessionMemoryExceeded } from "./errors.ts";

/** Bytes taken from a {@linkcode MemoryBudget}. */
export interface Reservation {
  /** Bytes that are still held. */
  readonly bytes: number;
  /** Gives `bytes` back, all that is held by default. */
  release(bytes?: number): void;
}

/**
 * The memory that the planes of all sessions and of the opens in progress may take together. It is reserved
 * when a plan is known, before anything is allocated.
 */
export class MemoryBudget {
  /** Bytes in all. */
  readonly capacity: number;
  /** Called before bytes are refused, with how many are missing: what can be decoded again may be given up. */
  giveUp: (bytes: number) => void = () => {};
  #used = 0;

  /** Takes the bytes that may be reserved in all. */
  constructor(capacity: number) {
    this.capacity = capacity;
  }

  /** Bytes that are reserved now. */
  get used(): number {
    return this.#used;
  }

  /**
   * Takes `bytes` from the budget.
   *
   * @param what needs them, in the message: `The planes`
   * @throws {SessionMemoryExceeded} when `bytes` more would pass the capacity
   */
  reserve(bytes: number, what = "The planes"): Reservation {
    const missing = bytes - (this.capacity - this.#used);
    if (missing > 0) this.giveUp(missing);
    const reservation = this.tryReserve(bytes);
    if (reservation === null) {
      throw new SessionMemoryExceeded(
        `${what} need ${mebibytes(bytes)}, but only ${mebibytes(this.capacity - this.#used)} of ` +
          `${
            mebibytes(this.capacity)
          } session memory are free; delete sessions that are no longer needed, load fewer ` +
          `channels, or start the server with a larger --max-session-memory`,
      );
    }
    return reservation;
  }

  /** Takes `bytes` from the budget where they are free; else `null`. */
  tryReserve(bytes: number): Reservation | null {
    if (!(bytes <= this.capacity - this.#used)) return null;
    this.#used += bytes;
    let held = bytes;
    return {
      get bytes() {
        return held;
      },
      release: (part = held) => {
        const given = Math.min(part, held);
        held -= given;
        this.#used -= given;
      },
    };
  }
}

const mebibytes = (bytes: number) => `${(bytes / 2 ** 20).toFixed(bytes < 2 ** 20 * 10 ? 1 : 0)} MiB`;
