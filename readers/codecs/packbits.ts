/** PackBits (compression 32773; TIFF 6.0, section 9): runs of at most 128 bytes. */
import { type Codec, MAX_PADDING, oneBuffer, type Segment, short, SURPLUS, surplus } from "./segment.ts";

function decode(input: Uint8Array, segment: Segment): Uint8Array {
  const output = new Uint8Array(segment.mostBytes);
  let at = 0;
  let from = 0;
  while (from < input.length && at < output.length) {
    const code = input[from++]!;
    if (code === 128) continue;
    const literal = code < 128 ? input.subarray(from, from + code + 1) : null;
    const value = input[from];
    if (value === undefined || literal && literal.length <= code) break;
    const end = at + (literal ? literal.length : 257 - code);
    if (end > output.length) throw surplus(segment, "PackBits");
    if (literal) output.set(literal, at);
    else output.fill(value, at, end);
    from += literal ? code + 1 : 1;
    at = end;
  }
  if (at < segment.bytes) throw short(segment, "PackBits", at);
  // Some writers fill the last strip up with whole rows.
  const more = (at - segment.bytes) % (segment.bytes / segment.rows);
  if (more > SURPLUS) throw surplus(segment, "PackBits");
  const rest = input.subarray(from);
  if (rest.length > MAX_PADDING || rest.some((byte) => byte !== 0 && byte !== 128)) {
    throw surplus(segment, "PackBits");
  }
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
