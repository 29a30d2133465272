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
        `${what} need ${formatMebibytes(bytes)}, but only ${formatMebibytes(this.capacity - this.#used)} of ${
          formatMebibytes(this.capacity)
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

/** Two reservations as one. */
export function joinReservations(first: Reservation, second: Reservation): Reservation {
  const bytes = () => first.bytes + second.bytes;
  return {
    get bytes() {
      return bytes();
    },
    release(part = bytes()) {
      const own = Math.min(part, first.bytes);
      first.release(own);
      second.release(part - own);
    },
  };
}

/** Part of the budget that exports of one memory share may always take, however large the recording is. */
const EXPORT_SHARE = 1 / 16;

/**
 * The memory of one open that the user agreed to, of all opens that repeat it for its sessions, and of their exports. The first open
 * may take all that is free. The others may raise the total to half of the budget only, since a page repeats them without asking the
 * user.
 */
export class MemoryShare {
  readonly #budget: MemoryBudget;
  #held = 0;
  #exports = 0;

  constructor(budget: MemoryBudget) {
    this.#budget = budget;
  }

  /** Takes `bytes`; `isAgain` tells that an open is repeated without asking the user. @throws {SessionMemoryExceeded} */
  reserve(bytes: number, isAgain: boolean): Reservation {
    if (isAgain && this.#isOver(bytes)) throw this.#refusal("Opening it again", "open the file anew", bytes);
    const reservation = this.#budget.reserve(bytes, "The planes", (given) => this.#held -= given);
    this.#held += bytes;
    return reservation;
  }

  /** Takes `bytes` for an order or an archive that waits. @throws {SessionMemoryExceeded} */
  reserveExport(bytes: number): Reservation {
    const isSmall = this.#exports + bytes <= this.#budget.capacity * EXPORT_SHARE;
    if (!isSmall && this.#isOver(bytes)) throw this.#refusal("The export", "export fewer recordings", bytes);
    const reservation = this.#budget.reserve(bytes, "The documents of the export", (given) => {
      this.#held -= given;
      this.#exports -= given;
    });
    this.#held += bytes;
    this.#exports += bytes;
    return reservation;
  }

  #isOver(bytes: number): boolean {
    return this.#held + bytes > this.#budget.capacity / 2;
  }

  #refusal(what: string, advice: string, bytes: number): SessionMemoryExceeded {
    const most = formatMebibytes(this.#budget.capacity / 2);
    return new SessionMemoryExceeded(
      `${what} needs ${formatMebibytes(bytes)}, and its sessions hold ${
        formatMebibytes(this.#held)
      } of the ${most} ` +
        `that they may have together; delete sessions, or ${advice}`,
    );
  }
}

const formatMebibytes = (bytes: number) => `${(bytes / 2 ** 20).toFixed(bytes < 2 ** 20 * 10 ? 1 : 0)} MiB`;
