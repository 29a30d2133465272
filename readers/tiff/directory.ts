/**
 * One image file directory (TIFF 6.0, section 2, and the BigTIFF design). Values are read on demand; every count and offset
 * is first checked against the file.
 */
import { DecodeFailed, unlessDamaged } from "../errors.ts";
import type { ByteSource } from "../io/byte_source.ts";
import { decodeAnyText } from "../metadata/text.ts";
import { ASCII, FIELD_TYPES, MAX_ENTRIES, tagName } from "./tags.ts";

/** Text without NULs at its end: UTF-8, else Latin-1, in which older programs write the micro sign. */
export function readTagText(bytes: Uint8Array): string {
  return decodeAnyText(bytes.subarray(0, bytes.findLastIndex((byte) => byte !== 0) + 1));
}

/** The same text, up to its first NUL. */
export function decodeText(bytes: Uint8Array): string {
  const end = bytes.indexOf(0);
  return decodeAnyText(end < 0 ? bytes : bytes.subarray(0, end));
}

/** A text up to its first NUL. */
export const cutAtNul = (text: string): string => text.split("\0", 1)[0]!;

/** Bytes of the first window after a jump: a directory of twenty entries with its short values. */
const FIRST_WINDOW = 512;

/** Largest window in bytes, for reading consecutive directories by the dozen. */
const LAST_WINDOW = 1 << 16;

/**
 * Small reads of one file through one window. The window is small after a jump and doubles while reads continue where it ended.
 * So a chain of directories costs few bytes if they are scattered, and few reads if they are not.
 */
export class ByteWindow {
  readonly file: ByteSource;
  #start = 0;
  #length = 0;
  #bytes = new Uint8Array(FIRST_WINDOW);

  constructor(file: ByteSource) {
    this.file = file;
  }

