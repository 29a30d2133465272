/**
 * Writes ZIP files (PKWARE APPNOTE 6.3.10). Sizes and checksum of an entry stand in its local header, not in a data descriptor
 * behind it, so that programs can read the file as a stream; each entry is therefore whole in memory when its header is written.
 */

/** A file of a ZIP file. */
export interface ZipMember {
  /** Path with slashes. */
  readonly name: string;
  readonly bytes: Uint8Array;
  /** The same bytes after deflate; without them the entry is stored. */
  readonly deflated?: Uint8Array;
  /** Mode of Unix with the type of the file; `-rw-r--r--` by default. */
  readonly mode?: number;
}

/** A file with a text. */
export type NamedText = readonly [name: string, text: string];

/** Signatures of the records. */
const [LOCAL, ENTRY, END, END64, LOCATOR64] = [0x04034b50, 0x02014b50, 0x06054b50, 0x06064b50, 0x07064b50];

/** Versions that a reader needs: 2.0 can deflate, 4.5 has ZIP64. The directory is written as by 4.5 on Unix, which has modes. */
const [PLAIN, WITH_ZIP64, UNIX] = [20, 45, 3 << 8];

/** Names are UTF-8. */
const UTF8 = 1 << 11;

const DEFLATED = 8;

const FILE_MODE = 0o100644;

/** Numbers from these on stand in ZIP64 records. */
const [MOST_SHORT, MOST_LONG] = [0xffff, 0xffffffff];

/** Tag of the extra field with long numbers. */
const ZIP64 = 1;

/** Bytes of an entry that are passed on together; between two such pieces a server does other work. */
const PIECE_BYTES = 256 << 10;

/** Bytes whose checksum is computed at once. */
const CHECKED_BYTES = 4 << 20;

/** The records of a ZIP file, in the order in which they are written. */
export class ZipRecords {
  readonly #moment: readonly [time: number, date: number];
  /** Entries of the directory. */
  readonly #directory: Uint8Array[] = [];
  #directoryBytes = 0;
  /** Bytes of all that was added. */
  #offset = 0;

  /** @param at time of all files, in local time, as ZIP files have it @param isUtc whether in UTC instead */
  constructor(at: Date, isUtc = false) {
    this.#moment = encodeDosTime(isUtc ? at : new Date(at.getTime() - at.getTimezoneOffset() * 60_000));
  }

