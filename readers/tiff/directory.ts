/**
 * One image file directory, TIFF 6.0 section 2 and the BigTIFF design. Values are read when asked for; each
 * count and offset is checked against the file first.
 */
import { DecodeFailed } from "../errors.ts";
import { MAX_ENTRIES } from "./bounds.ts";
import type { ByteWindow } from "./byte_window.ts";
import { ASCII, FRACTIONS, TYPE_BYTES, valueOf } from "./field_types.ts";
import { TAG, tagName } from "./tags.ts";
import { textOf, upToNul } from "./text.ts";

/** How numbers are laid out in one file. */
export interface Encoding {
  /** Byte order. */
  readonly littleEndian: boolean;
  /** True where offsets have 8 bytes. */
  readonly bigTiff: boolean;
}

/** Tags of one value; another count makes of their value an offset. */
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

/** Most values that stand for one: those of a pixel of many samples. */
const MAX_REPEATED = 64;

/** Bytes of the parts of a directory: its count, an entry, a value or offset in it. */
const CLASSIC = { countBytes: 2, entryBytes: 12, pointerBytes: 4 };
const BIG = { countBytes: 8, entryBytes: 20, pointerBytes: 8 };

const layoutOf = ({ bigTiff }: Encoding) => bigTiff ? BIG : CLASSIC;

/** A count or an offset. */
function pointer(view: DataView, at: number, { bigTiff, littleEndian }: Encoding): number {
  return bigTiff ? Number(view.getBigUint64(at, littleEndian)) : view.getUint32(at, littleEndian);
}

/** The bytes of a directory, valid until the window moves. @throws {DecodeFailed} */
function viewOf(
  window: ByteWindow,
  offset: number,
  encoding: Encoding,
  what: string,
): { count: number; view: DataView<ArrayBuffer> } {
  const { countBytes, entryBytes, pointerBytes } = layoutOf(encoding);
  const head = window.view(offset, countBytes, what);
  const count = encoding.bigTiff
    ? Number(head.getBigUint64(0, encoding.littleEndian))
    : head.getUint16(0, encoding.littleEndian);
  if (count === 0 || count > MAX_ENTRIES) {
    throw new DecodeFailed(`${what} at ${offset} has ${count} entries, not 1 to ${MAX_ENTRIES}`);
  }
  return { count, view: window.view(offset, countBytes + count * entryBytes + pointerBytes, what) };
}

/** One entry; `at` is the offset of its value in the file. */
export interface Entry {
  /** Number of the tag. */
  readonly tag: number;
  /** Number of the field type (TIFF 6.0, section 2). */
  readonly type: number;
  /** How many values. */
  readonly count: number;
  /** Offset of the first value in the file. */
  readonly at: number;
}

/** Entries of a directory by tag; they are looked up in its own bytes, so that a long chain costs little. */
export class Directory {
  /** Offset in the file. */
  readonly offset: number;
  /** Offset behind its last byte. */
  readonly end: number;
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
    this.end = offset + bytes.byteLength;
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

  /** Whether a directory at `offset` ends within the file; `false` where the file was cut before or inside of it. */
  static fits({ file }: ByteWindow, offset: number, encoding: Encoding): boolean {
    const { countBytes, entryBytes, pointerBytes } = layoutOf(encoding);
    if (offset + countBytes > file.size) return false;
    const head = file.read(offset, countBytes, "a directory");
    const view = new DataView(head.buffer);
    const count = encoding.bigTiff
      ? Number(view.getBigUint64(0, encoding.littleEndian))
      : view.getUint16(0, encoding.littleEndian);
    return count > MAX_ENTRIES || offset + countBytes + count * entryBytes + pointerBytes <= file.size;
  }

  /** End and successor of the directory at `offset`, which is checked but not kept. @throws {DecodeFailed} as `read` does */
  static skip(
    window: ByteWindow,
    offset: number,
    encoding: Encoding,
    what: string,
  ): { end: number; next: number } {
    const { view } = viewOf(window, offset, encoding, what);
    const { pointerBytes } = layoutOf(encoding);
    return {
      end: offset + view.byteLength,
      next: pointer(view, view.byteLength - pointerBytes, encoding),
    };
  }

  /** The first entry of a tag whose type is known. */
  entry(tag: number): Entry | undefined {
    return this.#next(tag, 0)?.entry;
  }

