/**
 * The .xz container (.xz file format 1.1, sections 2 to 4), with every check that it stores: stream header, blocks,
 * the index of their sizes, stream footer; then zeros up to the end of the strip.
 */
import { Buffer } from "node:buffer";
import { createHash } from "node:crypto";
import { crc32 } from "node:zlib";

const HEADER_MAGIC = [0xfd, 0x37, 0x7a, 0x58, 0x5a, 0];
const FOOTER_MAGIC = [0x59, 0x5a];

/** Bytes of a stream, read in order. */
export class XzInput {
  /** The whole strip or tile. */
  readonly bytes: Uint8Array;
  /** Offset of the next byte. */
  at = 0;

  /** Reads from the first byte on. */
  constructor(bytes: Uint8Array) {
    this.bytes = bytes;
  }

  /** The next byte. @throws {Error} the stream ends here */
  byte(): number {
    const byte = this.bytes[this.at];
    if (byte === undefined) throw new Error("it ends early");
    this.at += 1;
    return byte;
  }

  /** The next bytes. @throws {Error} there are fewer */
  take(count: number): Uint8Array {
    if (this.at + count > this.bytes.length) throw new Error("it ends early");
    this.at += count;
    return this.bytes.subarray(this.at - count, this.at);
  }

  /** An integer of seven bits per byte, lowest first (section 1.2). */
  variable(): number {
    let value = 0;
    for (let i = 0; i < 7; i += 1) {
      const byte = this.byte();
      value += (byte & 0x7f) * 2 ** (7 * i);
      if (byte >= 0x80) continue;
      if (byte === 0 && i > 0) throw new Error("a number in it is padded");
      return value;
    }
    throw new Error("a number in it is too large");
  }

  /** A number of four bytes. */
  number(): number {
    return Buffer.from(this.take(4)).readUInt32LE();
  }

  /** Zeros up to a multiple of four bytes after `start`. */
  padding(start: number): void {
    while ((this.at - start) % 4 !== 0) {
      if (this.byte() !== 0) throw new Error("its padding is not zero");
    }
  }

  /** The CRC-32 of what stands between `start` and here. */
  checksum(start: number, what: string): void {
    const computed = crc32(this.bytes.subarray(start, this.at));
    if (this.number() !== computed) throw new Error(`the checksum of ${what} does not fit`);
  }
}

/** One filter of a block: its number and its properties. */
export interface XzFilter {
  /** Number of the filter. */
  readonly id: number;
  /** Bytes whose meaning depends on the filter. */
  readonly properties: Uint8Array;
}

/** Decodes the data of one block, from where `input` stands; gives what comes out. */
export type ReadBlock = (input: XzInput, filters: readonly XzFilter[]) => Uint8Array;

/** Sizes of one block, as the index lists them. */
interface BlockSizes {
  readonly unpadded: number;
  readonly decoded: number;
}

/** Reads one stream. @throws {Error} a check does not fit, or the structure is damaged */
export function readXzStream(bytes: Uint8Array, readBlock: ReadBlock): void {
  const input = new XzInput(bytes);
  if (HEADER_MAGIC.some((byte) => input.byte() !== byte)) throw new Error("it does not start as .xz");
  const flags = input.take(2);
  const [reserved, kind = 16] = flags;
  if (reserved !== 0 || kind > 15) throw new Error(`its flags are ${flags.join(" ")}`);
  input.checksum(input.at - 2, "its header");
  const check = xzCheck(kind);
  const blocks: BlockSizes[] = [];
  // A zero in place of the size of a block header begins the index.
  while (input.bytes[input.at] !== 0) blocks.push(checkedBlock(input, check, readBlock));
  const indexBytes = readIndex(input, blocks);
  const footer = input.at;
  input.at += 4;
  const backward = (input.number() + 1) * 4;
  const repeated = input.take(2);
  input.at = footer;
  const stored = input.number();
  input.at = footer + 10;
  if (FOOTER_MAGIC.some((byte) => input.byte() !== byte)) throw new Error("it has no footer");
  if (stored !== crc32(bytes.subarray(footer + 4, footer + 10))) {
    throw new Error("the checksum of its footer does not fit");
  }
  if (backward !== indexBytes) throw new Error(`its footer declares an index of ${backward} bytes`);
  if (repeated.some((byte, i) => byte !== flags[i])) throw new Error("its header and its footer differ");
  if (bytes.subarray(input.at).some((byte) => byte !== 0)) throw new Error("something follows its footer");
}

