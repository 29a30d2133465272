/** How the samples of a subblock are stored, and how they are decoded. */
import type { Codec, Extent, Segment } from "../codecs/segment.ts";
import { DecodeFailed } from "../errors.ts";
import { SAMPLE_BYTES } from "../samples/to_float32.ts";
import { MAX_SUBBLOCK_BYTES } from "./bounds.ts";
import type { PixelType } from "./pixel_type.ts";
import { isSplit, zstdAlone, zstdWithHeader } from "./zstd_stream.ts";

/** One way to store samples. */
export interface Storage {
  /** `null` for samples as they are. */
  readonly codec: Codec | null;
  /** Whether colours stand as blue, green, red. */
  readonly blueFirst: boolean;
  /** The program that wrote it keeps to itself what it is; it is read as samples as they are. */
  readonly doubtful: boolean;
  /** Whether the codec gives all low bytes of samples of 16 bits before their high bytes, by the stored bytes. */
  isSplit(input: Uint8Array): boolean;
}

const REFUSED: Readonly<Record<number, string>> = {
  3: "lossless JPEG",
  7: "chunked",
};

/** From this code on the samples are those of the system, below it down to 100 those of a camera. */
const [CAMERA_RAW, SYSTEM_RAW] = [100, 1000];

/**
 * How samples of a compression code are stored.
 *
 * @param what names the subblock in messages
 * @throws {DecodeFailed} it is not read
 */
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
      return { ...raw, codec: zstdAlone };
    case 6:
      return { ...raw, codec: zstdWithHeader, isSplit };
  }
  if (code >= SYSTEM_RAW) return { ...raw, doubtful: true };
  const name = code >= CAMERA_RAW ? "raw data of a camera" : REFUSED[code];
  throw new DecodeFailed(`${what} has compression ${code}${name ? ` (${name})` : ""}, which is not read`);
}

/** The picture that a subblock stores: all its rows, one below the other. */
export interface StoredPicture {
  /** Columns. */
  readonly width: number;
  /** Rows, of every index that the subblock spans. */
  readonly rows: number;
  /** What a pixel is. */
  readonly pixel: PixelType;
  /** Stored bytes. */
  readonly stored: number;
}

/** What the codec is told of it. */
export const extentOf = ({ width, rows, pixel, stored }: StoredPicture): Extent => ({
  stored,
  width,
  rows,
  samples: pixel.samples,
  bytes: width * rows * pixel.bytes,
});

/**
 * Checks what a codec is about to decode, before anything is allocated for it.
 *
 * @throws {DecodeFailed} it is too large, or too short for its size
 */
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
  if (width * rows * samples > maxSamples || stored > maxStored) {
    throw new DecodeFailed(
      `${what} has ${
        width * rows * samples
      } samples of ${codec.title} in ${stored} bytes; at most ${maxSamples} in ` +
        `${maxStored} are decoded at once, since nothing can stop this decoder`,
    );
  }
}

/** What a codec decodes, with its name in messages. */
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

/** What three components of a JPEG stream are, as libjpeg judges it: by the Adobe marker, then by their ids. */
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