  /** The first entry of a tag from number `from` on. */
  #next(tag: number, from: number): { entry: Entry; number: number } | undefined {
    const { littleEndian } = this.encoding;
    const { countBytes, entryBytes, pointerBytes } = layoutOf(this.encoding);
    for (let i = from, at = countBytes + from * entryBytes; i < this.#count; i += 1, at += entryBytes) {
      if (this.#bytes.getUint16(at, littleEndian) !== tag) continue;
      const type = this.#bytes.getUint16(at + 2, littleEndian);
      const width = TYPE_BYTES[type];
      if (width === undefined) continue;
      const count = pointer(this.#bytes, at + 4, this.encoding);
      const inline = at + entryBytes - pointerBytes;
      const value = count * width <= pointerBytes
        ? this.offset + inline
        : pointer(this.#bytes, inline, this.encoding);
      return { entry: { tag, type, count, at: value }, number: i };
    }
    return undefined;
  }

  /** An entry whose absence would mean something: one without values or of an unknown type is damaged. */
  #sound(tag: number): Entry | undefined {
    const entry = this.entry(tag);
    const whole = entry && (!FRACTIONS.has(entry.type) || tag === TAG.XResolution || tag === TAG.YResolution);
    if (entry ? entry.count > 0 && whole && entry.type !== ASCII : !this.lists(tag)) return entry;
    const fault = !entry
      ? "values of an unknown type"
      : entry.count === 0
      ? "no value"
      : entry.type === ASCII
      ? "a text"
      : "fractions";
    throw new DecodeFailed(`the directory at ${this.offset} has ${fault} for ${tagName(tag)}`);
  }

  /** Some writers repeat what is one value for each sample. @throws {DecodeFailed} the values differ */
  #requireEqual(entry: Entry): void {
    const values = entry.count <= MAX_REPEATED ? this.#numbers(entry, entry.count) : [];
    if (values.length === 0 || values.some((value) => value !== values[0])) {
      throw new DecodeFailed(
        `the directory at ${this.offset} has ${entry.count} values for ${tagName(entry.tag)}`,
      );
    }
  }

