/** Subblocks: the location of their samples in the file, their decoding, and which of their pixels are valid. */
import { type Extent, requireDecodable, wholePicture } from "../codecs/segment.ts";
import { DecodeFailed } from "../errors.ts";
import { type ByteSource, DecodedBytes } from "../io/byte_source.ts";
import { MAX_READ_STEP } from "../io/limits.ts";
import type { StopFlag } from "../io/stop_flag.ts";
import { largerMemory, NO_WORKING_MEMORY, type WorkingMemory } from "../reader.ts";
import { SAMPLE_BYTES } from "../samples/to_float32.ts";
import { addWarning, type Warning, warning } from "../warning.ts";
import { type Block, isPlain, type PixelMask, rowPixels, type StoredPixels } from "./block.ts";
import { DIMENSION_BYTES, ENTRY_BYTES, placeOf, type SubblockTable } from "./directory.ts";
import { ID, longAt, SEGMENT_HEAD, segmentIn } from "./segment.ts";
import { jpegColours, type PixelType, pixelTypeOf, type Storage, storageOf } from "./storage.ts";

/** A block of a plane, with its stored bytes. */
export interface StoredBlock {
  readonly block: Block;
  readonly pixel: PixelType;
  readonly file: ByteSource;
  readonly subblock: Subblock;
  readonly storage: Storage;
  /** Number of its rows in the file: all, or the first rows of a truncated line scan. */
  readonly rows: number;
  readonly what: string;
}

/** Largest decoded subblock in bytes: a plane of 2^28 float64 samples. */
const MAX_SUBBLOCK_BYTES = 2 ** 31 - 1;

/** Largest metadata of a subblock in bytes; a few hundred are usual. */
const MAX_SUBBLOCK_XML = 1 << 20;

/** Largest attachment of a subblock in bytes: a mask of 2^30 pixels. */
const MAX_BLOB_BYTES = 1 << 28;

/** Smallest number of data bytes before the metadata, and bytes of the sizes before the entry. */
const [LEAST_HEAD, SIZES] = [256, 16];

/** Offsets and sizes of the samples and the metadata of a subblock, and size of the attachment, which follows the samples. */
export interface Subblock {
  readonly data: number;
  readonly dataSize: number;
  readonly metadata: number;
  readonly metadataSize: number;
  readonly blobSize: number;
}

/** Reads the head of a subblock; `null` if it was deleted. */
function readSubblock(file: ByteSource, position: number, what: string): Subblock | null {
  const view = new DataView(file.read(position, SEGMENT_HEAD + SIZES + ENTRY_BYTES, what).buffer);
  const segment = segmentIn(view, position);
  if (segment.id === ID.deleted) return null;
  if (segment.id !== ID.subblock) throw new DecodeFailed(`${what} is not ${ID.subblock}`);
  const at = SEGMENT_HEAD;
  const [metadataSize, blobSize] = [view.getInt32(at, true), view.getInt32(at + 4, true)];
  const dataSize = longAt(view, at + 8);
  const dimensions = view.getInt32(at + SIZES + 28, true);
  const head = Math.max(LEAST_HEAD, SIZES + ENTRY_BYTES + DIMENSION_BYTES * dimensions);
  const needed = head + metadataSize + dataSize + blobSize;
  if (
    dimensions < 0 || metadataSize < 0 || blobSize < 0 || dataSize < 0 ||
    needed > Math.max(segment.used, segment.allocated)
  ) {
    const stated = `${metadataSize} bytes of metadata, ${dataSize} of samples and ${blobSize} of attachment`;
    throw new DecodeFailed(`${what} states ${stated} in a segment of ${segment.allocated} bytes`);
  }
  const metadata = segment.data + head;
  const data = metadata + metadataSize;
  return { data, dataSize, metadata, metadataSize, blobSize };
}

/** Stored form of the GUID `{CBE3EA67-5BFC-492B-A16A-ECE378031448}`. */
const MASK_CHUNK = "67eae3cbfc5b2b49a16aece378031448";

/** Bytes of a chunk before its payload: a GUID and a size. */
const CHUNK_HEAD = 20;

