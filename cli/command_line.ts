/** The command line of the server. One table of flags serves parsing, help and messages. */
import { resolve } from "node:path";
import {
  formatHelp,
  HELP,
  type NamedFlag,
  readArguments,
  requireOneOf,
  UsageError,
  VERSION,
} from "./arguments.ts";
import { quoted } from "../readers/errors.ts";
import { SUPPORTED_EXTENSIONS } from "../readers/formats.ts";
import { PATH_NOT_UTF8, standsForBytes } from "../readers/io/paths.ts";
import { LOG_LEVELS, type LogLevel } from "./log.ts";

/** Configuration of a server. */
export interface Configuration {
  readonly host: string;
  /** 0 for any free port. */
  readonly port: number;
  readonly sessionTtlSeconds: number;
  readonly loadTimeoutSeconds: number;
  readonly maxSessionMemory: number;
  /** Directories as written; empty for no limit. */
  readonly roots: readonly string[];
  readonly dialogOnly: boolean;
  /** Origins whose pages may open by path; `*` for all, `null` for pages without an address. */
  readonly allowedOrigins: readonly string[];
  readonly allowedExtensions: readonly string[];
  readonly logLevel: LogLevel;
  readonly logJson: boolean;
  /** Whether the client opens in the default browser; `null` if no flag says so. */
  readonly open: boolean | null;
  /** Absolute path that the client opens, or `null`. */
  readonly file: string | null;
}

/** What the user wants the program to do. */
export type Command =
  | { readonly kind: "serve"; readonly configuration: Configuration }
  | { readonly kind: "help"; readonly text: string }
  | { readonly kind: "version" };