  /** Bytes as a view that is valid until the next call. @throws {DecodeFailed} they lie outside the file */
  view(offset: number, length: number, what: string): DataView<ArrayBuffer> {
    this.file.require(offset, length, what);
    // A long document would enlarge the window permanently.
    if (length > LAST_WINDOW) return new DataView(this.file.read(offset, length, what).buffer);
    const end = this.#start + this.#length;
    if (offset < this.#start || offset + length > end) {
      const continues = offset >= this.#start && offset <= end + this.#length && this.#length > 0;
      const wanted = continues ? Math.min(this.#length * 2, LAST_WINDOW) : FIRST_WINDOW;
      const size = Math.min(Math.max(wanted, length), this.file.size - offset);
      if (size > this.#bytes.length) this.#bytes = new Uint8Array(size);
      this.#length = 0;
      this.file.readInto(offset, this.#bytes.subarray(0, size), what);
      this.#start = offset;
      this.#length = size;
    }
    return new DataView(this.#bytes.buffer, offset - this.#start, length);
  }
}

/** Encoding of numbers in one file; offsets have 8 bytes in a BigTIFF. */
export type Encoding = Readonly<Record<"littleEndian" | "bigTiff", boolean>>;

/** Bytes of the parts of a directory: its count, an entry, and a value or offset. */
const CLASSIC = { countBytes: 2, entryBytes: 12, pointerBytes: 4 };
const BIG = { countBytes: 8, entryBytes: 20, pointerBytes: 8 };

function readPointer(view: DataView, at: number, { bigTiff, littleEndian }: Encoding): number {
  return bigTiff ? Number(view.getBigUint64(at, littleEndian)) : view.getUint32(at, littleEndian);
}

/** One entry: its tag, field type (TIFF 6.0, section 2), number of values, and offset of the first value in the file. */
export type TiffEntry = Readonly<Record<"tag" | "type" | "count" | "at", number>>;

const sizeOfType = (type: number): number => FIELD_TYPES[type]?.[0] ?? 0;

/** Entries of a directory by tag. They are looked up in its own bytes, so that a long chain costs little. */
export class Directory {
  readonly offset: number;
  /** Offset of the next directory, 0 at the end of the chain. */
  readonly next: number;
  readonly encoding: Encoding;
  readonly #bytes: DataView<ArrayBuffer>;
  readonly #parts: typeof CLASSIC;
  readonly #window: ByteWindow;
  readonly #end: number;

  /** Reads the directory at an offset; at 0 it has no entries. @throws {DecodeFailed} outside the file, no or too many entries */
  constructor(window: ByteWindow, encoding: Encoding, offset = 0, what = "a directory") {
    this.offset = offset;
    this.encoding = encoding;
    this.#parts = encoding.bigTiff ? BIG : CLASSIC;
    this.#window = window;
    const { countBytes, entryBytes, pointerBytes } = this.#parts;
    let count = 0;
    if (offset !== 0) {
      const head = window.view(offset, countBytes, what);
      count = encoding.bigTiff ? readPointer(head, 0, encoding) : head.getUint16(0, encoding.littleEndian);
      if (count === 0 || count > MAX_ENTRIES) {
        throw new DecodeFailed(`${what} at ${offset} has ${count} entries, not 1 to ${MAX_ENTRIES}`);
      }
    }
    this.#end = countBytes + count * entryBytes;
    const length = this.#end + pointerBytes;
    const { buffer, byteOffset } = offset === 0
      ? new DataView(new ArrayBuffer(length))
      : window.view(offset, length, what);
    this.#bytes = new DataView(buffer.slice(byteOffset, byteOffset + length));
    this.next = readPointer(this.#bytes, this.#end, encoding);
  }

  *#entries(): Generator<TiffEntry> {
    const { countBytes, entryBytes } = this.#parts;
    for (let at = countBytes; at < this.#end; at += entryBytes) yield this.#entryAt(at);
  }

  #entryAt(at: number): TiffEntry {
    const { entryBytes, pointerBytes } = this.#parts;
    const { littleEndian } = this.encoding;
    const tag = this.#bytes.getUint16(at, littleEndian);
    const type = this.#bytes.getUint16(at + 2, littleEndian);
    const count = readPointer(this.#bytes, at + 4, this.encoding);
    const value = at + entryBytes - pointerBytes;
    const isInline = count * sizeOfType(type) <= pointerBytes;
    const place = isInline ? this.offset + value : readPointer(this.#bytes, value, this.encoding);
    return { tag, type, count, at: place };
  }

  entry(tag: number): TiffEntry | undefined {
    const { countBytes, entryBytes } = this.#parts;
    for (let at = countBytes; at < this.#end; at += entryBytes) {
      if (this.#bytes.getUint16(at, this.encoding.littleEndian) === tag) return this.#entryAt(at);
    }
    return undefined;
  }

  /** The entry of a tag on which samples depend, or `undefined`. @throws {DecodeFailed} the entry holds no number */
  #numeric(tag: number): TiffEntry | undefined {
    const entry = this.entry(tag);
    if (!entry || entry.count > 0 && entry.type !== ASCII && sizeOfType(entry.type) > 0) return entry;
    throw new DecodeFailed(`the directory at ${this.offset} has no number for ${tagName(tag)}`);
  }

  has(tag: number): boolean {
    return this.entry(tag) !== undefined;
  }

  count(tag: number): number {
    return this.entry(tag)?.count ?? 0;
  }

  /** First value of a tag. @throws {DecodeFailed} the value lies outside the file, or the entry is damaged */
  number(tag: number): number | undefined {
    const entry = this.#numeric(tag);
    return entry && FIELD_TYPES[entry.type]![1](this.#view(entry, 1), 0, this.encoding.littleEndian);
  }

  /** All values of a tag. @throws {DecodeFailed} they lie outside the file, are more than `most`, or the entry is damaged */
  numbers(tag: number, most: number): Float64Array {
    const entry = this.#numeric(tag);
    if (!entry) return new Float64Array(0);
    if (entry.count > most) {
      throw new DecodeFailed(`${tagName(tag)} has ${entry.count} values, more than ${most}`);
    }
    const [width, read] = FIELD_TYPES[entry.type]!;
    const view = this.#view(entry, entry.count);
    return new Float64Array(entry.count).map((_, i) => read(view, i * width, this.encoding.littleEndian));
  }

  #view(entry: TiffEntry, count: number): DataView<ArrayBuffer> {
    const length = count * sizeOfType(entry.type);
    const own = entry.at - this.offset;
    if (own >= 0 && own + length <= this.#bytes.byteLength) {
      return new DataView(this.#bytes.buffer, own, length);
    }
    return this.#window.view(entry.at, length, `the value of ${tagName(entry.tag)}`);
  }

  /** The first offset after `offset` at which the directory or one of its values begins; `Infinity` if there is none. */
  firstPartAfter(offset: number): number {
    const { pointerBytes } = this.#parts;
    const apart = this.#entries().filter((entry) => entry.count * sizeOfType(entry.type) > pointerBytes);
    const starts = [this.offset, ...apart.map(({ at }) => at)];
    return Math.min(Infinity, ...starts.filter((start) => start > offset));
  }

  /** A copy of the bytes of a value. @throws {DecodeFailed} they lie outside the file or are more than `most` */
  bytes(tag: number, most: number): Uint8Array<ArrayBuffer> | undefined {
    const entry = this.entry(tag);
    return entry && this.#copied(entry, most);
  }

  #copied(entry: TiffEntry, most: number): Uint8Array<ArrayBuffer> {
    const length = entry.count * sizeOfType(entry.type);
    if (length > most) {
      throw new DecodeFailed(`${tagName(entry.tag)} has ${length} bytes, more than ${most}`);
    }
    const view = this.#view(entry, entry.count);
    return new Uint8Array(view.buffer, view.byteOffset, view.byteLength).slice();
  }

  /** Text of every entry of a tag, of which some writers repeat ImageDescription; with NULs inside. @throws {DecodeFailed} */
  texts(tag: number, most: number, start = Infinity): string[] {
    return this.#entries().filter((entry) => entry.tag === tag && sizeOfType(entry.type) === 1)
      .map((entry) => readTagText(this.#copied({ ...entry, count: Math.min(entry.count, start) }, most)))
      .toArray();
  }

  /** The first `most` bytes of every text of a tag. @throws {DecodeFailed} a text lies outside the file */
  textStarts(tag: number, most: number): string[] {
    return this.texts(tag, most, most);
  }

  /** First text of a tag on which no sample depends, up to its first NUL; `""` if it is absent or damaged. */
  note(tag: number, most: number): string {
    return cutAtNul(this.notes(tag, most)[0] ?? "");
  }

  /** Texts of a tag on which no sample depends; empty if it is absent or a text is damaged. */
  notes(tag: number, most: number): string[] {
    return unlessDamaged(() => this.texts(tag, most), []);
  }

  /** Number of a tag on which no sample depends; `undefined` if it is absent or damaged. */
  noteNumber(tag: number): number | undefined {
    return unlessDamaged(() => this.number(tag), undefined);
  }
}
