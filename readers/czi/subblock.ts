/** Subblocks: the location of their samples in the file, their decoding, and which of their pixels are valid. */
import {
  type Codec,
  damagedSegment,
  type LargestSegment,
  requireDecodable,
  wholePicture,
} from "../codecs/segment.ts";
import { joinBytePlanes } from "../codecs/shuffle.ts";
import { zstd } from "../codecs/zlib.ts";
import { DecodeFailed } from "../errors.ts";
import { type ByteSource, DecodedBytes } from "../io/byte_source.ts";
import { MAX_READ_STEP } from "../io/limits.ts";
import type { StopFlag } from "../io/stop_flag.ts";
import type { WorkingMemory } from "../reader.ts";
import { SAMPLE_BYTES } from "../samples/to_float32.ts";
import { addWarning, type Warning, warning } from "../warning.ts";
import { countRowPixels, isUnscaled, type Pixels, type PlaneBlock, type StoredBlock } from "./block.ts";
import { DIMENSION_BYTES, ENTRY_BYTES, type Subblock } from "./directory.ts";
import { HELP, requirePixelType } from "./scene.ts";
import { ID, longAt, SEGMENT_HEAD, segmentIn } from "./segment.ts";

/** Largest decoded subblock in bytes: a plane of 2^28 float64 samples. */
const MAX_SUBBLOCK_BYTES = 2 ** 31 - 1;

/** Largest metadata and attachment of a subblock with a mask in bytes: a mask of 2^30 pixels. */
const MAX_MASK_BYTES = 1 << 28;

/** Smallest number of data bytes before the metadata, and bytes of the sizes before the entry. */
const [LEAST_HEAD, SIZES] = [256, 16];

type Bytes = Pick<StoredBlock, "data" | "dataSize" | "blobSize" | "metadata" | "metadataSize">;

/** Reads the head of a subblock; `null` if it was deleted. */
function readSubblock(file: ByteSource, position: number, what: string): Bytes | null {
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
    Math.min(dimensions, metadataSize, blobSize, dataSize) < 0 ||
    needed > Math.max(segment.used, segment.allocated)
  ) {
    const stated = `${metadataSize} bytes of metadata, ${dataSize} of samples and ${blobSize} of attachment`;
    throw new DecodeFailed(`${what} states ${stated} in a segment of ${segment.allocated} bytes`);
  }
  const metadata = segment.data + head;
  return { data: metadata + metadataSize, dataSize, blobSize, metadata, metadataSize };
}

/** First compression code for raw data of the system, which is undefined; the samples are assumed to be raw. */
const SYSTEM_RAW = 1000;

/** Compression codes (JPEG, JPEG XR) whose decoders give colours as red, green, blue. */
const RED_FIRST: readonly number[] = [1, 4];

/** The codec for a compression code; `null` for raw samples. @param what name of the subblock in messages @throws {DecodeFailed} it is unsupported */
async function codecOf(code: number, what: string): Promise<Codec | null> {
  if (code === 0 || code >= SYSTEM_RAW) return null;
  if (code === 1) return (await import("../codecs/jpeg.ts")).jpeg;
  if (code === 2) return (await import("../codecs/lzw.ts")).lzw;
  if (code === 4) return (await import("../codecs/jpegxr.ts")).jpegXr;
  if (code === 5) return zstd;
  if (code === 6) return zstdWithHeader;
  throw new DecodeFailed(`${what} has compression ${code}, which is not supported (${HELP})`);
}

/**
 * A zstd stream after a header, whose first byte is the header's length. The lowest bit of its chunk 1 states whether the stream
 * holds all low bytes of 16-bit samples, then all high bytes.
 */
