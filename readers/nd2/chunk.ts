/** One chunk of the container: magic, length of the name field, length of the data, name, data. Little-endian. */
import type { ByteSource } from "../io/byte_source.ts";
import { DecodeFailed, quoted } from "../errors.ts";

/** First bytes of every chunk. */
export const CHUNK_MAGIC: Uint8Array<ArrayBuffer> = Uint8Array.of(0xda, 0xce, 0xbe, 0x0a);

/** Bytes before the name. */
export const CHUNK_HEAD_BYTES = 16;

/** Writers pad the name field so that chunks end at multiples of 4096; 4072 bytes are usual. */
const MAX_NAME_FIELD = 64 << 10;

/** Bytes of a name; the longest known has 50. */
export const MAX_NAME_BYTES = 256;

/** One chunk. */
export interface Chunk {
  /** Name with its `!`. */
  readonly name: string;
  /** Offset of its data. */
  readonly offset: number;
  /** Bytes of data that it declares. */
  readonly length: number;
  /** Bytes of data that are in the file; fewer than `length` in the last chunk of a truncated file. */
  readonly stored: number;
}

/** Reads an unsigned 64-bit number; large ones lose precision but stay far above any file size. */
export const uint64 = (view: DataView, at: number): number =>
  view.getUint32(at, true) + view.getUint32(at + 4, true) * 0x1_0000_0000;

/** The name up to the first `!`, or `null`. */
export function nameAt(bytes: Uint8Array, start: number): string | null {
  const name = bytes.subarray(start, start + MAX_NAME_BYTES);
  const end = name.indexOf(0x21);
  return end < 0 ? null : String.fromCharCode(...name.subarray(0, end + 1));
}

/** The chunk at an offset, or the reason why it is unreadable. */
export function chunkAt(file: ByteSource, at: number): Chunk | string {
  if (!Number.isSafeInteger(at) || at < 0 || at + CHUNK_HEAD_BYTES > file.size) {
    return `${at} lies outside ${file.name} (${file.size} bytes)`;
  }
  const length = Math.min(CHUNK_HEAD_BYTES + MAX_NAME_BYTES, file.size - at);
  return chunkIn(file.read(at, length, "chunk"), at, file.size);
}

/** The chunk that starts with `bytes`, which lie at an offset of the file. */
export function chunkIn(bytes: Uint8Array, at: number, fileSize: number): Chunk | string {
  if (CHUNK_MAGIC.some((byte, i) => bytes[i] !== byte)) return `no chunk starts at ${at}`;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const field = view.getUint32(4, true);
  const length = uint64(view, 8);
  const offset = at + CHUNK_HEAD_BYTES + field;
  if (field > MAX_NAME_FIELD || offset > fileSize) {
    return `the chunk at ${at} has a name field of ${field} bytes`;
  }
  const end = Math.min(CHUNK_HEAD_BYTES + field, bytes.length);
  const name = nameAt(bytes.subarray(0, end), CHUNK_HEAD_BYTES);
  if (name === null) return `the chunk at ${at} has no name`;
  return { name, offset, length, stored: Math.min(length, fileSize - offset) };
}

/** The chunk of a name at an offset. @throws {DecodeFailed} another chunk, or nothing, is there */
export function requireChunk(file: ByteSource, name: string, at: number): Chunk {
  const chunk = chunkAt(file, at);
  if (typeof chunk === "string") throw new DecodeFailed(`chunk ${quoted(name)} is missing: ${chunk}`);
  if (chunk.name !== name) {
    throw new DecodeFailed(`chunk ${quoted(name)} is missing: ${quoted(chunk.name)} starts at ${at}`);
  }
  return chunk;
}

/** Reads the data of a chunk. @throws {DecodeFailed} it is incomplete, or has more than `most` bytes */
export function readChunk(file: ByteSource, name: string, at: number, most: number): Uint8Array<ArrayBuffer> {
  const { offset, length } = requireChunk(file, name, at);
  if (length > most) {
    throw new DecodeFailed(`chunk ${quoted(name)} at ${at} has ${length} bytes, more than ${most}`);
  }
  return file.read(offset, length, `chunk ${quoted(name)}`);
}
