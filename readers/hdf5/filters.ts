/**
 * Filters of chunks. The library undoes deflate, shuffle and Fletcher-32; chunks with LZ4, Zstandard or Blosc are decoded here.
 * Other filters are refused by name.
 *
 * When a deflate stream ends early, the library fills the rest of the chunk with whatever its memory holds. Each stream is
 * therefore decoded a second time, to measure it.
 */
import { decodeBlosc } from "../codecs/blosc.ts";
import { StreamTooLong, unpack, unpackAll } from "../codecs/compressed_stream.ts";
import { decodeLz4 } from "../codecs/lz.ts";
import { unshuffleBytes } from "../codecs/shuffle.ts";
import { DecodeFailed, quoted } from "../errors.ts";
import { inflatesTo } from "../io/runtime_internals.ts";
import type { Dataset } from "./dataset.ts";
import type { Filter } from "./library.ts";

/** Identifiers of filters; those above 32,000 are registered with The HDF Group. */
const [DEFLATE, SHUFFLE, FLETCHER32, BLOSC, LZ4, ZSTD] = [1, 2, 3, 32_001, 32_004, 32_015];

const OF_LIBRARY: readonly number[] = [DEFLATE, SHUFFLE, FLETCHER32];

/** Undoes a filter; the result has exactly `size` bytes. @throws {Error} the bytes are damaged */
type Undo = (stored: Uint8Array, size: number, filter: Filter, width: number) => Uint8Array;

const UNDO: Readonly<Record<number, Undo>> = {
  [DEFLATE]: (stored, size) => unpackAll("zlib", stored, size),
  [ZSTD]: (stored, size) => unpackAll("zstd", stored, size),
  [BLOSC]: (stored, size) => decodeBlosc(stored, size),
  [LZ4]: undoLz4,
  [SHUFFLE](stored, size, { cd_values: [own] }, width) {
    const target = new Uint8Array(size);
    unshuffleBytes(stored, target, own || width);
    return target;
  },
};

/** Checks that the chunks of a dataset can be decoded. @throws {DecodeFailed} with the name of a filter that cannot be undone */
export function requireFilters({ path, filters }: Dataset): void {
  const isForeign = !filters.every(({ id }) => OF_LIBRARY.includes(id));
  const unknown = filters.find(({ id }) => isForeign ? UNDO[id] === undefined : !OF_LIBRARY.includes(id));
  if (unknown === undefined) return;
  const { id, name } = unknown;
  throw new DecodeFailed(
    `${path} is compressed with filter ${id} (${quoted(name.slice(0, 80))}), which is not read`,
  );
}

/** Whether chunks are decoded here. */
export const hasForeignFilter = ({ filters }: Dataset): boolean =>
  !filters.every(({ id }) => OF_LIBRARY.includes(id));

/** Decodes a chunk of `size` bytes. @throws {DecodeFailed} it is damaged, or decodes to another size */
export function decodeChunk({ path, filters, width }: Dataset, stored: Uint8Array, size: number): Uint8Array {
  const what = `a chunk of ${path}`;
  let bytes = stored;
  for (const filter of filters.toReversed()) {
    try {
      bytes = UNDO[filter.id]!(bytes, size, filter, width);
    } catch (cause) {
      throw new DecodeFailed(`${what} cannot be decoded (filter ${filter.id}): ${(cause as Error).message}`, {
        cause,
      });
    }
    if (bytes.length !== size) {
      throw new DecodeFailed(`${what} decodes to ${bytes.length} bytes, ${size} are needed`);
    }
  }
  return bytes;
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
export const chunkBytes = ({ chunks, width }: Dataset): number =>
  chunks === null ? 0 : chunks.reduce((product, length) => product * length, width);

/** Most bytes of a stored chunk: bytes that cannot be compressed grow a little. */
export const mostStored = (bytes: number): number => bytes + (bytes >> 3) + 65_536;

/** Whether the stored chunks are deflate streams, perhaps with a checksum behind them. */
function endsInDeflate({ filters }: Dataset): boolean {
  const ids = filters.map(({ id }) => id).filter((id) => id !== FLETCHER32);
  return ids.at(-1) === DEFLATE && ids.every((id) => id === DEFLATE || id === SHUFFLE);
}

/**
 * Checks what the library read of a dataset. Bytes that are no deflate stream pass: they belong to the index of the chunks, or to a
 * chunk that was stored without compression.
 *
 * @throws {DecodeFailed} a deflate stream decodes to another size than a chunk has
 */
export function requireWholeStream(dataset: Dataset, stored: Uint8Array): void {
  const size = chunkBytes(dataset);
  if (!endsInDeflate(dataset) || stored.length > mostStored(size)) return;
  const { path, filters } = dataset;
  // RFC 1950, section 2.2: method 8, and a multiple of 31.
  const isZlib = stored.length > 2 && (stored[0]! & 0x0f) === 8 && (stored[0]! * 256 + stored[1]!) % 31 === 0;
  if (!isZlib) return;
  const checksum = filters.some(({ id }) => id === FLETCHER32) ? 4 : 0;
  const stream = stored.subarray(0, stored.length - checksum);
  if (inflatesTo(stream, size)) return;
  let length: number;
  try {
    length = unpack("zlib", stream.slice(), size).bytes.length;
  } catch (error) {
    if (!(error instanceof StreamTooLong)) return;
    throw new DecodeFailed(`a chunk of ${path} decodes to more than ${size} bytes`);
  }
  if (length !== size) {
    throw new DecodeFailed(`a chunk of ${path} decodes to ${length} bytes, ${size} are needed`);
  }
}
