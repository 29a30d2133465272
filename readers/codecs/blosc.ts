/**
 * Decoder of Blosc 1 chunks, written here because the WebAssembly one answers zeros for damaged blocks.
 *
 * Layout (c-blosc, README_CHUNK_FORMAT.rst): version, version of the compressor, flags, type size, then three
 * little-endian uint32: decoded bytes, block size, encoded bytes of the whole chunk. Unless the data are stored
 * (flag 2), an int32 offset per block follows; a block is one stream or one per byte of the element, each with an
 * int32 length before it; a stream as long as its decoded form is stored. Flags 1 and 4: byte or bit shuffle
 * within each block; flag 16: never split; upper three bits: compressor.
 */
import { DecodeFailed } from "../errors.ts";
import { decodeBloscLz, decodeLz4 } from "./lz.ts";
import { shuffledBytes, unshuffleBits, unshuffleBytes } from "./shuffle.ts";
import { allocateRoom, type Room, type StreamKind, unpackAll } from "./compressed_stream.ts";

const HEADER_BYTES = 16;
/** Blocks of wider elements, or with streams shorter than this, are never split. */
const MAX_SPLITS = 16;
const MIN_STREAM_BYTES = 128;
/** A run of zstd, the best of the compressors, stands for 128 KiB with 4 bytes (RFC 8878, section 3.1.1.2). */
const MAX_EXPANSION = 32_768;

type Decompress = (source: Uint8Array, target: Uint8Array) => void;

const COMPRESSORS: Record<number, Decompress> = {
  0: decodeBloscLz,
  1: decodeLz4,
  3: (source, target) => unpackInto("zlib", source, target),
  4: (source, target) => unpackInto("zstd", source, target),
};

function unpackInto(kind: StreamKind, source: Uint8Array, target: Uint8Array): void {
  let decoded: Uint8Array;
  try {
    decoded = unpackAll(kind, source, target.length, () => target);
  } catch (cause) {
    throw new DecodeFailed(`a Blosc stream is damaged ${kind}: ${(cause as Error).message}`, { cause });
  }
  if (decoded.length !== target.length) {
    throw new DecodeFailed(`a Blosc stream decodes to ${decoded.length} bytes, ${target.length} are needed`);
  }
  if (decoded.buffer !== target.buffer) target.set(decoded);
}

/** What the header of a chunk says. */
interface BloscHeader {
  readonly stored: boolean;
  /** Undoes the shuffle of a block; `null` without one. */
  readonly unshuffle: typeof unshuffleBytes | null;
  /** Whether blocks may have one stream per byte of the elements. */
  readonly splits: boolean;
  readonly compressor: number;
  /** Bytes of an element. */
  readonly width: number;
  /** Bytes of the decoded chunk, and of each block but the last. */
  readonly size: number;
  readonly blockSize: number;
}

/**
 * Decodes one chunk.
 *
 * @param source the whole chunk
 * @param maxBytes largest decoded length that is acceptable
 * @param room gives the bytes that are filled
 * @throws {DecodeFailed} the chunk is damaged, short, or too large
 */
export function decodeBlosc(source: Uint8Array, maxBytes: number, room: Room = allocateRoom): Uint8Array {
  const header = readBloscHeader(source, maxBytes);
  const { size, blockSize, width, unshuffle } = header;
  if (header.stored) {
    if (HEADER_BYTES + size !== source.length) {
      throw new DecodeFailed(`a stored Blosc chunk of ${source.length} bytes declares ${size} bytes`);
    }
    const stored = room(size);
    stored.set(source.subarray(HEADER_BYTES));
    return stored;
  }
  if (size === 0) return new Uint8Array(0);
  const blocks = Math.ceil(size / blockSize);
  if (HEADER_BYTES + 4 * blocks > source.length) {
    throw new DecodeFailed(
      `a Blosc chunk of ${source.length} bytes cannot hold blocks of ${blockSize} bytes for ${size}`,
    );
  }
  const decompress = requireCompressor(header);
  const target = room(size);
  const scratch = unshuffle ? shuffledBytes(blockSize) : null;
  for (let block = 0; block < blocks; block += 1) {
    const start = block * blockSize;
    const goal = target.subarray(start, start + blockSize);
    const decoded = scratch ? scratch.subarray(0, goal.length) : goal;
    readBlock(source, block, decoded, countStreams(header, goal.length), decompress);
    if (unshuffle && goal.length >= width) unshuffle(decoded, goal, width);
    else if (scratch) goal.set(decoded);
  }
  return target;
}