/** One block (section 3). */
function checkedBlock(input: XzInput, check: XzCheck, readBlock: ReadBlock): BlockSizes {
  const start = input.at;
  const headerEnd = start + input.byte() * 4;
  const flags = input.byte();
  if (flags & 0x3c) throw new Error(`the flags of a block are ${flags}`);
  const toldPacked = flags & 0x40 ? input.variable() : null;
  const toldDecoded = flags & 0x80 ? input.variable() : null;
  const filters: XzFilter[] = [];
  for (let i = 0; i <= (flags & 3); i += 1) {
    filters.push({ id: input.variable(), properties: input.take(input.variable()) });
  }
  if (input.at > headerEnd) throw new Error("the header of a block is too short");
  while (input.at < headerEnd) if (input.byte() !== 0) throw new Error("its padding is not zero");
  input.checksum(start, "a block header");
  const from = input.at;
  const decoded = readBlock(input, filters);
  const packed = input.at - from;
  if ((toldPacked ?? packed) !== packed || (toldDecoded ?? decoded.length) !== decoded.length) {
    throw new Error("the sizes of a block do not fit");
  }
  const unpadded = input.at - start + check.bytes;
  input.padding(start);
  const stored = input.take(check.bytes);
  if (Buffer.compare(stored, check.of(decoded)) !== 0) {
    throw new Error("the integrity check of a block does not fit");
  }
  return { unpadded, decoded: decoded.length };
}

/** The index (section 4); gives its bytes. */
function readIndex(input: XzInput, blocks: readonly BlockSizes[]): number {
  const start = input.at;
  input.byte();
  const count = input.variable();
  if (count !== blocks.length) throw new Error(`its index lists ${count} blocks of ${blocks.length}`);
  for (const { unpadded, decoded } of blocks) {
    if (input.variable() !== unpadded || input.variable() !== decoded) {
      throw new Error("the sizes in its index do not fit");
    }
  }
  input.padding(start);
  input.checksum(start, "its index");
  return input.at - start;
}

/** An integrity check of a block (sections 2.1.1.2, 3.4 and 6). */
interface XzCheck {
  /** Bytes that it takes after a block. */
  readonly bytes: number;
  /** The check of decoded data, as it is stored. */
  readonly of: (data: Uint8Array) => Uint8Array;
}

const CHECKS: Readonly<Record<number, XzCheck>> = {
  0: { bytes: 0, of: () => new Uint8Array() },
  1: { bytes: 4, of: (data) => littleEndian(crc32(data)) },
  4: { bytes: 8, of: crc64 },
  10: { bytes: 32, of: (data) => createHash("sha256").update(data).digest() },
};

/** The check of a kind. @throws {Error} the format reserves the kind */
function xzCheck(kind: number): XzCheck {
  const check = CHECKS[kind];
  if (!check) throw new Error(`its integrity check ${kind} is not supported`);
  return check;
}

const littleEndian = (value: number) => Uint8Array.from([0, 8, 16, 24], (shift) => value >>> shift);

/** Remainders of CRC-64 (ECMA-182, bits reversed) for each byte, as lower and upper halves. */
const [LOW, HIGH] = tables();

function tables(): [Uint32Array, Uint32Array] {
  const low = new Uint32Array(256);
  const high = new Uint32Array(256);
  for (let byte = 0; byte < 256; byte += 1) {
    let crc = BigInt(byte);
    for (let bit = 0; bit < 8; bit += 1) crc = crc & 1n ? (crc >> 1n) ^ 0xc96c5795d7870f42n : crc >> 1n;
    low[byte] = Number(crc & 0xffffffffn);
    high[byte] = Number(crc >> 32n);
  }
  return [low, high];
}

function crc64(data: Uint8Array): Uint8Array {
  let low = -1;
  let high = -1;
  for (let i = 0; i < data.length; i += 1) {
    const byte = (low ^ data[i]!) & 255;
    low = ((low >>> 8) | (high << 24)) ^ LOW[byte]!;
    high = (high >>> 8) ^ HIGH[byte]!;
  }
  return Uint8Array.of(...littleEndian(~low), ...littleEndian(~high));
}
