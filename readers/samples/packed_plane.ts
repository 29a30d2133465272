/** Packs planes as chunks of a Zarr array: samples in the written type, little-endian, compressed with zstd. */
import { Buffer } from "node:buffer";
import { constants, zstdCompressSync } from "node:zlib";
import { DecodeFailed } from "../errors.ts";
import { ARRAYS } from "./to_float32.ts";

/** Sample types of written images, from the smallest. */
export const PACKED_TYPES = ["uint8", "int8", "uint16", "int16", "float16", "float32"] as const;

/** One of {@linkcode PACKED_TYPES}. */
export type PackedType = (typeof PACKED_TYPES)[number];

/** How planes are cut into chunks. */
export interface PackedLayout {
  readonly sampleType: PackedType;
  readonly rows: number;
  readonly columns: number;
  /** Rows per chunk; the last chunk is padded with zeros. */
  readonly chunkRows: number;
}

type PackedArray = InstanceType<(typeof ARRAYS)[PackedType]>;

/** Level at which zstd is fast and compresses well; zarr-python's default is not better. */
const ZSTD_LEVEL = 3;

/** The chunks of a plane of row-major samples, from the first row on. @throws {DecodeFailed} the type cannot represent a sample */
export function packPlane(
  plane: Float32Array<ArrayBuffer>,
  { sampleType, rows, columns, chunkRows }: PackedLayout,
): Uint8Array<ArrayBuffer>[] {
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  for (let row = 0; row < rows; row += chunkRows) {
    const part = plane.subarray(row * columns, Math.min(row + chunkRows, rows) * columns);
    const samples = new ARRAYS[sampleType](chunkRows * columns);
    samples.set(part);
    requireSame(part, samples, sampleType);
    chunks.push(compressChunk(samples));
    // Frees the memory, since garbage of this size would pile up until a collection.
    samples.buffer.transfer(0);
  }
  return chunks;
}

/** Checks that the conversion kept the samples: an archive must not differ from what was served. */
function requireSame(plane: Float32Array, samples: PackedArray, sampleType: PackedType): void {
  if (sampleType === "float32") return;
  for (let i = 0; i < plane.length; i += 1) {
    const sample = plane[i]!;
    if (samples[i] === sample) continue;
    if (Number.isNaN(sample) && samples instanceof Float16Array) keepNaN(plane, samples, i);
    else throw new DecodeFailed(`the sample ${sample} does not fit the type ${sampleType} of the file`);
  }
}

/** Writes a NaN with its sign and payload, which the runtime's conversion drops. */
function keepNaN(plane: Float32Array, samples: Float16Array, i: number): void {
  const [bits = 0] = new Uint32Array(plane.buffer, plane.byteOffset + 4 * i, 1);
  const half = new Uint16Array(samples.buffer, samples.byteOffset + 2 * i, 1);
  half[0] = bits >>> 16 & 0x8000 | 0x7c00 | bits >>> 13 & 0x3ff;
}

/** Size from which a frame is compressed into one buffer. Smaller frames are assembled in a pool of the runtime. */
const LARGE_BYTES = 1 << 20;

/** A zstd frame that states its size, which readers of Zarr require. */
function compressChunk({ buffer }: { readonly buffer: ArrayBuffer }): Uint8Array<ArrayBuffer> {
  const { byteLength } = buffer;
  const isLarge = byteLength >= LARGE_BYTES;
  const options = {
    pledgedSrcSize: byteLength,
    params: { [constants.ZSTD_c_compressionLevel]: ZSTD_LEVEL },
    // Into one buffer (`ZSTD_COMPRESSBOUND`): assembling many pieces leaves twice their size as garbage.
    ...isLarge && { chunkSize: byteLength + (byteLength >> 8) + 1024 },
  };
  const frame = zstdCompressSync(Buffer.from(buffer), options) as Buffer<ArrayBuffer>;
  const copy = new Uint8Array(frame);
  if (isLarge) frame.buffer.transfer(0);
  return copy;
}