/** The mask of a subblock, or `null`. @throws {DecodeFailed} it is damaged or too large */
function readMask(file: ByteSource, subblock: Subblock, what: string): PixelMask | null {
  const { blobSize, metadata, metadataSize, data, dataSize } = subblock;
  if (blobSize < CHUNK_HEAD) return null;
  if (metadataSize > MAX_SUBBLOCK_XML || blobSize > MAX_BLOB_BYTES) {
    throw new DecodeFailed(`${what} has ${metadataSize} bytes of metadata and ${blobSize} of attachment`);
  }
  const xml = new TextDecoder().decode(file.read(metadata, metadataSize, what));
  const blob = file.read(data + dataSize, blobSize, `the attachment of ${what}`);
  // An attachment that starts with a mask is a list of chunks, even if the metadata do not say so.
  const chunks = blob.subarray(0, 16).toHex() === MASK_CHUNK || xml.includes("CHUNKCONTAINER");
  if (!chunks) return null;
  const view = new DataView(blob.buffer);
  for (let at = 0; at + CHUNK_HEAD <= blob.length;) {
    const size = view.getInt32(at + 16, true);
    if (size < 0 || at + CHUNK_HEAD + size > blob.length) {
      throw new DecodeFailed(`the attachment of ${what} has a chunk of ${size} bytes at ${at}`);
    }
    if (blob.subarray(at, at + 16).toHex() === MASK_CHUNK) {
      return maskIn(blob.subarray(at + CHUNK_HEAD, at + CHUNK_HEAD + size), what);
    }
    at += CHUNK_HEAD + size;
  }
  return null;
}

function maskIn(payload: Uint8Array, what: string): PixelMask {
  const view = new DataView(payload.buffer, payload.byteOffset, payload.byteLength);
  const at = (place: number) => payload.length < 16 ? -1 : view.getInt32(place, true);
  const [width, height, kind, stride] = [at(0), at(4), at(8), at(12)];
  const fits = width >= 0 && height >= 0 && kind === 0 && stride >= Math.ceil(width / 8) &&
    height * stride <= payload.length - 16;
  if (!fits) {
    const size = `${width} x ${height} pixels in ${payload.length} bytes`;
    throw new DecodeFailed(`the mask of ${what} states ${size}`);
  }
  // One bit per pixel, the highest bit first.
  return (x, y) =>
    x < width && y < height && (payload[16 + y * stride + (x >> 3)]! & (0x80 >> (x & 7))) !== 0;
}

/**
 * Locates the bytes of a block; `null` if it was deleted, or if a line scan was truncated before it.
 *
 * @param mayBeCut whether rows may be missing at the end of the file, as in a truncated line scan
 * @throws {DecodeFailed} the bytes lie outside the file, are too few, or use an unsupported compression
 */
export async function findBlock(
  block: Block,
  table: SubblockTable,
  file: ByteSource,
  mayBeCut: boolean,
  warnings: Warning[],
): Promise<StoredBlock | null> {
  const facts = table.facts(block.entry);
  const what = placeOf(facts);
  const pixel = pixelTypeOf(facts.pixelType);
  if (mayBeCut && facts.position >= 0 && facts.position + SEGMENT_HEAD + LEAST_HEAD > file.size) return null;
  const subblock = readSubblock(file, facts.position, what);
  if (subblock === null) return null;
  const { data, dataSize } = subblock;
  const needed = block.pixels * pixel.bytes;
  // Some writers leave pixels raw despite the code. A stream may also happen to be as long as the pixels.
  const start = STREAM_STARTS[facts.compression];
  const isStream = start !== undefined && data + dataSize <= file.size &&
    start.test(file.read(data, Math.min(dataSize, 8), what).toHex());
  const raw = dataSize === needed && !isStream;
  const storage = await storageOf(raw ? 0 : facts.compression, what);
  if (storage.doubtful) {
    const text = `Subblocks have compression ${facts.compression} (raw data of the system), read as pixels`;
    addWarning(warnings, warning("samples_doubtful", text));
  }
  const found = { block, pixel, file, subblock, storage, what };
  if (storage.codec === null) {
    if (dataSize > needed) {
      const sizes = `${dataSize} bytes, but its pixels take ${needed}`;
      addWarning(
        warnings,
        warning("metadata_disagree", `The ${what} stores ${sizes}; the rest is not served`),
      );
    }
    return { ...found, rows: rawRows(found, needed, mayBeCut) };
  }
  if (mayBeCut && data + dataSize > file.size) return { ...found, rows: 0 };
  file.require(data, dataSize, what);
  const extent = extentOf(found);
  if (extent.bytes > MAX_SUBBLOCK_BYTES) {
    throw new DecodeFailed(`${what} declares ${extent.bytes} bytes, more than ${MAX_SUBBLOCK_BYTES}`);
  }
  requireDecodable(storage.codec, extent, what);
  return { ...found, rows: block.height };
}

