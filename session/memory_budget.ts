import { SessionMemoryExceeded } from "./errors.ts";

/** Bytes taken from a {@linkcode MemoryBudget}. */
export interface Reservation {
  readonly bytes: number;
  /** Gives `bytes` back; by default, all that are still held. */
  release(bytes?: number): void;
}

/** The memory of all planes together. Bytes are reserved before anything is allocated. */
export class MemoryBudget {
  /** Called with the number of missing bytes before a reservation is refused, to free planes that can be decoded again. */
  giveUp: (bytes: number) => void = () => {};
  #used = 0;

  constructor(readonly capacity: number) {}

  get used(): number {
    return this.#used;
  }

  /**
   * Takes `bytes`.
   *
   * @param what subject of the message: `The planes`
   * @param released called with the number of bytes of each release
   * @throws {SessionMemoryExceeded}
   */
  reserve(bytes: number, what = "The planes", released?: (bytes: number) => void): Reservation {
    const missing = bytes - (this.capacity - this.#used);
    if (missing > 0) this.giveUp(missing);
    const reservation = this.tryReserve(bytes, released);
    if (reservation === null) {
      throw new SessionMemoryExceeded(
        `${what} need ${mebibytes(bytes)}, but only ${mebibytes(this.capacity - this.#used)} of ${
          mebibytes(this.capacity)
        } session memory are free; delete sessions, load fewer channels, or raise --max-session-memory (docs/install.md#troubleshooting)`,
      );
    }
    return reservation;
  }

  /** Takes `bytes` if they are free, else `null`. */
  tryReserve(bytes: number, released: (bytes: number) => void = () => {}): Reservation | null {
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
        released(given);
      },
    };
  }
}

/**
 * The memory of one open that the user agreed to, and of all opens that repeat it for its sessions. The first open may take all
 * that is free. Repeated opens may raise the total to half of the budget only, since a page repeats them without asking the user.
 */
export class Consent {
  readonly #budget: MemoryBudget;
  #held = 0;

  constructor(budget: MemoryBudget) {
    this.#budget = budget;
  }

  /** Takes `bytes`; `isAgain` tells that an open is repeated without asking the user. @throws {SessionMemoryExceeded} */
  reserve(bytes: number, isAgain: boolean): Reservation {
    const most = this.#budget.capacity / 2;
    if (isAgain && this.#held + bytes > most) {
      throw new SessionMemoryExceeded(
        `Opening it again needs ${mebibytes(bytes)}, and its sessions hold ${mebibytes(this.#held)} of the ${
          mebibytes(most)
        } that they may have together; delete sessions, or open the file anew`,
      );
    }
    const reservation = this.#budget.reserve(bytes, "The planes", (given) => this.#held -= given);
    this.#held += bytes;
    return reservation;
  }
}

const mebibytes = (bytes: number) => `${(bytes / 2 ** 20).toFixed(bytes < 2 ** 20 * 10 ? 1 : 0)} MiB`;
