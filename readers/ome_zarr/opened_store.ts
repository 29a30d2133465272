/** From a path to the store that it lies in: a directory with all groups above it, or a ZIP file. */
import { dirname, join, relative, sep } from "node:path";
import { NoImage, PathNotFound, quoted } from "../errors.ts";
import type { FileAccess } from "../io/random_access.ts";
import type { Source } from "../reader.ts";
import { readNode } from "./hierarchy.ts";
import { GROUP_MARKERS } from "./markers.ts";
import { DirectoryStore, type Store } from "./store.ts";
import { readZipDirectory, requireStraightNames, zarrFolder } from "./zip_directory.ts";
import { ZipStore } from "./zip_store.ts";

/** A store and the place in it that was opened. */
export interface OpenedStore {
  /** Holds documents and chunks. */
  readonly store: Store;
  /** Path of the opened group inside the store, `""` for the outermost. */
  readonly path: string;
  /** How a path inside the store is named to the user. */
  readonly shown: (path: string) => string;
  /** Bytes of a ZIP file, `null` for a directory. */
  readonly fileSize: number | null;
}

/**
 * Opens the store around a path; of a directory nothing is read.
 *
 * @throws {NoImage} a ZIP file without a Zarr group
 * @throws {PathNotFound} a path in a ZIP file that it does not hold
 * @throws {DecodeFailed} a damaged ZIP file
 */
export function openStore({ path, files }: Source): OpenedStore {
  const archive = files.kind(path) === "file" ? path : files.archiveOf(path);
  return archive === null ? directoryAt(path, files) : zipAt(archive, path, files);
}

function zipAt(archive: string, path: string, files: FileAccess): OpenedStore {
  const file = files.open(archive);
  const entries = readZipDirectory(file);
  requireStraightNames(entries.keys());
  const folder = zarrFolder(entries.keys());
  if (folder === null) throw new NoImage(`the ZIP file holds no Zarr group at its root`);
  const store = new ZipStore(file, entries, folder);
  const inside = pathInside(archive, path);
  if (inside !== "" && readNode(store, inside) === null) {
    throw new PathNotFound(`Cannot open ${quoted(path)}: the ZIP file holds no such group`);
  }
  return { store, path: inside, shown: (inner) => join(archive, inner), fileSize: file.size };
}

function directoryAt(path: string, files: FileAccess): OpenedStore {
  const root = outermostGroup(path, files);
  const store = new DirectoryStore(root, files);
  return { store, path: pathInside(root, path), shown: (inner) => join(root, inner), fileSize: null };
}

const pathInside = (root: string, path: string) => relative(root, path).split(sep).join("/");

/** Levels that a field lies below its plate, and series below their store. */
const MAX_GROUP_DEPTH = 6;

/** The outermost folder above `path` that is a group with all folders between. */
function outermostGroup(path: string, files: FileAccess): string {
  let root = path;
  for (let level = 0; level < MAX_GROUP_DEPTH; level += 1) {
    const parent = dirname(root);
    if (parent === root || !GROUP_MARKERS.some((name) => files.kind(join(parent, name)) === "file")) break;
    root = parent;
  }
  return root;
}
