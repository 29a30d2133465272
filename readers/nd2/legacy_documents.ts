/** XML of the boxes; names have a letter for the type before them in some versions, and values stand in attributes. */
import type { ByteSource } from "../io/byte_source.ts";
import { DecodeFailed, quoted } from "../errors.ts";
import type { XmlElement, XmlLimits } from "../metadata/xml.ts";
import { parseXmlTree } from "./clx_xml.ts";
import { MAX_METADATA_BYTES } from "./metadata.ts";
import { EMPTY, objectOf, type Variant, type VariantObject } from "./variant.ts";
import { boxAt, type BoxMap } from "./legacy_boxes.ts";

/** Levels around a document that are looked through. */
const MAX_WRAPPERS = 8;

/** Attributes that say what an element is. */
const ABOUT = new Set(["runtype", "version", "value"]);

/**
 * The document of a box; empty where the file has none.
 *
 * @param limits counted down
 * @throws {DecodeFailed} it is damaged, or over a bound
 */
export function documentOf(
  file: ByteSource,
  boxes: BoxMap,
  purpose: string,
  limits: XmlLimits,
): VariantObject {
  const at = boxes.get(purpose)?.[0];
  if (at === undefined) return EMPTY;
  const bytes = documentBytes(file, at, purpose);
  return objectOf(valueOf(parseXmlTree(bytes, `box ${quoted(purpose)}`, limits).root));
}

/** The bytes of a document. @throws {DecodeFailed} it is too long, or cut */
export function documentBytes(file: ByteSource, at: number, purpose: string): Uint8Array {
  const { offset, length } = boxAt(file, at, purpose);
  if (length > MAX_METADATA_BYTES) {
    throw new DecodeFailed(
      `box ${quoted(purpose)} at ${at} has ${length} bytes, more than ${MAX_METADATA_BYTES}`,
    );
  }
  return file.read(offset, length, `box ${quoted(purpose)}`);
}

/** The name without what stands for its type: `uiCount` and `Count` are one. */
const plainName = (name: string) => name.replace(/^[a-z_]+/, "") || name;

function valueOf(element: XmlElement): Variant {
  const { attributes, children, text } = element;
  if (attributes.value !== undefined) return attributes.value;
  const object = new Map<string, Variant>();
  for (const [name, value] of Object.entries(attributes)) {
    if (!ABOUT.has(name)) object.set(plainName(name), value);
  }
  for (const child of children) {
    const name = plainName(child.name);
    object.set(object.has(name) ? `${name} ${object.size}` : name, valueOf(child));
  }
  return object.size === 0 && text !== "" ? text : object;
}

/** The object that has one of some names, inside of those that hold nothing else, or the value itself. */
export function holderOf(value: VariantObject, names: readonly string[]): VariantObject {
  let object = value;
  for (let depth = 0; depth < MAX_WRAPPERS && !names.some((name) => object.has(name)); depth += 1) {
    const inner = [...object].filter(([name, one]) => one instanceof Map && name !== "UnknownData");
    const only = inner[0]?.[1];
    if (inner.length !== 1 || only === undefined) break;
    object = objectOf(only);
  }
  return object;
}

/** The number that a name has, or `null`. */
export function numberOf(object: VariantObject, name: string): number | null {
  const value = object.get(name);
  const number = typeof value === "string" && value.trim() !== "" ? Number(value) : NaN;
  return Number.isFinite(number) ? number : null;
}

/** The first text inside of a value that starts in some way, or `null`. */
export function textStarting(value: Variant | undefined, start: string): string | null {
  if (typeof value === "string") return value.startsWith(start) ? value : null;
  if (!(value instanceof Map)) return null;
  for (const one of value.values()) {
    const found = textStarting(one, start);
    if (found !== null) return found;
  }
  return null;
}
