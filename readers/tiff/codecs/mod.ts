/** Which codec a Compression value stands for. Heavy ones are loaded when first needed. */
import { DecodeFailed } from "../../errors.ts";
import { TAG, tagName } from "../tags.ts";
import type { Codec } from "./codec.ts";

/** Names of Compression values that are refused, for messages. */
const REFUSED: Readonly<Record<number, string>> = {
  6: "old-style JPEG",
  9: "JBIG",
  10: "JBIG color",
  32766: "NeXT",
  32809: "ThunderScan",
  32908: "Pixar film",
  32909: "Pixar log",
  33003: "JPEG 2000 in YCbCr",
  34661: "JBIG",
  34676: "SGI log luminance",
  34677: "SGI log luminance, 24 bit",
  34892: "lossy DNG",
  50002: "JPEG XL",
  52546: "JPEG XL",
};

/**
 * The codec of a Compression value other than 1.
 *
 * @throws {DecodeFailed} none is known; it names the tag and the value
 */
export async function codecOf(compression: number): Promise<Codec> {
  switch (compression) {
    case 2:
      return (await import("./ccitt.ts")).ccittRle;
    case 3:
      return (await import("./ccitt.ts")).ccittGroup3;
    case 4:
      return (await import("./ccitt.ts")).ccittGroup4;
    case 5:
      return (await import("./lzw.ts")).lzw;
    case 7:
    case 33007:
      return (await import("../../codecs/jpeg/mod.ts")).jpeg;
    case 8:
    case 32946:
      return (await import("./zlib.ts")).deflate;
    case 32773:
      return (await import("./packbits.ts")).packBits;
    case 33004:
    case 33005:
    case 34712:
      return (await import("./jpeg2000.ts")).jpeg2000;
    case 34887:
      return (await import("./lerc.ts")).lerc;
    case 34925:
      return (await import("./lzma.ts")).lzma;
    case 34926:
    case 50000:
      return (await import("./zlib.ts")).zstd;
    case 34927:
    case 50001:
      return (await import("./webp.ts")).webp;
  }
  const name = REFUSED[compression];
  throw new DecodeFailed(
    `${tagName(TAG.Compression)} is ${compression}${name ? ` (${name})` : ""}, which is not read`,
  );
}
