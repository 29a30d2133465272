/**
 * The chunks of a file. A chunk has a magic number, the length of its name field, the length of its data, name and data.
 * The map at the end of the file lists them; if a recording was interrupted before the map was written, a walk finds them.
 */
import { Buffer } from "node:buffer";
import { DecodeFailed, quoted, unlessDamaged } from "../errors.ts";
import type { ByteSource } from "../io/byte_source.ts";
import type { StopFlag } from "../io/stop_flag.ts";

/** First bytes of every chunk. */
export const CHUNK_MAGIC: Uint8Array<ArrayBuffer> = Uint8Array.of(0xda, 0xce, 0xbe, 0x0a);

const HEAD_BYTES = 16;

/** Largest name field in bytes. Writers pad it so that chunks end at multiples of 4096; 4072 bytes are usual. */
const MAX_NAME_FIELD = 64 << 10;

/** Longest name in bytes; the longest known name has 50. */
const MAX_NAME_BYTES = 256;

/** One chunk. */
export interface Chunk {
  /** Name including its `!`. */
  readonly name: string;
  readonly offset: number;
  readonly length: number;
  /** Number of data bytes in the file; fewer than `length` in the last chunk of a truncated file. */
  readonly stored: number;
}

/** Reads an unsigned 64-bit number. Large numbers are inexact, but far larger than any file. */
export const readUint64 = (view: DataView, at: number): number =>
  view.getUint32(at, true) + view.getUint32(at + 4, true) * 0x1_0000_0000;

/** The name up to and including the first `!`. @throws {DecodeFailed} there is none */
function nameAt(bytes: Uint8Array, start: number): string {
  const name = bytes.subarray(start, start + MAX_NAME_BYTES);
  const end = name.indexOf(0x21);
  if (end < 0) throw new DecodeFailed(`it has no name at ${start}`);
  const zero = name.indexOf(0);
  if (zero >= 0 && zero < end) throw new DecodeFailed(`the name at ${start} has zeros in place of letters`);
  return String.fromCharCode(...name.subarray(0, end + 1));
}

/** The chunk at an offset. @throws {DecodeFailed} none starts there */
export function locateChunk(file: ByteSource, at: number): Chunk {
  const available = Math.max(HEAD_BYTES, file.size - at);
  const bytes = file.read(at, Math.min(HEAD_BYTES + MAX_NAME_BYTES, available), "chunk");
  if (CHUNK_MAGIC.some((byte, i) => bytes[i] !== byte)) throw new DecodeFailed(`no chunk starts at ${at}`);
  const view = new DataView(bytes.buffer);
  const field = view.getUint32(4, true);
  const length = readUint64(view, 8);
  const offset = at + HEAD_BYTES + field;
  if (field > MAX_NAME_FIELD || offset > file.size) {
    throw new DecodeFailed(`the chunk at ${at} has a name field of ${field} bytes`);
  }
  const name = nameAt(bytes.subarray(0, HEAD_BYTES + field), HEAD_BYTES);
  return { name, offset, length, stored: Math.min(length, file.size - offset) };
}

/** The chunk at an offset, which must have this name. @throws {DecodeFailed} another chunk or none is there */
export function requireChunk(file: ByteSource, name: string, at: number): Chunk {
  const chunk = locateChunk(file, at);
  if (chunk.name === name) return chunk;
  throw new DecodeFailed(`chunk ${quoted(name)} is missing: ${quoted(chunk.name)} starts at ${at}`);
}

/** Reads the data of a chunk. @throws {DecodeFailed} the data are incomplete, or have more than `most` bytes */
export function readChunk(file: ByteSource, name: string, at: number, most: number): Uint8Array<ArrayBuffer> {
  const { offset, length } = requireChunk(file, name, at);
  if (length > most) {
    throw new DecodeFailed(`chunk ${quoted(name)} at ${at} has ${length} bytes, more than ${most}`);
  }
  return file.read(offset, length, `chunk ${quoted(name)}`);
}

/** Largest number of frames in a file, 60 bytes of heap each; with 64 KiB per frame they take 128 GiB. */
export const MAX_FRAMES = 2_000_000;

/** Largest number of metadata chunks that are kept by name; files have some thirty. */
const MAX_NAMES = 10_000;

const FRAME = /^ImageDataSeq\|(\d{1,10})!$/;

/** Matches chunks to read: metadata of the image and of its first frame, times, documents of the program. */
const READ = /^(?:Image(?!DataSeq\||MetadataSeq(?:LV)?\|(?!0!))|CustomData\|Acq|CustomDataVar\|)/;

