/**
 * LERC (compression 34887), plain or packed once more with deflate or zstd: LercParameters holds the version and
 * which of them (0, 1, 2). Samples that the blob marks as not valid have no value and are refused.
 */
import { decode as decodeBlob, getBlobInfo, load } from "lerc";
import { unpack } from "./compressed_stream.ts";
import {
  type Codec,
  damagedSegment,
  measureSegment,
  type Segment,
  shortSegment,
  type WebAssemblyBounds,
} from "./segment.ts";
import { allowMemory, memoryRefused } from "./wasm_decoder.ts";

/** Room for masks and headers beside the samples of a blob that LERC could not make smaller. */
const BLOB_OVERHEAD = 1 << 16;

const SIZES: Readonly<Record<string, number>> = {
  S8: 8,
  U8: 8,
  S16: 16,
  U16: 16,
  S32: 32,
  U32: 32,
  F32: 32,
  F64: 64,
};

async function decode(input: Uint8Array, segment: Segment): Promise<Uint8Array> {
  allowMemory(BOUNDS.memoryBytes(measureSegment(input, segment)));
  await load();
  const packing = segment.settings.lercPacking ?? 0;
  try {
    const blob = unpackBlob(input, packing, blobBytes(segment.mostBytes));
    const info = getBlobInfo(blob);
    const planes = Math.max(info.bandCount, 1) * Math.max(info.depthCount, 1);
    if (
      info.width !== segment.width || info.height < segment.rows || info.height > segment.fullRows ||
      planes !== segment.samples
    ) {
      throw new Error(
        `it is ${info.width} x ${info.height} x ${planes}, not ${segment.width} x ${segment.rows} x ${segment.samples}`,
      );
    }
    if (info.validPixelCount < info.width * info.height) {
      throw new Error(`${info.width * info.height - info.validPixelCount} of its pixels have no value`);
    }
    const { pixels, pixelType } = decodeBlob(blob, { returnInterleaved: true });
    // The package does not check that it got the memory it asked for.
    const refused = memoryRefused();
    if (refused !== null) throw new Error(refused);
    const size = SIZES[pixelType];
    if (
      size === undefined || size !== segment.settings.bits[0] ||
      (pixelType[0] === "F") !== (segment.settings.kind === "float")
    ) {
      throw new Error(`its samples are ${pixelType}, not of ${segment.settings.bits[0]} bits`);
    }
    const bytes = bandsInterleaved(
      pixels.map(({ buffer, byteOffset, byteLength }) => new Uint8Array(buffer, byteOffset, byteLength)),
      size / 8,
    );
    if (bytes.length < segment.bytes) throw shortSegment(segment, "LERC", bytes.length);
    return bytes;
  } catch (cause) {
    throw damagedSegment(segment, "LERC", cause);
  }
}

function unpackBlob(input: Uint8Array, packing: number, most: number): Uint8Array {
  if (packing === 0) return input;
  if (packing === 1) return unpack("zlib", input, most).bytes;
  if (packing === 2) return unpack("zstd", input, most).bytes;
  throw new Error(`its packing ${packing} is not supported`);
}

/** Bands come one after the other, samples of one band are interleaved already. */
function bandsInterleaved(bands: readonly Uint8Array[], width: number): Uint8Array {
  const [first] = bands;
  if (first && bands.length === 1) return first;
  const output = new Uint8Array(bands.reduce((sum, band) => sum + band.length, 0));
  for (const [index, band] of bands.entries()) {
    for (let from = 0, to = index * width; from < band.length; from += width, to += bands.length * width) {
      for (let b = 0; b < width; b += 1) output[to + b] = band[from + b]!;
    }
  }
  return output;
}

/** Most bytes of an unpacked blob. */
const blobBytes = (bytes: number) => 2 * bytes + BLOB_OVERHEAD;

/** Noise takes 0.06 microseconds a sample. Memory: blob, result, masks of a byte and of a bit a sample, 17 MiB at its start. */
const BOUNDS: WebAssemblyBounds = {
  maxSamples: 1 << 26,
  maxStored: 1 << 29,
  memoryBytes: ({ stored, bytes, width, rows, samples }) =>
    (24 << 20) + 1.25 * (Math.max(stored, blobBytes(bytes)) + bytes + 2 * width * rows * samples),
};

/** LERC; a constant strip takes some seventy bytes whatever its size. */
export const lerc: Codec = {
  title: "LERC",
  image: true,
  bitOrder: true,
  maxExpansion: 1 << 26,
  workingBytes: (extent) =>
    BOUNDS.memoryBytes(extent) + extent.stored + blobBytes(extent.bytes) + 3 * extent.bytes,
  webAssembly: BOUNDS,
  endsWithWorker: true,
  decode,
};
