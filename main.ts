/** acq-server: command line -> configuration -> listen. Only this file serves and ends the process. */
import { isAbsolute } from "node:path";
import { UsageError } from "./cli/arguments.ts";
import type { run as runCommand } from "./cli/commands.ts";
import { COMMANDS, type Configuration, parseCommandLine } from "./cli/command_line.ts";
import { LevelLog } from "./cli/log.ts";
import { OutputFailed, ReaderGone, writeLine } from "./cli/output.ts";
import type { ListeningServer } from "./routes/server.ts";
import { formatVersion, VERSION } from "./cli/version.ts";

const EXIT = { ok: 0, failed: 1, usage: 2, alreadyRunning: 3, portTaken: 4 } as const;

/** Opens pages and shows messages. The commands do not load it. */
const desktop = () => import("./cli/desktop.ts");

/** A failed start with its exit status; the message is one line for the user. */
class StartFailed extends Error {
  constructor(message: string, readonly status: number) {
    super(message);
  }
}

/** A server that listens at `baseUrl`, an address without a path: `http://127.0.0.1:8767`. */
export type RunningServer = ListeningServer & { readonly baseUrl: string };

/**
 * Starts a server. The commands do not load it.
 *
 * @throws {Error} with `code`, such as `EADDRINUSE` for a taken port
 * @throws {PathNotFound} a root is not an existing directory
 */
export async function startServer(
  configuration: Configuration,
  log: LevelLog = new LevelLog(configuration.logLevel, configuration.logJson),
): Promise<RunningServer> {
  const { start } = await import("./routes/server.ts");
  const server = await start(configuration, VERSION, log, (message) => {
    log.line("error", message);
    void log.written().finally(() => Deno.exit(EXIT.portTaken));
  });
  return { ...server, baseUrl: addressOf({ host: configuration.host, port: server.port }) };
}

const addressOf = ({ host, port }: Pick<Configuration, "host" | "port">) =>
  `http://${host === "::1" ? "[::1]" : host}:${port}`;

/** True if an acq-server answers. Asks by `node:http`, since `fetch` would use a proxy. */
async function isAcqServer(host: string, port: number): Promise<boolean> {
  const { get } = await import("node:http");
  const { text } = await import("node:stream/consumers");
  const signal = AbortSignal.timeout(2000);
  return await new Promise((resolve) => {
    const fail = () => resolve(false);
    signal.addEventListener("abort", fail);
    get({ host, port, path: "/api/v2/health", signal }, (answer) => {
      text(answer).then((body) => resolve(/"api_version":\s*"v2"/.test(body)), fail);
    }).on("error", fail);
  });
}

/** Prints the addresses, and warns if pages of many origins may open files. */
function announce(baseUrl: string, opens: boolean, configuration: Configuration): void {
  const { logJson, allowedOrigins } = configuration;
  const [demo, docs] = [clientAt(baseUrl, configuration), `${baseUrl}/docs`];
  const warnings = [
    "* lets every web page open files by path",
    "null lets every page that hides its address open files by path, such as sandboxed frames of any site",
  ].filter((text) => allowedOrigins.includes(text.split(" ")[0]!)).map((text) => `--allow-origin ${text}`);
  if (logJson) {
    const time = new Date().toISOString();
    const line = { time, level: "info", message: "listening", version: VERSION, baseUrl, demo, docs, opens };
    console.error(JSON.stringify(line));
    for (const message of warnings) console.error(JSON.stringify({ time, level: "warn", message }));
    return;
  }
  console.error(`acq-server ${VERSION}\n`);
  console.error(
    `  API     ${baseUrl}/api/v2\n  Demo    ${demo}\n  Docs    ${docs}\n  Manual  ${baseUrl}/README.md\n`,
  );
  for (const message of warnings) console.error(`Warning: ${message}`);
  if (opens) console.error("Opening the demo in your browser; --no-open starts without it.");
  console.error("Press Ctrl+C to stop.\n");
}

/** The address of the client, which opens the file given on the command line (`view_link.js`). */
function clientAt(baseUrl: string, { file }: Configuration): string {
  // A fragment needs no escapes for slashes and colons.
  const link = file === null
    ? ""
    : `#${new URLSearchParams({ path: file })}`.replace(/%2F|%3A/g, decodeURIComponent);
  return `${baseUrl}/demo/v2/${link}`;
}

/** Opens a page in the browser. @returns why no browser opened, or `null` */
async function open(page: string): Promise<string | null> {
  const reason = await (await desktop()).openInBrowser(page);
  return reason && `No browser was opened: ${reason}; open ${page} by hand`;
}

/** Serves. If a server is already running, shows its client if wanted, and ends the process. @throws {StartFailed} */
async function serve(configuration: Configuration, opens: boolean): Promise<void> {
  const log = new LevelLog(configuration.logLevel, configuration.logJson);
  let server: RunningServer;
  try {
    server = await startServer(configuration, log);
  } catch (error) {
    const failure = await startFailure(error, configuration);
    if (!opens || failure.status !== EXIT.alreadyRunning) throw failure;
    const address = addressOf(configuration);
    const page = clientAt(address, configuration);
    console.error(`An acq-server is already running at ${address}; opening ${page} in your browser`);
    const notOpened = await open(page);
    if (notOpened !== null) throw new StartFailed(notOpened, EXIT.alreadyRunning);
    // Exits explicitly, since the browser program may still run.
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
  if (opens) warn(await open(clientAt(server.baseUrl, configuration)));
}

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

/** On a signal, ends the process with status 0 after the running responses; a second signal ends it at once. */
export function stopOnSignals(server: RunningServer): void {
  let stopping = false;
  const stop = () => {
    if (stopping) Deno.exit(EXIT.ok);
    stopping = true;
    // Lost workers end only with the process.
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
 * Runs a command. The import takes the file name from a variable, so that the server does not load the commands before it
 * listens. `compile` in deno.json embeds the file.
 */
async function run(name: string, args: readonly string[]): Promise<number> {
  const file: string = "./cli/commands.ts";
  const commands: { run: typeof runCommand } = await import(file);
  return await commands.run(name as keyof typeof COMMANDS, args);
}

async function main(args: readonly string[]): Promise<void> {
  const [name, ...rest] = args[0] === "--" ? args.slice(1) : args;
  if (name !== undefined && Object.hasOwn(COMMANDS, name)) Deno.exit(await run(name, rest));
  const { hasOwnScreen } = await desktop();
  const mayOpen = Deno.build.standalone &&
    hasOwnScreen(Deno.build.os, Deno.env.get("DISPLAY"), Deno.env.get("WAYLAND_DISPLAY"));
  // A double-click passes no arguments, and files dropped on the program arrive as absolute paths.
  const isClicked = mayOpen && args.every((argument) => isAbsolute(argument));
  try {
    const asked = parseCommandLine(args);
    if (asked.kind === "help") return await writeLine(asked.text);
    if (asked.kind === "version") return await writeLine(formatVersion());
    const { configuration } = asked;
    await serve(configuration, configuration.open ?? (isClicked || (mayOpen && configuration.file !== null)));
  } catch (error) {
    if (error instanceof ReaderGone) return;
    if (error instanceof OutputFailed) {
      console.error(error.message);
      Deno.exit(EXIT.failed);
    }
    if (!(error instanceof UsageError || error instanceof StartFailed)) throw error;
    console.error(error.message);
    if (isClicked) await (await desktop()).keepFailure(error.message);
    Deno.exit(error instanceof StartFailed ? error.status : EXIT.usage);
  }
}

if (import.meta.main) await main(Deno.args);
