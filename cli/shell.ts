/** Shared by the commands: acquisitions without a server, standard output, failures. */
import { isAbsolute, resolve } from "node:path";
import { systemClock } from "../session/clock.ts";
import { ERRORS } from "../schemas/served.ts";
import { findErrorCode } from "../session/errors.ts";
import type { OpenOrder } from "../session/opener.ts";
import { Sessions } from "../session/sessions.ts";
import { type Given, type NamedFlag, requireOneOf, UsageError } from "./arguments.ts";
import { DEFAULTS, parseSeconds } from "./command_line.ts";
import { escapeControls } from "./log.ts";

/** About the longest that timers allow: sessions end with their command. */
const NO_TIMEOUT_SECONDS = 20 * 24 * 3600;

/** How long an open or a plane may take, so that a file that never ends does not keep a command from the others. */
const LOAD_TIMEOUT_SECONDS = 10 * 60;

/** The flag of {@linkcode readLoadTimeout}. */
export const LOAD_TIMEOUT: NamedFlag = {
  name: "--load-timeout",
  value: "TIME",
  help: "Time that opening a file, or reading a plane, may take [default: 10m]",
};

/** Seconds that an open or a plane may take. @throws {UsageError} */
export function readLoadTimeout({ flags }: Given): number {
  const text = flags.get(LOAD_TIMEOUT.name);
  return text === undefined ? LOAD_TIMEOUT_SECONDS : parseSeconds(LOAD_TIMEOUT.name, text);
}

/** Exit statuses of the commands. */
export const EXIT = { ok: 0, failed: 1, usage: 2, interrupted: 130 } as const;

/**
 * Opens acquisitions as the server does.
 *
 * @param loadTimeoutSeconds how long an open or a plane may take; without a limit, the user ends the command
 * @param maxSessionMemory the largest number of bytes of their planes
 */
export const openShellSessions = (
  loadTimeoutSeconds = NO_TIMEOUT_SECONDS,
  maxSessionMemory = DEFAULTS.maxSessionMemory,
): Sessions =>
  new Sessions(systemClock, {
    roots: null,
    allowedExtensions: DEFAULTS.allowedExtensions,
    loadTimeoutSeconds,
    sessionTtlSeconds: NO_TIMEOUT_SECONDS,
    maxSessionMemory,
  });

/** An open of a path that the user typed. @throws {UsageError} the path is empty */
export function makeOpenOrder(
  { path: typed, ...choice }: Pick<OpenOrder, "path" | "channelIndices" | "scene">,
): OpenOrder {
  if (typed === "") throw new UsageError("The path is empty");
  // Keeps `..`: after a link the kernel must resolve it.
  const absolute = Deno.build.os === "windows" ? resolve(typed) : `${Deno.cwd()}/${typed}`;
  const { signal } = new AbortController();
  return { ...choice, path: isAbsolute(typed) ? typed : absolute, signal, chosenByUser: true };
}

/** Code and message of a failure, as the server answers it. The stack trace of a bug goes to standard error. */
export function describeFailure(error: unknown): { readonly error: string; readonly message: string } {
  if (error instanceof UsageError) return { error: "request_validation_failed", message: error.message };
  const code = findErrorCode(error);
  if (code !== null) return { error: code, message: (error as Error).message };
  console.error(escapeControls(error instanceof Error ? error.stack ?? error.message : String(error)));
  return { error: "internal_error", message: ERRORS.internal_error[1] };
}

/** The index given by a flag; `null` if the flag is absent. @throws {UsageError} */
export function readIndexFlag({ flags }: Given, name: string): number | null {
  const text = flags.get(name);
  if (text === undefined) return null;
  if (/^-?\d{1,15}$/.test(text)) return Number(text);
  throw new UsageError(`${name} takes an index from 0, not "${text.slice(0, 64)}"`);
}

/** The name given by a flag, one of `names`; the first name if the flag is absent. @throws {UsageError} */
export const nameIn = <Name extends string>({ flags }: Given, flag: string, names: readonly Name[]): Name =>
  requireOneOf(flag, flags.get(flag) ?? names[0]!, names);

/** Refuses to write bytes to a terminal. @throws {UsageError} */
export function requireFile(what: string, file: string): void {
  if (!Deno.stdout.isTerminal()) return;
  throw new UsageError(`A terminal cannot show ${what}; write it to a file with > ${file}`);
}