const zstdWithHeader: Codec = {
  ...zstd,
  workingBytes: (extent) => zstd.workingBytes(extent) + extent.bytes,
  async decode(input, segment) {
    const [length = 0, chunk, flags = 0] = input;
    if (length !== 1 && !(length === 3 && chunk === 1 && input.length > 2)) {
      throw damagedSegment(segment, zstd.title, `its header ${input.subarray(0, 3).toHex()} is unknown`);
    }
    const split = length === 3 && (flags & 1) !== 0;
    const bits = segment.settings.bits[0];
    if (split && bits !== 16) {
      throw damagedSegment(segment, zstd.title, `it splits the bytes of samples of ${bits} bits`);
    }
    const decoded = await zstd.decode(input.subarray(length), segment);
    if (!split) return decoded;
    const joined = new Uint8Array(segment.bytes);
    joinBytePlanes(decoded.subarray(0, segment.bytes), 0, joined, 2);
    return joined;
  },
};

/** Stored form of the GUID `{CBE3EA67-5BFC-492B-A16A-ECE378031448}`. */
const MASK_CHUNK = "67eae3cbfc5b2b49a16aece378031448";

const CHUNK_HEAD = 20;

/** The mask of a subblock, or `null`. @throws {DecodeFailed} it is damaged or too large */
function readMask({ file, what, ...subblock }: StoredBlock): Pixels["mask"] {
  const { blobSize, metadata, metadataSize, data, dataSize } = subblock;
  if (blobSize < CHUNK_HEAD) return null;
  if (metadataSize + blobSize > MAX_MASK_BYTES) {
    throw new DecodeFailed(`${what} has ${metadataSize} bytes of metadata and ${blobSize} of attachment`);
  }
  const xml = new TextDecoder().decode(file.read(metadata, metadataSize, what));
  const blob = file.read(data + dataSize, blobSize, `the attachment of ${what}`);
  const idAt = (at: number) => blob.subarray(at, at + 16).toHex();
  // An attachment that starts with a mask is a list of chunks, even if the metadata do not say so.
  if (idAt(0) !== MASK_CHUNK && !xml.includes("CHUNKCONTAINER")) return null;
  const view = new DataView(blob.buffer);
  for (let at = 0; at + CHUNK_HEAD <= blob.length;) {
    const [start, size] = [at + CHUNK_HEAD, view.getInt32(at + 16, true)];
    if (size < 0 || start + size > blob.length) {
      throw new DecodeFailed(`the attachment of ${what} has a chunk of ${size} bytes at ${at}`);
    }
    if (idAt(at) === MASK_CHUNK) return maskIn(blob.subarray(start, start + size), what);
    at = start + size;
  }
  return null;
}

