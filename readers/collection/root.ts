/**
 * The root of a collection, to which paths of members are relative. `collection.json` is in it or in one of its direct
 * subfolders.
 */
import { dirname, join } from "node:path";
import { DecodeFailed, PathNotAllowed, PathNotFound, Unreadable } from "../errors.ts";
import { isInsideRoots } from "../io/paths.ts";
import type { FileTree } from "../ome_zarr/zip_files.ts";

/** Name of the document. */
export const COLLECTION_FILE = "collection.json";

/** Largest number of subfolders to inspect. */
export const MAX_FOLDERS = 200;

/** Largest number of entries of a folder to search for subfolders. */
const MAX_ENTRIES = 5_000;

/** `collection.json` in a folder itself, or `null`. @throws {Unreadable} */
export function documentIn(folder: string, files: FileTree): string | null {
  const path = join(folder, COLLECTION_FILE);
  return files.kind(path) === "file" ? path : null;
}

/**
 * `collection.json` in the direct subfolders, by name.
 *
 * @param skip called for an unreadable subfolder; by default it throws
 * @throws {Unreadable} the folder cannot be listed
 */
export function documentsBelow(
  folder: string,
  files: FileTree,
  maxFolders: number,
  skip: (error: Unreadable) => void = rethrow,
): string[] {
  const found: string[] = [];
  let folders = 0;
  for (const name of entriesOf(folder, files)) {
    if (folders >= maxFolders) break;
    const path = join(folder, name);
    try {
      if (files.kind(path) !== "directory") continue;
      folders += 1;
      const document = documentIn(path, files);
      if (document !== null) found.push(document);
    } catch (error) {
      if (!(error instanceof Unreadable)) throw error;
      skip(error);
    }
  }
  return found;
}

/** True if a direct subfolder holds a document. */
export const hasDocumentBelow = (folder: string, files: FileTree): boolean =>
  documentsBelow(folder, files, MAX_FOLDERS, () => {}).length > 0;

function rethrow(error: Unreadable): never {
  throw error;
}

function entriesOf(folder: string, files: FileTree): string[] {
  try {
    return files.list(folder).slice(0, MAX_ENTRIES);
  } catch (error) {
    if (error instanceof DecodeFailed) return [];
    throw error;
  }
}

/**
 * The root of a collection: the folder of its document, unless its parent contains more of the members' images.
 *
 * @param given a root named by the user, which wins a tie
 */
export function rootOfDocument(
  document: string,
  images: readonly string[],
  files: FileTree,
  given: string | null = null,
): string {
  const folder = dirname(document);
  const parent = dirname(folder);
  const existing = (root: string) => images.filter((path) => files.kind(join(root, path)) !== null).length;
  const [here, above] = [existing(folder), existing(parent)];
  return above > here || (above === here && given === parent) ? parent : folder;
}

/** True if a path, with links resolved, lies below a folder. */
export function isInside(path: string, folder: string, files: FileTree): boolean {
  const [target, top] = [resolved(path, files), resolved(folder, files)];
  return target !== null && top !== null && isInsideRoots(target, [top]);
}

/** The resolved path, or `null` if it leads nowhere or out of the roots. @throws {Unreadable} */
export function resolved(path: string, files: FileTree): string | null {
  try {
    return files.resolve(path);
  } catch (error) {
    if (error instanceof PathNotFound || error instanceof PathNotAllowed) return null;
    throw error;
  }
}
