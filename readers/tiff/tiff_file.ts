import { DecodeFailed } from "../errors.ts";
import type { ByteSource } from "../io/byte_source.ts";
import type { FileAccess } from "../io/random_access.ts";
import type { StopFlag } from "../io/stop_flag.ts";
import { MAX_DIRECTORIES } from "./bounds.ts";
import { ByteWindow } from "./byte_window.ts";
import { Directory, type Encoding } from "./directory.ts";

/** Memory of the window of one file, and of the file itself. */
const WINDOW_BYTES = 72 << 10;

/** Memory of an offset in an array that grows by half, and of one in a set. */
const OFFSET_BYTES = 16;
const SEEN_BYTES = 40;

/** One TIFF or BigTIFF file: its header and its main chain of directories, walked as far as asked for. */
export class TiffFile {
  /** The bytes of the file. */
  readonly file: ByteSource;
  /** Byte order and width of offsets. */
  readonly encoding: Encoding;
  /** For reads of a few bytes. */
  readonly window: ByteWindow;
  readonly #stop: StopFlag;
  readonly #offsets: number[] = [];
  /** The offsets again, for a chain that does not ascend and may be a circle; `null` as long as it ascends. */
  #seen: Set<number> | null = null;
  #next: number;
  #broken: DecodeFailed | null = null;
  /** Whether the chain broke where a directory leaves the file. */
  #cut = false;

  /** Reads the header. @throws {DecodeFailed} it is damaged */
  constructor(file: ByteSource, files: FileAccess) {
    this.file = file;
    this.window = new ByteWindow(file);
    this.#stop = files.stop;
    const head = this.window.view(0, 8, "the TIFF header");
    const littleEndian = head.getUint16(0) === 0x4949;
    const version = head.getUint16(2, littleEndian);
    if (!(littleEndian || head.getUint16(0) === 0x4d4d) || (version !== 42 && version !== 43)) {
      throw new DecodeFailed(`the file does not start with a TIFF header`);
    }
    this.encoding = { littleEndian, bigTiff: version === 43 };
    if (version === 42) {
      this.#next = head.getUint32(4, littleEndian);
      return;
    }
    const offsetBytes = head.getUint16(4, littleEndian);
    if (offsetBytes !== 8) {
      throw new DecodeFailed(`the BigTIFF header declares offsets of ${offsetBytes} bytes, not 8`);
    }
    this.#next = Number(this.window.view(8, 8, "the BigTIFF header").getBigUint64(0, littleEndian));
  }

  /** The first directory of the main chain. @throws {DecodeFailed} it is damaged or missing */
  get first(): Directory {
    const first = this.directory(0);
    if (first === null) throw new DecodeFailed("the file has no directory");
    return first;
  }

  /**
   * Directory `index` of the main chain, or `null` when the chain is shorter.
   *
   * @throws {DecodeFailed} it is damaged, or the chain is a circle
   */
  directory(index: number): Directory | null {
    while (this.#offsets.length <= index) {
      const directory = this.#advance(Directory.read);
      if (directory === null) return null;
      if (this.#offsets.length > index) return directory;
    }
    const offset = this.#offsets[index];
    return offset === undefined ? null : this.directoryAt(offset, `directory ${index}`);
  }

  /**
   * Directory `index` of the main chain, or `null` when the chain is shorter or leaves the file before it.
   *
   * @throws {DecodeFailed} it is damaged, or the chain is a circle
   */
  heldDirectory(index: number): Directory | null {
    try {
      return this.directory(index);
    } catch (error) {
      if (this.#cut && index >= this.#offsets.length && error === this.#broken) return null;
      throw error;
    }
  }

  /** The directory at an offset. @throws {DecodeFailed} */
  directoryAt(offset: number, what = "a directory"): Directory {
    return Directory.read(this.window, offset, this.encoding, what);
  }

  /**
   * Counts the directories of the chain up to `most`; a broken chain ends as for {@linkcode walk}.
   *
   * @throws {DecodeFailed} the first directory is damaged, or the chain is a circle
   */
  countUpTo(most: number): number {
    this.#untilBroken(() => {
      while (this.#offsets.length < most && this.#advance(Directory.skip) !== null);
    });
    return Math.min(this.#offsets.length, most);
  }

  /**
   * Calls `visit` for each directory of the chain in order. A chain that breaks after its first directory, as when the
   * writer was interrupted, ends there; `brokenTail` says why.
   *
   * @throws {DecodeFailed} the first directory is damaged, or the chain is a circle
   */
  walk(visit: (directory: Directory, index: number) => void): void {
    for (let index = 0;; index += 1) {
      this.#stop.check();
      let directory: Directory | null = null;
      this.#untilBroken(() => directory = this.directory(index));
      if (directory === null) return;
      visit(directory, index);
    }
  }

  #untilBroken(go: () => void): void {
    try {
      go();
    } catch (error) {
      if (this.#offsets.length === 0 || error !== this.#broken) throw error;
    }
  }

  /** Bytes of memory for the window and what is known of the chain, from above. */
  get indexBytes(): number {
    return WINDOW_BYTES + this.#offsets.length * (OFFSET_BYTES + (this.#seen === null ? 0 : SEEN_BYTES));
  }

  /** Why the chain ended early, or `null`. */
  get brokenTail(): string | null {
    return this.#broken?.message ?? null;
  }

  /** Goes one directory on; `null` at the end of the chain. */
  #advance<T extends { readonly next: number }>(
    read: (window: ByteWindow, offset: number, encoding: Encoding, what: string) => T,
  ): T | null {
    if (this.#broken) throw this.#broken;
    const index = this.#offsets.length;
    const at = this.#next;
    if (at === 0) {
      if (index === 0) throw new DecodeFailed("the file has no directory");
      return null;
    }
    this.#stop.check();
    if (this.#wasRead(at)) {
      throw new DecodeFailed(`directory ${index} at ${at} was read before: the chain is a circle`);
    }
    if (index >= MAX_DIRECTORIES) {
      throw new DecodeFailed(`the file has more than ${MAX_DIRECTORIES} directories`);
    }
    let directory: T;
    try {
      directory = read(this.window, at, this.encoding, `directory ${index}`);
    } catch (error) {
      if (error instanceof DecodeFailed) {
        this.#broken = error;
        this.#cut = index > 0 && !Directory.fits(this.window, at, this.encoding);
      }
      throw error;
    }
    this.#seen?.add(at);
    this.#offsets.push(at);
    this.#next = directory.next;
    return directory;
  }

  #wasRead(offset: number): boolean {
    if (this.#seen === null && offset > (this.#offsets.at(-1) ?? -1)) return false;
    this.#seen ??= new Set(this.#offsets);
    return this.#seen.has(offset);
  }
}
