/** Keeps the files of a set that were used last: a set of 10,000 files takes the memory of a few. */

/** Files that are kept, at 64 KiB or so each; more than a set has channels. */
export const MAX_RECENT = 64;

/** Memory of an open file: its window, its descriptions and a chain of some thousand directories. */
const FILE_BYTES = 160 << 10;

/** Memory of the open files of a set of so many. */
export const recentBytes = (files: number): number => Math.min(files, MAX_RECENT) * FILE_BYTES;

/** The opened file and, by path, the files of its set that were used last. */
export class RecentFiles<T> {
  readonly #path: string;
  readonly #opened: T;
  readonly #read: (path: string) => T;
  /** Least recently used first. */
  readonly #recent = new Map<string, T>();

  /** `opened` at `path` is always kept; `read` opens another file. */
  constructor(path: string, opened: T, read: (path: string) => T) {
    this.#path = path;
    this.#opened = opened;
    this.#read = read;
  }

  /** The file at a path. @throws {DecodeFailed} it is damaged */
  get(path: string): T {
    if (path === this.#path) return this.#opened;
    const file = this.#recent.get(path) ?? this.#read(path);
    this.#recent.delete(path);
    this.#recent.set(path, file);
    const [oldest] = this.#recent.keys();
    if (this.#recent.size > MAX_RECENT && oldest !== undefined) this.#recent.delete(oldest);
    return file;
  }
}
