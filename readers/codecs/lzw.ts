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

function decode(input: Uint8Array, segment: Segment): Uint8Array {
  if (!startsOld(input)) requireClear(input, segment);
  const output = new Uint8Array(segment.mostBytes);
  const { filled, left, ended } = fill(output, input, segment, false);
  if (filled < segment.bytes) throw short(segment, "LZW", filled);
  // Bytes behind the end code are ignored.
  if (!ended && filled === output.length && left > MAX_PADDING) throw surplus(segment, "LZW");
  return output;
}

/** Whatever follows the declared bytes is left out, be it the end code or not. Streams of before TIFF 6.0 are none of these. */
function decodeDeclared(input: Uint8Array, segment: Segment): Uint8Array {
  requireClear(input, segment);
  const output = new Uint8Array(segment.bytes);
  const { filled } = fill(output, input, segment, true);
  if (filled < segment.bytes) throw short(segment, "LZW", filled);
  return output;
}

/** The clear code, 256 in 9 bits, with which a stream begins (TIFF 6.0, section 13). */
function requireClear([first, second = 0x80]: Uint8Array, segment: Segment): void {
  if (first === 0x80 && second < 0x80) return;
  throw damaged(segment, "LZW", "it does not begin with the clear code");
}

/**
 * Strings are kept as places in the output: a new string is the string before it and one byte more, which lie
 * side by side there.
 *
 * @param cut whether a string is cut where the output ends
 * @returns bytes of the output that are filled, bytes of the input that are left, whether the end code was met
 */
function fill(output: Uint8Array, input: Uint8Array, segment: Segment, cut: boolean) {
  const size = output.length;
  const old = startsOld(input);
  const early = old ? 0 : 1;
  const starts = new Int32Array(TABLE);
  const lengths = new Int32Array(TABLE);
  // Variables of their own: taken from a list, they double the time of the loop.
  let next = FIRST_FREE, width = 9, limit = (1 << 9) - early;
  let from = 0, bit = 0, codes = 0, at = 0;
  let previousStart = -1, previousLength = 0;
  while (from + (bit + width + 7 >> 3) <= input.length) {
    const word = old ? lowestFirst(input, from) >>> bit : highestFirst(input, from) >>> (24 - width - bit);
    const code = word & ((1 << width) - 1);
    bit += width;
    from += bit >> 3;
    bit &= 7;
    if ((++codes & 0xfffff) === 0) segment.stop.check();
    if (code === CLEAR) {
      next = FIRST_FREE;
      width = 9;
      limit = (1 << 9) - early;
      previousStart = -1;
      continue;
    }
    if (code === END) {
      return { filled: at, left: input.length - from, ended: true };
    }
    if (at === size) {
      break;
    }
    const start = at;
    let length = 1;
    if (code < CLEAR) {
      output[at++] = code;
    } else {
      const known = code < next;
      if (!known && (code > next || previousStart < 0)) {
        throw damaged(segment, "LZW", `code ${code} is not in the table of ${next} at output byte ${at}`);
      }
      length = known ? lengths[code]! : previousLength + 1;
      if (at + length > size) {
        if (!cut) throw surplus(segment, "LZW");
        length = size - at;
      }
      copyString(output, known ? starts[code]! : previousStart, at, length);
      at += length;
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
  return { filled: at, left: input.length - from, ended: false };
}

// Of three bytes, the last may lie beyond the end; its bits are not used then.
const lowestFirst = (input: Uint8Array, at: number) =>
  input[at]! | (input[at + 1]! << 8) | (input[at + 2]! << 16);
const highestFirst = (input: Uint8Array, at: number) =>
  (input[at]! << 16) | (input[at + 1]! << 8) | input[at + 2]!;

/** True for a stream of before TIFF 6.0. */
const startsOld = ([first, second]: Uint8Array) => first === 0 && second !== undefined && (second & 1) === 1;

/** Copies a string to `at`; it may overlap what it writes. */
function copyString(output: Uint8Array, from: number, at: number, length: number): void {
  if (length > 48 && from + length <= at) {
    output.copyWithin(at, from, from + length);
    return;
  }
  for (let i = 0; i < length; i += 1) output[at + i] = output[from + i]!;
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

/** LZW of streams that may lack the end code and whose stored length is known from above alone. */
export const lzwToLength: Codec = { ...lzw, decode: decodeDeclared };
