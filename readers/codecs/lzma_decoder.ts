/**
 * LZMA proper: a range coder with adaptive probabilities over literals and matches. Names and probability counts
 * are those of the LZMA specification by I. Pavlov. The output array is the dictionary.
 */

const INITIAL = 1024;
const STATES = 12;
const POSITION_STATES = 16;
const END_POSITION_MODEL = 14;
const FULL_DISTANCES = 128;
const ALIGN_BITS = 4;
const MIN_MATCH = 2;

const fresh = (count: number) => new Uint16Array(count).fill(INITIAL);

/** Probabilities of the length of a match or of a repeated match. */
interface LengthModel {
  readonly choice: Uint16Array;
  readonly low: Uint16Array;
  readonly mid: Uint16Array;
  readonly high: Uint16Array;
}

const lengthModel = (): LengthModel => ({
  choice: fresh(2),
  low: fresh(POSITION_STATES * 8),
  mid: fresh(POSITION_STATES * 8),
  high: fresh(256),
});

/** Decodes LZMA2 chunks one after the other into one output. */
export class LzmaDecoder {
  /** Where the next byte goes. */
  at: number;
  readonly #output: Uint8Array;
  #dictionary: number;
  #lc = 0;
  #lp = 0;
  #pb = 0;
  #ready = false;
  #state = 0;
  #reps: [number, number, number, number] = [0, 0, 0, 0];
  #literals = fresh(0);
  #isMatch = fresh(0);
  #isRep = fresh(0);
  #isRepG0 = fresh(0);
  #isRepG1 = fresh(0);
  #isRepG2 = fresh(0);
  #isRep0Long = fresh(0);
  #slots = fresh(0);
  #special = fresh(0);
  #align = fresh(0);
  #matchLength = lengthModel();
  #repLength = lengthModel();
  #input: Uint8Array = new Uint8Array(0);
  #from = 0;
  #range = 0;
  #code = 0;

  /** Decodes into `output` from `at` on. */
  constructor(output: Uint8Array, at: number) {
    this.#output = output;
    this.at = at;
    this.#dictionary = at;
  }

  /** Begins a new dictionary: matches must not reach back before it. */
  forget(): void {
    this.#dictionary = this.at;
  }

  /** Bytes that are not compressed. */
  copy(bytes: Uint8Array, forget: boolean): void {
    if (forget) this.forget();
    this.#room(bytes.length);
    this.#output.set(bytes, this.at);
    this.at += bytes.length;
  }

