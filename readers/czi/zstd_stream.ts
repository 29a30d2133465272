/** Zstandard as subblocks hold it: a stream with nothing behind it, alone or behind a header of its own. */
import { type Codec, damaged, type Segment } from "../codecs/segment.ts";
import { zstd } from "../codecs/zlib.ts";
import { measureFrames } from "../codecs/zstd_frames.ts";

/** What the header says; its first byte is its length. */
interface Header {
  readonly length: number;
  /** All low bytes come first, then all high bytes. */
  readonly split: boolean;
}

/** Reads it; `null` for anything but the two forms that are known. */
function headerOf(input: Uint8Array): Header | null {
  const [length, chunk, bits] = input;
  if (length === 1) return { length, split: false };
  // Chunk 1 says in its lowest bit whether the bytes are split.
  if (length === 3 && chunk === 1 && bits !== undefined) return { length, split: (bits & 1) !== 0 };
  return null;
}

/** A stream that ends before its subblock does has a header or an offset that is damaged. */
async function decodeWhole(input: Uint8Array, segment: Segment): Promise<Uint8Array> {
  const bytes = await zstd.decode(input, segment);
  const rest = input.length - measureFrames(input).end;
  if (rest > 0) throw damaged(segment, zstd.title, `${rest} of ${input.length} bytes stand behind its end`);
  return bytes;
}

/** A stream alone. */
export const zstdAlone: Codec = { ...zstd, decode: decodeWhole };

/** A stream behind a header. */
export const zstdWithHeader: Codec = {
  ...zstd,
  decode(input, segment) {
    const header = headerOf(input);
    if (header === null) {
      const start = input.subarray(0, 3).toHex();
      throw damaged(segment, zstd.title, `its header starts ${start}, which is not known`);
    }
    const bits = segment.settings.bits[0];
    if (header.split && bits !== 16) {
      throw damaged(segment, zstd.title, `it splits the bytes of samples of ${bits} bits`);
    }
    return decodeWhole(input.subarray(header.length), segment);
  },
};

/** Whether the stream behind a header gives all low bytes of samples of 16 bits before their high bytes. */
export const isSplit = (input: Uint8Array): boolean => headerOf(input)?.split ?? false;