/** First bytes of the streams of a compression code, after a header of 0, 1 or 3 bytes. */
const STREAM_STARTS: Readonly<Record<number, RegExp>> = {
  1: /^ffd8ff/,
  4: /^4949bc/,
  5: /^28b52ffd/,
  6: /^(?:01|0301..)28b52ffd/,
};

/** Number of raw rows in the file. @throws {DecodeFailed} rows are missing although `mayBeCut` is false */
function rawRows(
  { block, pixel, file, subblock, what }: Omit<StoredBlock, "rows">,
  needed: number,
  mayBeCut: boolean,
): number {
  const { data, dataSize } = subblock;
  const stored = Math.max(0, Math.min(dataSize, file.size - data));
  if (stored >= needed) return block.height;
  if (mayBeCut && isPlain(block)) {
    const pixels = Math.floor(stored / pixel.bytes) - block.first - block.width;
    const rows = Math.floor(pixels / Math.max(1, block.rowStep)) + 1;
    return Math.min(Math.max(rows, 0), block.height);
  }
  if (dataSize < needed) {
    throw new DecodeFailed(`${what} holds ${dataSize} bytes, but its pixels need ${needed}`);
  }
  file.require(data, needed, what);
  return block.height;
}

/** The size of a subblock's picture, which has the rows of all indices that it spans, one below the other. */
function extentOf({ block, pixel, subblock }: Pick<StoredBlock, "block" | "pixel" | "subblock">): Extent {
  const { storedWidth: width, pixels } = block;
  const { samples, bytes } = pixel;
  return { stored: subblock.dataSize, width, rows: pixels / width, samples, bytes: pixels * bytes };
}

/** Memory that painting a block needs besides the planes. */
export function workingMemory(stored: StoredBlock): WorkingMemory {
  const { block, pixel, storage: { codec }, subblock } = stored;
  const mask = { bytes: subblock.blobSize + subblock.metadataSize, endsWithWorker: false };
  if (codec) {
    const bytes = codec.workingBytes(extentOf(stored));
    return { bytes: bytes + mask.bytes, endsWithWorker: codec.endsWithWorker ?? false };
  }
  const row = rowPixels(block) * pixel.bytes + 8 * block.width;
  const needed = row > MAX_READ_STEP ? { bytes: row, endsWithWorker: false } : NO_WORKING_MEMORY;
  return subblock.blobSize > 0 ? largerMemory(needed, mask) : needed;
}

/** Opens the pixels of a block and decodes them if they are compressed. @throws {DecodeFailed | Stopped} */
export async function openPixels(stored: StoredBlock, stop: StopFlag): Promise<StoredPixels> {
  const { pixel, file, subblock, storage, what } = stored;
  const mask = subblock.blobSize > 0 ? readMask(file, subblock, what) : null;
  if (storage.codec === null) return { pixel, mask, source: file, start: subblock.data, what };
  const input = file.read(subblock.data, subblock.dataSize, what);
  const { sampleType, samples } = pixel;
  const segment = wholePicture(extentOf(stored), {
    settings: {
      bits: Array.from({ length: samples }, () => 8 * SAMPLE_BYTES[sampleType]),
      kind: sampleType.startsWith("float") ? "float" : sampleType.startsWith("int") ? "int" : "uint",
      colours: samples === 3 ? jpegColours(input) : null,
    },
    what,
    stop,
  });
  const decoded = await storage.codec.decode(input, segment);
  return { pixel, mask, source: new DecodedBytes(decoded, what), start: 0, what };
}
