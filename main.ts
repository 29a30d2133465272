/** acq-server: command line -> configuration -> listen. The only file that serves and ends the process. */
import { isAbsolute } from "node:path";
import { UsageError } from "./cli/arguments.ts";
import type { COMMANDS } from "./cli/commands.ts";
import { type Configuration, parseCommandLine } from "./cli/command_line.ts";
import { hasOwnScreen, openInBrowser } from "./cli/default_browser.ts";
import { keepFailure } from "./cli/failed_start.ts";
import { Log } from "./cli/log.ts";
import { createApp } from "./routes/mod.ts";
import { listen } from "./routes/http_listener.ts";
import { systemClock } from "./session/clock.ts";
import { DialogManners } from "./session/dialog/manners.ts";
import { Picker } from "./session/dialog/picker.ts";
import { resolveRoots } from "./session/source_path.ts";
import { Sessions } from "./session/sessions.ts";
import { VERSION, versionLine } from "./cli/version.ts";

/** Exit statuses of the program. */
const EXIT = { ok: 0, usage: 2, alreadyRunning: 3, portTaken: 4 } as const;

/** Running responses may take this long when the server stops. */
const SHUTDOWN_MS = 5000;

/** A log that nobody reads may delay the end by this time. */
const LOG_MS = 500;

/** The first worker starts this long after the first request. */
const WARM_MS = 250;

/** File descriptors that a server needs at least: for some connections, a worker and its files. Without any, the runtime panics. */
const LEAST_DESCRIPTORS = 64;

/** A failed start with its exit status; the message is one line for the user. */
class StartFailed extends Error {
  constructor(message: string, readonly status: number) {
    super(message);
  }
}

/** A server that listens. */
export interface RunningServer {
  /** Such as `http://127.0.0.1:8767`. */
  readonly baseUrl: string;
  /** Opens a file and ends its session. @returns why it cannot be opened, or `null` */
  tryFile(path: string): Promise<string | null>;
  /** Stops accepting, waits for running responses (5 s at most), ends workers and the dialog. */
  stop(): Promise<void>;
}

/**
 * Starts a server.
 *
 * @param log by default that of the configuration
 * @throws {Error} with `code`, as `EADDRINUSE` for a taken port and `EMFILE` where too few file descriptors are free
 * @throws {PathNotFound} a root is not an existing directory
 */
export async function startServer(
  configuration: Configuration,
  log: Log = new Log(configuration.logLevel, configuration.logJson),
): Promise<RunningServer> {
  requireDescriptors();
  const { host, port } = configuration;
  const clock = systemClock;
  const roots = configuration.roots.length === 0 ? null : await resolveRoots(configuration.roots);
  const { allowedExtensions } = configuration;
  const sessions = new Sessions(clock, { ...configuration, roots });
  const picker = new Picker();
  let stopping = false;
  const app = createApp({
    version: VERSION,
    clock,
    log,
    store: sessions.store,
    opener: sessions.opener,
    folders: sessions.folders,
    exporter: sessions.exporter,
    positions: sessions.positions,
    picker,
    manners: new DialogManners(() => clock.now()),
    allowedExtensions,
    allowedOrigins: configuration.allowedOrigins,
    dialogOnly: configuration.dialogOnly,
    isStopping: () => stopping,
  });
  let asked = false;
  const listener = await listen(host, port, (request, env) => {
    // A worker takes 20 MB and blocks this thread for 12 ms as it starts.
    if (!asked) clock.after(WARM_MS, () => sessions.warm());
    asked = true;
    return app.fetch(request, env);
  }, { warn: (message) => log.line("warn", message) });
  return {
    baseUrl: addressOf({ host, port: listener.port }),
    async tryFile(path) {
      const { signal } = new AbortController();
      const order = { path, chosenByUser: false, channelIndices: null, scene: null, signal };
      try {
        sessions.store.delete((await sessions.opener.open(order)).id);
      } catch (error) {
        if (!stopping) return error instanceof Error ? error.message : String(error);
      }
      return null;
    },
    async stop() {
      stopping = true;
      sessions.stopWork();
      const finished = Promise.all([listener.close(), picker.close()]);
      await within(SHUTDOWN_MS, finished);
      sessions.close();
      await within(LOG_MS, log.written());
    },
  };
}