  /** The local header of an entry; its bytes follow, deflated if they are. @param crc checksum of `bytes` */
  header({ name, bytes, deflated, mode = FILE_MODE }: ZipMember, crc: number): Uint8Array<ArrayBuffer> {
    const title = new TextEncoder().encode(name);
    if (title.length > MOST_SHORT) throw new RangeError(`The name of an entry has ${title.length} bytes`);
    const method = deflated === undefined ? 0 : DEFLATED;
    const [length, stored] = [bytes.length, (deflated ?? bytes).length];
    const start = this.#offset;
    const isLong = Math.max(length, stored) >= MOST_LONG;
    const sizes = isLong ? [length, stored] : [];
    /** What both records of an entry state. */
    const both = (long: readonly number[]) => [
      ...[long.length > 0 ? WITH_ZIP64 : PLAIN, UTF8, method, ...this.#moment].map(encodeShort),
      ...[crc, isLong ? MOST_LONG : stored, isLong ? MOST_LONG : length].map(encodeLong32),
      ...[title.length, makeExtraField(long).length].map(encodeShort),
    ];
    const places = start >= MOST_LONG ? [...sizes, start] : sizes;
    const entry = joinBytes([
      ...[encodeLong32(ENTRY), encodeShort(UNIX | WITH_ZIP64), ...both(places)],
      // Comment, disk, attributes of the text.
      ...[encodeShort(0), encodeShort(0), encodeShort(0), encodeLong32(mode * 0x10000)],
      ...[encodeLong32(Math.min(start, MOST_LONG)), title, makeExtraField(places)],
    ]);
    const local = joinBytes([encodeLong32(LOCAL), ...both(sizes), title, makeExtraField(sizes)]);
    this.#directory.push(entry);
    this.#directoryBytes += entry.length;
    this.#offset += local.length + stored;
    return local;
  }

  /** The directory, with which the file ends. */
  end(): Uint8Array<ArrayBuffer> {
    const [count, bytes, start] = [this.#directory.length, this.#directoryBytes, this.#offset];
    const end64 = [
      ...[
        encodeLong32(END64),
        encodeLong64(44),
        encodeShort(UNIX | WITH_ZIP64),
        encodeShort(WITH_ZIP64),
        encodeLong32(0),
        encodeLong32(0),
      ],
      ...[count, count, bytes, start].map(encodeLong64),
      ...[encodeLong32(LOCATOR64), encodeLong32(0), encodeLong64(start + bytes), encodeLong32(1)],
    ];
    const isLong = count >= MOST_SHORT || Math.max(bytes, start) >= MOST_LONG;
    const few = Math.min(count, MOST_SHORT);
    return joinBytes([
      ...this.#directory,
      ...isLong ? end64 : [],
      ...[encodeLong32(END), ...[0, 0, few, few].map(encodeShort)],
      ...[bytes, start].map((value) => encodeLong32(Math.min(value, MOST_LONG))),
      encodeShort(0),
    ]);
  }
}

/** The parts of a ZIP file. Each entry is asked for when the one before has been taken. */
export async function* streamZipParts(
  entries: AsyncIterable<ZipMember> | Iterable<ZipMember>,
  at: Date = new Date(),
): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  const records = new ZipRecords(at);
  for await (const entry of entries) {
    yield records.header(entry, await computeChecksum(entry.bytes));
    const bytes = (entry.deflated ?? entry.bytes) as Uint8Array<ArrayBuffer>;
    for (let i = 0; i < bytes.length; i += PIECE_BYTES) yield bytes.subarray(i, i + PIECE_BYTES);
  }
  yield records.end();
}

/** A ZIP file of texts, deflated. @param at the local time that they get */
export async function zipTexts(texts: readonly NamedText[], at: Date = new Date()): Promise<Blob> {
  const parts: Uint8Array<ArrayBuffer>[] = [];
  for await (const part of streamZipParts(deflateTexts(texts), at)) parts.push(part);
  return new Blob(parts, { type: "application/zip" });
}

async function* deflateTexts(texts: readonly NamedText[]): AsyncGenerator<ZipMember> {
  for (const [name, text] of texts) {
    const bytes = new TextEncoder().encode(text);
    const stream = new Blob([bytes]).stream().pipeThrough(new CompressionStream("deflate-raw"));
    yield { name, bytes, deflated: new Uint8Array(await new Response(stream).arrayBuffer()) };
  }
}

/** The checksum of bytes; many are computed in parts, with other work of the thread between them. */
async function computeChecksum(bytes: Uint8Array): Promise<number> {
  let crc = 0;
  for (let at = 0; at < bytes.length; at += CHECKED_BYTES) {
    if (at > 0) await new Promise((resume) => setTimeout(resume));
    crc = computeCrc32(bytes.subarray(at, at + CHECKED_BYTES), crc);
  }
  return crc;
}

/** Remainders by the polynomial of ZIP; at 256 n + byte, the remainder of that byte followed by n bytes. */
const REMAINDERS = makeRemainders();

function makeRemainders(): Int32Array {
  const all = new Int32Array(8 * 256);
  for (let byte = 0; byte < 256; byte += 1) {
    let rest = byte;
    for (let bit = 0; bit < 8; bit += 1) rest = rest & 1 ? rest >>> 1 ^ 0xedb88320 : rest >>> 1;
    all[byte] = rest;
  }
  for (let i = 256; i < all.length; i += 1) all[i] = all[all[i - 256]! & 255]! ^ all[i - 256]! >>> 8;
  return all;
}

/** The checksum CRC-32 of ZIP files. @param before checksum of the bytes in front of these */
export function computeCrc32(bytes: Uint8Array, before = 0): number {
  const [view, table] = [new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength), REMAINDERS];
  let rest = ~before;
  let i = 0;
  // Eight bytes at once.
  for (; i + 8 <= bytes.length; i += 8) {
    const [first, second] = [rest ^ view.getInt32(i, true), view.getInt32(i + 4, true)];
    rest = table[7 << 8 | first & 255]! ^ table[6 << 8 | first >>> 8 & 255]! ^
      table[5 << 8 | first >>> 16 & 255]! ^ table[4 << 8 | first >>> 24]! ^
      table[3 << 8 | second & 255]! ^ table[2 << 8 | second >>> 8 & 255]! ^
      table[1 << 8 | second >>> 16 & 255]! ^ table[second >>> 24]!;
  }
  for (; i < bytes.length; i += 1) rest = table[(rest ^ bytes[i]!) & 255]! ^ rest >>> 8;
  return ~rest >>> 0;
}

/** Time and date as MS-DOS had them, by the fields of UTC: in steps of 2 s, from 1980 on. */
function encodeDosTime(at: Date): [time: number, date: number] {
  if (at.getUTCFullYear() < 1980) return [0, 1 << 5 | 1];
  return [
    at.getUTCHours() << 11 | at.getUTCMinutes() << 5 | at.getUTCSeconds() >> 1,
    at.getUTCFullYear() - 1980 << 9 | at.getUTCMonth() + 1 << 5 | at.getUTCDate(),
  ];
}

/** The extra field with numbers that do not fit into 32 bits; empty without them. */
const makeExtraField = (numbers: readonly number[]): Uint8Array =>
  numbers.length === 0 ? new Uint8Array() : joinBytes([
    ...[ZIP64, 8 * numbers.length].map(encodeShort),
    ...numbers.map(encodeLong64),
  ]);

const encodeShort = (value: number) => Uint8Array.of(value, value >>> 8);

const encodeLong32 = (value: number) =>
  Uint8Array.of(value, value / 2 ** 8, value / 2 ** 16, value / 2 ** 24);

function encodeLong64(value: number): Uint8Array {
  const bytes = new Uint8Array(8);
  new DataView(bytes.buffer).setBigUint64(0, BigInt(value), true);
  return bytes;
}

function joinBytes(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const all = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}
