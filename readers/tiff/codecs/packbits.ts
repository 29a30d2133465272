/** PackBits (compression 32773; TIFF 6.0, section 9): runs of at most 128 bytes. */
import { type Codec, oneBuffer, type Segment, short } from "./codec.ts";

function decode(input: Uint8Array, segment: Segment): Uint8Array {
  const output = new Uint8Array(segment.bytes);
  let at = 0;
  for (let from = 0; from < input.length && at < output.length;) {
    const code = input[from++]!;
    if (code === 128) continue;
    const length = code < 128 ? code + 1 : 257 - code;
    const end = Math.min(at + length, output.length);
    if (code < 128) {
      const literal = input.subarray(from, from + end - at);
      output.set(literal, at);
      from += length;
      at += literal.length;
    } else {
      const value = input[from++];
      if (value === undefined) break;
      output.fill(value, at, end);
      at = end;
    }
  }
  if (at < output.length) throw short(segment, "PackBits", at);
  return output;
}

/** PackBits; two bytes stand for at most 128. */
export const packBits: Codec = {
  title: "PackBits",
  image: false,
  bitOrder: true,
  maxExpansion: 64,
  workingBytes: oneBuffer,
  decode,
};
