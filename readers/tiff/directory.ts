/**
 * One image file directory (TIFF 6.0, section 2, and the BigTIFF design). Values are read when asked for; every count and offset
 * is checked against the file first.
 */
import { DecodeFailed, unlessDamaged } from "../errors.ts";
import { MAX_ENTRIES } from "./bounds.ts";
import type { ByteWindow } from "./byte_window.ts";
import { ASCII, FIELD_TYPES, TAG, tagName } from "./tags.ts";
import { textOf, upToNul } from "./text.ts";

/** How numbers are laid out in one file. */
export interface Encoding {
  /** Byte order. */
  readonly littleEndian: boolean;
  /** Whether offsets have 8 bytes. */
  readonly bigTiff: boolean;
}

/** Tags of one value; a damaged count would turn their value into an offset. */
const SINGLE = new Set<number>([
  TAG.ImageWidth,
  TAG.ImageLength,
  TAG.Compression,
  TAG.PhotometricInterpretation,
  TAG.FillOrder,
  TAG.SamplesPerPixel,
  TAG.RowsPerStrip,
  TAG.PlanarConfiguration,
  TAG.Predictor,
  TAG.TileWidth,
  TAG.TileLength,
  TAG.ImageDepth,
]);

/** Most values that may repeat a single one, as some writers do for each sample. */
const MAX_REPEATED = 64;

/** Bytes of the parts of a directory: its count, an entry, a value or offset in it. */
const CLASSIC = { countBytes: 2, entryBytes: 12, pointerBytes: 4 };
const BIG = { countBytes: 8, entryBytes: 20, pointerBytes: 8 };

const layoutOf = ({ bigTiff }: Encoding) => bigTiff ? BIG : CLASSIC;

/** A count or an offset. */
function pointer(view: DataView, at: number, { bigTiff, littleEndian }: Encoding): number {
  return bigTiff ? Number(view.getBigUint64(at, littleEndian)) : view.getUint32(at, littleEndian);
}

/** Number of entries of a directory. */
function entriesIn(view: DataView, encoding: Encoding): number {
  return encoding.bigTiff ? pointer(view, 0, encoding) : view.getUint16(0, encoding.littleEndian);
}

/** The bytes of a directory, valid until the window moves. @throws {DecodeFailed} */
function viewOf(window: ByteWindow, offset: number, encoding: Encoding, what: string) {
  const { countBytes, entryBytes, pointerBytes } = layoutOf(encoding);
  const count = entriesIn(window.view(offset, countBytes, what), encoding);
  if (count === 0 || count > MAX_ENTRIES) {
    throw new DecodeFailed(`${what} at ${offset} has ${count} entries, not 1 to ${MAX_ENTRIES}`);
  }
  return { count, view: window.view(offset, countBytes + count * entryBytes + pointerBytes, what) };
}

/** One entry. */
export interface Entry {
  /** Number of the tag. */
  readonly tag: number;
  /** Field type (TIFF 6.0, section 2). */
  readonly type: number;
  /** How many values. */
  readonly count: number;
  /** Offset of the first value in the file. */
  readonly at: number;
}

/** Entries of a directory by tag, looked up in its own bytes, so that a long chain costs little. */
export class Directory {
  /** Offset in the file. */
  readonly offset: number;
  /** Offset of the next directory, 0 at the end of the chain. */
  readonly next: number;
  /** Byte order and width of offsets. */
  readonly encoding: Encoding;
  readonly #bytes: DataView<ArrayBuffer>;
  readonly #count: number;
  readonly #window: ByteWindow;

  private constructor(
    window: ByteWindow,
    encoding: Encoding,
    { offset, count, bytes }: {
      readonly offset: number;
      readonly count: number;
      readonly bytes: DataView<ArrayBuffer>;
    },
  ) {
    this.offset = offset;
    this.encoding = encoding;
    this.#bytes = bytes;
    this.#count = count;
    this.#window = window;
    this.next = pointer(bytes, bytes.byteLength - layoutOf(encoding).pointerBytes, encoding);
  }

  /**
   * Reads the directory at `offset`; `what` names it in messages.
   *
   * @throws {DecodeFailed} it does not lie in the file, or has no or too many entries
   */
  static read(window: ByteWindow, offset: number, encoding: Encoding, what: string): Directory {
    const { count, view } = viewOf(window, offset, encoding, what);
    const { buffer, byteOffset, byteLength } = view;
    const bytes = new DataView(buffer.slice(byteOffset, byteOffset + byteLength));
    return new Directory(window, encoding, { offset, count, bytes });
  }

