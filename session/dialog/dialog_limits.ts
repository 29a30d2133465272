/** How dialogs treat foreign pages: titles name them, and after too many cancelled dialogs they have to wait. */
import { DialogBusy } from "../errors.ts";

/** Longest origin in a title, in characters. */
const MAX_ORIGIN = 60;

/** Foreign pages must wait after this many cancelled dialogs... */
const TOO_MANY = 3;

/** ...within these milliseconds. */
const WINDOW = 60_000;

/** Seconds for which foreign pages are then refused. */
const PAUSE = 30;

/** Title of a dialog for a foreign page; `null` stands for the server's own pages and for scripts. */
export function makeDialogTitle(foreign: string | null): string {
  if (foreign === null) return "Open an acquisition";
  // A page may hide its origin, which is then "null".
  const isNameless = foreign === "null" || foreign === "";
  return `Open an acquisition for ${isNameless ? "a page without an address" : shortenOrigin(foreign)}`;
}

/** Shortens a long origin in the middle: its end names the owner, and title bars cut the end of a long title. */
function shortenOrigin(origin: string): string {
  if (origin.length <= MAX_ORIGIN) return origin;
  const scheme = /^[a-z]{1,20}:\/\//.exec(origin)?.[0] ?? "";
  return `${scheme}…${origin.slice(scheme.length + 1 - MAX_ORIGIN)}`;
}

/**
 * Counts the cancelled dialogs of all foreign pages together, since one site may have many origins. The server's own pages and
 * scripts are never refused.
 */
export class DialogLimits {
  readonly #now: () => number;
  #cancelled: number[] = [];
  #pausedUntil = -Infinity;

  /** Takes a clock in milliseconds that never goes back. */
  constructor(now: () => number) {
    this.#now = now;
  }

  /** Called before a dialog opens. @throws {DialogBusy} foreign pages have to wait */
  check(isForeign: boolean): void {
    if (!isForeign || this.#now() >= this.#pausedUntil) return;
    throw new DialogBusy(
      `Pages of other sites had ${TOO_MANY} dialogs cancelled within a minute; they may ask again after ${PAUSE} seconds`,
      { retryAfter: PAUSE },
    );
  }

  /** Called when the user cancels a dialog, or its page goes away. */
  cancelled(isForeign: boolean): void {
    if (!isForeign) return;
    const now = this.#now();
    this.#cancelled = [...this.#cancelled.filter((time) => now - time < WINDOW), now].slice(-TOO_MANY);
    if (this.#cancelled.length === TOO_MANY) this.#pausedUntil = now + PAUSE * 1000;
  }
}