/** Takes as many file descriptors as a server needs and gives them back. @throws {Error} too few are free */
function requireDescriptors(): void {
  const taken: Deno.FsFile[] = [];
  try {
    while (taken.length < LEAST_DESCRIPTORS) taken.push(Deno.openSync(Deno.execPath()));
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "EMFILE")) return;
    throw Object.assign(
      new Error(
        `Only ${taken.length} file descriptors are free, and acq-server needs ${LEAST_DESCRIPTORS}; raise the limit, for ` +
          `example with "ulimit -n 1024"`,
      ),
      { code: "EMFILE" },
    );
  } finally {
    for (const file of taken) file.close();
  }
}

/** Waits for a promise, but not longer than some milliseconds. */
async function within(milliseconds: number, done: Promise<unknown>): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  await Promise.race([done, new Promise((end) => timer = setTimeout(end, milliseconds))]);
  clearTimeout(timer);
}

const addressOf = ({ host, port }: Pick<Configuration, "host" | "port">) =>
  `http://${host === "::1" ? "[::1]" : host}:${port}`;

/** True if an acq-server answers. Uses plain TCP, since `fetch` would ask a proxy. */
async function isAcqServer(hostname: string, port: number): Promise<boolean> {
  try {
    const connection = await Deno.connect({ hostname, port });
    let isOpen = true;
    const close = () => {
      if (isOpen) connection.close();
      isOpen = false;
    };
    const giveUp = setTimeout(close, 2000);
    try {
      const request = "GET /api/v2/health HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
      await connection.write(new TextEncoder().encode(request));
      const answer = new Uint8Array(4096);
      let length = 0;
      for (let n: number | null = 0; n !== null && length < answer.length; length += n ?? 0) {
        n = await connection.read(answer.subarray(length));
      }
      return /"api_version":\s*"v2"/.test(new TextDecoder().decode(answer.subarray(0, length)));
    } finally {
      clearTimeout(giveUp);
      close();
    }
  } catch {
    return false;
  }
}

/** Names the addresses, and warns of wide origins. */
function announce(baseUrl: string, opens: boolean, configuration: Configuration): void {
  const { logJson, allowedOrigins } = configuration;
  const [demo, docs] = [clientAt(baseUrl, configuration), `${baseUrl}/docs`];
  const warnings = [
    ["*", "lets every web page open files by path"],
    [
      "null",
      "lets every page that hides its address open files by path, such as sandboxed frames of any site",
    ],
  ].filter(([origin]) => allowedOrigins.includes(origin!)).map((words) =>
    `--allow-origin ${words.join(" ")}`
  );
  if (logJson) {
    const time = new Date().toISOString();
    const line = { time, level: "info", message: "listening", version: VERSION, baseUrl, demo, docs, opens };
    console.error(JSON.stringify(line));
    for (const message of warnings) console.error(JSON.stringify({ time, level: "warn", message }));
    return;
  }
  console.error(`acq-server ${VERSION}\n`);
  console.error(`  API    ${baseUrl}/api/v2\n  Demo   ${demo}\n  Docs   ${docs}\n`);
  for (const message of warnings) console.error(`Warning: ${message}`);
  if (opens) console.error("Opening the demo in your browser; --no-open starts without it.");
  console.error("Press Ctrl+C to stop.\n");
}

/** The address of the client, which opens the file of the command line (`view_link.js`). */
function clientAt(baseUrl: string, { file }: Configuration): string {
  // A fragment needs no escapes for slashes and colons.
  const link = file === null
    ? ""
    : `#${new URLSearchParams({ path: file })}`.replace(/%2F|%3A/g, decodeURIComponent);
  return `${baseUrl}/demo/v2/${link}`;
}

const notOpened = (reason: string, page: string) => `No browser was opened: ${reason}; open ${page} by hand`;

/** Serves. If a server is already running, shows its client where that is wanted and ends. @throws {StartFailed} */
async function serve(configuration: Configuration, opens: boolean): Promise<void> {
  const log = new Log(configuration.logLevel, configuration.logJson);
  let server: RunningServer;
  try {
    server = await startServer(configuration, log);
  } catch (error) {
    const failure = await startFailure(error, configuration);
    if (!opens || failure.status !== EXIT.alreadyRunning) throw failure;
    await showRunning(configuration);
    // The browser program may still run.
    Deno.exit(EXIT.ok);
  }
  stopOnSignals(server);
  announce(server.baseUrl, opens, configuration);
  globalThis.addEventListener("unhandledrejection", (event) => {
    event.preventDefault();
    log.line("error", event.reason instanceof Error ? event.reason.stack ?? "" : String(event.reason));
  });
  const warn = (message: string | null) => message !== null && log.line("warn", message);
  if (configuration.file !== null) void server.tryFile(configuration.file).then(warn);
  if (!opens) return;
  const page = clientAt(server.baseUrl, configuration);
  const reason = await openInBrowser(page);
  if (reason !== null) warn(notOpened(reason, page));
}

