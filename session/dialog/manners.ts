/** Keeps foreign pages from asking again and again for a dialog that their user does not want. */
import { DialogBusy } from "../errors.ts";

/** So many cancelled dialogs are too many... */
const TOO_MANY = 3;

/** ...within these milliseconds. */
const WINDOW = 60_000;

/** Seconds for which foreign pages are refused after that. */
const PAUSE = 30;

/**
 * Counts the cancelled dialogs of all foreign pages together: a site has as many origins as it likes. The server's
 * own pages and scripts are never refused, and nothing of theirs counts.
 */
export class DialogManners {
  readonly #now: () => number;
  #cancelled: number[] = [];
  #pausedUntil = -Infinity;

  /** Takes the milliseconds of a clock that only goes forward. */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /**
   * Called before a dialog.
   *
   * @throws {DialogBusy} a foreign page asks, and three dialogs of such pages were cancelled within a minute, the
   *   last of them less than 30 s ago
   */
  check(isForeign: boolean): void {
    if (!isForeign || this.#now() >= this.#pausedUntil) return;
    throw new DialogBusy(
      `${TOO_MANY} dialogs of pages that this server does not serve were cancelled within a minute; they may ask again after ${PAUSE} seconds`,
      PAUSE,
    );
  }

  /** Called when a dialog was cancelled, by the user or by the page that went away. */
  cancelled(isForeign: boolean): void {
    if (!isForeign) return;
    const now = this.#now();
    this.#cancelled = [...this.#cancelled.filter((time) => now - time < WINDOW), now].slice(-TOO_MANY);
    if (this.#cancelled.length === TOO_MANY) this.#pausedUntil = now + PAUSE * 1000;
  }
}
