/** Validates the path of an open: inside the roots, existing, file or directory. `readers/io/paths.ts` tests each file again. */
import { lstat, readlink, realpath, stat } from "node:fs/promises";
import { Buffer } from "node:buffer";
import { basename, dirname, isAbsolute, join, relative, resolve } from "node:path";
import { PathNotAllowed, PathNotFound, quoted, UnsupportedFormat } from "../readers/errors.ts";
import { classifyPathError, isInsideRoots, statKind } from "../readers/io/paths.ts";
import { mayHoldPaths } from "../readers/formats.ts";

/** A directory from which files may be opened. */
export interface Root {
  /** Absolute path, with links as written. */
  readonly written: string;
  /** With links resolved. */
  readonly resolved: string;
}

/** The operator's rules for opening. */
export interface OpenRules {
  /** Directories that may be opened by path; `null` for no limit. */
  readonly roots: readonly Root[] | null;
  readonly allowedExtensions: readonly string[];
  readonly loadTimeoutSeconds: number;
  /** True if files are only opened through the dialog; then no open follows a link out of the folder of the chosen file. */
  readonly dialogOnly?: boolean;
}

/** Largest number of links to follow, the same as on Linux. */
const MAX_LINKS = 40;

/** Longest path that the system accepts. */
const MAX_PATH_BYTES = Deno.build.os === "windows" ? 32_767 : 4096;

/** Names of devices, which exist in every folder on Windows. */
const WINDOWS_DEVICE = /^(con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³]|conin\$|conout\$)([ .:].*)?$/i;

/**
 * The resolved path of an existing file or directory, or of a place in an archive that may hold a store.
 *
 * @param chosenByUser true if the path may make this machine connect to another one
 * @throws {PathNotAllowed} it lies outside every root, as written or with links resolved, whether or not it exists
 * @throws {PathNotFound} nothing exists there, or it cannot be reached
 * @throws {UnsupportedFormat} a fifo, socket or device
 */
export async function checkPath(
  path: string,
  roots: readonly Root[] | null,
  chosenByUser = false,
): Promise<string> {
  const either = roots?.flatMap((root) => [root.written, root.resolved]) ?? [];
  if (Deno.build.os === "windows") {
    checkWindowsPath(path, (place) => chosenByUser || isInsideRoots(place, either));
  }
  if (Buffer.byteLength(path) > MAX_PATH_BYTES) {
    throw new PathNotFound(`Cannot open ${quoted(path)}: it is longer than ${MAX_PATH_BYTES} bytes`);
  }
  const way = await withoutParents(path, roots);
  if (roots !== null) {
    const inside = isInsideRoots(resolve(path), either) &&
      isInsideRoots(await resolveAsFar(way.path), roots.map((root) => root.resolved));
    if (!inside) throw rejectOutside(path);
  }
  try {
    if (way.fault !== undefined) throw way.fault;
    const resolved = await realpath(way.path);
    const kind = statKind(await stat(resolved));
    // `realpath` drops a final slash, but the path of a file must not end in one.
    if (kind === "file" && /[/\\]\.?$/.test(path)) throw Object.assign(new Error(), { code: "ENOTDIR" });
    if (kind !== "other") return resolved;
  } catch (cause) {
    const inside = way.fault === undefined ? await findPathInArchive(way.path) : null;
    if (inside !== null) return inside;
    throw classifyPathError(path, cause);
  }
  throw new UnsupportedFormat(`"${basename(path)}" is a fifo, socket or device, not an acquisition file`);
}

const rejectOutside = (path: string) =>
  new PathNotAllowed(
    `${quoted(path)} lies outside the folders that this server may open (docs/install.md#network-drives)`,
  );

/**
 * Resolves each `..` as the kernel does, after links; the runtime only drops the name before it, even if that is a link, a file or
 * missing. @throws {PathNotAllowed} the path leaves the roots and the folders above them
 */
async function withoutParents(
  path: string,
  roots: readonly Root[] | null,
): Promise<{ readonly path: string; readonly fault?: unknown }> {
  const names = path.split("/");
  // Windows also just drops the name.
  if (Deno.build.os === "windows" || !names.includes("..")) return { path };
  const either = roots?.flatMap((root) => [root.written, root.resolved]);
  let at = "/";
  /** In a root or above one. */
  const leadsToRoot = () =>
    either === undefined || isInsideRoots(at, either) || either.some((root) => isInsideRoots(root, [at]));
  try {
    for (const name of names) {
      if (name !== "..") at = join(at, name);
      // A path that leaves the roots and comes back must not reveal what exists outside.
      else if (!leadsToRoot()) throw rejectOutside(path);
      else if ((await stat(at)).isDirectory()) at = dirname(await realpath(at));
      else throw Object.assign(new Error(), { code: "ENOTDIR" });
    }
    return { path: at };
  } catch (fault) {
    if (fault instanceof PathNotAllowed) throw fault;
    return { path: resolve(path), fault };
  }
}

/** A path into an archive that may hold a store, with the archive resolved; else `null`. The reader looks for the group. */
async function findPathInArchive(path: string): Promise<string | null> {
  // The part after the archive must not lead out of it.
  if (resolve(path) !== path) return null;
  for (let file = dirname(path); file !== dirname(file); file = dirname(file)) {
    try {
      const resolved = await realpath(file);
      const isArchive = mayHoldPaths(resolved) && statKind(await stat(resolved)) === "file";
      return isArchive ? join(resolved, relative(file, path)) : null;
    } catch {
      // A parent folder may be the archive.
    }
  }
  return null;
}

/** Resolves the links that exist: a missing path is judged by its location, a dangling link by that of its target. */
async function resolveAsFar(path: string, links = 0): Promise<string> {
  try {
    return await realpath(path);
  } catch {
    const parent = dirname(path);
    if (parent === path || links > MAX_LINKS) return path;
    try {
      if ((await lstat(path)).isSymbolicLink()) {
        return await resolveAsFar(resolve(parent, await readlink(path)), links + 1);
      }
    } catch {
      // Judged by its parent.
    }
    return join(await resolveAsFar(parent, links), basename(path));
  }
}

/**
 * Validates a path on Windows. Opening a UNC path would log in at another host, so it must lie below a root.
 *
 * @throws {UnsupportedFormat | PathNotAllowed}
 */
export function checkWindowsPath(path: string, isInside: (path: string) => boolean): void {
  const plain = path.replaceAll("/", "\\");
  if (/^\\(\\[.?]|\?\?)\\/.test(plain) || plain.split("\\").some((part) => WINDOWS_DEVICE.test(part))) {
    throw new UnsupportedFormat(`${quoted(path)} names a device, not a file`);
  }
  if (plain.startsWith("\\\\") && !isInside(path)) {
    throw new PathNotAllowed(
      `${quoted(path)} lies on another machine, not below a --root (docs/install.md#network-drives)`,
    );
  }
}

/** Resolves the roots of the command line. @throws {PathNotFound} one is not an existing directory */
export async function resolveRoots(paths: readonly string[]): Promise<Root[]> {
  return await Promise.all(paths.map(async (written) => {
    const absolute = isAbsolute(written) ? written : resolve(written);
    try {
      const resolved = await realpath(absolute);
      if ((await stat(resolved)).isDirectory()) return { written: absolute, resolved };
    } catch (cause) {
      throw classifyPathError(written, cause);
    }
    throw new PathNotFound(`Cannot use "${written}" as a root: it is not a directory`);
  }));
}
