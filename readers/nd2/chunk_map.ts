/** The chunks of a file: by the map at its end, or by walking from one to the next where the map is unusable. */
import { DecodeFailed } from "../errors.ts";
import type { ByteSource } from "../io/byte_source.ts";
import type { StopFlag } from "../io/stop_flag.ts";
import { CHUNK_HEAD_BYTES, CHUNK_MAGIC, chunkAt, chunkIn, MAX_NAME_BYTES, nameAt, uint64 } from "./chunk.ts";

/** Frames of one file, 60 bytes of heap each; at 64 KiB a frame they are 128 GiB. */
export const MAX_FRAMES = 2_000_000;

/** Chunks of metadata that are kept by name; files have some thirty. */
const MAX_NAMES = 10_000;

const FRAME = /^ImageDataSeq\|(\d{1,10})!$/;

/** Chunks that are read: metadata of the image and of its first frame, times, documents of the program. */
const READ = /^(?:Image(?!DataSeq\||MetadataSeq(?:LV)?\|(?!0!))|CustomData\|Acq|CustomDataVar\|)/;

/** Offsets of the chunks that are read; masks, regions and metadata of later frames are left out. */
export class StoredChunks {
  /** Offset of each frame by its number. */
  readonly frames = new Map<number, number>();
  /** Offset of each chunk of metadata by its name. */
  readonly named = new Map<string, number>();

  /** Notes a chunk; of several with the same name the last counts. @throws {DecodeFailed} too many chunks */
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

  /** The first existing chunk of some names, or `null`. */
  find(names: readonly string[]): { readonly name: string; readonly at: number } | null {
    for (const name of names) {
      const at = this.named.get(name);
      if (at !== undefined) return { name, at };
    }
    return null;
  }

  /** Heap, roughly. */
  get bytes(): number {
    return 60 * this.frames.size + 100 * this.named.size;
  }
}

const MAP_SIGNATURE = "ND2 CHUNK MAP SIGNATURE 0000001!";
const MAP_NAME = "ND2 FILEMAP SIGNATURE NAME 0001!";
const TAIL_BYTES = 40;

/** Bytes of the map: an entry of 36 bytes for each frame, and as many for metadata and masks. */
const MAX_MAP_BYTES = 128 << 20;

/** Chunks of one walk: frames, their metadata and masks. */
const MAX_CHUNKS = 8_000_000;

/** Chunks start at multiples of this. */
const ALIGNMENT = 4096;

/** Bytes that are searched at once. */
const WINDOW_BYTES = 1 << 20;

/** Names of the attributes of the image in both generations. */
export const ATTRIBUTES: readonly string[] = ["ImageAttributesLV!", "ImageAttributes!"];

/** The chunks of a file. */
export interface FoundChunks {
  /** Their offsets. */
  readonly chunks: StoredChunks;
  /** Why the map is unusable, or `null`. */
  readonly fault: string | null;
}

/**
 * Finds the chunks by the map, or by walking from one to the next where the map is missing or wrong.
 *
 * @throws {DecodeFailed} too many chunks
 * @throws {Stopped}
 */
export function findChunks(file: ByteSource, stop: StopFlag): FoundChunks {
  const mapped = readMap(file, stop);
  if (typeof mapped !== "string") return { chunks: mapped, fault: null };
  return { chunks: walk(file, stop), fault: mapped };
}

/** The chunks in the map, or the reason why it is unusable. */
function readMap(file: ByteSource, stop: StopFlag): StoredChunks | string {
  const tail = file.read(file.size - TAIL_BYTES, TAIL_BYTES, "the end of the file");
  if (nameAt(tail, 0) !== MAP_SIGNATURE) return "the file does not end with its offset";
  const chunk = chunkAt(file, uint64(new DataView(tail.buffer), TAIL_BYTES - 8));
  if (typeof chunk === "string") return chunk;
  if (chunk.name !== MAP_NAME) return "another chunk is at its offset";
  if (chunk.stored > MAX_MAP_BYTES) {
    throw new DecodeFailed(`the chunk map has ${chunk.stored} bytes, more than ${MAX_MAP_BYTES}`);
  }
  const chunks = entriesOf(file.read(chunk.offset, chunk.stored, "the chunk map"), stop);
  if (typeof chunks === "string") return chunks;
  const attributes = chunks.find(ATTRIBUTES);
  if (attributes === null) return "it lacks the attributes of the image";
  const found = chunkAt(file, attributes.at);
  return typeof found === "string" || found.name !== attributes.name
    ? `the attributes of the image are not at ${attributes.at}`
    : chunks;
}

/** Reads name, u64 offset and u64 length of each chunk up to the signature; lengths can be wrong and are ignored. */
function entriesOf(map: Uint8Array, stop: StopFlag): StoredChunks | string {
  const view = new DataView(map.buffer, map.byteOffset, map.length);
  const chunks = new StoredChunks();
  for (let at = 0, count = 0;; count += 1) {
    if (count % 4096 === 0) stop.check();
    const name = nameAt(map, at);
    if (name === null) return `it has no name at ${at}`;
    if (name === MAP_SIGNATURE) return chunks;
    at += name.length;
    if (at + 16 > map.length) return `it ends within entry ${count}`;
    chunks.add(name, uint64(view, at));
    at += 16;
  }
}

/** Walks from chunk to chunk. */
function walk(file: ByteSource, stop: StopFlag): StoredChunks {
  const chunks = new StoredChunks();
  for (let at = 0, count = 0; at + CHUNK_HEAD_BYTES <= file.size; count += 1) {
    stop.check();
    if (count > MAX_CHUNKS) throw new DecodeFailed(`the file has more than ${MAX_CHUNKS} chunks`);
    // The next chunk follows at once or after padding.
    const aligned = Math.ceil(at / ALIGNMENT) * ALIGNMENT;
    const start = [at, aligned].find((one) => typeof chunkAt(file, one) !== "string") ??
      searchChunk(file, at, stop);
    const chunk = start === null ? "" : chunkAt(file, start);
    if (start === null || typeof chunk === "string") break;
    chunks.add(chunk.name, start);
    at = chunk.offset + chunk.length;
  }
  return chunks;
}

/** Searches the next valid chunk; `null` at the end. */
function searchChunk(file: ByteSource, from: number, stop: StopFlag): number | null {
  const overlap = CHUNK_HEAD_BYTES + MAX_NAME_BYTES;
  for (let start = from; start + CHUNK_HEAD_BYTES <= file.size; start += WINDOW_BYTES) {
    stop.check();
    const bytes = file.read(start, Math.min(WINDOW_BYTES + overlap, file.size - start), "chunk");
    for (let i = bytes.indexOf(CHUNK_MAGIC[0]!); i >= 0 && i < WINDOW_BYTES;) {
      if (i + CHUNK_HEAD_BYTES > bytes.length) break;
      if (typeof chunkIn(bytes.subarray(i), start + i, file.size) !== "string") return start + i;
      i = bytes.indexOf(CHUNK_MAGIC[0]!, i + 1);
    }
  }
  return null;
}
