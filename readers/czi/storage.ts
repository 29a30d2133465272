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

/** A pixel type: 1, 3 or 4 samples of a type. */
export interface PixelType {
  readonly sampleType: SampleType;
  readonly samples: number;
  /** Number of bytes per pixel. */
  readonly bytes: number;
}

/** Pixel types by code. */
const TYPES: Readonly<Record<number, PixelType>> = {
  // Gray8, Gray16, Gray32Float.
  0: { sampleType: "uint8", samples: 1, bytes: 1 },
  1: { sampleType: "uint16", samples: 1, bytes: 2 },
  2: { sampleType: "float32", samples: 1, bytes: 4 },
  // Bgr24, Bgr48, Bgr96Float, Bgra32.
  3: { sampleType: "uint8", samples: 3, bytes: 3 },
  4: { sampleType: "uint16", samples: 3, bytes: 6 },
  8: { sampleType: "float32", samples: 3, bytes: 12 },
  9: { sampleType: "uint8", samples: 4, bytes: 4 },
  // Gray32, Gray64Float.
  12: { sampleType: "int32", samples: 1, bytes: 4 },
  13: { sampleType: "float64", samples: 1, bytes: 8 },
};

const COMPLEX: Readonly<Record<number, string>> = { 10: "Gray64ComplexFloat", 11: "Bgr192ComplexFloat" };

/** Sample types from narrow to wide. */
const WIDTHS: readonly SampleType[] = ["uint8", "uint16", "int32", "float32", "float64"];

/** The pixel type with this code. @throws {DecodeFailed} it is unknown or complex */
export function pixelTypeOf(code: number): PixelType {
  const type = TYPES[code];
  if (type) return type;
  const name = COMPLEX[code];
  throw new DecodeFailed(
    name ? `pixels of type ${name} (complex numbers) are not supported` : `pixel type ${code} is unknown`,
  );
}

/** The wider of two sample types. */
export const wider = (a: SampleType, b: SampleType): SampleType =>
  WIDTHS.indexOf(a) >= WIDTHS.indexOf(b) ? a : b;

/** Names of the samples of a colour pixel, in the served order. */
export const SAMPLE_NAMES: readonly string[] = [...COLOURS, "Alpha"];

/** A way to store samples. */
export interface Storage {
  /** Codec; `null` for raw samples. */
  readonly codec: Codec | null;
  /** Whether colours are stored as blue, green, red. */
  readonly blueFirst: boolean;
  /** Whether the code is undefined and its samples are assumed to be raw. */
  readonly doubtful: boolean;
}

const REFUSED: Readonly<Record<number, string>> = { 3: "lossless JPEG", 7: "chunked" };

/** First code for raw data of a camera, and first code for raw data of the system. */
const [CAMERA_RAW, SYSTEM_RAW] = [100, 1000];

/** The storage for a compression code. @param what name of the subblock in messages @throws {DecodeFailed} it is unsupported */
export async function storageOf(code: number, what: string): Promise<Storage> {
  const raw = { codec: null, blueFirst: true, doubtful: false };
  switch (code) {
    case 0:
      return raw;
    case 1:
      return { ...raw, codec: (await import("../codecs/jpeg/mod.ts")).jpeg, blueFirst: false };
    case 2:
      return { ...raw, codec: (await import("../codecs/lzw.ts")).lzw };
    case 4:
      return { ...raw, codec: (await import("../codecs/jpegxr.ts")).jpegXr, blueFirst: false };
    case 5:
      return { ...raw, codec: zstd };
    case 6:
      return { ...raw, codec: zstdWithHeader };
  }
  if (code >= SYSTEM_RAW) return { ...raw, doubtful: true };
  const name = code >= CAMERA_RAW ? "raw data of a camera" : REFUSED[code];
  const compression = `compression ${code}${name ? ` (${name})` : ""}`;
  throw new DecodeFailed(
    `${what} has ${compression}, which is not supported (docs/formats/czi.md#what-is-refused)`,
  );
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
