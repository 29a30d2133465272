/**
 * LZW (compression 5; TIFF 6.0, section 13). Codes are 9 to 12 bits, highest bit first, and widen one code early.
 * Files of before TIFF 6.0 have them lowest bit first and widen when the table is full; their streams start with
 * the clear code as bytes `00 01` rather than `80`.
 */
import {
  type Codec,
  damagedSegment,
  estimateOneBuffer,
  MAX_PADDING,
  reuseRoom,
  type Segment,
  shortSegment,
  surplusSegment,
} from "./segment.ts";

const CLEAR = 256;
const END = 257;
const FIRST_FREE = 258;
const TABLE = 4096;

/** They stand before the output, so that a code below 256 is a string like any other. */
const BYTES = Uint8Array.from({ length: 256 }, (_, value) => value);

/** Bytes of the words in which strings are copied; the last word may reach beyond its string. */
const WORD = 8;

/** Bytes from which a code is taken. */
const WINDOW = 4;

/** Most codes between two checks of the stop flag. */
const MAX_STAGE = 1 << 20;

/**
 * Where the string of each code begins in the output, before it the bytes, and its length: of one stream at a time, since
 * nothing waits while one is decoded.
 */
const starts = Int32Array.from({ length: TABLE + 2 }, (_, code) => code - BYTES.length);
const lengths = new Int32Array(TABLE + 2).fill(1, 0, BYTES.length);

function decode(input: Uint8Array, segment: Segment): Uint8Array {
  if (!startsOld(input)) requireClear(input, segment);
  const stream = new LzwStream(input, segment, segment.mostBytes);
  const { filled, left, ended } = stream.decode(false);
  if (filled < segment.bytes) throw shortSegment(segment, "LZW", filled);
  // Bytes after the end code are ignored.
  if (!ended && filled === segment.mostBytes && left > MAX_PADDING) throw surplusSegment(segment, "LZW");
  return stream.output.subarray(0, filled);
}

/** Ignores what follows the declared bytes, such as the end code. Refuses streams from before TIFF 6.0. */
function decodeDeclared(input: Uint8Array, segment: Segment): Uint8Array {
  requireClear(input, segment);
  const stream = new LzwStream(input, segment, segment.bytes);
  const { filled } = stream.decode(true);
  if (filled < segment.bytes) throw shortSegment(segment, "LZW", filled);
  return stream.output;
}

/** The clear code, 256 in 9 bits, with which a stream begins (TIFF 6.0, section 13). */
function requireClear([first, second = 0x80]: Uint8Array, segment: Segment): void {
  if (first === 0x80 && second < 0x80) return;
  throw damagedSegment(segment, "LZW", "it does not begin with the clear code");
}

/** True for a stream of before TIFF 6.0. */
const startsOld = ([first, second]: Uint8Array) => first === 0 && second !== undefined && (second & 1) === 1;

/** Results of a code other than a string. */
type Halt = "clear" | "end" | "full";

/**
 * A stream and its output. Strings are kept as places in the output: a new string is the string before it and one byte more,
 * which lie side by side there.
 */
class LzwStream {
  readonly #segment: Segment;
  readonly #old: boolean;
  /** {@linkcode BYTES}, the output, and room for the rest of a word. */
  readonly #buffer: Uint8Array;
  readonly #words: DataView;
  /** Where the output ends in the buffer, and how much of the buffer is filled. */
  readonly #end: number;
  #at = BYTES.length;
  /** The input; at its end a copy of the last bytes, padded with zeros to a whole window. */
  #windows: DataView;
  #isCopy = false;
  /** First bit of the next code: a byte of the windows, and the bits from there. */
  #from = 0;
  #bit = 0;
  #width = 9;
  /** Of the string that begins with the next code; that of the code before ends with its first byte. */
  #slot = FIRST_FREE;

  /** `size` is that of the output in bytes. */
  constructor(input: Uint8Array, segment: Segment, size: number) {
    this.#segment = segment;
    this.#old = startsOld(input);
    this.#end = BYTES.length + size;
    this.#buffer = reuseRoom(segment, this.#end + WORD);
    this.#buffer.set(BYTES);
    this.#words = new DataView(this.#buffer.buffer);
    this.#windows = new DataView(input.buffer, input.byteOffset, input.length);
  }

  get output(): Uint8Array {
    return this.#buffer.subarray(BYTES.length, this.#end);
  }

