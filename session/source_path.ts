/**
 * Judges the path of an open before a decode worker sees it: inside the roots, existing, a file or a directory.
 * Every open of a file is tested again where it happens, in `readers/io/paths.ts`.
 */
import { lstat, readlink, realpath, stat } from "node:fs/promises";
import { Buffer } from "node:buffer";
import { basename, dirname, isAbsolute, join, relative, resolve } from "node:path";
import { PathNotAllowed, PathNotFound, quoted, UnsupportedFormat } from "../readers/errors.ts";
import { isInsideRoots, pathError, statKind } from "../readers/io/paths.ts";
import { mayHoldPaths } from "../readers/format.ts";

/** A directory that files may be opened from. */
export interface Root {
  /** As the operator wrote it, made absolute. */
  readonly written: string;
  /** With links resolved. */
  readonly resolved: string;
}

/** Links that are followed while a path to nothing is judged; Linux stops at 40 too. */
const MAX_LINKS = 40;

/** Bytes of a path: the longest that any of the systems takes (Windows; Linux takes 4096). */
const MAX_PATH_BYTES = Deno.build.os === "windows" ? 32_767 : 4096;

/** Names of devices that Windows has in every folder. */
const WINDOWS_DEVICE = /^(con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³]|conin\$|conout\$)([ .:].*)?$/i;

/**
 * The resolved path of an existing file or directory, or of a place inside a file that may hold a store.
 *
 * @param path absolute
 * @param roots `null` for no limit
 * @throws {PathNotAllowed} as written or with links resolved it lies outside every root, whether or not it exists
 * @throws {PathNotFound} nothing exists there, or it cannot be reached
 * @throws {UnsupportedFormat} a fifo, socket or device, which is never opened
 */
export async function judgePath(path: string, roots: readonly Root[] | null): Promise<string> {
  const tooLong = Buffer.byteLength(path) > MAX_PATH_BYTES;
  const way = tooLong ? { path } : await withoutParents(path, roots);
  if (roots !== null) {
    const either = roots.flatMap((root) => [root.written, root.resolved]);
    const inside = isInsideRoots(resolve(path), either) &&
      (tooLong || isInsideRoots(await resolvedAsFar(way.path), roots.map((root) => root.resolved)));
    if (!inside) throw outside(path);
  }
  if (tooLong) {
    throw new PathNotFound(`Cannot open ${quoted(path)}: it is longer than ${MAX_PATH_BYTES} bytes`);
  }
  try {
    if (way.fault !== undefined) throw way.fault;
    const resolved = await realpath(way.path);
    const kind = statKind(await stat(resolved));
    // `realpath` drops a slash after the last name; with it, the path of a file names nothing.
    if (kind === "file" && /[/\\]\.?$/.test(path)) throw Object.assign(new Error(), { code: "ENOTDIR" });
    if (kind !== "other") return resolved;
  } catch (cause) {
    const inside = way.fault === undefined ? await pathInArchive(way.path) : null;
    if (inside !== null) return inside;
    throw pathError(path, cause);
  }
  throw new UnsupportedFormat(`"${basename(path)}" is a fifo, socket or device, not an acquisition file`);
}

const outside = (path: string) =>
  new PathNotAllowed(`${quoted(path)} lies outside the folders that this server may open`);

/** True for a place in a root, and for the folders above one. */
function leadsToRoot(place: string, roots: readonly Root[]): boolean {
  const either = roots.flatMap((root) => [root.written, root.resolved]);
  return isInsideRoots(place, either) || either.some((root) => isInsideRoots(root, [place]));
}

/** A path without `..`, or the failure of the file system at a place before a `..`. */
interface Way {
  readonly path: string;
  readonly fault?: unknown;
}

/**
 * Takes each `..` as the kernel does: as the parent of the folder before it, links followed. The runtime drops the name
 * before a `..` without looking at it, although it may be a link, a file, or the name of nothing.
 *
 * @throws {PathNotAllowed} the way leaves the roots and the folders above them
 */
async function withoutParents(path: string, roots: readonly Root[] | null): Promise<Way> {
  const names = path.split("/");
  // Windows itself drops the name before a `..`.
  if (Deno.build.os === "windows" || !names.includes("..")) return { path };
  let at = "/";
  try {
    for (const name of names) {
      if (name !== "..") at = join(at, name);
      // A path that leaves the roots and returns must not tell what exists outside.
      else if (roots !== null && !leadsToRoot(at, roots)) throw outside(path);
      else if ((await stat(at)).isDirectory()) at = dirname(await realpath(at));
      else throw Object.assign(new Error(), { code: "ENOTDIR" });
    }
    return { path: at };
  } catch (fault) {
    if (fault instanceof PathNotAllowed) throw fault;
    return { path: resolve(path), fault };
  }
}

/**
 * A path into a file that may hold a store, with the file resolved, or `null`. The reader finds out whether the store
 * has such a group. Where the whole path lies inside the roots, so does the file.
 */
async function pathInArchive(path: string): Promise<string | null> {
  // The part after the file must not lead out of it.
  if (resolve(path) !== path) return null;
  for (let file = dirname(path); file !== dirname(file); file = dirname(file)) {
    try {
      const resolved = await realpath(file);
      const isArchive = mayHoldPaths(resolved) && statKind(await stat(resolved)) === "file";
      return isArchive ? join(resolved, relative(file, path)) : null;
    } catch {
      // Its parent may be the file.
    }
  }
  return null;
}

/**
 * The path with those links resolved that exist, so that a path to nothing is judged by the place that it names. Of a
 * link to nothing that is the place of its target.
 */
async function resolvedAsFar(path: string, links = 0): Promise<string> {
  try {
    return await realpath(path);
  } catch {
    const parent = dirname(path);
    if (parent === path || links > MAX_LINKS) return path;
    try {
      if ((await lstat(path)).isSymbolicLink()) {
        return await resolvedAsFar(resolve(parent, await readlink(path)), links + 1);
      }
    } catch {
      // Nothing here: its parent decides.
    }
    return join(await resolvedAsFar(parent, links), basename(path));
  }
}

/**
 * The rules that only Windows needs. A device path names no file. A UNC path makes Windows log in at another host, so
 * it must lie below a root that the operator gave as a UNC path.
 *
 * @param isInside whether the path lies below a root
 * @throws {UnsupportedFormat | PathNotAllowed}
 */
export function judgeWindowsPath(path: string, isInside: (path: string) => boolean): void {
  const plain = path.replaceAll("/", "\\");
  if (/^\\(\\[.?]|\?\?)\\/.test(plain) || plain.split("\\").some((part) => WINDOWS_DEVICE.test(part))) {
    throw new UnsupportedFormat(`${quoted(path)} names a device, not a file`);
  }
  if (plain.startsWith("\\\\") && !isInside(path)) {
    throw new PathNotAllowed(`${quoted(path)} lies on another machine and below no --root`);
  }
}

/** The roots of the command line. @throws {PathNotFound} one is no existing directory */
export async function resolveRoots(paths: readonly string[]): Promise<Root[]> {
  return await Promise.all(paths.map(async (written) => {
    const absolute = isAbsolute(written) ? written : resolve(written);
    try {
      const resolved = await realpath(absolute);
      if ((await stat(resolved)).isDirectory()) return { written: absolute, resolved };
    } catch (cause) {
      throw pathError(written, cause);
    }
    throw new PathNotFound(`Cannot use "${written}" as a root: it is not a directory`);
  }));
}
