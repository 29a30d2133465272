/** Serves the app with `Deno.serve`. */
import type { ServeInfo } from "./context.ts";
import { respondWithError } from "./errors.ts";

/** Answers a request. */
export type AnswerRequest = (request: Request, env: { info: ServeInfo }) => Response | Promise<Response>;

/** A server that listens. */
export interface Listener {
  /** The actual port, also if port 0 was requested. */
  readonly port: number;
  /** Stops accepting; settles after the running responses, so never while a client neither reads nor leaves. */
  close(): Promise<void>;
}

/** Milliseconds until a listener that ended, and could not listen again at once, tries it again. */
const AGAIN_MS = 20;

/** Receives what happens to a listener. */
export interface ListenerReports {
  warn(message: string): void;
  /** Another program has taken the port of a listener that ended. Pages of this server would send it their requests. */
  lost(message: string): void;
}

const UNREPORTED: ListenerReports = { warn: () => {}, lost: () => {} };

/**
 * Starts to listen; port 0 takes any free port. `localhost` stands for both address families, one of which may be missing.
 *
 * @throws {Error} with `code`: `EADDRINUSE`, `EACCES`, `EADDRNOTAVAIL`
 */
export function listenOn(
  host: string,
  port: number,
  fetch: AnswerRequest,
  { warn = UNREPORTED.warn, lost = UNREPORTED.lost }: Partial<ListenerReports> = {},
): Listener {
  const reports = { warn, lost };
  if (host !== "localhost") return listenAt(host, port, fetch, reports);
  let first: Listener;
  try {
    first = listenAt("127.0.0.1", port, fetch, reports);
  } catch (error) {
    if (isInUse(error)) throw error;
    return listenAt("::1", port, fetch, reports);
  }
  try {
    const second = listenAt("::1", first.port, fetch, reports);
    return { port: first.port, close: async () => void await Promise.all([first.close(), second.close()]) };
  } catch (error) {
    if (isInUse(error)) warn(`Another program listens at [::1]:${first.port}; use 127.0.0.1, not localhost`);
    return first;
  }
}

const isInUse = (error: unknown): boolean => error instanceof Deno.errors.AddrInUse;

/**
 * Listens at one address. The runtime ends a listener that runs out of file descriptors; it then listens again at once, before another
 * program takes the port, and gives up the connections that have no request.
 */
function listenAt(
  hostname: string,
  port: number,
  fetch: AnswerRequest,
  { warn, lost }: ListenerReports,
): Listener {
  const serve = (port: number) =>
    Deno.serve(
      { hostname, port, onListen: () => {}, onError: respondWithError },
      (request, info) => fetch(request, { info }),
    );
  let timer: ReturnType<typeof setTimeout> | undefined;
  /** Listeners that ended and still send responses. */
  const ending = new Set<Promise<void>>();
  const listenAgain = () => {
    try {
      server = serve(server.addr.port);
      watch();
    } catch (error) {
      if (isInUse(error)) {
        lost(`Another program has taken the port of the listener at ${hostname}:${server.addr.port}`);
      } else timer = setTimeout(listenAgain, AGAIN_MS);
    }
  };
  const watch = () =>
    void server.finished.catch(({ message }: Error) => {
      warn(`The listener at ${hostname} ended and starts again: ${message}`);
      const ended = server;
      listenAgain();
      const end = ended.shutdown().finally(() => ending.delete(end));
      ending.add(end);
    });
  let server = serve(port);
  watch();
  return {
    port: server.addr.port,
    async close() {
      clearTimeout(timer);
      await Promise.all([server.shutdown(), ...ending]);
    },
  };
}
