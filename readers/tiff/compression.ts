/** Which codec a Compression value stands for, and what the page states for it. Heavy ones are loaded when first needed. */
import { DecodeFailed } from "../errors.ts";
import type { Codec, StreamSettings } from "../codecs/segment.ts";
import { type PageLayout, PHOTOMETRIC } from "./page.ts";
import { TAG, tagName } from "./tags.ts";

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
  34933: "PNG",
  34934: "JPEG XR",
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
      return (await import("../codecs/ccitt.ts")).ccittRle;
    case 3:
      return (await import("../codecs/ccitt.ts")).ccittGroup3;
    case 4:
      return (await import("../codecs/ccitt.ts")).ccittGroup4;
    case 5:
      return (await import("../codecs/lzw.ts")).lzw;
    case 7:
    case 33007:
      return (await import("../codecs/jpeg/mod.ts")).jpeg;
    case 8:
    case 32946:
      return (await import("../codecs/zlib.ts")).deflate;
    case 32773:
      return (await import("../codecs/packbits.ts")).packBits;
    case 33004:
    case 33005:
    case 34712:
      return (await import("../codecs/jpeg2000.ts")).jpeg2000;
    case 34887:
      return (await import("../codecs/lerc.ts")).lerc;
    case 34925:
      return (await import("../codecs/lzma.ts")).lzma;
    case 34926:
    case 50000:
      return (await import("../codecs/zlib.ts")).zstd;
    case 34927:
    case 50001:
      return (await import("../codecs/webp.ts")).webp;
  }
  const name = REFUSED[compression];
  throw new DecodeFailed(
    `${tagName(TAG.Compression)} is ${compression}${name ? ` (${name})` : ""}, which is not read`,
  );
}

/** Shared tables of a page: most often a kilobyte. */
const MAX_TABLE_BYTES = 1 << 20;

/** What a page states for its codec, beside the bits of the samples of one strip or tile. */
export function settingsOf(page: PageLayout): Omit<StreamSettings, "bits"> {
  const { directory, compression, kind, photometric } = page;
  const fax = compression === 3 ? TAG.T4Options : compression === 4 ? TAG.T6Options : null;
  return {
    kind,
    jpegTables: directory.bytes(TAG.JPEGTables, MAX_TABLE_BYTES) ?? null,
    colours: photometric === PHOTOMETRIC.ycbcr ? "ycbcr" : photometric === PHOTOMETRIC.rgb ? "rgb" : null,
    faxOptions: fax === null ? 0 : directory.number(fax) ?? 0,
    lercPacking: directory.numbers(TAG.LercParameters, 16)[1] ?? 0,
  };
}
