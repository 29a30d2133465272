/**
 * The root of a collection, to which paths of members are relative. `collection.json` lies in it or in a folder directly below.
 */
import { dirname, join } from "node:path";
import { DecodeFailed, Unreadable } from "../errors.ts";
import type { FileAccess } from "../io/random_access.ts";

/** Name of the document. */
const COLLECTION_FILE = "collection.json";

/** Entries of a folder to search for sub-folders. */
const MAX_ENTRIES = 5_000;

/** `collection.json` in a folder itself, or `null`. @throws {Unreadable} */
export function documentIn(folder: string, files: FileAccess): string | null {
  const path = join(folder, COLLECTION_FILE);
  return files.kind(path) === "file" ? path : null;
}

/**
 * `collection.json` of the direct sub-folders, by name.
 *
 * @param skip called for an unreadable sub-folder; by default it throws
 * @throws {Unreadable} the folder cannot be listed
 */
export function documentsBelow(
  folder: string,
  files: FileAccess,
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

function rethrow(error: Unreadable): never {
  throw error;
}

function entriesOf(folder: string, files: FileAccess): string[] {
  try {
    return files.list(folder).slice(0, MAX_ENTRIES);
  } catch (error) {
    if (error instanceof DecodeFailed) return [];
    throw error;
  }
}

/**
 * The root of a collection: the folder of its document, unless its parent holds more images of members.
 *
 * @param given a root named by the user, which wins a tie
 */
export function rootOfDocument(
  document: string,
  images: readonly string[],
  files: FileAccess,
  given: string | null = null,
): string {
  const folder = dirname(document);
  const parent = dirname(folder);
  const existing = (root: string) => images.filter((path) => files.kind(join(root, path)) !== null).length;
  const [here, above] = [existing(folder), existing(parent)];
  return above > here || (above === here && given === parent) ? parent : folder;
}
