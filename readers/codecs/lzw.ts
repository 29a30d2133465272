/**
 * LZW (compression 5; TIFF 6.0, section 13). Codes are 9 to 12 bits, highest bit first, and widen one code early.
 * Files of before TIFF 6.0 have them lowest bit first and widen when the table is full; their streams start with
 * the clear code as bytes `00 01` rather than `80`.
 */
import { type Codec, damaged, MAX_PADDING, oneBuffer, type Segment, short, surplus } from "./segment.ts";

const CLEAR = 256;
const END = 257;
const FIRST_FREE = 258;
const TABLE = 4096;

/**
 * Strings are kept as places in the output: a new string is the string before it and one byte more, which lie
 * side by side there.
 */
function decode(input: Uint8Array, segment: Segment): Uint8Array {
  const old = input.length >= 2 && input[0] === 0 && (input[1]! & 1) === 1;
  const early = old ? 0 : 1;
  const output = new Uint8Array(segment.mostBytes);
  const size = output.length;
  const starts = new Int32Array(TABLE);
  const lengths = new Int32Array(TABLE);
  let next = FIRST_FREE;
  let width = 9;
  let limit = (1 << 9) - early;
  let from = 0;
  let bit = 0;
  let codes = 0;
  let at = 0;
  let previousStart = -1;
  let previousLength = 0;

  let ended = false;
  while (true) {
    if (from + (bit + width + 7 >> 3) > input.length) break;
    // Of three bytes, the last may lie beyond the end; its bits are not used then.
    const code = (old
      ? (input[from]! | (input[from + 1]! << 8) | (input[from + 2]! << 16)) >>> bit
      : ((input[from]! << 16) | (input[from + 1]! << 8) | input[from + 2]!) >>> (24 - width - bit)) &
      ((1 << width) - 1);
    bit += width;
    from += bit >> 3;
    bit &= 7;
    codes += 1;
    if ((codes & 0xfffff) === 0) {
      segment.stop.check();
    }

    if (code === CLEAR) {
      next = FIRST_FREE;
      width = 9;
      limit = (1 << 9) - early;
      previousStart = -1;
      continue;
    }
    ended = code === END;
    if (ended || at === size) {
      break;
    }

    const start = at;
    let length: number;
    if (code < CLEAR) {
      output[at++] = code;
      length = 1;
    } else {
      let source: number;
      if (code < next) {
        source = starts[code]!;
        length = lengths[code]!;
      } else if (code === next && previousStart >= 0) {
        source = previousStart;
        length = previousLength + 1;
      } else {
        throw damaged(segment, "LZW", `code ${code} is not in the table of ${next} at output byte ${at}`);
      }
      const end = at + length;
      if (end > size) {
        throw surplus(segment, "LZW");
      }
      if (length > 48 && source + length <= at) {
        output.copyWithin(at, source, source + end - at);
        at = end;
      } else {
        while (at < end) {
          output[at++] = output[source++]!;
        }
      }
    }
    if (previousStart >= 0 && next < TABLE) {
      starts[next] = previousStart;
      lengths[next] = previousLength + 1;
      next += 1;
      if (next >= limit && width < 12) {
        width += 1;
        limit = (1 << width) - early;
      }
    }
    previousStart = start;
    previousLength = length;
  }
  if (at < segment.bytes) throw short(segment, "LZW", at);
  // What stands behind the end of the stream means nothing.
  if (!ended && at === size && input.length - from > MAX_PADDING) throw surplus(segment, "LZW");
  return output;
}

/** LZW; a code of 12 bits stands for at most 3838 bytes. */
export const lzw: Codec = {
  title: "LZW",
  image: false,
  bitOrder: true,
  maxExpansion: 2600,
  workingBytes: oneBuffer,
  decode,
};
