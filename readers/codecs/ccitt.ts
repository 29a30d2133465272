/**
 * CCITT run lengths (compression 2), Group 3 (3) and Group 4 (4): ITU-T T.4 and T.6; TIFF 6.0, sections 10 and 11.
 * Black runs become bits of 1, whatever the photometric interpretation.
 */
import { HORIZONTAL, LOOKUP_BITS, MODE_CODES, PASS, RUNS } from "./ccitt_codes.ts";
import { type Codec, damaged, oneBuffer, type Segment, short } from "./segment.ts";

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
    throw damaged(segment, variant.title, "it may be in uncompressed mode, which is not read");
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

/** Skips fill and the end-of-line code before a row of Group 3; false where there is none. */
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
      // The next change lies behind the last one; before the first, `at` is -1 (ITU-T T.4, 4.2.1.1).
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
