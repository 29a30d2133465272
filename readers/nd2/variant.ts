/** Metadata values of both generations: numbers (texts in XML), texts, bytes, lists and objects. */
import { numberOf } from "../metadata/text.ts";

/** A value. */
export type Variant = boolean | number | string | Uint8Array | readonly Variant[] | VariantObject;

/** Values by name, in file order. */
export type VariantObject = ReadonlyMap<string, Variant>;

/** An empty object. */
export const EMPTY: VariantObject = new Map();

/** The value as an object; {@linkcode EMPTY} for any other value. */
export const objectOf = (value: Variant | undefined): VariantObject =>
  value instanceof Map ? value as VariantObject : EMPTY;

/** The object with this name inside another object. */
export const objectIn = (object: VariantObject, name: string): VariantObject => objectOf(object.get(name));

/** The finite number with this name, also as text, or `null`. Booleans count as 0 or 1. */
export function numberIn(object: VariantObject, name: string): number | null {
  const value = object.get(name);
  if (typeof value === "string") return numberOf(value.replace(/^true$/i, "1").replace(/^false$/i, "0"));
  return typeof value !== "object" && Number.isFinite(Number(value)) ? Number(value) : null;
}

/** The positive number with this name, or `null`. */
export function positiveIn(object: VariantObject, name: string): number | null {
  const value = numberIn(object, name);
  return value !== null && value > 0 ? value : null;
}

/** The positive integer with this name, or 0. */
export function countIn(object: VariantObject, name: string): number {
  const value = numberIn(object, name);
  return value !== null && Number.isSafeInteger(value) && value > 0 ? value : 0;
}

/** The text with this name; `null` if it is missing or blank. */
export function textIn(object: VariantObject, name: string): string | null {
  const value = object.get(name);
  return typeof value === "string" && value.trim() !== "" ? value : null;
}

/** The values of a list, or of an object that represents a list, in file order. */
export function itemsOf(value: Variant | undefined): readonly Variant[] {
  if (value instanceof Uint8Array) return Array.from(value);
  if (Array.isArray(value)) return value;
  return value instanceof Map ? [...value.values()] : [];
}

/** The entries of an object that represents a list, ordered by number: `_00`, `_01`, ... `_99`, `_100`. */
export const numberedIn = (object: VariantObject): readonly (readonly [string, Variant])[] =>
  [...object].sort(([a], [b]) => BY_NUMBER.compare(a, b));

const BY_NUMBER = new Intl.Collator("en", { numeric: true });

/** Flags from bytes or values, false for 0. The flags of an object are ordered by number. */
export function flagsOf(value: Variant | undefined): readonly boolean[] {
  const sorted = value instanceof Map
    ? numberedIn(value as VariantObject).map(([, flag]) => flag)
    : itemsOf(value);
  return sorted.map((flag) => typeof flag === "string" ? !/^(?:0|false)?$/i.test(flag) : Boolean(flag));
}

/** The object inside wrappers: lists and objects with a single item. */
export function unwrapped(value: Variant | undefined): VariantObject {
  let object = value;
  for (let depth = 0; depth < 4; depth += 1) {
    const items = itemsOf(object);
    const [only] = items;
    const isContainer = Array.isArray(only) || only instanceof Map;
    if (object instanceof Uint8Array || items.length !== 1 || !isContainer) break;
    // Wrappers are called `SLxExperiment`, `no_name`, `variant` and so on.
    if (object instanceof Map && !/^(?:SLx|no_name|variant|i0+$|$)/.test([...object.keys()][0])) break;
    object = only;
  }
  return objectOf(object);
}