  /** Sets literal and position bits from their byte and resets the state. */
  properties(byte: number): void {
    this.#lc = byte % 9;
    this.#lp = Math.floor(byte / 9) % 5;
    this.#pb = Math.floor(byte / 45);
    if (byte > 224 || this.#lc + this.#lp > 4) throw new Error(`its properties are ${byte}`);
    this.#ready = true;
    this.resetState();
  }

  /** Sets all probabilities back. */
  resetState(): void {
    this.#state = 0;
    this.#reps = [0, 0, 0, 0];
    this.#literals = fresh(0x300 << (this.#lc + this.#lp));
    this.#isMatch = fresh(STATES * POSITION_STATES);
    this.#isRep = fresh(STATES);
    this.#isRepG0 = fresh(STATES);
    this.#isRepG1 = fresh(STATES);
    this.#isRepG2 = fresh(STATES);
    this.#isRep0Long = fresh(STATES * POSITION_STATES);
    this.#slots = fresh(4 * 64);
    this.#special = fresh(1 + FULL_DISTANCES - END_POSITION_MODEL);
    this.#align = fresh(1 << ALIGN_BITS);
    this.#matchLength = lengthModel();
    this.#repLength = lengthModel();
  }

  /** Decodes one chunk to `size` bytes. */
  decode(input: Uint8Array, size: number): void {
    if (!this.#ready) throw new Error("its first chunk has no properties");
    this.#room(size);
    if (input.length < 5 || input[0] !== 0) throw new Error("a chunk does not begin with 0");
    this.#input = input;
    this.#code = ((input[1]! << 24) | (input[2]! << 16) | (input[3]! << 8) | input[4]!) >>> 0;
    this.#range = 0xffffffff;
    this.#from = 5;
    const end = this.at + size;
    while (this.at < end) this.#symbol(end);
    // The encoder flushes its range, so that a whole chunk ends with a code of 0.
    if (this.#from !== input.length || this.#code !== 0) {
      throw new Error("a chunk does not end with its data");
    }
  }

  #room(size: number): void {
    if (this.at + size > this.#output.length) {
      throw new Error(`it holds more than the ${this.#output.length} bytes that are declared`);
    }
  }

  #symbol(end: number): void {
    const positionState = (this.at - this.#dictionary) & ((1 << this.#pb) - 1);
    const state = this.#state;
    if (this.#bit(this.#isMatch, state * POSITION_STATES + positionState) === 0) return this.#literal();
    let length: number;
    if (this.#bit(this.#isRep, state) === 0) {
      length = this.#length(this.#matchLength, positionState);
      const [r0, r1, r2] = this.#reps;
      this.#reps = [this.#distance(length), r0, r1, r2];
      this.#state = state < 7 ? 7 : 10;
    } else {
      if (this.#bit(this.#isRepG0, state) === 0) {
        if (this.#bit(this.#isRep0Long, state * POSITION_STATES + positionState) === 0) {
          this.#state = state < 7 ? 9 : 11;
          return this.#match(1, end);
        }
      } else {
        const [r0, r1, r2, r3] = this.#reps;
        if (this.#bit(this.#isRepG1, state) === 0) this.#reps = [r1, r0, r2, r3];
        else if (this.#bit(this.#isRepG2, state) === 0) this.#reps = [r2, r0, r1, r3];
        else this.#reps = [r3, r0, r1, r2];
      }
      length = this.#length(this.#repLength, positionState);
      this.#state = state < 7 ? 8 : 11;
    }
    this.#match(length + MIN_MATCH, end);
  }

  #literal(): void {
    const output = this.#output;
    const position = this.at - this.#dictionary;
    const before = position > 0 ? output[this.at - 1]! : 0;
    const context = ((position & ((1 << this.#lp) - 1)) << this.#lc) + (before >> (8 - this.#lc));
    const base = 0x300 * context;
    let symbol = 1;
    if (this.#state >= 7) {
      let matched = output[this.at - this.#reps[0] - 1]!;
      do {
        const matchBit = (matched >> 7) & 1;
        matched <<= 1;
        const bit = this.#bit(this.#literals, base + ((1 + matchBit) << 8) + symbol);
        symbol = (symbol << 1) | bit;
        if (matchBit !== bit) break;
      } while (symbol < 0x100);
    }
    while (symbol < 0x100) symbol = (symbol << 1) | this.#bit(this.#literals, base + symbol);
    output[this.at++] = symbol;
    this.#state = this.#state < 4 ? 0 : this.#state < 10 ? this.#state - 3 : this.#state - 6;
  }

  #match(length: number, end: number): void {
    const back = this.#reps[0] + 1;
    if (back > this.at - this.#dictionary) {
      throw new Error(`a match lies ${back} bytes back, before the start`);
    }
    if (this.at + length > end) throw new Error("a match goes beyond its chunk");
    const output = this.#output;
    for (let i = 0; i < length; i += 1, this.at += 1) output[this.at] = output[this.at - back]!;
  }

  #length(model: LengthModel, positionState: number): number {
    if (this.#bit(model.choice, 0) === 0) return this.#tree(model.low, positionState * 8, 3);
    if (this.#bit(model.choice, 1) === 0) return 8 + this.#tree(model.mid, positionState * 8, 3);
    return 16 + this.#tree(model.high, 0, 8);
  }

  #distance(length: number): number {
    const slot = this.#tree(this.#slots, Math.min(length, 3) * 64, 6);
    if (slot < 4) return slot;
    const direct = (slot >> 1) - 1;
    const base = (2 | (slot & 1)) * 2 ** direct;
    if (slot < END_POSITION_MODEL) return base + this.#reverseTree(this.#special, base - slot, direct);
    return base + this.#directBits(direct - ALIGN_BITS) * 16 + this.#reverseTree(this.#align, 0, ALIGN_BITS);
  }

  #bit(probabilities: Uint16Array, index: number): number {
    const probability = probabilities[index]!;
    const bound = (this.#range >>> 11) * probability;
    let bit: number;
    if (this.#code < bound) {
      this.#range = bound;
      probabilities[index] = probability + ((2048 - probability) >> 5);
      bit = 0;
    } else {
      this.#range -= bound;
      this.#code -= bound;
      probabilities[index] = probability - (probability >> 5);
      bit = 1;
    }
    this.#normalize();
    return bit;
  }

  #normalize(): void {
    if (this.#range >= 0x1000000) return;
    this.#range = (this.#range << 8) >>> 0;
    this.#code = ((this.#code << 8) | (this.#input[this.#from++] ?? 0)) >>> 0;
  }

  #directBits(count: number): number {
    let value = 0;
    for (let i = 0; i < count; i += 1) {
      this.#range >>>= 1;
      const bit = this.#code >= this.#range ? 1 : 0;
      if (bit) this.#code -= this.#range;
      value = value * 2 + bit;
      this.#normalize();
    }
    return value;
  }

  #tree(probabilities: Uint16Array, base: number, bits: number): number {
    let symbol = 1;
    for (let i = 0; i < bits; i += 1) symbol = (symbol << 1) | this.#bit(probabilities, base + symbol);
    return symbol - (1 << bits);
  }

  #reverseTree(probabilities: Uint16Array, base: number, bits: number): number {
    let symbol = 1;
    let value = 0;
    for (let i = 0; i < bits; i += 1) {
      const bit = this.#bit(probabilities, base + symbol);
      symbol = (symbol << 1) | bit;
      value |= bit << i;
    }
    return value;
  }
}
