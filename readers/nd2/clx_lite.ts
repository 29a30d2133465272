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

/** Deepest nesting of levels; experiments have a dozen. */
export const MAX_LEVELS = 64;

/** Largest size of all inflated metadata of an open in bytes. */
export const MAX_INFLATED_BYTES = 64 << 20;

/** Remaining limits of the metadata of one open, binary or XML. */
export interface VariantBudget extends XmlLimits {
  inflated: number;
}

/** The budget at the start of an open; ten thousand stage positions have 60,000 entries. */
export const variantBudget = (): VariantBudget => ({
  nodes: MAX_XML_NODES,
  depth: MAX_LEVELS,
  inflated: MAX_INFLATED_BYTES,
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
export function parseLite(
  bytes: Uint8Array,
  what: string,
  budget: VariantBudget,
  outside = 0,
): VariantObject {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  let at = 0;
  const fault = (place: number, text: string) => new DecodeFailed(`${what} ${text} (at its byte ${place})`);
  /** Passes over some bytes and returns where they start. */
  const take = (length: number, end: number) => {
    if (at + length > end) throw fault(at, `ends within an entry that needs ${length} bytes`);
    at += length;
    return at - length;
  };
  const requireDepth = (depth: number, place: number) => {
    if (depth >= MAX_LEVELS) throw fault(place, `is nested more than ${MAX_LEVELS} deep`);
  };
  /** UTF-16 text up to its NUL, or else up to the end. */
  const textTo = (start: number, end: number) => {
    let stop = start;
    while (stop + 1 < end && view.getUint16(stop) !== 0) stop += 2;
    return { text: UTF16.decode(bytes.subarray(start, stop)), end: Math.min(stop + 2, end) };
  };
  const entry = (end: number, depth: number): [name: string, value: Variant] => {
    const start = take(2, end);
    if ((budget.nodes -= 1) < 0) throw fault(start, `has more than ${MAX_XML_NODES} entries`);
    const nameAt = take(2 * bytes[start + 1]!, end);
    const { text: name } = textTo(nameAt, at);
    const type = bytes[start]!;
    const [width, read] = SCALARS[type] ?? [];
    if (width !== undefined) return [name, read!(view, take(width, end))];
    if (type === TYPE.text) {
      const found = textTo(at, end);
      at = found.end;
      return [name, found.text];
    }
    if (type === TYPE.bytes) {
      const length = uint64(view, take(8, end));
      const first = take(length, end);
      return [name, bytes.subarray(first, first + length)];
    }
    if (type !== TYPE.level) throw fault(start, `has an entry of unknown type ${type}`);
    requireDepth(depth, start);
    const head = take(12, end);
    const [count, length] = [view.getUint32(head, true), uint64(view, head + 4)];
    const childrenEnd = start + length;
    const levelEnd = childrenEnd + 8 * count;
    if (childrenEnd < at || levelEnd > end) {
      throw fault(start, `has a level of ${length} bytes with ${count} entries that does not fit`);
    }
    const children = Array.from({ length: count }, () => entry(childrenEnd, depth + 1));
    at = levelEnd;
    // Without names they are a list.
    const isList = count > 0 && children.every(([name]) => name === "");
    return [name, isList ? children.map(([, value]) => value) : new Map(children)];
  };
  if (bytes[0] === TYPE.compressed) {
    requireDepth(outside, 0);
    const length = uint64(view, take(COMPRESSED_HEAD_BYTES, bytes.length) + 4);
    if ((budget.inflated -= length) < 0) {
      throw fault(0, `inflates to ${length} bytes, more than ${MAX_INFLATED_BYTES} for all metadata`);
    }
    let inflated: Uint8Array;
    try {
      inflated = unpackAll("zlib", bytes.subarray(COMPRESSED_HEAD_BYTES), length);
    } catch (cause) {
      throw fault(0, `cannot be inflated: ${cause instanceof Error ? cause.message : cause}`);
    }
    if (inflated.length !== length) {
      throw fault(0, `inflates to ${inflated.length} bytes instead of ${length}`);
    }
    return parseLite(inflated, what, budget, outside + 1);
  }
  const found = new Map<string, Variant>();
  // Zeros pad a document.
  while (at < bytes.length && (found.size === 0 || bytes[at] !== 0)) {
    found.set(...entry(bytes.length, outside));
  }
  return found;
}

const UTF16 = new TextDecoder("utf-16le");
