/** Builds a server from its configuration: sessions, dialog, app and listener. */
import { systemClock } from "../session/clock.ts";
import { DialogLimits } from "../session/dialog/dialog_limits.ts";
import { Picker } from "../session/dialog/picker.ts";
import { type SessionRules, Sessions } from "../session/sessions.ts";
import { resolveRoots } from "../session/source_path.ts";
import type { Log, Services } from "./context.ts";
import { listenOn } from "./listener.ts";
import { createApp } from "./mod.ts";

/** Longest time that a stopping server waits for running responses. */
const SHUTDOWN_MS = 5000;

/** Longest time that a log without a reader may delay the end. */
const LOG_MS = 500;

/** The first worker starts this long after the first request, and the schemas are loaded this long after the start. */
const WARM_MS = 250;

/** The operator's configuration of a server. */
export interface ServerRules
  extends
    Omit<SessionRules, "roots" | "dialogOnly">,
    Pick<Services, "allowedExtensions" | "allowedOrigins" | "dialogOnly"> {
  readonly host: string;
  /** 0 for any free port. */
  readonly port: number;
  /** Directories as written; empty for no limit. */
  readonly roots: readonly string[];
}

/** A server that listens. */
export interface ListeningServer {
  readonly port: number;
  /** Opens a file and ends its session. @returns why the file cannot be opened, or `null` */
  tryFile(path: string): Promise<string | null>;
  /** Stops accepting, waits up to 5 s for running responses, and ends workers and the dialog. */
  stop(): Promise<void>;
}

/**
 * Starts a server.
 *
 * @param portLost called if another program takes the port while the server runs, which then has to end
 * @throws {Error} with `code`, such as `EADDRINUSE` for a taken port
 * @throws {PathNotFound} a root is not an existing directory
 */
export async function start(
  rules: ServerRules,
  version: string,
  log: Log & { written(): Promise<void> },
  portLost: (message: string) => void = (message) => log.line("error", message),
): Promise<ListeningServer> {
  const { allowedExtensions, allowedOrigins, dialogOnly } = rules;
  const clock = systemClock;
  const roots = rules.roots.length === 0 ? null : await resolveRoots(rules.roots);
  const sessions = new Sessions(clock, { ...rules, roots });
  const { store, opener, exporter, positions } = sessions;
  const picker = new Picker();
  let stopping = false;
  const app = createApp({
    ...{ version, clock, log, store, opener, exporter, positions, picker },
    dialogLimits: new DialogLimits(() => clock.now()),
    ...{ allowedExtensions, allowedOrigins, dialogOnly },
    isStopping: () => stopping,
  });
  let asked = false;
  const listener = listenOn(rules.host, rules.port, (request, env) => {
    // A worker takes 20 MB and blocks this thread for 12 ms when it starts.
    if (!asked) clock.after(WARM_MS, () => sessions.pool.warm());
    asked = true;
    return app.fetch(request, env);
  }, { warn: (message) => log.line("warn", message), lost: portLost });
  // Needed by the first request with a body. Loading them takes as long as the rest of the server, so they do not delay its
  // start.
  clock.after(WARM_MS, () => void import("../schemas/http.ts"));
  return {
    port: listener.port,
    async tryFile(path) {
      const { signal } = new AbortController();
      const order = { path, chosenByUser: false, channelIndices: null, scene: null, signal };
      try {
        store.delete((await opener.open(order)).id);
      } catch (error) {
        if (!stopping) return error instanceof Error ? error.message : String(error);
      }
      return null;
    },
    async stop() {
      stopping = true;
      sessions.stopWork();
      await waitWithin(SHUTDOWN_MS, Promise.all([listener.close(), picker.close()]));
      sessions.close();
      await waitWithin(LOG_MS, log.written());
    },
  };
}

async function waitWithin(milliseconds: number, done: Promise<unknown>): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  await Promise.race([done, new Promise((end) => timer = setTimeout(end, milliseconds))]);
  clearTimeout(timer);
}
