/** The map of all chunks at the end of the file, and the walk from chunk to chunk where it cannot be used. */
import type { ByteSource } from "../io/byte_source.ts";
import { DecodeFailed } from "../errors.ts";
import type { StopFlag } from "../io/stop_flag.ts";
import { CHUNK_HEAD_BYTES, CHUNK_MAGIC, chunkAt, chunkIn, MAX_NAME_BYTES, nameAt, uint64 } from "./chunk.ts";
import { StoredChunks } from "./stored_chunks.ts";

const MAP_SIGNATURE = "ND2 CHUNK MAP SIGNATURE 0000001!";
const MAP_NAME = "ND2 FILEMAP SIGNATURE NAME 0001!";
const TAIL_BYTES = 40;

/** Bytes of the map: an entry of 36 bytes for each frame, and as many for metadata and masks. */
const MAX_MAP_BYTES = 128 << 20;

/** Chunks that are walked over, of frames, their metadata and masks. */
const MAX_CHUNKS = 8_000_000;

/** Chunks begin at multiples of this. */
const ALIGNMENT = 4096;

/** Bytes at a time in which the next chunk is searched for. */
const WINDOW_BYTES = 1 << 20;

/** Names of the attributes of the image in both generations. */
export const ATTRIBUTES: readonly string[] = ["ImageAttributesLV!", "ImageAttributes!"];

/** The chunks of a file, and in words why its map was of no use, or `null`. */
export interface FoundChunks {
  /** Where they are. */
  readonly chunks: StoredChunks;
  /** Why they were searched for. */
  readonly fault: string | null;
}

/**
 * Finds the chunks by the map, or by walking from one to the next where the map is missing, damaged, or leads astray.
 *
 * @throws {DecodeFailed} there are more than the reader takes
 * @throws {Stopped}
 */
export function findChunks(file: ByteSource, stop: StopFlag): FoundChunks {
  const mapped = readMap(file, stop);
  if (typeof mapped !== "string") return { chunks: mapped, fault: null };
  return { chunks: walk(file, stop), fault: mapped };
}

/** The chunks that the map lists, or in words why it is of no use. */
function readMap(file: ByteSource, stop: StopFlag): StoredChunks | string {
  const tail = file.read(file.size - TAIL_BYTES, TAIL_BYTES, "the end of the file");
  if (nameAt(tail, 0) !== MAP_SIGNATURE) return "the file does not end with its place";
  const chunk = chunkAt(file, uint64(new DataView(tail.buffer), TAIL_BYTES - 8));
  if (typeof chunk === "string") return chunk;
  if (chunk.name !== MAP_NAME) return "its place is that of another chunk";
  if (chunk.stored > MAX_MAP_BYTES) {
    throw new DecodeFailed(`the chunk map has ${chunk.stored} bytes, more than ${MAX_MAP_BYTES}`);
  }
  const chunks = entriesOf(file.read(chunk.offset, chunk.stored, "the chunk map"), stop);
  if (typeof chunks === "string") return chunks;
  const attributes = chunks.find(ATTRIBUTES);
  if (attributes === null) return "it does not list the attributes of the image";
  const found = chunkAt(file, attributes.at);
  return typeof found === "string" || found.name !== attributes.name
    ? `the attributes of the image are not at ${attributes.at}, where it says`
    : chunks;
}

/** Name, u64 offset and u64 length of each chunk, until the signature; lengths can be wrong and are not used. */
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

/** The chunks in the order in which they lie in the file. */
function walk(file: ByteSource, stop: StopFlag): StoredChunks {
  const chunks = new StoredChunks();
  for (let at = 0, count = 0; at + CHUNK_HEAD_BYTES <= file.size; count += 1) {
    stop.check();
    if (count > MAX_CHUNKS) throw new DecodeFailed(`the file has more than ${MAX_CHUNKS} chunks`);
    // Padding lies in names or behind the data; what has none follows at once.
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

/** Offset of the next chunk that has a name and a place in the file, or `null`. */
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
