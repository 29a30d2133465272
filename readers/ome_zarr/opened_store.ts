/** Opens the store that contains a path: a directory with all groups around it, or a ZIP file. */
import { basename, dirname, join, relative, sep } from "node:path";
import {
  DecodeFailed,
  NoImage,
  PathNotAllowed,
  PathNotFound,
  quoted,
  Unreadable,
  UnsupportedFormat,
} from "../errors.ts";
import { isInsideRoots } from "../io/paths.ts";
import type { FileAccess } from "../io/file_access.ts";
import type { RandomAccessFile } from "../io/random_access_file.ts";
import { GROUP_MARKERS } from "./markers.ts";
import { readNode, type Store } from "./hierarchy.ts";
import { findZarrFolder } from "./zip_directory.ts";
import { type FileTree, ZipFiles } from "./zip_files.ts";

/** The directory of a marker file; any other path is returned unchanged. */
export const findImageFolder = (path: string): string =>
  GROUP_MARKERS.includes(basename(path)) ? dirname(path) : path;

/** True for a folder with the metadata of a Zarr group. */
export const isGroup = (folder: string, files: FileTree): boolean =>
  GROUP_MARKERS.some((name) => files.kind(join(folder, name)) === "file");

/** A store, and the opened location in it. */
export interface OpenedStore {
  readonly store: Store;
  /** Path of the opened group inside the store; `""` for the outermost group. */
  readonly path: string;
  /** Returns the path to show in messages for a path inside the store. */
  readonly shown: (path: string) => string;
  /** Names of the entries of a group, for advice in messages. */
  readonly entries: (path: string) => readonly string[];
  /** Size of a ZIP file in bytes; `null` for a directory. */
  readonly fileSize: number | null;
}

/**
 * Opens the store that contains a path.
 *
 * @throws {NoImage} a ZIP file without a Zarr group
 * @throws {PathNotFound} the ZIP file has no group at the path
 * @throws {DecodeFailed} a damaged ZIP file
 */
export function openStore(path: string, files: FileTree): OpenedStore {
  if (files instanceof ZipFiles) return storeInTree(path, files);
  const archive = files.kind(path) === "file" ? path : files.archiveOf(path);
  return archive === null ? storeInTree(path, files) : storeInZip(new ZipFiles(archive, files), path);
}

/**
 * Opens the store in a ZIP file: the whole file, or its only folder.
 *
 * @param path of the ZIP file, or of a group in the store
 * @throws {NoImage | PathNotFound | DecodeFailed}
 */
export function storeInZip(zip: ZipFiles, path: string): OpenedStore {
  const { archive } = zip;
  const folder = findZarrFolder(zip.names);
  if (folder === null) throw new NoImage("the ZIP file holds no Zarr group at its root");
  const store = zip.store(join(archive, folder));
  const inside = makeStoreKey(archive, path);
  if (inside !== "" && readNode(store, inside) === null) {
    throw new PathNotFound(`Cannot open ${quoted(path)}: the ZIP file holds no such group`);
  }
  return {
    store,
    path: inside,
    shown: (inner) => join(archive, inner),
    entries: (inner) => zip.list(join(archive, folder, inner)),
    fileSize: zip.size,
  };
}

/** Opens the store around a folder, on disk or in a ZIP file. */
function storeInTree(path: string, files: FileTree): OpenedStore {
  const root = findOutermostGroup(path, files);
  const isZip = files instanceof ZipFiles;
  return {
    store: isZip ? files.store(root) : openDirectoryStore(root, files),
    path: makeStoreKey(root, path),
    shown: (inner) => join(root, inner),
    entries: (inner) => files.list(join(root, inner)),
    fileSize: isZip ? files.size : null,
  };
}

const makeStoreKey = (root: string, path: string) => relative(root, path).split(sep).join("/");

/** Largest number of levels between an image and the root of its store. */
const MAX_GROUP_DEPTH = 6;

/** The outermost of the consecutive groups above `path`. */
function findOutermostGroup(path: string, files: FileTree): string {
  let root = path;
  for (let level = 0; level < MAX_GROUP_DEPTH; level += 1) {
    const parent = dirname(root);
    if (parent === root || !isGroup(parent, files)) break;
    root = parent;
  }
  return root;
}

/**
 * A store that is a directory.
 *
 * @param root resolved path of the outermost group; links may lead only to locations below it
 */
export function openDirectoryStore(root: string, files: FileAccess): Store {
  const has = (key: string) => files.hasEntry(join(root, key));
  /** True if no entry has this key, not even a dangling link, and its folder is a directory or absent. */
  const isAbsent = (key: string): boolean => {
    for (let at = key; at !== "" && !has(at);) {
      at = at.slice(0, Math.max(0, at.lastIndexOf("/")));
      if (files.kind(join(root, at)) === "directory") return true;
    }
    return false;
  };
  return {
    holdsWhole: false,
    indexBytes: 0,
    has,
    note: (key) => void files.sizeOf(join(root, key)),
    open(key) {
      const path = join(root, key);
      if (isAbsent(key)) {
        files.noteAbsent(path);
        return null;
      }
      const file = openStoreFile(key, path, files);
      if (isInsideRoots(file.path, [root])) return file;
      file.close();
      throw new DecodeFailed(`"${key}" is a link that leaves the store`);
    },
  };
}

function openStoreFile(key: string, path: string, files: FileAccess): RandomAccessFile {
  try {
    return files.open(path);
  } catch (error) {
    if (error instanceof UnsupportedFormat) {
      throw new DecodeFailed(`"${key}" is not a regular file`, { cause: error });
    }
    if (error instanceof Unreadable) throw new Unreadable(`"${key}": ${error.message}`, { cause: error });
    // An absent chunk has the fill value, but one that cannot be reached must not get it. Both cases have one message, which
    // does not reveal what exists outside the roots.
    if (!(error instanceof PathNotFound || error instanceof PathNotAllowed)) throw error;
    throw new DecodeFailed(`"${key}" exists but leads nowhere inside the store`, { cause: error });
  }
}