/** Offsets of the chunks to read, without masks, regions and metadata of later frames. */
export class StoredChunks {
  /** Offset of each frame, by frame number. */
  readonly frames = new Map<number, number>();
  /** Offset of each metadata chunk, by name. */
  readonly named = new Map<string, number>();

  /** Adds a chunk. If several have the same name, the last one counts. @throws {DecodeFailed} too many chunks */
  add(name: string, offset: number): void {
    const frame = FRAME.exec(name);
    if (frame) {
      this.frames.set(Number(frame[1]), offset);
      if (this.frames.size > MAX_FRAMES) {
        throw new DecodeFailed(`the file has more than ${MAX_FRAMES} frames`);
      }
    } else if (READ.test(name)) {
      this.named.set(name, offset);
      if (this.named.size > MAX_NAMES) {
        throw new DecodeFailed(`the file has more than ${MAX_NAMES} chunks of metadata`);
      }
    }
  }

  /** The first of some names for which a chunk exists, or `null`. */
  find(names: readonly string[]): { readonly name: string; readonly at: number } | null {
    for (const name of names) {
      const at = this.named.get(name);
      if (at !== undefined) return { name, at };
    }
    return null;
  }

  get bytes(): number {
    return 60 * this.frames.size + 100 * this.named.size;
  }
}

const MAP_SIGNATURE = "ND2 CHUNK MAP SIGNATURE 0000001!";
const MAP_NAME = "ND2 FILEMAP SIGNATURE NAME 0001!";
const TAIL_BYTES = 40;

/** Largest map in bytes: an entry of 36 bytes per frame, and as many for metadata and masks. */
const MAX_MAP_BYTES = 128 << 20;

/** Chunks start at multiples of this. */
const ALIGNMENT = 4096;

/** Names of the chunk with the image's attributes, in both generations. */
export const ATTRIBUTES: readonly string[] = ["ImageAttributesLV!", "ImageAttributes!"];

/** Finds the chunks with the map, or by a walk if the map has a `fault`. @throws {DecodeFailed} too many chunks */
export function findChunks(
  file: ByteSource,
  stop: StopFlag,
): { readonly chunks: StoredChunks; readonly fault: string | null } {
  try {
    return { chunks: readMap(file, stop), fault: null };
  } catch (error) {
    if (!(error instanceof DecodeFailed)) throw error;
    return { chunks: walk(file, stop), fault: error.message };
  }
}

/** Reads name, u64 offset and u64 length of each chunk, up to the signature. Lengths may be wrong and are ignored. */
function readMap(file: ByteSource, stop: StopFlag): StoredChunks {
  const tail = file.read(file.size - TAIL_BYTES, TAIL_BYTES, "the end of the file");
  if (Buffer.from(tail).toString("latin1", 0, MAP_SIGNATURE.length) !== MAP_SIGNATURE) {
    throw new DecodeFailed("the file does not end with its offset");
  }
  const place = readUint64(new DataView(tail.buffer), TAIL_BYTES - 8);
  const { offset, stored } = requireChunk(file, MAP_NAME, place);
  if (stored > MAX_MAP_BYTES) {
    throw new DecodeFailed(`it has ${stored} bytes, more than ${MAX_MAP_BYTES}`);
  }
  const map = file.read(offset, stored, "the chunk map");
  const view = new DataView(map.buffer);
  const chunks = new StoredChunks();
  let at = 0;
  for (let name = nameAt(map, at); name !== MAP_SIGNATURE; name = nameAt(map, at)) {
    stop.check();
    at += name.length + 16;
    if (at > map.length) throw new DecodeFailed(`it ends within the entry ${quoted(name)}`);
    chunks.add(name, readUint64(view, at - 16));
  }
  const attributes = chunks.find(ATTRIBUTES);
  if (attributes === null) throw new DecodeFailed("it lacks the attributes of the image");
  requireChunk(file, attributes.name, attributes.at);
  return chunks;
}

/** Walks from chunk to chunk, up to a damaged one. The next chunk follows directly or after padding. */
function walk(file: ByteSource, stop: StopFlag): StoredChunks {
  const chunks = new StoredChunks();
  const found = (at: number) => unlessDamaged(() => ({ ...locateChunk(file, at), at }), null);
  let end = 0;
  for (;;) {
    stop.check();
    const chunk = found(end) ?? found(Math.ceil(end / ALIGNMENT) * ALIGNMENT);
    if (chunk === null) return chunks;
    chunks.add(chunk.name, chunk.at);
    end = chunk.offset + chunk.length;
  }
}
