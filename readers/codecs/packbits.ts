/** PackBits (compression 32773; TIFF 6.0, section 9): runs of at most 128 bytes. */
import {
  type Codec,
  estimateOneBuffer,
  MAX_PADDING,
  reuseRoom,
  type Segment,
  shortSegment,
  SURPLUS,
  surplusSegment,
} from "./segment.ts";

/** Bytes of the words in which runs are written and literals copied; the last word may reach beyond them. */
const WORD = 8;

function decode(input: Uint8Array, segment: Segment): Uint8Array {
  const size = segment.mostBytes;
  const output = reuseRoom(segment, size + WORD);
  const target = new DataView(output.buffer);
  const source = new DataView(input.buffer, input.byteOffset, input.length);
  let at = 0;
  let from = 0;
  while (from < input.length && at < size) {
    const code = input[from++]!;
    if (code === 128) continue;
    const stored = code < 128 ? code + 1 : 1;
    if (from + stored > input.length) break;
    const end = at + (code < 128 ? stored : 257 - code);
    if (end > size) throw surplusSegment(segment, "PackBits");
    if (code > 128) repeat(target, at, end, input[from]!);
    else if (from + stored + WORD > input.length) output.set(input.subarray(from, from + stored), at);
    else copy(source, from, target, at, end);
    from += stored;
    at = end;
  }
  if (at < segment.bytes) throw shortSegment(segment, "PackBits", at);
  // Some writers fill the last strip up with whole rows.
  const more = (at - segment.bytes) % (segment.bytes / segment.rows);
  if (more > SURPLUS) throw surplusSegment(segment, "PackBits");
  const rest = input.subarray(from);
  if (rest.length > MAX_PADDING || rest.some((byte) => byte !== 0 && byte !== 128)) {
    throw surplusSegment(segment, "PackBits");
  }
  return output.subarray(0, at);
}

// Calls of `set` and `fill` take longer than what they do for a few bytes.

function copy(source: DataView, from: number, target: DataView, at: number, end: number): void {
  for (let to = at; to < end; to += WORD, from += WORD) {
    target.setBigUint64(to, source.getBigUint64(from, true), true);
  }
}

function repeat(target: DataView, at: number, end: number, value: number): void {
  const word = Math.imul(value, 0x01010101);
  for (let to = at; to < end; to += WORD) {
    target.setInt32(to, word);
    target.setInt32(to + 4, word);
  }
}

/** PackBits; two bytes stand for at most 128. */
export const packBits: Codec = {
  title: "PackBits",
  image: false,
  bitOrder: true,
  maxExpansion: 64,
  refills: true,
  workingBytes: estimateOneBuffer,
  decode,
};
