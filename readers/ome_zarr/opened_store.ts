/** Finds the store that a path lies in: a directory with all groups above it, or a ZIP file. */
import { basename, dirname, join, relative, sep } from "node:path";
import { NoImage, PathNotFound, quoted } from "../errors.ts";
import { FORMAT_NAMES } from "../format.ts";
import type { FileAccess } from "../io/random_access.ts";
import type { Source } from "../reader.ts";
import { readNode } from "./hierarchy.ts";
import { DirectoryStore, type Store } from "./store.ts";
import { readZipDirectory, requireStraightNames, zarrFolder } from "./zip_directory.ts";
import { ZipStore } from "./zip_store.ts";

/** Files that mark a directory as a Zarr group. */
const GROUP_MARKERS: readonly string[] = FORMAT_NAMES.zarr.markers;

/** The directory of a marker file; any other path itself. */
export const imageAt = (path: string): string =>
  GROUP_MARKERS.includes(basename(path)) ? dirname(path) : path;

/** A store and the place in it that was opened. */
export interface OpenedStore {
  /** Holds documents and chunks. */
  readonly store: Store;
  /** Path of the opened group inside the store, `""` for the outermost. */
  readonly path: string;
  /** The path that messages show for a path inside the store. */
  readonly shown: (path: string) => string;
  /** Bytes of a ZIP file, `null` for a directory. */
  readonly fileSize: number | null;
}

/**
 * Opens the store around a path.
 *
 * @throws {NoImage} a ZIP file without a Zarr group
 * @throws {PathNotFound} the ZIP file holds no group at the path
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
  if (folder === null) throw new NoImage("the ZIP file holds no Zarr group at its root");
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

/** Most levels between an image and the root of its store. */
const MAX_GROUP_DEPTH = 6;

/** The outermost of the consecutive groups above `path`. */
function outermostGroup(path: string, files: FileAccess): string {
  let root = path;
  for (let level = 0; level < MAX_GROUP_DEPTH; level += 1) {
    const parent = dirname(root);
    if (parent === root || !GROUP_MARKERS.some((name) => files.kind(join(parent, name)) === "file")) break;
    root = parent;
  }
  return root;
}