  /** The tags of all entries in stored order, of whatever type. */
  tags(): number[] {
    const { countBytes, entryBytes } = layoutOf(this.encoding);
    return Array.from(
      { length: this.#count },
      (_, i) => this.#bytes.getUint16(countBytes + i * entryBytes, this.encoding.littleEndian),
    );
  }

  /** Whether there is an entry of a tag, of whatever type. */
  lists(tag: number): boolean {
    const { countBytes, entryBytes } = layoutOf(this.encoding);
    for (let i = 0, at = countBytes; i < this.#count; i += 1, at += entryBytes) {
      if (this.#bytes.getUint16(at, this.encoding.littleEndian) === tag) return true;
    }
    return false;
  }

  /** Whether there is an entry of a tag whose type is known. */
  has(tag: number): boolean {
    return this.entry(tag) !== undefined;
  }

  /** How many values a tag has; 0 without it. */
  count(tag: number): number {
    return this.entry(tag)?.count ?? 0;
  }

  /** First value of a tag as a number. @throws {DecodeFailed} it lies outside the file, or the entry is damaged */
  number(tag: number): number | undefined {
    const entry = this.#sound(tag);
    if (!entry) return undefined;
    if (entry.count > 1 && SINGLE.has(tag)) this.#requireEqual(entry);
    const own = entry.at - this.offset;
    // Most values stand in the directory itself; a chain of many is walked without arrays for them.
    return own >= 0 && own + bytesOf(entry) <= this.#bytes.byteLength
      ? valueOf(this.#bytes, own, entry.type, this.encoding.littleEndian)
      : this.#numbers(entry, 1)[0];
  }

  /**
   * All values of a tag; rationals are divided, so a zero denominator gives a number that is not finite.
   *
   * @param most more values than this are an error
   * @throws {DecodeFailed} they lie outside the file, are too many, or the entry is damaged
   */
  numbers(tag: number, most: number): Float64Array {
    const entry = this.#sound(tag);
    if (!entry) return new Float64Array(0);
    if (entry.count > most) {
      throw new DecodeFailed(`${tagName(tag)} has ${entry.count} values, more than ${most}`);
    }
    return this.#numbers(entry, entry.count);
  }

  #numbers(entry: Entry, count: number): Float64Array {
    const little = this.encoding.littleEndian;
    const width = bytesOf(entry);
    const view = this.#view(entry, count);
    const values = new Float64Array(count);
    for (let i = 0; i < count; i += 1) values[i] = valueOf(view, i * width, entry.type, little);
    return values;
  }

  #view(entry: Entry, count: number): DataView<ArrayBuffer> {
    const length = count * bytesOf(entry);
    const own = entry.at - this.offset;
    if (own >= 0 && own + length <= this.#bytes.byteLength) {
      return new DataView(this.#bytes.buffer, own, length);
    }
    return this.#window.view(entry.at, length, `the value of ${tagName(entry.tag)}`);
  }

  /**
   * Where values lie that are no samples and do not stand in the directory itself: numbers of tags below `limit`, and texts
   * that end with a NUL, since behind one whose length is damaged there are strips.
   */
  valuesApart(limit: number): { start: number; end: number; name: string }[] {
    const { littleEndian } = this.encoding;
    const { countBytes, entryBytes, pointerBytes } = layoutOf(this.encoding);
    const values = [];
    for (let i = 0, at = countBytes; i < this.#count; i += 1, at += entryBytes) {
      const tag = this.#bytes.getUint16(at, littleEndian);
      const type = this.#bytes.getUint16(at + 2, littleEndian);
      const width = TYPE_BYTES[type] ?? 0;
      const length = pointer(this.#bytes, at + 4, this.encoding) * width;
      if (length <= pointerBytes || (width === 1 ? type !== ASCII : tag >= limit)) continue;
      const start = pointer(this.#bytes, at + entryBytes - pointerBytes, this.encoding);
      const last = width === 1
        ? tolerant(() => this.#window.view(start + length - 1, 1, "the end of a text").getUint8(0))
        : 0;
      if (last !== 0) continue;
      values.push({ start, end: start + length, name: `the value of ${tagName(tag)}` });
    }
    return values;
  }

  /** The first `most` directories that a tag points to, without those that do not lie in the file. */
  directoriesOf(tag: number, most: number): { start: number; end: number }[] {
    const entry = this.entry(tag);
    if (!entry) return [];
    const starts = tolerant(() => this.#numbers(entry, Math.min(entry.count, most))) ?? [];
    return [...starts].flatMap((start) => {
      const found = tolerant(() => Directory.skip(this.#window, start, this.encoding, "a directory"));
      return found ? [{ start, end: found.end }] : [];
    });
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

  /** Text of every entry of a tag up to its first NUL; some writers repeat ImageDescription. */
  texts(tag: number, most: number): string[] {
    return this.wholeTexts(tag, most).map(upToNul);
  }

  /**
   * Text of every entry of a tag without the NUL at its end; a damaged one may have others inside.
   *
   * @throws {DecodeFailed} one lies outside the file, is longer than `most` bytes, or is no text
   */
  wholeTexts(tag: number, most: number): string[] {
    const texts: string[] = [];
    for (let found = this.#next(tag, 0); found; found = this.#next(tag, found.number + 1)) {
      const { entry } = found;
      if (TYPE_BYTES[entry.type] === 1) texts.push(textOf(this.#copied(entry, most)));
    }
    if (texts.length === 0 && this.lists(tag)) throw new DecodeFailed(`it is no text`);
    return texts;
  }

  /** The first `most` bytes of every text of a tag. @throws {DecodeFailed} one lies outside the file */
  textStarts(tag: number, most: number): string[] {
    const texts: string[] = [];
    for (let found = this.#next(tag, 0); found; found = this.#next(tag, found.number + 1)) {
      const { entry } = found;
      if (TYPE_BYTES[entry.type] !== 1) continue;
      texts.push(textOf(this.#copied({ ...entry, count: Math.min(entry.count, most) }, most)));
    }
    return texts;
  }

  /** Text of a tag that no sample depends on: `""` without it, or where it does not lie in the file. */
  note(tag: number, most: number): string {
    return this.notes(tag, most)[0] ?? "";
  }

  /** Texts of a tag that no sample depends on: none without it, or where one does not lie in the file. */
  notes(tag: number, most: number): string[] {
    return tolerant(() => this.texts(tag, most)) ?? [];
  }

  /** Number of a tag that no sample depends on: `undefined` without it, or where it does not lie in the file. */
  noteNumber(tag: number): number | undefined {
    return tolerant(() => this.number(tag));
  }
}

/** Bytes of one value. */
const bytesOf = ({ type }: Entry): number => TYPE_BYTES[type] ?? 0;

function tolerant<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (error instanceof DecodeFailed) return undefined;
    throw error;
  }
}
