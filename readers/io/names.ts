/**
 * Finds the files that documents name. A copy of a recording may spell names differently: macOS decomposes letters (`ö` as `o` and a
 * mark), and some programs change the case of an extension. An exact match counts first, then one that differs in Unicode
 * normalization, then one that also differs in case, each if exactly one file is left that no other name means.
 */
import { basename, dirname, join, relative } from "node:path";
import { DecodeFailed, Unreadable } from "../errors.ts";
import { isClosed, leavesFolder, listPossiblePaths, type PathKind } from "./paths.ts";

/** Forms in which two spellings of one name are equal, the stricter one first. */
const FORMS: readonly ((name: string) => string)[] = [
  (name) => name.normalize("NFC"),
  (name) => name.normalize("NFC").toLowerCase(),
];

const loosest = FORMS.at(-1)!;

/** True for the file in which macOS keeps attributes of another one (`._NAME` for `NAME`) on disks of other systems. */
export const isAppleDouble = (name: string): boolean => name.startsWith("._");

/** True if two names differ in Unicode normalization and case at most. */
export const alike = (a: string, b: string): boolean => a === b || loosest(a) === loosest(b);

/** The names in a folder or container. */
export class StoredNames {
  readonly #byForm = new Map<string, string | string[]>();

  constructor(names: Iterable<string>) {
    for (const name of names) {
      const form = loosest(name);
      const known = this.#byForm.get(form);
      if (known === undefined) this.#byForm.set(form, name);
      else if (typeof known === "string") this.#byForm.set(form, [known, name]);
      else known.push(name);
    }
  }

  /** Stored names that differ from a written one in normalization and case at most. */
  alike(written: string): readonly string[] {
    const known = this.#byForm.get(loosest(written)) ?? [];
    return typeof known === "string" ? [known] : known;
  }

  /** The stored name that a document means, or `null`. */
  find(written: string): string | null {
    const names = this.alike(written);
    if (names.includes(written)) return written;
    for (const form of FORMS) {
      const [found, ...others] = names.filter((name) => form(name) === form(written));
      if (found !== undefined && others.length === 0) return found;
    }
    return null;
  }
}

/** A folder tree on disk or in a container, as far as names are concerned. */
export interface NamedTree {
  /** The kind of file at a path; `null` if nothing exists there. */
  kind(path: string): PathKind | null;
  /** Names in a folder; empty if it is missing. */
  list(folder: string): readonly string[];
}

const throwIt = (_name: string, error: Unreadable): void => {
  throw error;
};

/**
 * The paths of the files that a document in `folder` names, by the written names; a name whose file is missing is left out. No two
 * names share a file, unless both match exactly. The folder is listed only if a name has no exact match.
 *
 * @param lost called for a name that cannot be looked up; by default throws its error
 * @param places possible paths of a name, the likelier one first
 * @throws {Unreadable} a file or the folder cannot be inspected
 */
export function findNamedFiles(
  files: NamedTree,
  folder: string,
  written: Iterable<string>,
  lost = throwIt,
  places = listPossiblePaths,
): Map<string, string> {
  const found = new Map<string, string>();
  const missing: string[] = [];
  const folders = new Map<string, StoredNames>();
  const each = (names: Iterable<string>, look: (name: string) => void) => {
    for (const name of names) {
      try {
        look(name);
      } catch (error) {
        if (!(error instanceof Unreadable)) throw error;
        lost(name, error);
      }
    }
  };
  each(new Set(written), (name) => {
    const place = places(folder, name).find((path) => files.kind(path) !== null);
    if (place === undefined) missing.push(name);
    else found.set(name, place);
  });
  const namesIn = (path: string) =>
    folders.getOrInsertComputed(path, () => new StoredNames(listIfOpen(files, path)));
  for (const form of FORMS) {
    const taken = new Set(found.values());
    const claims = new Map<string, string[]>();
    each(missing.filter((name) => !found.has(name)), (name) => {
      for (const place of places(folder, name)) {
        const parent = findSpelledFolder(files, folder, dirname(place), namesIn);
        if (parent === null) continue;
        const last = basename(place);
        const [path, ...others] = namesIn(parent).alike(last)
          .filter((stored) => form(stored) === form(last))
          .map((stored) => join(parent, stored))
          .filter((path) => !taken.has(path));
        if (path === undefined || others.length > 0) continue;
        claims.getOrInsertComputed(path, () => []).push(name);
        break;
      }
    });
    for (const [path, [name, ...others]] of claims) {
      // A link may lead nowhere, or out of the roots.
      if (others.length === 0 && files.kind(path) !== null) found.set(name!, path);
    }
  }
  return found;
}

/** The path of the file that a document in `folder` names, as {@linkcode findNamedFiles} finds it; `null` if it is missing. */
export const findNamedFile = (files: NamedTree, folder: string, name: string): string | null =>
  findNamedFiles(files, folder, [name]).get(name) ?? null;

/** The path of a folder at or below `top` in its stored spelling; `null` if it is missing. */
function findSpelledFolder(
  files: NamedTree,
  top: string,
  folder: string,
  namesIn: (folder: string) => StoredNames,
): string | null {
  if (folder === top || files.kind(folder) === "directory") return folder;
  // A path that does not lead back to the top ends at the root of the file system.
  const parent = dirname(folder) === folder ? null : findSpelledFolder(files, top, dirname(folder), namesIn);
  const name = parent && namesIn(parent).find(basename(folder));
  return parent && name && join(parent, name);
}

/** The names in a folder; none if it has too many, or may be entered but not listed: then only exact names count. */
function listIfOpen(files: NamedTree, folder: string): readonly string[] {
  try {
    return files.list(folder);
  } catch (error) {
    if (error instanceof DecodeFailed || error instanceof Unreadable && isClosed(error)) return [];
    throw error;
  }
}

/** The only place of a path in a document that may not leave its folder; none for one that does. */
const listPlacesInside = (folder: string, name: string) => leavesFolder(name) ? [] : [join(folder, name)];

/**
 * The stored spelling of paths below a folder, which must lead there as written, as far as they exist; others stay as they are. Calls
 * nothing but the file system, and lists a folder only for a path that does not exist as written.
 */
export function findStoredSpelling(
  files: NamedTree,
  folder: string,
  written: readonly string[],
): (path: string) => string {
  const found = findNamedFiles(files, folder, written, () => {}, listPlacesInside);
  return (path) => {
    const stored = found.get(path);
    return stored === undefined || stored === join(folder, path) ? path : relative(folder, stored);
  };
}
