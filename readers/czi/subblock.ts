/** A subblock: where its samples are, and which of its pixels are valid. */
import type { ByteSource } from "../io/byte_source.ts";
import { DecodeFailed } from "../errors.ts";
import { ID, longAt, SEGMENT_HEAD, segmentIn } from "./segment.ts";
import { DIMENSION_BYTES, ENTRY_BYTES } from "./subblock_table.ts";

/** Bytes of the metadata of one subblock; a few hundred are usual. */
const MAX_SUBBLOCK_XML = 1 << 20;

/** Bytes of the attachment of one subblock: a mask of 2^30 pixels. */
const MAX_BLOB_BYTES = 1 << 28;

/** Least bytes of data before the metadata. */
const LEAST_HEAD = 256;

/** Bytes of the sizes before the entry. */
const SIZES = 16;

/** Where the parts of a subblock are in its file. */
export interface Subblock {
  /** Offset of the samples. */
  readonly data: number;
  /** Bytes of the samples. */
  readonly dataSize: number;
  /** Offset of the metadata. */
  readonly metadata: number;
  /** Bytes of the metadata. */
  readonly metadataSize: number;
  /** Bytes of the attachment, which follows the samples. */
  readonly blobSize: number;
}

/**
 * Reads the head of a subblock.
 *
 * @param what names it in messages
 * @returns `null` if it was deleted
 * @throws {DecodeFailed} it lies outside the file, is not a subblock, or its sizes are impossible
 */
export function readSubblock(file: ByteSource, position: number, what: string): Subblock | null {
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
    throw new DecodeFailed(
      `${what} states ${metadataSize} bytes of metadata, ${dataSize} of samples and ${blobSize} of attachment in a ` +
        `segment of ${segment.allocated} bytes`,
    );
  }
  const metadata = segment.data + head;
  const data = metadata + metadataSize;
  return { data, dataSize, metadata, metadataSize, blobSize };
}

/** True for the stored pixels that are painted. */
export type PixelMask = (x: number, y: number) => boolean;

/** `{CBE3EA67-5BFC-492B-A16A-ECE378031448}` as it is stored. */
const MASK_CHUNK = "67eae3cbfc5b2b49a16aece378031448";

/** Bytes of a chunk before its payload: a GUID and a size. */
const CHUNK_HEAD = 20;

/** The mask of a subblock, or `null`. @throws {DecodeFailed} it is damaged or too large */
export function readMask(file: ByteSource, subblock: Subblock, what: string): PixelMask | null {
  const { blobSize, metadata, metadataSize, data, dataSize } = subblock;
  if (blobSize < CHUNK_HEAD) return null;
  if (metadataSize > MAX_SUBBLOCK_XML || blobSize > MAX_BLOB_BYTES) {
    throw new DecodeFailed(`${what} has ${metadataSize} bytes of metadata and ${blobSize} of attachment`);
  }
  const xml = new TextDecoder().decode(file.read(metadata, metadataSize, what));
  const blob = file.read(data + dataSize, blobSize, `the attachment of ${what}`);
  // An attachment that starts with a mask is a list of chunks, whatever the metadata say.
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
  const [width, height, kind, stride] = payload.length < 16
    ? [0, 0, -1, 0]
    : [0, 4, 8, 12].map((at) => view.getInt32(at, true)) as [number, number, number, number];
  const fits = width >= 0 && height >= 0 && kind === 0 && stride >= Math.ceil(width / 8) &&
    height * stride <= payload.length - 16;
  if (!fits) {
    throw new DecodeFailed(
      `the mask of ${what} states ${width} x ${height} pixels in ${payload.length} bytes`,
    );
  }
  // One bit a pixel, the highest first.
  return (x, y) =>
    x < width && y < height && (payload[16 + y * stride + (x >> 3)]! & (0x80 >> (x & 7))) !== 0;
}