  /**
   * Decodes until the end code, the end of the input or that of the output.
   *
   * @param cut whether a string is cut where the output ends
   * @returns bytes of the output that are filled, bytes of the input that are left, whether the end code was met
   * @throws {DecodeFailed | Stopped}
   */
  decode(cut: boolean): { readonly filled: number; readonly left: number; readonly ended: boolean } {
    const early = this.#old ? 0 : 1;
    let halt: Halt | null = null;
    while (halt === null || halt === "clear") {
      this.#segment.stop.check();
      if (halt === "clear") [this.#slot, this.#width] = [FIRST_FREE, 9];
      else if (this.#width < 12 && this.#slot > (1 << this.#width) - early) this.#width += 1;
      const sameWidth = this.#width < 12 ? (1 << this.#width) - early + 1 - this.#slot : MAX_STAGE;
      const codes = Math.min(sameWidth, this.#codesLeft());
      if (codes <= 0) break;
      halt = this.#take(codes, cut);
    }
    const left = this.#windows.byteLength - this.#from - (this.#isCopy ? WINDOW : 0);
    return { filled: this.#at - BYTES.length, left, ended: halt === "end" };
  }

  /** Codes of the width that can be taken before the input ends. */
  #codesLeft(): number {
    const codes = Math.floor(
      (8 * (this.#windows.byteLength - WINDOW - this.#from) - this.#bit) / this.#width,
    );
    if (codes > 0 || this.#isCopy) return codes;
    const { buffer, byteOffset, byteLength } = this.#windows;
    const rest = new Uint8Array(buffer, byteOffset + this.#from, byteLength - this.#from);
    const copy = new Uint8Array(rest.length + WINDOW);
    copy.set(rest);
    [this.#windows, this.#isCopy, this.#from] = [new DataView(copy.buffer), true, 0];
    return this.#codesLeft();
  }

  /** Takes codes of one width, all of which lie in the input. */
  #take(codes: number, cut: boolean): Halt | null {
    const [buffer, words, windows, old] = [this.#buffer, this.#words, this.#windows, this.#old];
    const [from, width, size, head] = [this.#from, this.#width, this.#end, BYTES.length];
    const [mask, shift] = [(1 << width) - 1, 32 - width];
    let bit = this.#bit, at = this.#at, slot = this.#slot, previous = starts[slot - 1]! + head;
    let halt: Halt | null = null;
    for (const end = bit + codes * width; bit < end;) {
      const first = from + (bit >>> 3);
      const code = old
        ? (windows.getUint32(first, true) >>> (bit & 7)) & mask
        : (windows.getUint32(first) << (bit & 7)) >>> shift;
      bit += width;
      if (code === CLEAR || code === END) {
        halt = code === CLEAR ? "clear" : "end";
        break;
      }
      starts[slot] = at - head;
      lengths[slot - 1] = at - previous + 1;
      const start = starts[code]! + head;
      let length = lengths[code]!;
      if (code >= slot || at + length > size) {
        if (at === size) {
          halt = "full";
          break;
        }
        if (code >= slot) throw this.#unknown(code, slot, at);
        if (!cut) throw surplusSegment(this.#segment, "LZW");
        length = size - at;
      }
      let copied = 0;
      do {
        words.setBigUint64(at + copied, words.getBigUint64(start + copied, true), true);
        copied += WORD;
      } while (copied < length);
      // The string that this very code completes.
      if (start + length > at) buffer[at + length - 1] = buffer[start]!;
      previous = at;
      at += length;
      if (slot <= TABLE) slot += 1;
    }
    [this.#from, this.#bit, this.#at, this.#slot] = [from + (bit >>> 3), bit & 7, at, slot];
    return halt;
  }

  #unknown(code: number, slot: number, at: number) {
    const [table, byte] = [Math.max(slot - 1, FIRST_FREE), at - BYTES.length];
    return damagedSegment(
      this.#segment,
      "LZW",
      `code ${code} is not in the table of ${table} at output byte ${byte}`,
    );
  }
}

/** LZW; a code of 12 bits stands for at most 3838 bytes. */
export const lzw: Codec = {
  title: "LZW",
  image: false,
  bitOrder: true,
  maxExpansion: 2600,
  refills: true,
  workingBytes: estimateOneBuffer,
  decode,
};

/** LZW of streams that may lack the end code and whose stored length is known from above alone. */
export const lzwToLength: Codec = { ...lzw, decode: decodeDeclared };
