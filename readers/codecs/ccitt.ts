/**
 * CCITT run lengths (compression 2), Group 3 (3) and Group 4 (4): ITU-T T.4 and T.6; TIFF 6.0, sections 10 and 11.
 * Black runs become bits of 1, whatever the photometric interpretation.
 */
import { type Codec, damaged, oneBuffer, type Segment, short } from "./segment.ts";

// Codes of ITU-T T.4 (tables 2 and 3) and T.6, for lookup by the next 13 bits.

const WHITE =
  "00110101 000111 0111 1000 1011 1100 1110 1111 10011 10100 00111 01000 001000 000011 110100 110101 " +
  "101010 101011 0100111 0001100 0001000 0010111 0000011 0000100 0101000 0101011 0010011 0100100 0011000 00000010 " +
  "00000011 00011010 00011011 00010010 00010011 00010100 00010101 00010110 00010111 00101000 00101001 00101010 " +
  "00101011 00101100 00101101 00000100 00000101 00001010 00001011 01010010 01010011 01010100 01010101 00100100 " +
  "00100101 01011000 01011001 01011010 01011011 01001010 01001011 00110010 00110011 00110100";

const WHITE_64 =
  "11011 10010 010111 0110111 00110110 00110111 01100100 01100101 01101000 01100111 011001100 " +
  "011001101 011010010 011010011 011010100 011010101 011010110 011010111 011011000 011011001 011011010 011011011 " +
  "010011000 010011001 010011010 011000 010011011";

const BLACK =
  "0000110111 010 11 10 011 0011 0010 00011 000101 000100 0000100 0000101 0000111 00000100 00000111 " +
  "000011000 0000010111 0000011000 0000001000 00001100111 00001101000 00001101100 00000110111 00000101000 " +
  "00000010111 00000011000 000011001010 000011001011 000011001100 000011001101 000001101000 000001101001 " +
  "000001101010 000001101011 000011010010 000011010011 000011010100 000011010101 000011010110 000011010111 " +
  "000001101100 000001101101 000011011010 000011011011 000001010100 000001010101 000001010110 000001010111 " +
  "000001100100 000001100101 000001010010 000001010011 000000100100 000000110111 000000111000 000000100111 " +
  "000000101000 000001011000 000001011001 000000101011 000000101100 000001011010 000001100110 000001100111";

const BLACK_64 = "0000001111 000011001000 000011001001 000001011011 000000110011 000000110100 000000110101 " +
  "0000001101100 0000001101101 0000001001010 0000001001011 0000001001100 0000001001101 0000001110010 0000001110011 " +
  "0000001110100 0000001110101 0000001110110 0000001110111 0000001010010 0000001010011 0000001010100 0000001010101 " +
  "0000001011010 0000001011011 0000001100100 0000001100101";

const BOTH_1792 = "00000001000 00000001100 00000001101 000000010010 000000010011 000000010100 000000010101 " +
  "000000010110 000000010111 000000011100 000000011101 000000011110 000000011111";

/** Bits that a lookup takes. */
const LOOKUP_BITS = 13;

/** Two-dimensional modes: vertical ones are their distance, -3 to 3. */
const PASS = 8;
/** Two runs, each coded by its length. */
const HORIZONTAL = 9;

const MODES: readonly (readonly [string, number])[] = [
  ["1", 0],
  ["011", 1],
  ["000011", 2],
  ["0000011", 3],
  ["010", -1],
  ["000010", -2],
  ["0000010", -3],
  ["0001", PASS],
  ["001", HORIZONTAL],
];

/** Value × 16 + length of the code by the next 13 bits; 0 where no code begins so. */
function table(codes: Iterable<readonly [code: string, value: number]>): Int32Array {
  const entries = new Int32Array(1 << LOOKUP_BITS);
  for (const [code, value] of codes) {
    const free = LOOKUP_BITS - code.length;
    const first = Number.parseInt(code, 2) << free;
    entries.fill(value * 16 + code.length, first, first + (1 << free));
  }
  return entries;
}