  /** A directory without entries, for planes that another structure of the file describes. */
  static empty(window: ByteWindow, encoding: Encoding): Directory {
    const bytes = new DataView(new ArrayBuffer(layoutOf(encoding).pointerBytes));
    return new Directory(window, encoding, { offset: 0, count: 0, bytes });
  }

  /** Whether the file is long enough for the directory at `offset`. */
  static fits({ file }: ByteWindow, offset: number, encoding: Encoding): boolean {
    const { countBytes, entryBytes, pointerBytes } = layoutOf(encoding);
    if (offset + countBytes > file.size) return false;
    const count = entriesIn(new DataView(file.read(offset, countBytes, "a directory").buffer), encoding);
    return count > MAX_ENTRIES || offset + countBytes + count * entryBytes + pointerBytes <= file.size;
  }

  /** Offset of the directory after the one at `offset`, which is checked but not kept. @throws {DecodeFailed} as `read` */
  static skip(window: ByteWindow, offset: number, encoding: Encoding, what: string): { next: number } {
    const { view } = viewOf(window, offset, encoding, what);
    return { next: pointer(view, view.byteLength - layoutOf(encoding).pointerBytes, encoding) };
  }

  /** The first entry of a tag that has a known type. */
  entry(tag: number): Entry | undefined {
    for (let i = 0; i < this.#count; i += 1) {
      const entry = this.#tagAt(i) === tag ? this.#entryAt(i) : undefined;
      if (entry) return entry;
    }
    return undefined;
  }

