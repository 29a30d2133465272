/**
 * Decoded chunks of the plane that this thread decoded last. Chunks of volumes hold samples of further planes, which clients ask for
 * next.
 */

/** Most bytes that are kept. Further chunks are decoded again for each plane. */
export const MOST_CHUNK_BYTES = 64 << 20;

interface LastChunk {
  readonly bytes: Uint8Array;
  /** Number of the last plane that used it. */
  plane: number;
}

/** Chunks of one file, by their addresses. */
const chunks = new Map<number, LastChunk>();
let owner: object | null = null;
let planes = 0;
let total = 0;

/** Begins another plane of a file; chunks of other files are dropped. */
export function beginPlane(file: object): void {
  if (file !== owner) dropLastChunks();
  owner = file;
  planes += 1;
}

/** A chunk of the last plane or of this one. */
export function findLastChunk(address: number): Uint8Array | undefined {
  const found = chunks.get(address);
  if (found !== undefined) found.plane = planes;
  return found?.bytes;
}

/** Keeps a chunk of this plane, in place of those of earlier planes, if there is room for it. */
export function keepLastChunk(address: number, bytes: Uint8Array): void {
  for (const [other, { bytes: { byteLength }, plane }] of chunks) {
    if (total + bytes.byteLength <= MOST_CHUNK_BYTES) break;
    if (plane === planes) continue;
    chunks.delete(other);
    total -= byteLength;
  }
  if (total + bytes.byteLength > MOST_CHUNK_BYTES) return;
  chunks.set(address, { bytes, plane: planes });
  total += bytes.byteLength;
}

/** Bytes of the kept chunks. */
export const countLastChunkBytes = (): number => total;

/** Frees all chunks. */
export function dropLastChunks(): void {
  chunks.clear();
  owner = null;
  total = 0;
}
