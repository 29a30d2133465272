/**
 * Metadata values (CLx variants) in both of their forms.
 *
 * Up to version 2 XML, with an element per value, which has the attributes `runtype` and `value`. In version 3 a binary tree: an
 * entry has a type, the length of its name in UTF-16 units with a final NUL, the name and a value. A level has the number of its
 * entries, the entries and a table of their offsets, which is skipped.
 */
import { SaxesParser } from "saxes";
import { unpackAll } from "../codecs/compressed_stream.ts";
import { DecodeFailed } from "../errors.ts";
import { MAX_XML_NODES } from "../io/limits.ts";
import { numberOf } from "../metadata/text.ts";
import { parseXml, replaceForbidden, type XmlElement, type XmlLimits } from "../metadata/xml.ts";
import { addWarning, type Warning, warning } from "../warning.ts";
import { readUint64 } from "./chunk_map.ts";

/** A value: numbers (texts in XML), texts, bytes, lists and objects. */
export type Variant = boolean | number | string | Uint8Array | readonly Variant[] | VariantObject;

/** Values by name, in file order. */
export type VariantObject = ReadonlyMap<string, Variant>;

/** An empty object. */
export const EMPTY: VariantObject = new Map();

/** The value as an object; {@linkcode EMPTY} for any other value. */
export const takeObject = (value: Variant | undefined): VariantObject =>
  value instanceof Map ? value as VariantObject : EMPTY;

/** The object with this name inside another object. */
export const findObject = (object: VariantObject, name: string): VariantObject =>
  takeObject(object.get(name));

/** The finite number with this name, also as text, or `null`. Booleans count as 0 or 1. */
export function findNumber(object: VariantObject, name: string): number | null {
  const value = object.get(name);
  if (typeof value === "string") return numberOf(value.replace(/^true$/i, "1").replace(/^false$/i, "0"));
  return typeof value !== "object" && Number.isFinite(Number(value)) ? Number(value) : null;
}

/** The positive number with this name, or `null`. */
export function findPositive(object: VariantObject, name: string): number | null {
  const value = findNumber(object, name);
  return value !== null && value > 0 ? value : null;
}

/** The positive integer with this name, or 0. */
export function findCount(object: VariantObject, name: string): number {
  const value = findNumber(object, name);
  return value !== null && Number.isSafeInteger(value) && value > 0 ? value : 0;
}

/** The text with this name; `null` if it is missing or blank. */
export function findText(object: VariantObject, name: string): string | null {
  const value = object.get(name);
  return typeof value === "string" && value.trim() !== "" ? value : null;
}

/** The values of a list, or of an object that represents a list, in file order. */
export function listItems(value: Variant | undefined): readonly Variant[] {
  if (value instanceof Uint8Array) return Array.from(value);
  if (Array.isArray(value)) return value;
  return value instanceof Map ? [...value.values()] : [];
}

/** The entries of an object that represents a list, ordered by number: `_00`, `_01`, ... `_99`, `_100`. */
export const listNumbered = (object: VariantObject): readonly (readonly [string, Variant])[] =>
  [...object].sort(([a], [b]) => BY_NUMBER.compare(a, b));

const BY_NUMBER = new Intl.Collator("en", { numeric: true });

/** Flags from bytes or values, false for 0. The flags of an object are ordered by number. */
export function readFlags(value: Variant | undefined): readonly boolean[] {
  const sorted = value instanceof Map
    ? listNumbered(value as VariantObject).map(([, flag]) => flag)
    : listItems(value);
  return sorted.map((flag) => typeof flag === "string" ? !/^(?:0|false)?$/i.test(flag) : Boolean(flag));
}

/** The object inside wrappers: lists and objects with a single item. */
export function unwrapObject(value: Variant | undefined): VariantObject {
  const items = listItems(value);
  const [only] = items;
  const isContainer = Array.isArray(only) || only instanceof Map;
  // Wrappers are called `SLxExperiment`, `no_name`, `variant` and so on.
  const isWrapper = !(value instanceof Map) || /^(?:SLx|no_name|variant|i0+$|$)/.test([...value.keys()][0]);
  return items.length === 1 && isContainer && isWrapper ? unwrapObject(only) : takeObject(value);
}

/** Deepest nesting of levels; experiments have a dozen. */
export const MAX_LEVELS = 64;

/** Largest size of all inflated metadata of an open in bytes. */
export const MAX_INFLATED_BYTES = 64 << 20;

