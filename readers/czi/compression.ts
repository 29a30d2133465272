/** How the samples of a subblock are compressed, and how they are decoded. */
import { type Codec, damaged, type Extent, type Segment } from "../codecs/segment.ts";
import { zstd } from "../codecs/zlib.ts";
import { DecodeFailed } from "../errors.ts";
import { SAMPLE_BYTES } from "../samples/to_float32.ts";
import type { PixelType } from "./pixel_type.ts";

/** Decoded bytes of one subblock: a plane of 2^28 float64 samples. */
const MAX_SUBBLOCK_BYTES = 2 ** 31 - 1;

/** One way to store samples. */
export interface Storage {
  /** `null` for raw samples. */
  readonly codec: Codec | null;
  /** Whether colours are stored as blue, green, red. */
  readonly blueFirst: boolean;
  /** Whether the code is undefined and its samples are taken for raw ones. */
  readonly doubtful: boolean;
  /** Whether a stream decodes to all low bytes of 16-bit samples before all high bytes. */
  isSplit(input: Uint8Array): boolean;
}

const REFUSED: Readonly<Record<number, string>> = {
  3: "lossless JPEG",
  7: "chunked",
};

/** Codes from 100 on are raw data of a camera, from 1000 on of the system. */
const [CAMERA_RAW, SYSTEM_RAW] = [100, 1000];

/** The storage of a compression code. @param what names the subblock in messages @throws {DecodeFailed} it is unsupported */
export async function storageOf(code: number, what: string): Promise<Storage> {
  const raw = { codec: null, blueFirst: true, doubtful: false, isSplit: () => false };
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
      return { ...raw, codec: zstdWithHeader, isSplit: (input) => headerOf(input)?.split ?? false };
  }
  if (code >= SYSTEM_RAW) return { ...raw, doubtful: true };
  const name = code >= CAMERA_RAW ? "raw data of a camera" : REFUSED[code];
  throw new DecodeFailed(
    `${what} has compression ${code}${name ? ` (${name})` : ""}, which is not supported`,
  );
}

/** Reads the header of a zstd stream: its first byte is its length; `null` for an unknown one. */
function headerOf(input: Uint8Array): { readonly length: number; readonly split: boolean } | null {
  const [length, chunk, bits] = input;
  if (length === 1) return { length, split: false };
  // The lowest bit of chunk 1 states whether low and high bytes are split.
  if (length === 3 && chunk === 1 && bits !== undefined) return { length, split: (bits & 1) !== 0 };
  return null;
}

const zstdWithHeader: Codec = {
  ...zstd,
  decode(input, segment) {
    const header = headerOf(input);
    if (header === null) {
      throw damaged(segment, zstd.title, `its header ${input.subarray(0, 3).toHex()} is unknown`);
    }
    const bits = segment.settings.bits[0];
    if (header.split && bits !== 16) {
      throw damaged(segment, zstd.title, `it splits the bytes of samples of ${bits} bits`);
    }
    return zstd.decode(input.subarray(header.length), segment);
  },
};

/** The picture that a subblock stores: all its rows, one below the other. */
export interface StoredPicture {
  /** Columns. */
  readonly width: number;
  /** Rows of all indices that the subblock spans. */
  readonly rows: number;
  /** Type of its pixels. */
  readonly pixel: PixelType;
  /** Stored bytes. */
  readonly stored: number;
}

/** The extent of a picture for its codec. */
export const extentOf = ({ width, rows, pixel, stored }: StoredPicture): Extent => ({
  stored,
  width,
  rows,
  samples: pixel.samples,
  bytes: width * rows * pixel.bytes,
});

/** Checks a picture before anything is allocated for it. @throws {DecodeFailed} it is too large, or too short for its size */
export function checkPicture(picture: StoredPicture, codec: Codec, what: string): void {
  const { bytes, samples, width, rows } = extentOf(picture);
  const { stored } = picture;
  if (bytes > MAX_SUBBLOCK_BYTES) {
    throw new DecodeFailed(`${what} declares ${bytes} bytes, more than ${MAX_SUBBLOCK_BYTES}`);
  }
  if (bytes > stored * codec.maxExpansion) {
    throw new DecodeFailed(`${what} has ${stored} bytes, too few for ${bytes} bytes of ${codec.title}`);
  }
  const { webAssembly } = codec;
  if (!webAssembly) return;
  const { maxSamples, maxStored } = webAssembly;
  const total = width * rows * samples;
  if (total > maxSamples || stored > maxStored) {
    throw new DecodeFailed(
      `${what} has ${total} samples of ${codec.title} in ${stored} bytes; this decoder cannot be stopped, so at most ` +
        `${maxSamples} in ${maxStored} are decoded`,
    );
  }
}

/** The segment that a codec decodes. */
export function segmentOf(
  picture: StoredPicture,
  input: Uint8Array,
  rest: Pick<Segment, "what" | "stop">,
): Segment {
  const { width, rows, pixel } = picture;
  const { bytes } = extentOf(picture);
  const { sampleType, samples } = pixel;
  return {
    width,
    rows,
    samples,
    fullRows: rows,
    bytes,
    mostBytes: bytes,
    settings: {
      bits: Array.from({ length: samples }, () => 8 * SAMPLE_BYTES[sampleType]),
      kind: sampleType.startsWith("float") ? "float" : sampleType.startsWith("int") ? "int" : "uint",
      colours: samples === 3 ? jpegColours(input) : null,
    },
    ...rest,
  };
}

/** The colour space of a JPEG stream of three components, as libjpeg decides: by its markers, then by the component ids. */
function jpegColours(input: Uint8Array): "ycbcr" | "rgb" {
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
