/**
 * How the samples of a subblock are stored: its pixel type and compression. Colours are stored as blue, green, red,
 * alpha and served as red, green, blue, alpha.
 */
import { type Codec, damaged } from "../codecs/segment.ts";
import { joinBytes } from "../codecs/shuffle.ts";
import { zstd } from "../codecs/zlib.ts";
import { DecodeFailed } from "../errors.ts";
import { COLOURS } from "../metadata/channels.ts";
import type { SampleType } from "../reader.ts";
import { SAMPLE_BYTES } from "../samples/to_float32.ts";

/** A pixel type: 1, 3 or 4 samples of a type. */
export interface PixelType {
  readonly sampleType: SampleType;
  readonly samples: number;
  /** Number of bytes per pixel. */
  readonly bytes: number;
}

/** Pixel types by code: Gray8, Gray16, Gray32Float; Bgr24, Bgr48, Bgr96Float, Bgra32; Gray32, Gray64Float. */
const TYPES: Readonly<Record<number, readonly [sampleType: SampleType, samples: number]>> = {
  0: ["uint8", 1],
  1: ["uint16", 1],
  2: ["float32", 1],
  3: ["uint8", 3],
  4: ["uint16", 3],
  8: ["float32", 3],
  9: ["uint8", 4],
  12: ["int32", 1],
  13: ["float64", 1],
};

const WIDTHS: readonly SampleType[] = ["uint8", "uint16", "int32", "float32", "float64"];

const HELP = "docs/formats/czi.md#what-is-refused";

/** The pixel type with this code. @throws {DecodeFailed} it is unknown or complex */
export function pixelTypeOf(code: number): PixelType {
  const [sampleType, samples] = TYPES[code] ?? [];
  if (sampleType === undefined || samples === undefined) {
    throw new DecodeFailed(`pixel type ${code} is unknown or not supported (${HELP})`);
  }
  return { sampleType, samples, bytes: samples * SAMPLE_BYTES[sampleType] };
}

/** The wider of two sample types. */
export const wider = (a: SampleType, b: SampleType): SampleType =>
  WIDTHS.indexOf(a) >= WIDTHS.indexOf(b) ? a : b;

/** Names of the samples of a colour pixel, in the served order. */
export const SAMPLE_NAMES: readonly string[] = [...COLOURS, "Alpha"];

/** First compression code for raw data of the system, which is undefined; the samples are assumed to be raw. */
export const SYSTEM_RAW = 1000;

/** Compression codes (JPEG, JPEG XR) whose decoders give colours as red, green, blue. */
export const RED_FIRST: readonly number[] = [1, 4];

/** The codec for a compression code; `null` for raw samples. @param what name of the subblock in messages @throws {DecodeFailed} it is unsupported */
export async function codecOf(code: number, what: string): Promise<Codec | null> {
  if (code === 0 || code >= SYSTEM_RAW) return null;
  if (code === 1) return (await import("../codecs/jpeg/mod.ts")).jpeg;
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
      throw damaged(segment, zstd.title, `its header ${input.subarray(0, 3).toHex()} is unknown`);
    }
    const split = length === 3 && (flags & 1) !== 0;
    const bits = segment.settings.bits[0];
    if (split && bits !== 16) {
      throw damaged(segment, zstd.title, `it splits the bytes of samples of ${bits} bits`);
    }
    const decoded = await zstd.decode(input.subarray(length), segment);
    if (!split) return decoded;
    const joined = new Uint8Array(segment.bytes);
    joinBytes(decoded.subarray(0, segment.bytes), 0, joined, 2);
    return joined;
  },
};

/** The colour space of a JPEG stream with three components. As in libjpeg, markers decide first, then the component ids. */
export function jpegColours(input: Uint8Array): "ycbcr" | "rgb" {
  for (let at = 2; at + 4 <= input.length && input[at] === 0xff;) {
    const marker = input[at + 1]!;
    const length = (input[at + 2]! << 8) | input[at + 3]!;
    const text = (from: number, to: number) => String.fromCharCode(...input.subarray(from, to));
    if (marker === 0xe0 && text(at + 4, at + 8) === "JFIF") return "ycbcr";
    if (marker === 0xee && text(at + 4, at + 9) === "Adobe") return input[at + 15] === 0 ? "rgb" : "ycbcr";
    if (marker >= 0xc0 && marker <= 0xc3) {
      return [10, 13, 16].every((i, c) => input[at + i] === "RGB".charCodeAt(c)) ? "rgb" : "ycbcr";
    }
    at += 2 + length;
  }
  return "ycbcr";
}
