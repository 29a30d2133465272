/** Filters of chunks: deflate, shuffle, Fletcher-32, LZ4, Zstandard and Blosc. Others are refused by name. */
import { decodeBlosc } from "../codecs/blosc.ts";
import { StreamTooLong, unpack, unpackAll } from "../codecs/compressed_stream.ts";
import { decodeLz4 } from "../codecs/lz.ts";
import { unshuffleBytes } from "../codecs/shuffle.ts";
import { DecodeFailed, quoted } from "../errors.ts";
import type { Dataset } from "./dataset.ts";
import type { Filter } from "./layout.ts";

/** Identifiers of filters; those above 32,000 are registered with The HDF Group. */
const [DEFLATE, SHUFFLE, FLETCHER32, BLOSC, LZ4, ZSTD] = [1, 2, 3, 32_001, 32_004, 32_015];

/** Undoes a filter; the result has exactly `size` bytes. @throws {Error} the bytes are damaged */
type Undo = (stored: Uint8Array, size: number, filter: Filter, width: number) => Uint8Array;

const UNDO: Readonly<Record<number, Undo>> = {
  // Bytes behind the stream are allowed.
  [DEFLATE]: (stored, size) => unpack("zlib", stored, size).bytes,
  [ZSTD]: (stored, size) => unpackAll("zstd", stored, size),
  [BLOSC]: (stored, size) => decodeBlosc(stored, size),
  [LZ4]: undoLz4,
  [FLETCHER32]: undoFletcher32,
  [SHUFFLE](stored, _size, { cd_values: [own] }, width) {
    const target = new Uint8Array(stored.length);
    unshuffleBytes(stored, target, own || width);
    return target;
  },
};

/** Checks that the chunks of a dataset can be decoded. @throws {DecodeFailed} with the name of a filter that cannot be undone */
export function requireFilters({ path, filters }: Dataset): void {
  const unknown = filters.find(({ id }) => UNDO[id] === undefined);
  if (unknown === undefined) return;
  const { id, name } = unknown;
  throw new DecodeFailed(
    `${path} is compressed with filter ${id} (${quoted(name.slice(0, 80))}), which is not read`,
  );
}

/**
 * Decodes a chunk of `size` bytes.
 *
 * @param mask has bit i set if filter i was left out
 * @throws {DecodeFailed} it is damaged, or decodes to another size
 */
export function decodeChunk(
  { path, filters, width }: Dataset,
  stored: Uint8Array,
  { size, mask }: { readonly size: number; readonly mask: number },
): Uint8Array {
  const what = `a chunk of ${path}`;
  const applied = filters.filter((_, i) => (mask >> i & 1) === 0);
  let bytes = stored;
  for (let i = applied.length - 1; i >= 0; i -= 1) {
    const before = applied.slice(0, i).map(({ id }) => id);
    // The next filter stores the checksum of the one before it like other bytes.
    const own = size + CHECKSUM_BYTES * before.filter((id) => id === FLETCHER32).length;
    const isKnown = before.every((id) => id === SHUFFLE || id === FLETCHER32);
    bytes = undoFilter(what, applied[i]!, bytes, { size: isKnown ? own : boundStored(size), isKnown, width });
  }
  if (bytes.length !== size) throw new DecodeFailed(`${what} has ${bytes.length} bytes, ${size} are needed`);
  return bytes;
}

function undoFilter(
  what: string,
  filter: Filter,
  stored: Uint8Array,
  { size, isKnown, width }: { readonly size: number; readonly isKnown: boolean; readonly width: number },
): Uint8Array {
  let bytes: Uint8Array;
  try {
    bytes = UNDO[filter.id]!(stored, size, filter, width);
  } catch (cause) {
    if (cause instanceof StreamTooLong) throw new DecodeFailed(`${what} decodes to more than ${size} bytes`);
    throw new DecodeFailed(`${what} cannot be decoded (filter ${filter.id}): ${(cause as Error).message}`, {
      cause,
    });
  }
  if (isKnown && bytes.length !== size) {
    throw new DecodeFailed(`${what} decodes to ${bytes.length} bytes, ${size} are needed`);
  }
  return bytes;
}

/** Bytes of a checksum of Fletcher. */
const CHECKSUM_BYTES = 4;

/** Compares the checksum behind the bytes. Version 1.6.2 of the library stored its halves with their bytes swapped. */
function undoFletcher32(stored: Uint8Array): Uint8Array {
  if (stored.length < CHECKSUM_BYTES) throw new Error("it has no checksum");
  const bytes = stored.subarray(0, -CHECKSUM_BYTES);
  const stated = new DataView(stored.buffer, stored.byteOffset + bytes.length).getUint32(0, true);
  const own = computeFletcher32(bytes);
  const swapped = (own >>> 8 & 0x00ff00ff | (own & 0x00ff00ff) << 8) >>> 0;
  if (stated !== own && stated !== swapped) throw new Error("its checksum is wrong");
  return bytes;
}

/** The checksum of Fletcher of big-endian words of 16 bits. */
function computeFletcher32(bytes: Uint8Array): number {
  let [low, high] = [0, 0];
  const fold = (sum: number) => (sum & 0xffff) + (sum >>> 16);
  for (let i = 0; i < bytes.length; i += 2) {
    low += bytes[i]! << 8 | (bytes[i + 1] ?? 0);
    high += low;
    // Sums of this many words stay below 2^32.
    if (i % 512 === 510) [low, high] = [fold(low), fold(high)];
  }
  [low, high] = [fold(fold(low)), fold(fold(high))];
  return (high << 16 | low) >>> 0;
}

/** Blocks with their sizes before them, after the size of the whole and of a block, all big-endian. */
function undoLz4(stored: Uint8Array, size: number): Uint8Array {
  const view = new DataView(stored.buffer, stored.byteOffset, stored.length);
  if (stored.length < 12 || view.getBigUint64(0) !== BigInt(size)) {
    throw new Error("its header states another size");
  }
  const block = view.getUint32(8);
  if (block === 0) throw new Error("its blocks are empty");
  const target = new Uint8Array(size);
  let from = 12;
  for (let to = 0; to < size; to += block) {
    const part = target.subarray(to, to + block);
    if (from + 4 > stored.length) throw new Error("it ends before its last block");
    const length = view.getUint32(from);
    from += 4;
    const source = stored.subarray(from, from + length);
    if (source.length !== length) throw new Error("it ends within a block");
    if (length === part.length) part.set(source);
    else decodeLz4(source, part);
    from += length;
  }
  if (from !== stored.length) throw new Error(`${stored.length - from} bytes follow its last block`);
  return target;
}

/** Bytes of a decoded chunk; 0 for a dataset without chunks. */
export const countChunkBytes = ({ chunks, width }: Dataset): number =>
  chunks === null ? 0 : chunks.reduce((product, length) => product * length, width);

/** Most bytes of a stored chunk: bytes that cannot be compressed grow a little. */
export const boundStored = (bytes: number): number => bytes + (bytes >> 3) + 65_536;
