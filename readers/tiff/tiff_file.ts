/** One TIFF or BigTIFF file. */
import { DecodeFailed, PlaneNotFound, unlessDamaged } from "../errors.ts";
import type { ByteSource } from "../io/byte_source.ts";
import type { FileAccess } from "../io/file_access.ts";
import { StopFlag } from "../io/stop_flag.ts";
import { ByteWindow, decodeText, Directory, type Encoding } from "./directory.ts";

/** Largest number of directories in a file; a camera at 1 kHz writes as many in a quarter of an hour. */
export const MAX_DIRECTORIES = 1 << 20;

/** The header and the main chain of directories, walked as far as needed. */
export class TiffFile {
  readonly file: ByteSource;
  readonly encoding: Encoding;
  readonly window: ByteWindow;
  readonly #stop: StopFlag;
  readonly #offsets: number[] = [];
  /** The same offsets, to detect a circular chain. */
  readonly #seen = new Set<number>();
  #next: number;
  /** Why the chain ended early, or `null`. */
  brokenTail: string | null = null;

  /** Reads the header. @throws {DecodeFailed} the header is damaged */
  constructor(file: ByteSource, { stop }: Pick<FileAccess, "stop">) {
    this.file = file;
    this.window = new ByteWindow(file);
    this.#stop = stop;
    const head = this.window.view(0, 8, "the TIFF header");
    const littleEndian = head.getUint16(0) === 0x4949;
    const version = head.getUint16(2, littleEndian);
    if (!(littleEndian || head.getUint16(0) === 0x4d4d) || (version !== 42 && version !== 43)) {
      throw new DecodeFailed("the file does not start with a TIFF header");
    }
    this.encoding = { littleEndian, bigTiff: version === 43 };
    this.#next = version === 42
      ? head.getUint32(4, littleEndian)
      : Number(this.window.view(8, 8, "the BigTIFF header").getBigUint64(0, littleEndian));
  }

  /** Bytes before which nothing else lies. */
  get headerBytes(): number {
    return this.encoding.bigTiff ? 16 : 8;
  }

  /** The first directory of the main chain. @throws {DecodeFailed} it is damaged or missing */
  get first(): Directory {
    const first = this.directory(0);
    if (first === null) throw new DecodeFailed("the file has no directory");
    return first;
  }

  /** A directory of the chain; `null` if the chain ends or breaks before. @throws {DecodeFailed} the first is damaged */
  directory(index: number): Directory | null {
    let directory: Directory | null = null;
    while (this.#offsets.length <= index) {
      directory = this.#advance();
      if (directory === null) return null;
    }
    return directory ?? this.directoryAt(this.#offsets[index]!, `directory ${index}`);
  }

  directoryAt(offset: number, what?: string): Directory {
    return new Directory(this.window, this.encoding, offset, what);
  }

  /** Counts the directories of the chain up to `most`. @throws {DecodeFailed} as {@linkcode directory} */
  countUpTo(most: number): number {
    while (this.#offsets.length < most && this.#advance() !== null);
    return Math.min(this.#offsets.length, most);
  }

  /** Calls `visit` for each directory of the chain in order. @throws {DecodeFailed} as {@linkcode directory} */
  walk(visit: (directory: Directory, index: number) => void): void {
    for (let index = 0;; index += 1) {
      this.#stop.check();
      const directory = this.directory(index);
      if (directory === null) return;
      visit(directory, index);
    }
  }

  /** The text at an offset, up to its first NUL. @throws {DecodeFailed} the range lies outside the file */
  textAt(offset: number, length: number, what: string): string {
    const { buffer, byteOffset } = this.window.view(offset, length, what);
    return decodeText(new Uint8Array(buffer, byteOffset, length));
  }

  /** Upper estimate of the memory in bytes: of the window, and per directory of an element of an array and of a set. */
  get indexBytes(): number {
    return (72 << 10) + this.#offsets.length * 56;
  }

  #advance(): Directory | null {
    const index = this.#offsets.length;
    const at = this.#next;
    if (at === 0 || this.brokenTail !== null) return null;
    this.#stop.check();
    if (this.#seen.has(at)) {
      this.brokenTail = `directory ${index} at ${at} was read before: the chain is a circle`;
      return null;
    }
    if (index >= MAX_DIRECTORIES) {
      throw new DecodeFailed(`the file has more than ${MAX_DIRECTORIES} directories`);
    }
    try {
      const directory = this.directoryAt(at, `directory ${index}`);
      this.#seen.add(at);
      this.#offsets.push(at);
      this.#next = directory.next;
      return directory;
    } catch (error) {
      if (index === 0 || !(error instanceof DecodeFailed)) throw error;
      this.brokenTail = error.message;
      return null;
    }
  }
}

/** Whether the first directory of a file has a tag. */
export const firstDirectoryHasTag = (file: ByteSource, tag: number): boolean =>
  unlessDamaged(() => new TiffFile(file, { stop: new StopFlag() }).first.has(tag), false);

/** Adds the name of a file to an error of `read`, unless the error has it. */
export function nameFileInErrors<T>(name: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw addFileName(name, error);
  }
}

/** An error with the name of its file. An error of another kind, or with the name, remains as it is. */
export function addFileName(name: string, error: unknown): unknown {
  const Failure = error instanceof DecodeFailed ? DecodeFailed : PlaneNotFound;
  if (!(error instanceof Failure) || error.message.includes(`"${name}"`)) return error;
  return new Failure(`"${name}": ${error.message}`, { cause: error });
}