/** Turns the error of a start into a message and an exit status. */
async function startFailure(error: unknown, configuration: Configuration): Promise<StartFailed> {
  const { host, port } = configuration;
  const { code = null, message = String(error) }: { code?: unknown; message?: string } =
    error instanceof Error ? error : {};
  if (code === "EADDRINUSE") {
    const address = addressOf(configuration);
    if (await isAcqServer(host, port)) {
      return new StartFailed(
        `An acq-server is already running at ${address}; open ${
          clientAt(address, configuration)
        } or start this one with --port 0`,
        EXIT.alreadyRunning,
      );
    }
    return new StartFailed(
      `Port ${port} is taken by another program; choose another with --port, or --port 0 for any free one`,
      EXIT.portTaken,
    );
  }
  if (code === "EACCES" || code === "EADDRNOTAVAIL") {
    return new StartFailed(`Cannot listen at ${host}:${port}: ${message}`, EXIT.portTaken);
  }
  return new StartFailed(message, EXIT.usage);
}

/** Shows the client of the running server. @throws {StartFailed} no browser opened */
async function showRunning(configuration: Configuration): Promise<void> {
  const address = addressOf(configuration);
  const running = `An acq-server is already running at ${address}`;
  const page = clientAt(address, configuration);
  console.error(`${running}; opening ${page} in your browser`);
  const reason = await openInBrowser(page);
  if (reason !== null) throw new StartFailed(notOpened(reason, page), EXIT.alreadyRunning);
}

/** Ends the process with status 0 on a signal, after the running responses; a second signal ends it at once. */
export function stopOnSignals(server: RunningServer): void {
  let stopping = false;
  const stop = () => {
    if (stopping) Deno.exit(EXIT.ok);
    stopping = true;
    // Lost workers only end with the process.
    void server.stop().finally(() => Deno.exit(EXIT.ok));
  };
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
    try {
      Deno.addSignalListener(signal, stop);
    } catch {
      // Windows has no SIGTERM.
    }
  }
}

/**
 * Runs a command. The import names the file by a value, so that the server does not load the commands before it listens. `compile`
 * in deno.json embeds it.
 */
async function run(name: keyof typeof COMMANDS, args: readonly string[]): Promise<number> {
  const file: string = "./cli/commands.ts";
  const commands: { COMMANDS: typeof COMMANDS } = await import(file);
  return await commands.COMMANDS[name](args);
}

/** The commands beside serving. */
const COMMAND_NAMES: readonly (keyof typeof COMMANDS)[] = [
  "validate",
  "schema",
  "info",
  "plane",
  "export",
  "measure",
];

const isCommand = (name: string | undefined): name is keyof typeof COMMANDS =>
  COMMAND_NAMES.some((known) => known === name);

async function main(args: readonly string[]): Promise<void> {
  const [name, ...rest] = args[0] === "--" ? args.slice(1) : args;
  if (isCommand(name)) {
    Deno.exit(await run(name, rest));
  }
  const mayOpen = Deno.build.standalone &&
    hasOwnScreen(Deno.build.os, Deno.env.get("DISPLAY"), Deno.env.get("WAYLAND_DISPLAY"));
  // A click passes no arguments, and dropped files are absolute paths.
  const isClicked = mayOpen && args.every((argument) => isAbsolute(argument));
  try {
    const command = parseCommandLine(args);
    if (command.kind === "help") return console.log(command.text);
    if (command.kind === "version") return console.log(versionLine());
    const { configuration } = command;
    await serve(configuration, configuration.open ?? (isClicked || (mayOpen && configuration.file !== null)));
  } catch (error) {
    if (!(error instanceof UsageError || error instanceof StartFailed)) throw error;
    console.error(error.message);
    if (isClicked) await keepFailure(error.message);
    Deno.exit(error instanceof StartFailed ? error.status : EXIT.usage);
  }
}

if (import.meta.main) await main(Deno.args);
