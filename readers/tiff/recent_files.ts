/** The other files of a set. */
import { basename } from "node:path";
import { DecodeFailed } from "../errors.ts";
import type { FileAccess } from "../io/random_access.ts";
import { inFile, TiffFile } from "./tiff_file.ts";

/** The result of `read` for another file of a set, or the reason for leaving the file out. Closes the file. */
export function readOther<T>(files: FileAccess, path: string, read: (tiff: TiffFile) => T): T | string {
  const file = files.openNeighbour(path);
  if (file === null) return "it cannot be opened";
  try {
    return read(new TiffFile(file, files));
  } catch (error) {
    if (error instanceof DecodeFailed) return error.message;
    throw error;
  } finally {
    file.close();
  }
}

/** Number of files that are kept, about 64 KiB each; a set has fewer channels. */
export const MAX_RECENT = 64;

/** Memory of the open files of a set of `files` files: windows, descriptions and chains of some thousand directories. */
export const recentBytes = (files: number): number => Math.min(files, MAX_RECENT) * (160 << 10);

/** The opened file and, by path, the files of its set that were used last: 10,000 files take the memory of a few. */
export class RecentFiles<T> {
  readonly #path: string;
  readonly #opened: T;
  readonly #read: (path: string) => T;
  readonly #recent = new Map<string, T>();

  /** Always keeps `opened` at `path`; `read` opens another file. */
  constructor(path: string, opened: T, read: (path: string) => T) {
    this.#path = path;
    this.#opened = opened;
    this.#read = read;
  }

  /** The file at a path. @throws {DecodeFailed} it is damaged; the message names the file */
  get(path: string): T {
    if (path === this.#path) return this.#opened;
    const file = this.#recent.get(path) ?? inFile(basename(path), () => this.#read(path));
    this.#recent.delete(path);
    this.#recent.set(path, file);
    const [oldest] = this.#recent.keys();
    if (this.#recent.size > MAX_RECENT && oldest !== undefined) this.#recent.delete(oldest);
    return file;
  }
}
