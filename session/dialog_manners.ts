/** Keeps a page from asking again and again for a dialog that its user does not want. */
import { DialogBusy } from "./errors.ts";

/** Milliseconds within which two cancelled dialogs are too many. */
const WINDOW = 60_000;

/** Seconds for which the page is refused after that. */
const PAUSE = 30;

/** Counts the dialogs of foreign origins that were cancelled. */
export class DialogManners {
  readonly #now: () => number;
  readonly #cancelled = new Map<string, { last: number; pausedUntil: number }>();

  /** @param now milliseconds of a clock that only goes forward */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /**
   * Called before a dialog.
   *
   * @param origin of the asking page; `null` for the server's own pages and for scripts, which are never refused
   * @throws {DialogBusy} two of its dialogs were cancelled within a minute, less than 30 s ago
   */
  check(origin: string | null): void {
    const entry = origin === null ? undefined : this.#cancelled.get(origin);
    if (entry === undefined || this.#now() >= entry.pausedUntil) return;
    throw new DialogBusy(
      `Two dialogs of this page were cancelled within a minute; it may ask again after ${PAUSE} seconds`,
      PAUSE,
    );
  }

  /** Called when a dialog of `origin` was cancelled, by the user or by the page that went away. */
  cancelled(origin: string | null): void {
    if (origin === null) return;
    const now = this.#now();
    for (const [known, { last }] of this.#cancelled) {
      if (now - last >= WINDOW) this.#cancelled.delete(known);
    }
    const again = this.#cancelled.has(origin);
    this.#cancelled.set(origin, { last: now, pausedUntil: again ? now + PAUSE * 1000 : -Infinity });
  }
}