function* runs(short: string, by64: string): Generator<readonly [string, number]> {
  for (const [i, code] of short.split(" ").entries()) yield [code, i];
  for (const [i, code] of by64.split(" ").entries()) yield [code, 64 * (i + 1)];
  for (const [i, code] of BOTH_1792.split(" ").entries()) yield [code, 1792 + 64 * i];
}

/** Runs of white and of black. */
export const RUNS = [table(runs(WHITE, WHITE_64)), table(runs(BLACK, BLACK_64))] as const;

/** Two-dimensional modes, moved up by 3 so that none is negative. */
export const MODE_CODES: Int32Array = table(MODES.map(([code, mode]) => [code, mode + 3] as const));

/** Bits of one strip, highest first; beyond the end they are 0. */
class Bits {
  readonly #bytes: Uint8Array;
  at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  get ended(): boolean {
    return this.at >= this.#bytes.length * 8;
  }

  peek(count: number): number {
    const from = this.at >> 3;
    const window = ((this.#bytes[from] ?? 0) << 16) | ((this.#bytes[from + 1] ?? 0) << 8) |
      (this.#bytes[from + 2] ?? 0);
    return (window >> (24 - count - (this.at & 7))) & ((1 << count) - 1);
  }

  align(): void {
    this.at = (this.at + 7) & ~7;
  }
}

interface Variant {
  readonly title: string;
  /** How a row begins. */
  readonly kind: "rle" | "group3" | "group4";
}

function decode(variant: Variant, input: Uint8Array, segment: Segment): Uint8Array {
  if (segment.settings.bits.some((bits) => bits !== 1) || segment.samples !== 1) {
    throw damaged(segment, variant.title, "it codes one sample of 1 bit");
  }
  const options = segment.settings.faxOptions ?? 0;
  if ((options & 2) !== 0) {
    throw damaged(segment, variant.title, "it may use uncompressed mode, which is not supported");
  }
  const { width, rows } = segment;
  const output = new Uint8Array(segment.bytes);
  const row = segment.bytes / rows;
  const bits = new Bits(input);
  let reference: number[] = [width, width, width];
  let marked: boolean | null = null;
  for (let y = 0; y < rows; y += 1) {
    if ((y & 255) === 0) segment.stop.check();
    if (variant.kind === "rle") bits.align();
    const isMarked = variant.kind === "group3" && skipEndOfLine(bits);
    const twoDimensional = variant.kind === "group4" ||
      (variant.kind === "group3" && (options & 1) !== 0 && isTwoDimensional(bits));
    if (bits.ended || endOfBlock(bits)) throw short(segment, variant.title, y * row);
    marked ??= isMarked;
    // Each row begins with the code or none does; a row that was read wrongly ends beside it.
    if (isMarked !== marked) throw damaged(segment, variant.title, `no end of line before row ${y}`);
    const changes = twoDimensional
      ? readTwoDimensional(bits, reference, width)
      : readOneDimensional(bits, width);
    if (typeof changes === "string") throw damaged(segment, variant.title, `${changes} in row ${y}`);
    for (let i = 0; i + 1 < changes.length; i += 2) {
      fill(output, y * row * 8 + changes[i]!, y * row * 8 + changes[i + 1]!);
    }
    reference = changes;
    reference.push(width, width, width);
  }
  return output;
}

/** Two end-of-line codes at the place of a row end the data. */
function endOfBlock(bits: Bits): boolean {
  if (bits.peek(12) !== 1) return false;
  bits.at += 12;
  // In two dimensions a tag bit of 1 stands between them.
  const end = bits.peek(12) === 1 || bits.peek(13) === 0b1_000000000001;
  bits.at -= 12;
  return end;
}

/** Skips fill and the end-of-line code before a row of Group 3; false without one. */
function skipEndOfLine(bits: Bits): boolean {
  if (bits.peek(11) !== 0) return false;
  while (!bits.ended && bits.peek(1) === 0) bits.at += 1;
  bits.at += 1;
  return true;
}

/** Takes the tag bit of a row. */
function isTwoDimensional(bits: Bits): boolean {
  const oneDimensional = bits.peek(1) === 1;
  bits.at += 1;
  return !oneDimensional;
}

/** The longest make-up code (ITU-T T.4, table 3). */
const LONGEST_CODED_RUN = 2560;

/** Length of a run of one colour, or -1 where no code fits. */
function readRun(bits: Bits, colour: number): number {
  for (let run = 0;;) {
    const entry = RUNS[colour as 0 | 1][bits.peek(LOOKUP_BITS)]!;
    if (entry === 0 || bits.ended) return -1;
    bits.at += entry & 15;
    const length = entry >> 4;
    run += length;
    if (length < 64) return run;
  }
}

/** Where the colour changes in a row, white first; a message where the code is damaged. */
function readOneDimensional(bits: Bits, width: number): number[] | string {
  const changes: number[] = [];
  let at = 0;
  for (let colour = 0; at < width; colour ^= 1) {
    const run = readRun(bits, colour);
    if (run < 0) return `no run length at bit ${bits.at}`;
    // Only the first may be empty (ITU-T T.4, 4.1.1); between longer ones than a code can say, writers may put others.
    if (run === 0 && changes.length > 0 && width <= LONGEST_CODED_RUN) {
      return `an empty run at bit ${bits.at}`;
    }
    at += run;
    if (at > width) return `a run ends at column ${at} of ${width}`;
    changes.push(at);
  }
  return changes;
}

function readTwoDimensional(bits: Bits, reference: readonly number[], width: number): number[] | string {
  const changes: number[] = [];
  let at = -1;
  let colour = 0;
  let i = 0;
  while (at < width) {
    while (reference[i]! <= at) i += 2;
    const b1 = reference[i] ?? width;
    const entry = MODE_CODES[bits.peek(LOOKUP_BITS)]!;
    if (entry === 0 || bits.ended) return `no mode at bit ${bits.at}`;
    bits.at += entry & 15;
    const mode = (entry >> 4) - 3;
    if (mode === PASS) {
      at = reference[i + 1] ?? width;
    } else if (mode === HORIZONTAL) {
      const first = readRun(bits, colour);
      const second = first < 0 ? -1 : readRun(bits, colour ^ 1);
      if (second < 0) return `no run length at bit ${bits.at}`;
      const start = Math.max(at, 0) + first;
      at = start + second;
      if (at > width) return `a run ends at column ${at} of ${width}`;
      changes.push(start, at);
    } else {
      const next = b1 + mode;
      // The next change lies after the last one; before the first, `at` is -1 (ITU-T T.4, 4.2.1.1).
      if (next <= at || next > width) return `a change at column ${next} of ${width}`;
      at = next;
      changes.push(at);
      colour ^= 1;
      // The change before may now be the next one of the other colour.
      i = i > 0 ? i - 1 : i + 1;
    }
  }
  return changes;
}

function fill(output: Uint8Array, from: number, to: number): void {
  let at = from;
  for (; at < to && at & 7; at += 1) output[at >> 3]! |= 0x80 >> (at & 7);
  for (; at + 8 <= to; at += 8) output[at >> 3] = 0xff;
  for (; at < to; at += 1) output[at >> 3]! |= 0x80 >> (at & 7);
}

/** A row of Group 4 like the one before takes one bit, so eight rows of 2^20 columns fit into a byte. */
const MAX_EXPANSION = 1 << 20;

function codec(variant: Variant): Codec {
  return {
    title: variant.title,
    image: false,
    bitOrder: true,
    maxExpansion: MAX_EXPANSION,
    workingBytes: oneBuffer,
    decode: (input, segment) => decode(variant, input, segment),
  };
}

/** Rows of run lengths, each from a whole byte on. */
export const ccittRle: Codec = codec({ title: "CCITT RLE", kind: "rle" });
/** Group 3, in one or two dimensions. */
export const ccittGroup3: Codec = codec({ title: "CCITT Group 3", kind: "group3" });
/** Group 4. */
export const ccittGroup4: Codec = codec({ title: "CCITT Group 4", kind: "group4" });
