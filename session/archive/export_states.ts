/** How far each archive is, for pages: a browser that saves a download does not tell them whether it arrived. */
import type { Clock } from "../clock.ts";

/** `waiting` for its download, `streaming`, or at its end. */
export type ExportProgress = "waiting" | "streaming" | "done" | "failed";

/** The state of an archive. */
export interface ExportState {
  readonly state: ExportProgress;
  /** Why it failed; else `null`. */
  readonly message: string | null;
}

/** Seconds for which the end of an archive is known. */
export const KEPT_SECONDS = 600;

/** Most archives whose end is known; the oldest are forgotten. */
const MAX_ENDED = 1000;

/** States of the archives of all clients. */
export class ExportStates {
  readonly #clock: Clock;
  readonly #states = new Map<string, ExportState>();
  /** Ends the wait until an archive that has ended is forgotten; in the order of their ends. */
  readonly #ended = new Map<string, () => void>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** The state, or `null` if no such archive is known. */
  of(id: string): ExportState | null {
    return this.#states.get(id) ?? null;
  }

  /** Notes that an archive waits for its download or is downloaded. */
  begin(id: string, state: "waiting" | "streaming"): void {
    this.#states.set(id, { state, message: null });
  }

  /** Notes the end of an archive; the first one counts. @param message why it failed, or `null` */
  end(id: string, message: string | null): void {
    if (this.#ended.has(id)) return;
    this.#states.set(id, { state: message === null ? "done" : "failed", message });
    this.#ended.set(id, this.#clock.after(KEPT_SECONDS * 1000, () => this.#forget(id)));
    if (this.#ended.size > MAX_ENDED) this.#forget(this.#ended.keys().next().value!);
  }

  #forget(id: string) {
    this.#ended.get(id)?.();
    this.#ended.delete(id);
    this.#states.delete(id);
  }

  close(): void {
    for (const id of [...this.#ended.keys()]) this.#forget(id);
  }
}
