/** Opens acquisitions for the commands of the shell, as the server does: in workers that may read files and nothing else. */
import { isAbsolute, resolve } from "node:path";
import { UsageError } from "./arguments.ts";
import { DEFAULTS } from "./command_line.ts";
import { printable } from "./log.ts";
import { systemClock } from "../session/clock.ts";
import { codeOf, INTERNAL_MESSAGE } from "../session/errors.ts";
import { Sessions } from "../session/sessions.ts";
import type { OpenOrder } from "../session/opener.ts";

/** Nobody waits for a shell command but its user, who can end it: as long as timers allow. */
const NO_TIMEOUT_SECONDS = 20 * 24 * 3600;

/** Exit statuses of the commands. */
export const EXIT = { ok: 0, failed: 1, usage: 2 } as const;

/** What is wanted of an acquisition. */
export interface Wanted {
  /** Absolute, or relative to the folder that the command was started in. */
  readonly path: string;
  /** Wanted channels; `null` for all. */
  readonly channelIndices: readonly number[] | null;
  /** Wanted scene; `null` for the one that the path belongs to. */
  readonly scene: number | null;
}

/** What opens, without a server. `maxSessionMemory` in bytes bounds the planes of one acquisition. */
export const sessionsOfShell = (maxSessionMemory = DEFAULTS.maxSessionMemory): Sessions =>
  new Sessions(systemClock, {
    roots: null,
    allowedExtensions: DEFAULTS.allowedExtensions,
    loadTimeoutSeconds: NO_TIMEOUT_SECONDS,
    sessionTtlSeconds: NO_TIMEOUT_SECONDS,
    maxSessionMemory,
  });

/** The open of one; who types a path has chosen it. @throws {UsageError} the path is empty */
export function orderOf({ path, channelIndices, scene }: Wanted): OpenOrder {
  const { signal } = new AbortController();
  return { path: absolute(path), channelIndices, scene, signal, chosenByUser: true };
}

/** `..` stays, as the kernel knows better what it means behind a link. */
function absolute(path: string): string {
  if (path === "") throw new UsageError("A path is empty");
  if (isAbsolute(path)) return path;
  return Deno.build.os === "windows" ? resolve(path) : `${Deno.cwd()}/${path}`;
}

/** Code and message of a failure, as the server answers them. A fault of the program goes to standard error with its stack. */
export function failureOf(error: unknown): { readonly error: string; readonly message: string } {
  if (error instanceof UsageError) return { error: "request_validation_failed", message: error.message };
  const code = codeOf(error);
  if (code !== null) return { error: code, message: (error as Error).message };
  console.error(printable(error instanceof Error ? error.stack ?? error.message : String(error)));
  return { error: "internal_error", message: INTERNAL_MESSAGE };
}

/** An index as a flag takes it. @throws {UsageError} */
export function index(name: string, text: string): number {
  if (/^-?\d{1,15}$/.test(text)) return Number(text);
  throw new UsageError(`${name} takes an index from 0, not "${text.slice(0, 64)}"`);
}
