/** The files of a set, the latest of which stay read: a set of 10,000 files is stepped through in the memory of a few. */
import type { TiffFile } from "./tiff_file.ts";

/** Files whose directories and windows are kept, 64 KiB or so each; more than a set has channels. */
const MAX_KEPT = 64;

/** The opened file and, by path, those of its set that were used last. */
export class TiffPool {
  readonly #path: string;
  readonly #opened: TiffFile;
  readonly #open: (path: string) => TiffFile;
  /** Least recently used first. */
  readonly #kept = new Map<string, TiffFile>();

  /** `opened` is kept in any case; `open` reads the header of another file. */
  constructor(
    { path, tiff }: { readonly path: string; readonly tiff: TiffFile },
    open: (path: string) => TiffFile,
  ) {
    this.#path = path;
    this.#opened = tiff;
    this.#open = open;
  }

  /** The file at a path. @throws {DecodeFailed} it is damaged */
  get(path: string): TiffFile {
    if (path === this.#path) return this.#opened;
    const tiff = this.#kept.get(path) ?? this.#open(path);
    this.#kept.delete(path);
    this.#kept.set(path, tiff);
    const [oldest] = this.#kept.keys();
    if (this.#kept.size > MAX_KEPT && oldest !== undefined) this.#kept.delete(oldest);
    return tiff;
  }
}