function maskIn(payload: Uint8Array, what: string): Pixels["mask"] {
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
 * Locates the bytes of a subblock's block; `null` if it was deleted, or if a line scan was truncated before it.
 *
 * @param mayBeCut whether rows may be missing at the end of the file, as in a truncated line scan
 * @throws {DecodeFailed} the bytes lie outside the file, are too few, or use an unsupported compression
 */
export async function findBlock(
  block: PlaneBlock,
  { position, part, pixelType, compression }: Subblock,
  file: ByteSource,
  mayBeCut: boolean,
  warnings: Warning[],
): Promise<StoredBlock | null> {
  const what = `subblock at ${position}${part === 0 ? "" : ` of part ${part}`}`;
  const pixel = requirePixelType(pixelType);
  if (mayBeCut && position >= 0 && position + SEGMENT_HEAD + LEAST_HEAD > file.size) return null;
  const subblock = readSubblock(file, position, what);
  if (subblock === null) return null;
  const { data, dataSize } = subblock;
  const needed = block.pixels * pixel.bytes;
  // Some writers leave pixels raw despite the code. A stream may also happen to be as long as the pixels.
  const start = STREAM_STARTS[compression];
  const isStream = start !== undefined && data + dataSize <= file.size &&
    start.test(file.read(data, Math.min(dataSize, 8), what).toHex());
  const code = dataSize === needed && !isStream ? 0 : compression;
  const codec = await codecOf(code, what);
  if (code >= SYSTEM_RAW) {
    const text = `Subblocks have compression ${code} (raw data of the system), read as pixels`;
    addWarning(warnings, warning("samples_doubtful", text));
  }
  const blueFirst = pixel.samples > 1 && !RED_FIRST.includes(code);
  const found = { ...block, ...subblock, pixel, file, codec, blueFirst, rows: block.height, what };
  if (codec === null) {
    if (dataSize > needed) {
      const text =
        `The ${what} stores ${dataSize} bytes, but its pixels take ${needed}; the rest is not served`;
      addWarning(warnings, warning("metadata_disagree", text));
    }
    return { ...found, rows: rawRows(found, needed, mayBeCut) };
  }
  if (mayBeCut && data + dataSize > file.size) return { ...found, rows: 0 };
  file.require(data, dataSize, what);
  const extent = extentOf(found);
  if (extent.bytes > MAX_SUBBLOCK_BYTES) {
    throw new DecodeFailed(`${what} declares ${extent.bytes} bytes, more than ${MAX_SUBBLOCK_BYTES}`);
  }
  requireDecodable(codec, extent, what);
  return found;
}

/** First bytes of the streams of a compression code, after a header of 0, 1 or 3 bytes. */
const STREAM_STARTS: Readonly<Record<number, RegExp>> = {
  1: /^ffd8ff/,
  4: /^4949bc/,
  5: /^28b52ffd/,
  6: /^(?:01|0301..)28b52ffd/,
};

/** Number of raw rows in the file. @throws {DecodeFailed} rows are missing although `mayBeCut` is false */
function rawRows(block: StoredBlock, needed: number, mayBeCut: boolean): number {
  const { data, dataSize, file, height, what } = block;
  const stored = Math.min(dataSize, file.size - data);
  if (stored >= needed) return height;
  if (mayBeCut && isUnscaled(block)) {
    const pixels = Math.floor(stored / block.pixel.bytes) - block.first - block.width;
    const rows = Math.floor(pixels / Math.max(1, block.rowStep)) + 1;
    return Math.min(Math.max(rows, 0), height);
  }
  file.require(data, dataSize, what);
  throw new DecodeFailed(`${what} holds ${dataSize} bytes, but its pixels need ${needed}`);
}

/** The size of a subblock's picture, which has the rows of all indices that it spans, one below the other. */
const extentOf = ({ storedWidth: width, pixels, pixel, dataSize }: StoredBlock): LargestSegment => ({
  ...{ stored: dataSize, width, rows: pixels / width },
  ...{ samples: pixel.samples, bytes: pixels * pixel.bytes },
});

/** Memory that painting a block needs besides the planes. */
export function workingMemory(block: StoredBlock): WorkingMemory {
  const { codec, pixel, blobSize, metadataSize } = block;
  const mask = blobSize > 0 ? blobSize + metadataSize : 0;
  const row = countRowPixels(block) * pixel.bytes + 8 * block.width;
  const bytes = codec?.workingBytes(extentOf(block)) ?? (row > MAX_READ_STEP ? row : 0);
  return { bytes: bytes + mask, endsWithWorker: codec?.endsWithWorker ?? false };
}

/** Opens the pixels of a block and decodes them if they are compressed. @throws {DecodeFailed | Stopped} */
export async function openPixels(block: StoredBlock, stop: StopFlag): Promise<Pixels> {
  const { pixel: { sampleType, samples }, file, data, dataSize, codec, what } = block;
  const mask = readMask(block);
  if (codec === null) return { mask, source: file, start: data };
  const input = file.read(data, dataSize, what);
  const segment = wholePicture(extentOf(block), {
    settings: {
      bits: new Array(samples).fill(8 * SAMPLE_BYTES[sampleType]),
      kind: sampleType.startsWith("float") ? "float" : sampleType.startsWith("int") ? "int" : "uint",
      colours: "stream",
    },
    what,
    stop,
  });
  return { mask, source: new DecodedBytes(await codec.decode(input, segment), what), start: 0 };
}
