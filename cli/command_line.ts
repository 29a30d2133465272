/** The command line: a table of flags, from which help, parsing and messages are made. */
import { resolve } from "node:path";
import { HELP, type NamedFlag, readArguments, rowsOf, UsageError, VERSION } from "./arguments.ts";
import { quoted } from "../readers/errors.ts";
import { SUPPORTED_EXTENSIONS } from "../readers/format.ts";
import { LOG_LEVELS, type LogLevel } from "./log.ts";

/** What the command line decides about a server. */
export interface Configuration {
  /** Name to listen at. */
  readonly host: string;
  /** 0 for any free port. */
  readonly port: number;
  /** Time to live of a session. */
  readonly sessionTtlSeconds: number;
  /** Time that an open may take. */
  readonly loadTimeoutSeconds: number;
  /** Bytes that the planes of all sessions may take. */
  readonly maxSessionMemory: number;
  /** Directories as written; none for no limit. */
  readonly roots: readonly string[];
  /** True when nothing may be opened by path. */
  readonly dialogOnly: boolean;
  /** Origins whose pages may open by path; `*` for all, `null` for pages without an address. */
  readonly allowedOrigins: readonly string[];
  /** Extensions that are let in, sorted. */
  readonly allowedExtensions: readonly string[];
  /** The loudest lines that are written. */
  readonly logLevel: LogLevel;
  /** True for lines of JSON. */
  readonly logJson: boolean;
  /** Whether the client opens in the default browser; `null` where no flag says so. */
  readonly open: boolean | null;
  /** What the client is to open, as an absolute path; `null` for nothing. */
  readonly file: string | null;
}

/** What the user asked for. */
export type Command =
  | { readonly kind: "serve"; readonly configuration: Configuration }
  | { readonly kind: "help"; readonly text: string }
  | { readonly kind: "version" };

/** Configuration without any flag. */
export const DEFAULTS: Configuration = {
  host: "127.0.0.1",
  port: 8767,
  sessionTtlSeconds: 600,
  loadTimeoutSeconds: 120,
  maxSessionMemory: 4 * 2 ** 30,
  roots: [],
  dialogOnly: false,
  allowedOrigins: [],
  allowedExtensions: SUPPORTED_EXTENSIONS,
  logLevel: "info",
  logJson: false,
  open: null,
  file: null,
};

type Mutable = { -readonly [K in keyof Configuration]: Configuration[K] };

interface Flag extends NamedFlag {
  set(configuration: Mutable, value: string): void;
}

const FLAGS: readonly Flag[] = [
  {
    name: "--host",
    value: "NAME",
    help: "name to listen at: 127.0.0.1 (default), localhost or ::1",
    set(configuration, value) {
      if (!["127.0.0.1", "localhost", "::1"].includes(value)) {
        throw new UsageError(
          `--host "${value}" is refused: this server is for its own machine only; use 127.0.0.1, localhost or ::1`,
        );
      }
      configuration.host = value;
    },
  },
  {
    name: "--port",
    value: "N",
    help: "port (default 8767); 0 picks a free one",
    set(configuration, value) {
      if (!/^\d{1,5}$/.test(value) || Number(value) > 65535) {
        throw new UsageError(`--port takes a number from 0 to 65535, not "${value}"`);
      }
      configuration.port = Number(value);
    },
  },
  {
    name: "--session-ttl",
    value: "TIME",
    help: "time to live of a session: 90s, 10m (default), 2h",
    set: (configuration, value) => configuration.sessionTtlSeconds = seconds("--session-ttl", value),
  },
  {
    name: "--load-timeout",
    value: "TIME",
    help: "time that opening a file may take (default 120s)",
    set: (configuration, value) => configuration.loadTimeoutSeconds = seconds("--load-timeout", value),
  },
  {
    name: "--max-session-memory",
    value: "SIZE",
    help: "memory for all planes: 512MiB, 4GiB (default)",
    set: (configuration, value) => configuration.maxSessionMemory = bytes("--max-session-memory", value),
  },
  {
    name: "--root",
    value: "DIR",
    help: "open by path only below DIR; repeatable. The dialog stays free",
    set: (configuration, value) => configuration.roots = [...configuration.roots, value],
  },
  {
    name: "--dialog-only",
    help: "refuse every open by path: for machines that several people share",
    set: (configuration) => configuration.dialogOnly = true,
  },
  {
    name: "--allow-origin",
    value: "ORIGIN",
    help: "let pages of https://example.org open by path; repeatable",
    set(configuration, value) {
      configuration.allowedOrigins = [...configuration.allowedOrigins, origin(value)];
    },
  },
  {
    name: "--extensions",
    value: "LIST",
    help: "let in these extensions only, such as .oir,.tif",
    set(configuration, value) {
      const extensions = value.split(",").map((e) => e.trim().toLowerCase()).filter((e) => e !== "");
      const unknown = extensions.find((e) => !SUPPORTED_EXTENSIONS.includes(e));
      if (unknown !== undefined || extensions.length === 0) {
        throw new UsageError(
          `--extensions takes a list of ${SUPPORTED_EXTENSIONS.join(",")} (with the dots), not "${
            unknown ?? value
          }"`,
        );
      }
      configuration.allowedExtensions = [...new Set(extensions)].sort();
    },
  },
  {
    name: "--log-level",
    value: "LEVEL",
    help: "error, warn or info (default: a line per request)",
    set(configuration, value) {
      const level = LOG_LEVELS.find((known) => known === value);
      if (level === undefined) {
        throw new UsageError(`--log-level takes ${LOG_LEVELS.join(", ")}, not "${value}"`);
      }
      configuration.logLevel = level;
    },
  },
  {
    name: "--log-json",
    help: "write the log as JSON lines",
    set: (configuration) => configuration.logJson = true,
  },
  {
    name: "--open",
    help: "open the client in the browser, as the program does without flags",
    set: (configuration) => configuration.open = true,
  },
  {
    name: "--no-open",
    help: "open no browser, such as at login",
    set: (configuration) => configuration.open = false,
  },
];

