/** The signal that ends the work of a request. */
import type { Clock } from "./clock.ts";
import { ClientGone, LoadTimeout, ShuttingDown } from "./errors.ts";

/** The time limit of a request; dispose of it when the request is answered. */
export interface Wait extends Disposable {
  /** Aborted with a {@linkcode LoadTimeout}, {@linkcode ClientGone}, {@linkcode ShuttingDown} or the reason of the session. */
  readonly signal: AbortSignal;
}

/** Ends the work of each request at the load time-out, or when the client leaves, the session ends or the server stops. */
export class Waits {
  readonly #clock: Clock;
  readonly #seconds: number;
  readonly #closing = new AbortController();

  constructor(clock: Clock, seconds: number) {
    this.#clock = clock;
    this.#seconds = seconds;
  }

  /** Begins to wait. The message of the time-out begins with `what`: `Opening "a.tif"`. */
  begin(what: string, client: AbortSignal, session?: AbortSignal): Wait {
    const own = new AbortController();
    const cancel = this.#clock.after(this.#seconds * 1000, () => {
      own.abort(new LoadTimeout(`${what} took longer than ${this.#seconds} s and was stopped`));
    });
    const leave = () => own.abort(new ClientGone("The client went away"));
    client.addEventListener("abort", leave, { once: true });
    if (client.aborted) leave();
    return {
      signal: AbortSignal.any([this.#closing.signal, own.signal, ...session ? [session] : []]),
      [Symbol.dispose]() {
        cancel();
        client.removeEventListener("abort", leave);
      },
    };
  }

  close(): void {
    this.#closing.abort(new ShuttingDown());
  }
}

/** Stops waiting for work that may never end, such as a query of a drive that does not answer. */
export async function waitUnlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  const abort = () => reject(signal.reason);
  signal.addEventListener("abort", abort, { once: true });
  if (signal.aborted) abort();
  try {
    return await Promise.race([promise, work]);
  } finally {
    signal.removeEventListener("abort", abort);
  }
}
