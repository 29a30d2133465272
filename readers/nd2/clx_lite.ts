/**
 * Metadata of version 3, a binary tree. An entry has a type, the length of its name in UTF-16 units with a final NUL,
 * the name and a value. A level has the number of its entries, the entries and a table of their offsets, which is skipped.
 */
import { unpackAll } from "../codecs/compressed_stream.ts";
import { DecodeFailed } from "../errors.ts";
import { MAX_XML_NODES } from "../io/limits.ts";
import type { XmlLimits } from "../metadata/xml.ts";
import { uint64 } from "./chunk_map.ts";
import type { Variant, VariantObject } from "./variant.ts";

/** Largest number of entries in all metadata of an open, 100 bytes of heap each; ten thousand stage positions have 60,000. */
export const MAX_ENTRIES = 500_000;

/** Deepest nesting of levels; experiments have a dozen. */
export const MAX_LEVELS = 64;

/** Largest size of all inflated metadata of an open in bytes. */
export const MAX_INFLATED_BYTES = 64 << 20;

/** Remaining limits of the metadata of one open. */
export interface VariantBudget {
  entries: number;
  inflated: number;
  /** Remaining elements and attributes in XML. */
  readonly xml: XmlLimits;
}

/** The budget at the start of an open. */
export const variantBudget = (): VariantBudget => ({
  entries: MAX_ENTRIES,
  inflated: MAX_INFLATED_BYTES,
  xml: { nodes: MAX_XML_NODES, depth: MAX_LEVELS },
});

const TYPE = { text: 8, bytes: 9, level: 11, compressed: 0x4c } as const;

/** Width in bytes and reader, by type, for values of fixed width. */
const SCALARS: Readonly<Record<number, readonly [number, (view: DataView, at: number) => Variant]>> = {
  1: [1, (view, at) => view.getUint8(at) !== 0],
  2: [4, (view, at) => view.getInt32(at, true)],
  3: [4, (view, at) => view.getUint32(at, true)],
  4: [8, (view, at) => Number(view.getBigInt64(at, true))],
  5: [8, uint64],
  6: [8, (view, at) => view.getFloat64(at, true)],
  7: [8, uint64],
};

/** Number of bytes before a compressed stream: `LV0Z` and a u64 length. */
const COMPRESSED_HEAD_BYTES = 12;

/** Parses a chunk. @param budget counted down @throws {DecodeFailed} the chunk is damaged, or exceeds the budget */
export function parseLite(bytes: Uint8Array, what: string, budget: VariantBudget): VariantObject {
  return new LiteParser(bytes, what, budget).document(0);
}

class LiteParser {
  readonly #bytes: Uint8Array;
  readonly #view: DataView;
  readonly #what: string;
  readonly #budget: VariantBudget;
  #at = 0;

  constructor(bytes: Uint8Array, what: string, budget: VariantBudget) {
    this.#bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
    this.#what = what;
    this.#budget = budget;
  }

