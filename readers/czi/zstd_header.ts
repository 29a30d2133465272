/** Zstandard behind a header of its own, with the low bytes of 16-bit samples before the high ones where it says so. */
import { zstd } from "../codecs/zlib.ts";
import { type Codec, damaged, type Segment } from "../codecs/segment.ts";
import { newBytes } from "../new_plane.ts";

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

function decode(input: Uint8Array, segment: Segment): Uint8Array | Promise<Uint8Array> {
  const header = headerOf(input);
  if (header === null) {
    throw damaged(segment, "zstd", `its header starts ${input.subarray(0, 3).toHex()}, which is not known`);
  }
  if (header.split && segment.settings.bits[0] !== 16) {
    throw damaged(segment, "zstd", `it splits the bytes of samples of ${segment.settings.bits[0]} bits`);
  }
  const bytes = zstd.decode(input.subarray(header.length), segment) as Uint8Array;
  return header.split ? merged(bytes.subarray(0, segment.bytes)) : bytes;
}

/** Samples of 16 bits whose low bytes come before their high bytes. */
function merged(bytes: Uint8Array): Uint8Array {
  const half = bytes.length >> 1;
  const [low, high] = [bytes.subarray(0, half), bytes.subarray(half)];
  const output = newBytes(2 * half);
  const words = new Uint16Array(output.buffer, output.byteOffset, half);
  for (let i = 0; i < half; i += 1) words[i] = low[i]! | (high[i]! << 8);
  return output;
}

/** Zstandard with a header; as much as {@linkcode zstd}, and the samples once more where their bytes were split. */
export const zstdWithHeader: Codec = {
  ...zstd,
  workingBytes: (extent) => zstd.workingBytes(extent) + extent.bytes,
  decode,
};