function readBloscHeader(source: Uint8Array, maxBytes: number): BloscHeader {
  if (source.length < HEADER_BYTES) {
    throw new DecodeFailed(`a Blosc chunk of ${source.length} bytes has no whole header`);
  }
  const view = new DataView(source.buffer, source.byteOffset, source.byteLength);
  const [version, flags, width] = [view.getUint8(0), view.getUint8(2), view.getUint8(3)];
  const size = view.getUint32(4, true);
  const blockSize = view.getUint32(8, true);
  const encoded = view.getUint32(12, true);
  if ((flags & 8) !== 0) throw new DecodeFailed(`the Blosc flags are ${flags}, of which 8 is reserved`);
  if (version !== 1 && version !== 2) throw new DecodeFailed(`Blosc format ${version} is not supported`);
  if (encoded !== source.length) {
    throw new DecodeFailed(`the Blosc header declares ${encoded} bytes, the chunk has ${source.length}`);
  }
  if (size > maxBytes) {
    throw new DecodeFailed(`the Blosc header declares ${size} decoded bytes, more than ${maxBytes}`);
  }
  if (size > encoded * MAX_EXPANSION) {
    throw new DecodeFailed(`the Blosc header declares ${size} decoded bytes, which ${encoded} cannot hold`);
  }
  // c-blosc never writes this, and refuses it; a width of 0 would pass for data that are not shuffled.
  if (size > 0 && (width === 0 || blockSize === 0 || blockSize > size)) {
    throw new DecodeFailed(
      `the Blosc header declares elements of ${width} bytes in blocks of ${blockSize} for ${size}`,
    );
  }
  const shuffle = (flags & 4) !== 0 ? unshuffleBits : null;
  return {
    stored: (flags & 2) !== 0,
    unshuffle: (flags & 1) !== 0 && width > 1 ? unshuffleBytes : shuffle,
    splits: (flags & 16) === 0,
    compressor: flags >> 5,
    width,
    size,
    blockSize,
  };
}

function requireCompressor({ compressor }: BloscHeader): Decompress {
  const decompress = COMPRESSORS[compressor];
  if (decompress) return decompress;
  const name = compressor === 2 ? "snappy" : `number ${compressor}`;
  throw new DecodeFailed(`the Blosc compressor ${name} is not supported`);
}

/** Number of streams in a block of a given size. */
function countStreams({ splits, width, blockSize }: BloscHeader, length: number): number {
  const split = splits && length === blockSize && width <= MAX_SPLITS &&
    length / width >= MIN_STREAM_BYTES && length % width === 0;
  return split ? width : 1;
}

/** Decodes the streams of the n-th block, each into an equal part of `target`. */
function readBlock(
  source: Uint8Array,
  block: number,
  target: Uint8Array,
  streams: number,
  decompress: Decompress,
) {
  const view = new DataView(source.buffer, source.byteOffset, source.byteLength);
  const length = target.length / streams;
  let at = view.getInt32(HEADER_BYTES + 4 * block, true);
  for (let stream = 0; stream < streams; stream += 1) {
    const bytes = readStream(source, view, at);
    const goal = target.subarray(stream * length, (stream + 1) * length);
    if (bytes.length === length) goal.set(bytes);
    else decompress(bytes, goal);
    at += 4 + bytes.length;
  }
}

/** The bytes of the stream at an offset, which its length precedes. */
function readStream(source: Uint8Array, view: DataView, at: number): Uint8Array {
  const encoded = at >= HEADER_BYTES && at + 4 <= source.length ? view.getInt32(at, true) : -1;
  if (encoded <= 0 || at + 4 + encoded > source.length) {
    throw new DecodeFailed(
      `a Blosc stream at ${at} + ${encoded} does not fit its chunk (${source.length} bytes)`,
    );
  }
  return source.subarray(at + 4, at + 4 + encoded);
}