  /** Entries up to the end, or up to zero padding. */
  document(depth: number): VariantObject {
    const end = this.#bytes.length;
    if (this.#bytes[0] === TYPE.compressed) return this.#compressed(depth);
    const found = new Map<string, Variant>();
    while (this.#at < end && (found.size === 0 || this.#bytes[this.#at] !== 0)) {
      const [name, value] = this.#entry(end, depth);
      found.set(name, value);
    }
    return found;
  }

  #entry(end: number, depth: number): [name: string, value: Variant] {
    const start = this.#at;
    if ((this.#budget.entries -= 1) < 0) throw this.#fault(start, `has more than ${MAX_ENTRIES} entries`);
    this.#need(2, end);
    const type = this.#bytes[start]!;
    const units = this.#bytes[start + 1]!;
    this.#at += 2;
    this.#need(2 * units, end);
    const nameEnd = this.#at + 2 * units;
    const name = this.#text(this.#at, nameEnd);
    this.#at = nameEnd;
    return [name, this.#value(type, { start, end }, depth)];
  }

  #value(type: number, { start, end }: { start: number; end: number }, depth: number): Variant {
    const scalar = SCALARS[type];
    if (scalar !== undefined) {
      const [width, read] = scalar;
      this.#need(width, end);
      this.#at += width;
      return read(this.#view, this.#at - width);
    }
    if (type === TYPE.text) return this.#string(end);
    if (type === TYPE.bytes) {
      this.#need(8, end);
      const length = uint64(this.#view, this.#at);
      this.#at += 8;
      this.#need(length, end);
      this.#at += length;
      return this.#bytes.subarray(this.#at - length, this.#at);
    }
    if (type === TYPE.level) return this.#level(start, end, depth);
    throw this.#fault(start, `has an entry of unknown type ${type}`);
  }

  /** A text up to its NUL, or else up to the end. */
  #string(end: number): string {
    const start = this.#at;
    let at = start;
    while (at + 1 < end && (this.#bytes[at] !== 0 || this.#bytes[at + 1] !== 0)) at += 2;
    this.#at = Math.min(at + 2, end);
    return this.#text(start, at);
  }

  /** A list if the children have no names, else an object. */
  #level(start: number, end: number, depth: number): Variant {
    if (depth >= MAX_LEVELS) throw this.#fault(start, `is nested more than ${MAX_LEVELS} deep`);
    this.#need(12, end);
    const count = this.#view.getUint32(this.#at, true);
    const length = uint64(this.#view, this.#at + 4);
    this.#at += 12;
    const childrenEnd = start + length;
    const levelEnd = childrenEnd + 8 * count;
    if (childrenEnd < this.#at || levelEnd > end) {
      throw this.#fault(start, `has a level of ${length} bytes with ${count} entries that does not fit`);
    }
    const children: [string, Variant][] = [];
    for (let i = 0; i < count; i += 1) children.push(this.#entry(childrenEnd, depth + 1));
    this.#at = levelEnd;
    const isList = children.length > 0 && children.every(([name]) => name === "");
    return isList ? children.map(([, value]) => value) : new Map(children);
  }

  #compressed(depth: number): VariantObject {
    if (depth >= MAX_LEVELS) throw this.#fault(0, `is nested more than ${MAX_LEVELS} deep`);
    this.#need(COMPRESSED_HEAD_BYTES, this.#bytes.length);
    const length = uint64(this.#view, 4);
    if (length > this.#budget.inflated) {
      throw this.#fault(0, `inflates to ${length} bytes, more than ${MAX_INFLATED_BYTES} for all metadata`);
    }
    this.#budget.inflated -= length;
    let inflated: Uint8Array;
    try {
      inflated = unpackAll("zlib", this.#bytes.subarray(COMPRESSED_HEAD_BYTES), length);
    } catch (cause) {
      throw this.#fault(0, `cannot be inflated: ${cause instanceof Error ? cause.message : cause}`);
    }
    if (inflated.length !== length) {
      throw this.#fault(0, `inflates to ${inflated.length} bytes instead of ${length}`);
    }
    return new LiteParser(inflated, this.#what, this.#budget).document(depth + 1);
  }

  /** UTF-16 text up to the first NUL. */
  #text(start: number, end: number): string {
    const text = UTF16.decode(this.#bytes.subarray(start, end - (end - start) % 2));
    const nul = text.indexOf("\0");
    return nul < 0 ? text : text.slice(0, nul);
  }

  #need(length: number, end: number): void {
    if (this.#at + length > end) {
      throw this.#fault(this.#at, `ends within an entry that needs ${length} bytes`);
    }
  }

  #fault(at: number, what: string): DecodeFailed {
    return new DecodeFailed(`${this.#what} ${what} (at its byte ${at})`);
  }
}

const UTF16 = new TextDecoder("utf-16le");
