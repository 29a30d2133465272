/**
 * Paths: whether one lies inside the roots, why the file system rejects one, where file names in documents lead, and marks of
 * files, which change when a file is replaced or written to.
 */
import { Buffer } from "node:buffer";
import platform, { basename, join, resolve, sep } from "node:path";
import {
  AcquisitionChanged,
  PathNotAllowed,
  PathNotFound,
  quoted,
  Unreadable,
  UnsupportedFormat,
} from "../errors.ts";
import { isDeepName } from "./limits.ts";
import type { StopFlag } from "./stop_flag.ts";

/** True if `path` is one of `roots` or lies below one; `null` allows every path. All paths are resolved. */
export function isInsideRoots(
  path: string,
  roots: readonly string[] | null,
  system: Pick<typeof platform, "relative" | "isAbsolute" | "sep"> = platform,
): boolean {
  if (roots === null) return true;
  return roots.some((root) => {
    const way = system.relative(root, path);
    return way === "" || (way !== ".." && !way.startsWith(".." + system.sep) && !system.isAbsolute(way));
  });
}

/** The kind of file that a path leads to, following links. */
export type PathKind = "file" | "directory" | "other";

/** The kind of a `stat` result. */
export const statKind = (stat: { isFile(): boolean; isDirectory(): boolean }): PathKind =>
  stat.isFile() ? "file" : stat.isDirectory() ? "directory" : "other";

/** Longest file name in bytes: the limit of current systems for one part of a path. */
export const MAX_NAME_BYTES = 255;

/** Why a path leads to nothing, by the file system's error code. */
const NOWHERE: Readonly<Record<string, string>> = {
  ENOENT: "nothing exists there",
  ELOOP: "its links lead round in a circle",
  ENAMETOOLONG: "a name in it is too long",
  ENOTDIR: "a part of it is a file, not a folder",
  EINVAL: "no file can have this name",
};

const readErrorCode = (cause: unknown): string => (cause as { code?: string }).code ?? "";

/** True if the system denies access, for example to the folder of another account. */
export const isClosed = ({ cause }: Error): boolean => ["EACCES", "EPERM"].includes(readErrorCode(cause));

/** What the runtime puts in place of bytes that are not UTF-8. */
const NOT_UTF8 = "\uFFFD";

/** True if a file has this name only in place of one that is not UTF-8, by which the runtime cannot open it. */
export const standsForBytes = (name: string): boolean => name.includes(NOT_UTF8);

/** Why a path leads to nothing if it is not UTF-8, as a clause. */
export const PATH_NOT_UTF8 = "its path is not UTF-8; rename it";

/** True if a path leads to nothing that exists, as opposed to one that cannot be followed. */
export const isNowhere = ({ cause }: Error): boolean => ["ENOENT", "ENOTDIR"].includes(readErrorCode(cause));

/** Why a path leads to nothing; `null` for any other failure. */
function explainMissing(path: string, cause: unknown): string | null {
  if ((cause as { name?: string }).name === "NotCapable") return "this place is closed to the server";
  if (readErrorCode(cause) === "ENOENT" && standsForBytes(path)) return PATH_NOT_UTF8;
  const tooLong = resolve(path).split(sep).some((part) => Buffer.byteLength(part) > MAX_NAME_BYTES);
  return NOWHERE[tooLong ? "ENAMETOOLONG" : readErrorCode(cause)] ?? null;
}

const notFound = (path: string, reason: string, cause: unknown) =>
  new PathNotFound(`Cannot open ${quoted(path)}: ${reason}`, { cause });

/** The error for an existing file that cannot be `done`: `opened`, `listed`. */
export function unreadableFile(path: string, done: string, cause: unknown): Unreadable {
  const fault = readErrorCode(cause) || (cause instanceof Error ? cause.message : String(cause));
  return new Unreadable(`${quoted(basename(path))} cannot be ${done}: ${fault}`, { cause });
}

/** Classifies an error of the file system: the file is missing, or cannot be `done`: `opened`, `listed`. */
export function classifyFailure(path: string, done: string, cause: unknown): PathNotFound | Unreadable {
  const reason = explainMissing(path, cause);
  return reason === null ? unreadableFile(path, done, cause) : notFound(path, reason, cause);
}

/** Calls the file system. @throws {PathNotFound | Unreadable} */
export function attempt<T>(path: string, done: string, call: () => T): T {
  try {
    return call();
  } catch (cause) {
    throw classifyFailure(path, done, cause);
  }
}

/** The result of `find`; `null` if nothing exists that this server may open. @throws {Unreadable} */
export function unlessMissing<T>(find: () => T): T | null {
  try {
    return find();
  } catch (error) {
    if (
      error instanceof PathNotFound || error instanceof PathNotAllowed || error instanceof UnsupportedFormat
    ) return null;
    throw error;
  }
}