/** Configuration if no flag is given. */
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
    help: "127.0.0.1, localhost or ::1 [default: 127.0.0.1]",
    set(configuration, value) {
      if (!["127.0.0.1", "localhost", "::1"].includes(value)) {
        throw new UsageError(
          `--host takes 127.0.0.1, localhost or ::1, not ${
            quoted(value)
          }, since the server only serves its own machine`,
        );
      }
      configuration.host = value;
    },
  },
  {
    name: "--port",
    value: "N",
    help: "Port to listen on, 0 for any free one [default: 8767]",
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
    help: "Time to live of a session, such as 90s or 2h [default: 10m]",
    set: (configuration, value) => configuration.sessionTtlSeconds = parseSeconds("--session-ttl", value),
  },
  {
    name: "--load-timeout",
    value: "TIME",
    help: "Time that opening a file may take [default: 120s]",
    set: (configuration, value) => configuration.loadTimeoutSeconds = parseSeconds("--load-timeout", value),
  },
  {
    name: "--max-session-memory",
    value: "SIZE",
    help: "Memory for all planes, such as 512MiB [default: 4GiB]",
    set: (configuration, value) => configuration.maxSessionMemory = parseBytes("--max-session-memory", value),
  },
  {
    name: "--root",
    value: "DIR",
    help: "Only open paths below DIR, except by the dialog (repeatable)",
    set: (configuration, value) => configuration.roots = [...configuration.roots, value],
  },
  {
    name: "--dialog-only",
    help: "Refuse to open files by path, for shared machines",
    set: (configuration) => configuration.dialogOnly = true,
  },
  {
    name: "--allow-origin",
    value: "ORIGIN",
    help: "Let pages of this origin open files by path (repeatable)",
    set(configuration, value) {
      configuration.allowedOrigins = [...configuration.allowedOrigins, parseOrigin(value)];
    },
  },
  {
    name: "--extensions",
    value: "LIST",
    help: "Only open these extensions, such as .oir,.tif",
    set(configuration, value) {
      const extensions = value.split(",").map((e) => e.trim().toLowerCase()).filter((e) => e !== "");
      const unknown = extensions.find((e) => !SUPPORTED_EXTENSIONS.includes(e));
      if (unknown !== undefined || extensions.length === 0) {
        throw new UsageError(
          `--extensions takes a list of ${SUPPORTED_EXTENSIONS.join(",")}, with dots, not "${
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
    help: "error, warn or info (a line per request) [default: info]",
    set: (configuration, value) => configuration.logLevel = requireOneOf("--log-level", value, LOG_LEVELS),
  },
  {
    name: "--log-json",
    help: "Write the log as JSON lines",
    set: (configuration) => configuration.logJson = true,
  },
  {
    name: "--open",
    help: "Open the client in the browser, the default without options",
    set: (configuration) => configuration.open = true,
  },
  {
    name: "--no-open",
    help: "Do not open the browser",
    set: (configuration) => configuration.open = false,
  },
];

/** Reads the arguments of the program. @throws {UsageError} */
export function parseCommandLine(args: readonly string[]): Command {
  // `deno task start -- --port 0` passes the first two dashes to the program.
  const given = args[0] === "--" ? args.slice(1) : [...args];
  const configuration: Mutable = { ...DEFAULTS };
  for (const [flag, value] of readArguments("acq-server", [...FLAGS, HELP, VERSION], given)) {
    if (flag === null) {
      if (configuration.file !== null) {
        throw new UsageError("The client opens one path at a time; open the others in its page");
      }
      configuration.file = requireExisting(value);
      continue;
    }
    if (flag === HELP) return { kind: "help", text: formatServerHelp() };
    if (flag === VERSION) return { kind: "version" };
    FLAGS.find((own) => own === flag)?.set(configuration, value);
  }
  return { kind: "serve", configuration };
}

/** What each command does. */
export const COMMANDS = {
  info: "Describe acquisitions as JSON",
  measure: "Measure line scans and images into a table",
  plane: "Write a plane to standard output",
  export: "Write recordings as an archive of OME-Zarr images",
  validate: "Check collections and their documents",
  schema: "Print the JSON Schema of a kind of document",
} as const;

const formatServerHelp = (): string =>
  formatHelp({
    about: "Serve microscope files to programs and browsers on this machine",
    usage: ["acq-server [OPTIONS] [PATH]", "acq-server <COMMAND>"],
    lists: {
      Commands: Object.entries(COMMANDS),
      Arguments: [["[PATH]", "File or folder that the client opens"]],
    },
    flags: [...FLAGS, HELP, VERSION],
    notes: [
      'Run "acq-server <COMMAND> --help" for the options of a command.',
      "Manual: README.md, docs/install.md (start at login, network drives, troubleshooting),",
      "docs/measure.md, docs/security.md, docs/build-a-client.md. Messages name pages in the same way.",
      "The pages are in the download and in the repository, and a running server shows them:",
      "http://127.0.0.1:8767/docs/install.md. The HTTP API is at http://127.0.0.1:8767/docs.",
    ],
  });

function requireExisting(operand: string): string {
  try {
    Deno.statSync(operand);
  } catch {
    if (standsForBytes(operand)) throw new UsageError(`Cannot open ${quoted(operand)}: ${PATH_NOT_UTF8}`);
    throw new UsageError(
      `${quoted(operand)} is neither a command nor an existing path; "acq-server --help" lists the commands`,
    );
  }
  return resolve(operand);
}

const LONGEST_SECONDS = 31 * 24 * 3600;

/** The seconds of a time. @throws {UsageError} */
export function parseSeconds(name: string, text: string): number {
  const value = parseQuantity(text, { "": 1, s: 1, m: 60, h: 3600 });
  if (value > 0 && value <= LONGEST_SECONDS) return value;
  throw new UsageError(
    `${name} takes a time such as 90s, 10m or 2h (at most 31 days), not "${text}"`,
  );
}

/** The bytes of a size. @throws {UsageError} */
export function parseBytes(name: string, text: string): number {
  const value = Math.floor(parseQuantity(text, { "": 1, kib: 2 ** 10, mib: 2 ** 20, gib: 2 ** 30 }));
  if (value > 0 && Number.isSafeInteger(value)) return value;
  throw new UsageError(`${name} takes a size such as 512MiB or 4GiB, not "${text}"`);
}

/** A number with a unit in upper or lower case; NaN for any other text. */
function parseQuantity(text: string, units: Readonly<Record<string, number>>): number {
  const [, number = "NaN", unit = ""] = /^(\d+(?:\.\d+)?)([a-z]*)$/i.exec(text) ?? [];
  return Number(number) * (units[unit.toLowerCase()] ?? NaN);
}

/**
 * Origins of browser extensions and desktop programs, which `URL` does not know: scheme, host and port. Browsers send them in lower
 * case (Fetch Standard, "Origin header").
 */
const OTHER_ORIGIN = /^[a-z][a-z0-9+.-]*:\/\/[^\s/?#@\\,*"]+$/;

function parseOrigin(text: string): string {
  if (text === "*" || text === "null") return text;
  const short = text.replace(/\/$/, "");
  const url = URL.parse(text);
  if (url !== null && /^https?:$/.test(url.protocol)) {
    if (short.toLowerCase() === url.origin && !text.includes("*")) return url.origin;
  } else if (OTHER_ORIGIN.test(short.toLowerCase()) && !/^(?:https?|file):/i.test(short)) {
    return short.toLowerCase();
  }
  if (text.includes("*")) {
    throw new UsageError(
      `--allow-origin takes "*" only alone, for all pages, not inside an origin as in "${text}"; repeat the flag for ` +
        "each origin",
    );
  }
  throw new UsageError(
    '--allow-origin takes an origin such as https://example.org or chrome-extension://ID, "null" or "*", ' +
      `not "${text}"`,
  );
}
