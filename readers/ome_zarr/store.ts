/** Where a Zarr hierarchy lies: values under keys, in a directory or in a ZIP file. */
import { dirname, join } from "node:path";
import type { ByteSource } from "../io/byte_source.ts";
import {
  DecodeFailed,
  PathNotAllowed,
  PathNotFound,
  ReaderError,
  Unreadable,
  UnsupportedFormat,
} from "../errors.ts";
import { isInsideRoots } from "../io/paths.ts";
import type { FileAccess, RandomAccessFile } from "../io/random_access.ts";

/** The bytes under one key. */
export interface StoredValue extends ByteSource {
  /** Ends the reading. */
  close(): void;
}

/** A hierarchy of values. */
export interface Store {
  /** True where a value may have to be held as a whole to be read at all. */
  readonly holdsWhole?: boolean;
  /**
   * The value under a key such as `0/c/0/1`, or `null` when there is none.
   *
   * @param maxBytes largest value that is acceptable
   * @param maxWhole largest one where it has to be held as a whole to be read at all
   * @throws {DecodeFailed} there is one and it cannot be read, is larger, or lies outside the store
   */
  open(key: string, maxBytes: number, maxWhole?: number): StoredValue | null;
  /** True when there is a value under a key, even one that cannot be read. */
  has(key: string): boolean;
  /** Most bytes that it keeps in memory after so many values were looked for. */
  keptBytes(values: number): number;
  /** Forgets what was not there: an image that is being recorded gets more chunks. */
  forget?(): void;
  /** Checks once that no value can be hidden by a damaged name, where names are stored twice. @throws {DecodeFailed} */
  requireNames?(): void;
}

/** A key put together from parts, or `null` when it does not stay inside the store. */
export function storeKey(...parts: readonly string[]): string | null {
  const segments: string[] = [];
  for (const segment of parts.flatMap((part) => part.split("/"))) {
    if (segment === "" || segment === ".") continue;
    if (segment === ".." && segments.length === 0) return null;
    if (segment === "..") segments.pop();
    else segments.push(segment);
  }
  const key = segments.join("/");
  return key.includes("\0") ? null : key;
}

/** The key of a value below a path that is a key itself; `parts` must not lead out of it. */
export const keyBelow = (path: string, ...parts: readonly string[]): string =>
  [path, ...parts].filter((part) => part !== "").join("/");

/** The whole value under a key, or `null`. @throws {DecodeFailed} as {@linkcode Store.open} does */
export function readValue(store: Store, key: string, maxBytes: number): Uint8Array<ArrayBuffer> | null {
  const value = store.open(key, maxBytes);
  if (value === null) return null;
  try {
    return value.read(0, value.size, `"${key}"`);
  } finally {
    value.close();
  }
}

/** What is at the place of a folder: nothing, something that cannot be entered, or entries. */
type Folder = "absent" | "closed" | {
  /** How often an entry was looked for that does not exist. */
  misses: number;
  /** All names in it; `null` until it is listed. */
  names: ReadonlySet<string> | null;
};

/** A listing takes as long as some ten checks for one entry. */
const MISSES_BEFORE_LISTING = 16;

/** Folders and names that are kept; at the bound all are forgotten. */
const MAX_NAMES_KEPT = 500_000;

/** Heap of one of them: a folder with its key and its place in a table, or a name in a set. */
const NAME_BYTES = 150;

/** A store that is a directory. */
export class DirectoryStore implements Store {
  readonly #root: string;
  readonly #files: FileAccess;
  /** Folders by their keys, so that absent chunks are not looked for on the disk one by one. */
  readonly #folders = new Map<string, Folder>();
  #namesKept = 0;

  /**
   * Reads values below a folder.
   *
   * @param root resolved path of the outermost group; links may lead to places below it only
   */
  constructor(root: string, files: FileAccess) {
    this.#root = root;
    this.#files = files;
  }

  open(key: string, maxBytes: number): StoredValue | null {
    const file = this.#openFile(key);
    if (file === null) return null;
    if (!isInsideRoots(file.path, [this.#root])) {
      file.close();
      throw new DecodeFailed(`"${key}" is a link that leaves the store`);
    }
    if (file.size > maxBytes) {
      file.close();
      throw new DecodeFailed(`"${key}" has ${file.size} bytes, more than ${maxBytes}`);
    }
    return file;
  }

  has(key: string): boolean {
    return this.#files.hasEntry(join(this.#root, key));
  }

  forget(): void {
    this.#folders.clear();
    this.#namesKept = 0;
  }

  keptBytes(values: number): number {
    return NAME_BYTES * Math.min(values, MAX_NAMES_KEPT);
  }

  #openFile(key: string): RandomAccessFile | null {
    const path = join(this.#root, key);
    if (this.#isAbsent(key)) {
      this.#files.noteAbsent(path);
      return null;
    }
    try {
      return this.#files.open(path);
    } catch (error) {
      if (error instanceof PathNotAllowed) {
        throw new DecodeFailed(`"${key}" is a link that leaves the store`, { cause: error });
      }
      if (error instanceof UnsupportedFormat) {
        throw new DecodeFailed(`"${key}" is no regular file`, { cause: error });
      }
      if (error instanceof Unreadable) throw new Unreadable(`"${key}": ${error.message}`, { cause: error });
      if (!(error instanceof PathNotFound)) throw error;
      // An absent chunk stands for the fill value; one that cannot be reached must not.
      const reason = this.#leavesRoots(dirname(path))
        ? "is a link that leaves the store"
        : "exists but cannot be opened";
      throw new DecodeFailed(`"${key}" ${reason}`, { cause: error });
    }
  }

  /** True when the last folder on the way that exists lies outside the roots. */
  #leavesRoots(folder: string): boolean {
    if (folder.length <= this.#root.length) return false;
    try {
      this.#files.resolve(folder);
      return false;
    } catch (error) {
      return error instanceof PathNotAllowed || this.#leavesRoots(dirname(folder));
    }
  }

  /** True when a folder on the way has no such entry; a link that leads nowhere is an entry. */
  #isAbsent(key: string): boolean {
    const end = key.lastIndexOf("/");
    const place = end < 0 ? "" : key.slice(0, end);
    const folder = this.#folder(place);
    // A folder that exists but cannot be entered may hold the value.
    if (typeof folder === "string") return folder === "absent";
    if (folder.names) return !folder.names.has(key.slice(end + 1));
    if (this.#files.hasEntry(join(this.#root, key))) return false;
    folder.misses += 1;
    if (folder.misses === MISSES_BEFORE_LISTING) folder.names = this.#list(join(this.#root, place));
    return true;
  }

  #folder(key: string): Folder {
    const known = this.#folders.get(key);
    if (known) return known;
    const isOpen = () => this.#files.kind(join(this.#root, key)) === "directory";
    const folder: Folder = key !== "" && this.#isAbsent(key)
      ? "absent"
      : isOpen()
      ? { misses: 0, names: null }
      : "closed";
    this.#keep(1);
    this.#folders.set(key, folder);
    return folder;
  }

  /** The names in a folder, or `null` when they cannot be listed or are too many. */
  #list(path: string): ReadonlySet<string> | null {
    try {
      this.#files.requireReadable(path);
      const names = new Set(this.#files.list(path));
      this.#keep(names.size);
      return names;
    } catch (error) {
      if (error instanceof ReaderError && error.tag !== "Stopped") return null;
      throw error;
    }
  }

  #keep(count: number): void {
    this.#namesKept += count;
    if (this.#namesKept <= MAX_NAMES_KEPT) return;
    this.#folders.clear();
    this.#namesKept = count;
  }
}