/**
 * Classifies an error of the file system for a client's path: {@linkcode PathNotFound} if the path is missing or access is
 * denied, {@linkcode Unreadable} for other faults (too many open files, a disk error).
 */
export function classifyPathError(path: string, cause: unknown): PathNotFound | Unreadable {
  const error = classifyFailure(path, "opened", cause);
  return error instanceof Unreadable && isClosed(error)
    ? notFound(path, "the server may not read it (docs/install.md#troubleshooting)", cause)
    : error;
}

// File names written in documents. They can lead only to the document's folder and below.

const splitName = (name: string): string[] => name.trim().replaceAll("\\", "/").split("/");

/** The last part of a file name of any system; `""` if it cannot name a file. */
export function takeLastName(name: string): string {
  const last = splitName(name).at(-1)!.replace(/^[A-Za-z]:/, "");
  return last === "." || last === ".." || last.includes("\0") ? "" : last;
}

/** The last part of an absolute path of any system, which may name a user; any other name as it is. */
export const withoutFolder = (name: string): string =>
  /^(?:[\\/]|[A-Za-z]:[\\/])/.test(name) ? name.split(/[\\/]/).findLast((part) => part !== "") ?? name : name;

/** True for a name that leads out of the folder: with `..`, a drive, a UNC prefix or an absolute path. */
export const leavesFolder = (name: string): boolean =>
  /^\s*(?:[\\/]|[A-Za-z]:)/.test(name) || splitName(name).includes("..");

/**
 * Possible paths of a file that a document names, the likelier one first: the name as written, then its last part beside the
 * document. A name that leaves the folder has only the latter, so that no answer reveals what exists elsewhere; one with too many
 * folders has none.
 */
export function listPossiblePaths(folder: string, name: string): string[] {
  if (isDeepName(name.replaceAll("\\", "/"))) return [];
  const last = takeLastName(name);
  if (last === "") return [];
  const beside = join(folder, last);
  const written = join(folder, ...splitName(name));
  return leavesFolder(name) || written === beside ? [beside] : [written, beside];
}

/** The mark of a file: device, inode, size in bytes and modification time in milliseconds. */
export const makeMark = (
  { dev, ino, size, mtime }: Pick<Deno.FileInfo, "dev" | "ino" | "size" | "mtime">,
): string => `${dev}:${ino}:${size}:${mtime?.getTime() ?? null}`;

/** The mark of a missing file. */
export const ABSENT = "absent";

/** Mark for a failed `stat`: {@linkcode ABSENT} if the file is missing. @throws {Unreadable} any other failure */
function markOfNone(path: string, cause: unknown): string {
  const { NotFound, NotADirectory, FilesystemLoop } = Deno.errors;
  if ([NotFound, NotADirectory, FilesystemLoop].some((kind) => cause instanceof kind)) return ABSENT;
  const code = (cause as { code?: string }).code ?? String(cause);
  throw new Unreadable(`${quoted(basename(path))} cannot be compared with what it was: ${code}`, { cause });
}

/**
 * Compares files with their earlier marks, by resolved path.
 *
 * @throws {AcquisitionChanged} a file changed, vanished or appeared
 * @throws {Unreadable} a file cannot be inspected
 */
export function requireMarks(marks: ReadonlyMap<string, string>): void {
  for (const [path, mark] of marks) {
    let found: string;
    try {
      found = makeMark(Deno.statSync(path));
    } catch (error) {
      found = markOfNone(path, error);
    }
    if (found !== mark) throw changedFile(path);
  }
}

/** Marks as bytes that only a worker reads: a plane may have a hundred thousand files. */
export const encodeMarks = (marks: ReadonlyMap<string, string>): Uint8Array<ArrayBuffer> =>
  new TextEncoder().encode(JSON.stringify([...marks]));

/** {@linkcode requireMarks} for encoded marks. @throws {AcquisitionChanged | Unreadable | Stopped} */
export function requireEncodedMarks(encoded: Uint8Array, stop: StopFlag): void {
  const marks: readonly (readonly [string, string])[] = JSON.parse(new TextDecoder().decode(encoded));
  for (const one of marks) {
    stop.check();
    requireMarks(new Map([one]));
  }
}

/** {@linkcode requireMarks} without blocking the thread: network drives can take seconds. */
export async function requireMarksLater(marks: Iterable<readonly [string, string]>): Promise<void> {
  await Promise.all(Array.from(marks, async ([path, mark]) => {
    const found = await Deno.stat(path).then(makeMark, (error) => markOfNone(path, error));
    if (found !== mark) throw changedFile(path);
  }));
}

/** The error for a file whose mark changed. */
export const changedFile = (path: string): AcquisitionChanged =>
  new AcquisitionChanged(`${quoted(basename(path))} was changed since it was opened; open it again`);