  #tagAt(i: number): number {
    const { countBytes, entryBytes } = layoutOf(this.encoding);
    return this.#bytes.getUint16(countBytes + i * entryBytes, this.encoding.littleEndian);
  }

  /** Entry `i` in stored order, `undefined` where its type is unknown. */
  #entryAt(i: number): Entry | undefined {
    const { countBytes, entryBytes, pointerBytes } = layoutOf(this.encoding);
    const at = countBytes + i * entryBytes;
    const type = this.#bytes.getUint16(at + 2, this.encoding.littleEndian);
    const width = FIELD_TYPES[type]?.[0];
    if (width === undefined) return undefined;
    const count = pointer(this.#bytes, at + 4, this.encoding);
    const inline = at + entryBytes - pointerBytes;
    const isInline = count * width <= pointerBytes;
    const value = isInline ? this.offset + inline : pointer(this.#bytes, inline, this.encoding);
    return { tag: this.#tagAt(i), type, count, at: value };
  }

  /** All entries of known types in stored order. */
  #entries(): Entry[] {
    return Array.from({ length: this.#count }, (_, i) => this.#entryAt(i)).filter((entry) =>
      entry !== undefined
    );
  }

  /** The entry of a tag that samples depend on, `undefined` without one. @throws {DecodeFailed} it holds no number */
  #numeric(tag: number): Entry | undefined {
    const entry = this.entry(tag);
    if (entry ? entry.count > 0 && entry.type !== ASCII : !this.lists(tag)) return entry;
    throw new DecodeFailed(`the directory at ${this.offset} has no number for ${tagName(tag)}`);
  }

  /** Whether a tag has an entry, of whatever type. */
  lists(tag: number): boolean {
    for (let i = 0; i < this.#count; i += 1) if (this.#tagAt(i) === tag) return true;
    return false;
  }

  /** Whether a tag has an entry of a known type. */
  has(tag: number): boolean {
    return this.entry(tag) !== undefined;
  }

  /** How many values a tag has; 0 without it. */
  count(tag: number): number {
    return this.entry(tag)?.count ?? 0;
  }

  /** First value of a tag. @throws {DecodeFailed} it lies outside the file, or the entry is damaged */
  number(tag: number): number | undefined {
    const entry = this.#numeric(tag);
    if (!entry) return undefined;
    if (entry.count > 1 && SINGLE.has(tag)) this.#requireEqual(entry);
    const own = entry.at - this.offset;
    // Most values stand in the directory itself and need no array.
    return own >= 0 && own + bytesOf(entry) <= this.#bytes.byteLength
      ? FIELD_TYPES[entry.type]![1](this.#bytes, own, this.encoding.littleEndian)
      : this.#numbers(entry, 1)[0];
  }

  /** @throws {DecodeFailed} values that should be one differ, or are too many */
  #requireEqual(entry: Entry): void {
    const values = entry.count <= MAX_REPEATED ? this.#numbers(entry, entry.count) : [];
    if (values.length === 0 || values.some((value) => value !== values[0])) {
      throw new DecodeFailed(
        `the directory at ${this.offset} has ${entry.count} values for ${tagName(entry.tag)}`,
      );
    }
  }

  /**
   * All values of a tag; a rational with a denominator of zero gives a number that is not finite.
   *
   * @param most more values than this are an error
   * @throws {DecodeFailed} they lie outside the file, are too many, or the entry is damaged
   */
  numbers(tag: number, most: number): Float64Array {
    const entry = this.#numeric(tag);
    if (!entry) return new Float64Array(0);
    if (entry.count > most) {
      throw new DecodeFailed(`${tagName(tag)} has ${entry.count} values, more than ${most}`);
    }
    return this.#numbers(entry, entry.count);
  }

  #numbers(entry: Entry, count: number): Float64Array {
    const [width, read] = FIELD_TYPES[entry.type]!;
    const view = this.#view(entry, count);
    return new Float64Array(count).map((_, i) => read(view, i * width, this.encoding.littleEndian));
  }

  #view(entry: Entry, count: number): DataView<ArrayBuffer> {
    const length = count * bytesOf(entry);
    const own = entry.at - this.offset;
    if (own >= 0 && own + length <= this.#bytes.byteLength) {
      return new DataView(this.#bytes.buffer, own, length);
    }
    return this.#window.view(entry.at, length, `the value of ${tagName(entry.tag)}`);
  }

  /** The first offset after `offset` at which the directory or one of its values begins; `Infinity` without one. */
  firstPartAfter(offset: number): number {
    const { pointerBytes } = layoutOf(this.encoding);
    const apart = this.#entries().filter((entry) => entry.count * bytesOf(entry) > pointerBytes);
    const starts = [this.offset, ...apart.map(({ at }) => at)];
    return Math.min(Infinity, ...starts.filter((start) => start > offset));
  }

  /** Bytes of a value, copied. @throws {DecodeFailed} they lie outside the file or are more than `most` */
  bytes(tag: number, most: number): Uint8Array<ArrayBuffer> | undefined {
    const entry = this.entry(tag);
    return entry && this.#copied(entry, most);
  }

  #copied(entry: Entry, most: number): Uint8Array<ArrayBuffer> {
    const length = entry.count * bytesOf(entry);
    if (length > most) {
      throw new DecodeFailed(`${tagName(entry.tag)} has ${length} bytes, more than ${most}`);
    }
    const view = this.#view(entry, entry.count);
    return new Uint8Array(view.buffer, view.byteOffset, view.byteLength).slice();
  }

  /**
   * Text of every entry of a tag, with NULs inside but not at the end; some writers repeat ImageDescription.
   *
   * @throws {DecodeFailed} one lies outside the file, is longer than `most` bytes, or is not a text
   */
  texts(tag: number, most: number): string[] {
    const entries = this.#textEntries(tag);
    if (entries.length === 0 && this.lists(tag)) throw new DecodeFailed("it is not a text");
    return entries.map((entry) => textOf(this.#copied(entry, most)));
  }

  /** The first `most` bytes of every text of a tag. @throws {DecodeFailed} one lies outside the file */
  textStarts(tag: number, most: number): string[] {
    return this.#textEntries(tag).map((entry) =>
      textOf(this.#copied({ ...entry, count: Math.min(entry.count, most) }, most))
    );
  }

  #textEntries(tag: number): Entry[] {
    return this.#entries().filter((entry) => entry.tag === tag && bytesOf(entry) === 1);
  }

  /** Text of a tag that no sample depends on, up to its first NUL: `""` without it, or where it is damaged. */
  note(tag: number, most: number): string {
    return upToNul(this.notes(tag, most)[0] ?? "");
  }

  /** Texts of a tag that no sample depends on: none without it, or where one is damaged. */
  notes(tag: number, most: number): string[] {
    return unlessDamaged(() => this.texts(tag, most), []);
  }

  /** Number of a tag that no sample depends on: `undefined` without it, or where it is damaged. */
  noteNumber(tag: number): number | undefined {
    return unlessDamaged(() => this.number(tag), undefined);
  }
}

/** Bytes of one value. */
const bytesOf = ({ type }: Entry): number => FIELD_TYPES[type]?.[0] ?? 0;