/**
 * Reads the arguments of the program.
 *
 * @throws {UsageError} an unknown flag (with the nearest right one), a missing or unfit value, no or several files
 */
export function parseCommandLine(args: readonly string[]): Command {
  // `deno task start -- --port 0` hands the first two dashes on.
  const given = args[0] === "--" ? args.slice(1) : [...args];
  const configuration: Mutable = { ...DEFAULTS };
  for (const argument of readArguments("acq-server", [...FLAGS, HELP, VERSION], given)) {
    if (argument.flag === null) {
      if (configuration.file !== null) throw new UsageError(SEVERAL);
      configuration.file = existing(argument.operand);
      continue;
    }
    if (argument.flag === HELP) return { kind: "help", text: help() };
    if (argument.flag === VERSION) return { kind: "version" };
    FLAGS.find((flag) => flag === argument.flag)?.set(configuration, argument.value);
  }
  return { kind: "serve", configuration };
}

function help(): string {
  return [
    "acq-server: opens microscope files and serves each channel as a float32 plane, on this machine only",
    "",
    "Usage: acq-server [FLAG]... [PATH]              serve; a PATH stands ready in the client",
    "       acq-server info PATH...                  describe acquisitions, as JSON",
    "       acq-server plane PATH [--channel N]      write a plane to standard output",
    "       acq-server validate PATH... [--json]     check a collection or its documents",
    "       acq-server schema KIND                   print the JSON Schema of a kind of document",
    "",
    ...rowsOf([...FLAGS, HELP, VERSION]),
  ].join("\n");
}

const SEVERAL =
  "The client opens one file at a time; start acq-server with one, and open the others in its page";

/** The file or folder that an operand names, as an absolute path. @throws {UsageError} there is none */
function existing(operand: string): string {
  try {
    Deno.statSync(operand);
  } catch {
    throw new UsageError(
      `${quoted(operand)} is neither a flag, a command nor a file; acq-server --help lists what there is`,
    );
  }
  return resolve(operand);
}

/** A month; longer is a mistake. */
const LONGEST_SECONDS = 31 * 24 * 3600;

function seconds(name: string, text: string): number {
  const value = quantity(text, { "": 1, s: 1, m: 60, h: 3600 });
  if (value > 0 && value <= LONGEST_SECONDS) return value;
  throw new UsageError(
    `${name} takes seconds or a time such as 90s, 10m, 2h (at most 31 days), not "${text}"`,
  );
}

/** A size as a flag takes it, in bytes. @throws {UsageError} */
export function bytes(name: string, text: string): number {
  const value = Math.floor(quantity(text, { "": 1, kib: 2 ** 10, mib: 2 ** 20, gib: 2 ** 30 }));
  if (value > 0 && Number.isSafeInteger(value)) return value;
  throw new UsageError(`${name} takes bytes or a size such as 512MiB, 4GiB, not "${text}"`);
}

/** A number with one of the units, whose case does not matter; NaN for anything else. */
function quantity(text: string, units: Readonly<Record<string, number>>): number {
  const [, number = "NaN", unit = ""] = /^(\d+(?:\.\d+)?)([a-z]*)$/i.exec(text) ?? [];
  return Number(number) * (units[unit.toLowerCase()] ?? NaN);
}

function origin(text: string): string {
  if (text === "*" || text === "null") return text;
  const url = URL.parse(text);
  if (url !== null && /^https?:$/.test(url.protocol) && (text === url.origin || text === `${url.origin}/`)) {
    return url.origin;
  }
  throw new UsageError(
    `--allow-origin takes an origin such as https://example.org, null or "*", not "${text}"`,
  );
}
