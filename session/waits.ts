/** What clients wait for. */
import type { Clock } from "./clock.ts";
import { ClientGone, LoadTimeout, ShuttingDown } from "./errors.ts";

/** Ends each wait with its work, the load time-out, its client, its session or the server, whichever is first. */
export class Waits {
  readonly #clock: Clock;
  readonly #seconds: number;
  readonly #open = new Set<AbortController>();
  #closed = false;

  /** `seconds` is the load time-out. */
  constructor(clock: Clock, seconds: number) {
    this.#clock = clock;
    this.#seconds = seconds;
  }

  /**
   * Does the work of one request.
   *
   * @param what it is, in the message of the time-out: `Opening "a.tif"`
   * @param client aborted when the client goes away
   * @param session aborted with its reason when the session ends
   * @param work is stopped by its signal
   * @throws {LoadTimeout | ClientGone | ShuttingDown} or the reason of `session`
   */
  async during<T>(
    what: string,
    { client, session }: { readonly client: AbortSignal; readonly session?: AbortSignal },
    work: (signal: AbortSignal) => Promise<T>,
  ): Promise<T> {
    const wait = new AbortController();
    const seconds = this.#seconds;
    const cancel = this.#clock.after(seconds * 1000, () => {
      wait.abort(new LoadTimeout(`${what} took longer than ${seconds} s and was stopped`));
    });
    const clientGone = () => wait.abort(new ClientGone("The client went away"));
    const sessionEnded = () => wait.abort(session?.reason);
    if (this.#closed) wait.abort(stopping());
    if (client.aborted) clientGone();
    if (session?.aborted) sessionEnded();
    client.addEventListener("abort", clientGone, { once: true });
    session?.addEventListener("abort", sessionEnded, { once: true });
    this.#open.add(wait);
    try {
      wait.signal.throwIfAborted();
      return await work(wait.signal);
    } finally {
      cancel();
      this.#open.delete(wait);
      client.removeEventListener("abort", clientGone);
      session?.removeEventListener("abort", sessionEnded);
    }
  }

  /** Ends all waits, and those that come. */
  close(): void {
    this.#closed = true;
    for (const wait of this.#open) wait.abort(stopping());
  }
}

const stopping = () => new ShuttingDown("The server is stopping");
