/** The command line: a table of flags, from which help, parsing and messages are made. */
import { parseArgs, type ParseArgsOptionsConfig } from "node:util";
import { quoted } from "./readers/errors.ts";
import { SUPPORTED_EXTENSIONS } from "./readers/registry.ts";
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
}

/** What the user asked for. */
export type Command =
  | { readonly kind: "serve"; readonly configuration: Configuration }
  | { readonly kind: "help"; readonly text: string }
  | { readonly kind: "version" };

/** A command line that cannot be followed; the message is one line for the user. */
export class UsageError extends Error {}

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
};

type Mutable = { -readonly [K in keyof Configuration]: Configuration[K] };

interface Flag {
  /** With its two dashes. */
  readonly name: string;
  /** Placeholder of the value in the help; absent for a switch. */
  readonly value?: string;
  readonly help: string;
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
];

const OPTIONS: ParseArgsOptionsConfig = {
  ...Object.fromEntries(
    FLAGS.map(({ name, value }) => [name.slice(2), { type: value === undefined ? "boolean" : "string" }]),
  ),
  help: { type: "boolean", short: "h" },
  version: { type: "boolean", short: "V" },
};

/**
 * Reads the arguments of the program.
 *
 * @throws {UsageError} an unknown flag (with the nearest right one), a missing or unfit value
 */
export function parseCommandLine(args: readonly string[]): Command {
  // `deno task start -- --port 0` hands the first two dashes on.
  const given = args[0] === "--" ? args.slice(1) : [...args];
  const configuration: Mutable = { ...DEFAULTS };
  // Not strict: the messages of this file name the nearest flag and the form of its value.
  const { tokens } = parseArgs({ args: given, options: OPTIONS, strict: false, tokens: true });
  for (const token of tokens) {
    const [written = ""] = given[token.index]?.split("=") ?? [];
    if (token.kind === "option" && token.name === "help") return { kind: "help", text: help() };
    if (token.kind === "option" && token.name === "version") return { kind: "version" };
    const flag = FLAGS.find(({ name }) => name === written);
    if (token.kind !== "option" || flag === undefined) throw new UsageError(unknown(written));
    const { value, inlineValue } = token;
    if (flag.value === undefined && value !== undefined) {
      throw new UsageError(`${flag.name} takes no value`);
    }
    if (flag.value !== undefined && (!value || (!inlineValue && value.startsWith("--")))) {
      throw new UsageError(`${flag.name} needs a value: ${flag.name} ${flag.value}`);
    }
    flag.set(configuration, value ?? "");
  }
  return { kind: "serve", configuration };
}

function help(): string {
  const rows = [
    ...FLAGS.map((flag) => [`${flag.name}${flag.value ? ` ${flag.value}` : ""}`, flag.help] as const),
    ["--help", "show this help"],
    ["--version", "show the version"],
  ] as const;
  const width = Math.max(...rows.map(([left]) => left.length));
  return [
    "acq-server: opens microscope files and serves each channel as a float32 plane, on this machine only",
    "",
    "Usage: acq-server [FLAG]...                    serve",
    "       acq-server validate PATH... [--json]     check a collection or its documents",
    "       acq-server schema KIND                   print the JSON Schema of a kind of document",
    "",
    ...rows.map(([left, right]) => `  ${left.padEnd(width)}  ${right}`),
  ].join("\n");
}

function unknown(name: string): string {
  if (!name.startsWith("-")) {
    return `"${name}" is neither a flag nor a command; acq-server --help lists what there is`;
  }
  const names = Object.keys(OPTIONS).map((option) => `--${option}`);
  const shown = name.slice(0, 64).toLowerCase();
  const distance = (known: string) => edits(shown, known) / Math.max(shown.length, known.length);
  const nearest = names.reduce((best, known) => distance(known) < distance(best) ? known : best);
  return `There is no flag ${quoted(name)}; the nearest is ${nearest}, and acq-server --help lists all`;
}

/** Edits (insert, remove, replace one character, swap two neighbours) that turn `a` into `b`. */
function edits(a: string, b: string): number {
  const found = new Map<string, number>();
  /** Of the first `i` characters of `a` and the first `j` of `b`. */
  const between = (i: number, j: number): number => {
    if (i === 0 || j === 0) return i + j;
    const key = `${i} ${j}`;
    const isSwapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
    const least = found.get(key) ?? Math.min(
      between(i - 1, j) + 1,
      between(i, j - 1) + 1,
      between(i - 1, j - 1) + (a[i - 1] === b[j - 1] ? 0 : 1),
      isSwapped ? between(i - 2, j - 2) + 1 : Infinity,
    );
    found.set(key, least);
    return least;
  };
  return between(a.length, b.length);
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

function bytes(name: string, text: string): number {
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
