/** A Zarr hierarchy as values under keys, and the store that is a directory. */
import { join } from "node:path";
import type { ByteSource } from "../io/byte_source.ts";
import { DecodeFailed, PathNotAllowed, PathNotFound, Unreadable, UnsupportedFormat } from "../errors.ts";
import { isInsideRoots } from "../io/paths.ts";
import type { FileAccess, RandomAccessFile } from "../io/random_access.ts";

/** The bytes under one key. */
export interface StoredValue extends ByteSource {
  /** Gives back what it holds open. */
  close?(): void;
}

/** A hierarchy of values. */
export interface Store {
  /** True where values may be compressed and are held in memory as a whole. */
  readonly holdsWhole: boolean;
  /** Bytes of memory for its list of values. */
  readonly indexBytes: number;
  /**
   * Opens the value under a key such as `0/c/0/1`; `null` for an absent one.
   *
   * @param maxHeld largest value to hold in memory as a whole
   * @throws {DecodeFailed} it cannot be read, is too large to hold, or lies outside the store
   */
  open(key: string, maxHeld: number): StoredValue | null;
  /** True when a value exists under a key, readable or not. */
  has(key: string): boolean;
}

/** Joins parts into a key; `null` where they lead out of the store. */
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

/** The key of `parts` below a key, which they must not leave. */
export const keyBelow = (path: string, ...parts: readonly string[]): string =>
  [path, ...parts].filter((part) => part !== "").join("/");

/** Reads the whole value under a key; `null` for an absent one. @throws {DecodeFailed} as {@linkcode Store.open} does */
export function readValue(store: Store, key: string, maxBytes: number): Uint8Array<ArrayBuffer> | null {
  const value = store.open(key, maxBytes);
  if (value === null) return null;
  try {
    if (value.size > maxBytes) {
      throw new DecodeFailed(`"${key}" has ${value.size} bytes, more than ${maxBytes}`);
    }
    return value.read(0, value.size, `"${key}"`);
  } finally {
    value.close?.();
  }
}

/** A store that is a directory. */
export class DirectoryStore implements Store {
  readonly holdsWhole = false;
  readonly indexBytes = 0;
  readonly #root: string;
  readonly #files: FileAccess;

  /**
   * Reads values below a folder.
   *
   * @param root resolved path of the outermost group; links may lead to places below it only
   */
  constructor(root: string, files: FileAccess) {
    this.#root = root;
    this.#files = files;
  }

  open(key: string): StoredValue | null {
    const path = join(this.#root, key);
    if (this.#isAbsent(key)) {
      this.#files.noteAbsent(path);
      return null;
    }
    const file = this.#openFile(key, path);
    if (isInsideRoots(file.path, [this.#root])) return file;
    file.close();
    throw new DecodeFailed(`"${key}" is a link that leaves the store`);
  }

  has(key: string): boolean {
    return this.#files.hasEntry(join(this.#root, key));
  }

  #openFile(key: string, path: string): RandomAccessFile {
    try {
      return this.#files.open(path);
    } catch (error) {
      if (error instanceof UnsupportedFormat) {
        throw new DecodeFailed(`"${key}" is not a regular file`, { cause: error });
      }
      if (error instanceof Unreadable) throw new Unreadable(`"${key}": ${error.message}`, { cause: error });
      // An absent chunk stands for the fill value; one that cannot be reached must not. One message for both, so that it does
      // not reveal what exists outside the roots.
      if (!(error instanceof PathNotFound || error instanceof PathNotAllowed)) throw error;
      throw new DecodeFailed(`"${key}" exists but leads nowhere inside the store`, { cause: error });
    }
  }

  /** True when no entry has this key, not even a dangling link, and its folder is a directory or absent. */
  #isAbsent(key: string): boolean {
    if (key === "" || this.has(key)) return false;
    const folder = key.slice(0, Math.max(0, key.lastIndexOf("/")));
    return this.#files.kind(join(this.#root, folder)) === "directory" || this.#isAbsent(folder);
  }
}
