/** Paths: whether a path lies inside the roots, and why the file system rejects one. */
import { Buffer } from "node:buffer";
import platform, { basename, resolve, sep } from "node:path";
import { PathNotAllowed, PathNotFound, quoted, Unreadable, UnsupportedFormat } from "../errors.ts";

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
export function statKind(stat: { isFile(): boolean; isDirectory(): boolean }): PathKind {
  return stat.isFile() ? "file" : stat.isDirectory() ? "directory" : "other";
}

/** Longest file name in bytes: the limit of current systems for one part of a path. */
const MAX_NAME_BYTES = 255;

/** Why a path leads to nothing, by the file system's error code. */
const NOWHERE: Readonly<Record<string, string>> = {
  ENOENT: "nothing exists there",
  ELOOP: "its links lead round in a circle",
  ENAMETOOLONG: "a name in it is too long",
  ENOTDIR: "a part of it is a file, not a folder",
  EINVAL: "no file can have this name",
};

/** Error codes of denied access. */
const CLOSED: ReadonlySet<string> = new Set(["EACCES", "EPERM"]);

const codeOf = (cause: unknown): string => (cause as { code?: string }).code ?? "";

/** True if the system denies access, for example to the folder of another account. */
export const isClosed = ({ cause }: Unreadable): boolean => CLOSED.has(codeOf(cause));

/** Why a path leads to nothing; `null` for any other failure. */
function reasonMissing(path: string, cause: unknown): string | null {
  if ((cause as { name?: string }).name === "NotCapable") return "this place is closed to the server";
  const tooLong = resolve(path).split(sep).some((part) => Buffer.byteLength(part) > MAX_NAME_BYTES);
  return NOWHERE[tooLong ? "ENAMETOOLONG" : codeOf(cause)] ?? null;
}

const notFound = (path: string, reason: string, cause: unknown) =>
  new PathNotFound(`Cannot open ${quoted(path)}: ${reason}`, { cause });

/** The error for an existing file that cannot be `done`: `opened`, `listed`. */
export function unreadable(path: string, done: string, cause: unknown): Unreadable {
  const fault = codeOf(cause) || (cause instanceof Error ? cause.message : String(cause));
  return new Unreadable(`${quoted(basename(path))} cannot be ${done}: ${fault}`, { cause });
}

/** Classifies an error of the file system: the file is missing, or cannot be `done`: `opened`, `listed`. */
export function failure(path: string, done: string, cause: unknown): PathNotFound | Unreadable {
  const reason = reasonMissing(path, cause);
  return reason === null ? unreadable(path, done, cause) : notFound(path, reason, cause);
}

/** Calls the file system. @throws {PathNotFound | Unreadable} */
export function attempt<T>(path: string, done: string, call: () => T): T {
  try {
    return call();
  } catch (cause) {
    throw failure(path, done, cause);
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
export function pathError(path: string, cause: unknown): PathNotFound | Unreadable {
  return CLOSED.has(codeOf(cause)) && reasonMissing(path, cause) === null
    ? notFound(path, "the server may not read it (docs/install.md#troubleshooting)", cause)
    : failure(path, "opened", cause);
}