/** Remaining limits of the metadata of one open, binary or XML. */
export interface VariantBudget extends XmlLimits {
  inflated: number;
}

/** The budget at the start of an open; ten thousand stage positions have 60,000 entries. */
export const newVariantBudget = (): VariantBudget => ({
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
  5: [8, readUint64],
  6: [8, (view, at) => view.getFloat64(at, true)],
  7: [8, readUint64],
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
  if (bytes[0] !== TYPE.compressed) return new LiteChunk(bytes, what, budget).parse(outside);
  const inflated = new LiteChunk(bytes, what, budget).inflate(outside);
  return parseLite(inflated, what, budget, outside + 1);
}

/** A chunk, and how far it is parsed. */
class LiteChunk {
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

  /** The entries. @param depth how deep the chunk is nested in others */
  parse(depth: number): VariantObject {
    const bytes = this.#bytes;
    const found = new Map<string, Variant>();
    // Zeros pad a document.
    while (this.#at < bytes.length && (found.size === 0 || bytes[this.#at] !== 0)) {
      found.set(...this.#entry(bytes.length, depth));
    }
    return found;
  }

  /** The bytes in a compressed chunk. */
  inflate(depth: number): Uint8Array {
    this.#requireDepth(depth, 0);
    const length = readUint64(this.#view, this.#take(COMPRESSED_HEAD_BYTES, this.#bytes.length) + 4);
    if ((this.#budget.inflated -= length) < 0) {
      throw this.#fault(0, `inflates to ${length} bytes, more than ${MAX_INFLATED_BYTES} for all metadata`);
    }
    let inflated: Uint8Array;
    try {
      inflated = unpackAll("zlib", this.#bytes.subarray(COMPRESSED_HEAD_BYTES), length);
    } catch (cause) {
      throw this.#fault(0, `cannot be inflated: ${cause instanceof Error ? cause.message : cause}`);
    }
    if (inflated.length !== length) {
      throw this.#fault(0, `inflates to ${inflated.length} bytes instead of ${length}`);
    }
    return inflated;
  }

  #fault(place: number, text: string): DecodeFailed {
    return new DecodeFailed(`${this.#what} ${text} (at its byte ${place})`);
  }

  /** Passes over some bytes and returns where they start. */
  #take(length: number, end: number): number {
    if (this.#at + length > end) {
      throw this.#fault(this.#at, `ends within an entry that needs ${length} bytes`);
    }
    this.#at += length;
    return this.#at - length;
  }

  #requireDepth(depth: number, place: number): void {
    if (depth >= MAX_LEVELS) throw this.#fault(place, `is nested more than ${MAX_LEVELS} deep`);
  }

  /** UTF-16 text up to its NUL, or else up to the end. */
  #textTo(start: number, end: number): { text: string; end: number } {
    let stop = start;
    while (stop + 1 < end && this.#view.getUint16(stop) !== 0) stop += 2;
    return { text: UTF16.decode(this.#bytes.subarray(start, stop)), end: Math.min(stop + 2, end) };
  }

  #entry(end: number, depth: number): [name: string, value: Variant] {
    const start = this.#take(2, end);
    if ((this.#budget.nodes -= 1) < 0) {
      throw this.#fault(start, `has more than ${MAX_XML_NODES} entries`);
    }
    const [type, nameLength] = [this.#view.getUint8(start), this.#view.getUint8(start + 1)];
    const nameAt = this.#take(2 * nameLength, end);
    const { text: name, end: nameEnd } = this.#textTo(nameAt, this.#at);
    if (nameEnd !== this.#at) throw this.#fault(nameAt, "has zeros in place of letters of a name");
    const scalar = SCALARS[type];
    if (scalar !== undefined) {
      const [width, read] = scalar;
      return [name, read(this.#view, this.#take(width, end))];
    }
    if (type === TYPE.text) {
      const found = this.#textTo(this.#at, end);
      this.#at = found.end;
      return [name, found.text];
    }
    if (type === TYPE.bytes) {
      const length = readUint64(this.#view, this.#take(8, end));
      const first = this.#take(length, end);
      return [name, this.#bytes.subarray(first, first + length)];
    }
    if (type !== TYPE.level) throw this.#fault(start, `has an entry of unknown type ${type}`);
    this.#requireDepth(depth, start);
    return [name, this.#level(start, end, depth)];
  }

  /** The entries of a level; without names they are a list. @param start of its entry */
  #level(start: number, end: number, depth: number): Variant {
    const head = this.#take(12, end);
    const [count, length] = [this.#view.getUint32(head, true), readUint64(this.#view, head + 4)];
    const childrenEnd = start + length;
    const levelEnd = childrenEnd + 8 * count;
    if (childrenEnd < this.#at || levelEnd > end) {
      throw this.#fault(start, `has a level of ${length} bytes with ${count} entries that does not fit`);
    }
    const children = Array.from({ length: count }, () => this.#entry(childrenEnd, depth + 1));
    this.#at = levelEnd;
    const isList = count > 0 && children.every(([name]) => name === "");
    return isList ? children.map(([, value]) => value) : new Map(children);
  }
}

const UTF16 = new TextDecoder("utf-16le");

/**
 * Parses a document into texts, lists and objects; up to its end if it is truncated.
 *
 * @param limits counted down
 * @param nameOf what becomes of the name of an element or attribute
 * @throws {DecodeFailed} damaged in another way
 */
export function parseXmlVariant(
  bytes: Uint8Array,
  what: string,
  limits: XmlLimits,
  warnings: Warning[],
  nameOf = (name: string): string => name,
): Variant {
  const text = decodeMetadataText(bytes);
  try {
    return parseVariant(parseXml(text, what, limits), nameOf);
  } catch (error) {
    const closed = error instanceof DecodeFailed && withEndTags(text);
    if (!closed) throw error;
    const value = parseVariant(parseXml(closed, what, limits), nameOf);
    const doubt = `Metadata are truncated: ${(error as DecodeFailed).message}`;
    addWarning(warnings, warning("metadata_damaged", doubt));
    return value;
  }
}

/** Attributes that describe an element but are not values. */
const ABOUT = new Set(["runtype", "version", "value"]);

function parseVariant({ attributes, children, text }: XmlElement, nameOf: (name: string) => string): Variant {
  if (attributes["value"] !== undefined) return attributes["value"];
  if (children.length > 1 && children.every(({ name }) => name === "no_name")) {
    return children.map((child) => parseVariant(child, nameOf));
  }
  const object = new Map<string, Variant>();
  for (const [name, value] of Object.entries(attributes)) {
    if (!ABOUT.has(name)) object.set(nameOf(name), value);
  }
  for (const child of children) {
    // Elements that repeat a name get a number.
    const name = nameOf(child.name);
    object.set(object.has(name) ? `${name} ${object.size}` : name, parseVariant(child, nameOf));
  }
  return object.size === 0 && text !== "" ? text : object;
}

/** Adds the missing end tags to a truncated document; `null` if that cannot repair it. */
function withEndTags(text: string): string | null {
  const parser = new SaxesParser({ xmlns: false, position: true });
  const open: string[] = [];
  let end = 0;
  const passed = () => end = parser.position;
  parser.on("opentag", ({ name }) => (open.push(name), passed()));
  parser.on("closetag", () => (open.pop(), passed()));
  parser.on("comment", passed);
  try {
    // Without a call of `close`, the end of the text is not an error.
    parser.write(text);
  } catch {
    return null;
  }
  const endTags = open.reverse().map((name) => `</${name}>`).join("");
  return endTags && text.slice(0, end) + endTags;
}

/** The text without its declaration and forbidden characters: UTF-8, in rare files UTF-16, in older ones Windows-1252. */
export function decodeMetadataText(bytes: Uint8Array): string {
  const text = decodeUtf(bytes).replace(/^\ufeff/, "").replace(/^\s*<\?xml[^>]*\?>/, "");
  return replaceForbidden(text.trim());
}

function decodeUtf(bytes: Uint8Array): string {
  if (bytes[0] === 0xff && bytes[1] === 0xfe || bytes[0] === 0x3c && bytes[1] === 0) {
    return new TextDecoder("utf-16le").decode(bytes);
  }
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return new TextDecoder("utf-16be").decode(bytes);
  const unicode = new TextDecoder("utf-8").decode(bytes, { stream: true });
  // UTF-8 text with damaged characters also has valid characters beyond ASCII; text in a code page has none.
  return /\ufffd/.test(unicode) && !/[^\0-\x7f\ufffd]/.test(unicode)
    ? new TextDecoder("windows-1252").decode(bytes)
    : unicode;
}
