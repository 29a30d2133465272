/** Huffman codes and bits of JPEG streams (ITU-T T.81, annexes C and F.2.2). */

/** One Huffman table: codes of up to 8 bits by lookup, longer ones by the largest code of each length. */
export interface HuffmanTable {
  /** The number of codes of each length from 1 to 16, and behind it the values in the order of their codes. */
  readonly coded: Uint8Array;
  /** Length × 256 + value of the code that the next 8 bits begin with; 0 for a longer one. */
  readonly lookup: Uint16Array;
  /** Largest code of each length; where there is none, a number below all that can follow shorter codes. */
  readonly most: Int32Array;
  /** What to add to a code of each length for its place in `values`. */
  readonly offset: Int32Array;
  /** Values in the order of their codes. */
  readonly values: Uint8Array;
}

const LOOKUP = 8;

/** Makes a table from the number of codes of each length and, behind them, their values. @throws {Error} the counts do not form a code */
export function huffmanTable(coded: Uint8Array): HuffmanTable {
  const counts = coded.subarray(0, 16);
  const values = coded.subarray(16);
  const lookup = new Uint16Array(1 << LOOKUP);
  const most = new Int32Array(17);
  const offset = new Int32Array(17);
  let code = 0;
  let k = 0;
  for (let length = 1; length <= 16; length += 1) {
    offset[length] = k - code;
    for (let i = 0; i < counts[length - 1]!; i += 1, k += 1, code += 1) {
      if (length <= LOOKUP) {
        const first = code << (LOOKUP - length);
        lookup.fill((length << 8) | values[k]!, first, first + (1 << (LOOKUP - length)));
      }
    }
    if (code > 1 << length) throw new Error("a Huffman table has too many codes");
    most[length] = code - 1;
    code <<= 1;
  }
  return { coded, lookup, most, offset, values };
}

/** Bits of one entropy-coded segment; stuffed zeros are dropped, a marker ends it. */
export class ScanBits {
  readonly #bytes: Uint8Array;
  /** Next byte. */
  at: number;
  #pool = 0;
  #count = 0;

  /** Reads from an offset on. */
  constructor(bytes: Uint8Array, at: number) {
    this.#bytes = bytes;
    this.at = at;
  }

  /** Loads bytes until `count` bits (at most 16) are there. @throws {Error} the data end */
  #load(count: number): void {
    while (this.#count < count) {
      let byte = this.#bytes[this.at];
      if (byte === 0xff) {
        if (this.#bytes[this.at + 1] === 0) this.at += 1;
        else byte = undefined;
      }
      if (byte === undefined) throw new Error("its entropy-coded data end early");
      this.at += 1;
      this.#pool = ((this.#pool << 8) | byte) & 0xffffff;
      this.#count += 8;
    }
  }

  /** One bit. */
  bit(): number {
    if (this.#count === 0) this.#load(1);
    this.#count -= 1;
    return (this.#pool >>> this.#count) & 1;
  }

  /** `count` bits, 0 to 16. */
  bits(count: number): number {
    if (count === 0) return 0;
    this.#load(count);
    this.#count -= count;
    return (this.#pool >>> this.#count) & ((1 << count) - 1);
  }

  /** A difference of `category` bits with its sign (T.81, EXTEND). */
  signed(category: number): number {
    const value = this.bits(category);
    return category > 0 && value < 1 << (category - 1) ? value - (1 << category) + 1 : value;
  }

  /** The value of the next code. @throws {Error} it is none of the table */
  code(table: HuffmanTable): number {
    // Near the end fewer than 8 bits may be left: then the code is read bit by bit.
    if (this.#count >= LOOKUP || this.#tryLoad()) {
      const entry = table.lookup[(this.#pool >>> (this.#count - LOOKUP)) & 0xff]!;
      if (entry !== 0) {
        this.#count -= entry >> 8;
        return entry & 0xff;
      }
    }
    let code = 0;
    for (let length = 1; length <= 16; length += 1) {
      code = (code << 1) | this.bit();
      if (code <= table.most[length]!) return table.values[code + table.offset[length]!]!;
    }
    throw new Error("a Huffman code is none of its table");
  }

  /** Loads a byte to the fewer than 8 bits that are left, if there is one. */
  #tryLoad(): boolean {
    const byte = this.#bytes[this.at];
    if (byte === undefined || (byte === 0xff && this.#bytes[this.at + 1] !== 0)) return false;
    this.#load(LOOKUP);
    return true;
  }

  /** Drops what is left before a marker and goes behind a restart marker. @throws {Error} there is none */
  restart(): void {
    this.#count = 0;
    // Some encoders pad with bytes of ones.
    while (this.#bytes[this.at] === 0xff && this.#bytes[this.at + 1] === 0xff) this.at += 1;
    const marker = this.#bytes[this.at + 1] ?? 0;
    if (this.#bytes[this.at] !== 0xff || marker < 0xd0 || marker > 0xd7) {
      throw new Error("a restart marker is missing");
    }
    this.at += 2;
  }
}
