/** Groups and arrays of a Zarr hierarchy, version 2 or 3, by their metadata documents, and the OME attributes of groups. */
import { DecodeFailed } from "../errors.ts";
import { isJsonObject, type JsonObject, jsonText } from "../metadata/json.ts";
import { MAX_JSON_BYTES } from "../io/limits.ts";
import { keyBelow, readValue, type Store } from "./store.ts";

/** A metadata document with the text it came from. */
export interface Metadata {
  /** Key of the document in the store. */
  readonly key: string;
  /** Its fields, not yet judged. */
  readonly fields: JsonObject;
  /** As it was parsed. */
  readonly text: string;
}

/** One node of a hierarchy. */
export interface ZarrNode {
  /** Version of the Zarr format. */
  readonly zarrFormat: 2 | 3;
  /** What it is. */
  readonly kind: "group" | "array";
  /** `zarr.json`, `.zarray` or `.zgroup`. */
  readonly metadata: Metadata;
  /** Attributes of users and of OME. */
  readonly attributes: JsonObject;
}

/** Bare words that Python's `json` writes although JSON has none of them. */
const BARE_NUMBERS = /("(?:[^"\\]|\\.)*")|-?\b(?:NaN|Infinity)\b/g;

/** The document under a key, or `null`. @throws {DecodeFailed} it is no JSON object, or over a bound */
function readMetadata(store: Store, key: string): Metadata | null {
  const bytes = readValue(store, key, MAX_JSON_BYTES);
  if (bytes === null) return null;
  let text = jsonText(bytes, `"${key}"`);
  let fields: unknown;
  try {
    fields = JSON.parse(text);
  } catch {
    text = text.replace(BARE_NUMBERS, (word, quoted) => quoted ?? `"${word}"`);
    try {
      fields = JSON.parse(text);
    } catch (cause) {
      throw new DecodeFailed(`"${key}" is no JSON: ${cause instanceof Error ? cause.message : cause}`, {
        cause,
      });
    }
  }
  if (!isJsonObject(fields)) throw new DecodeFailed(`"${key}" is no JSON object`);
  return { key, fields, text };
}

const object = (value: unknown): JsonObject => isJsonObject(value) ? value : {};

/**
 * The node at a path inside the store, or `null` when nothing is there.
 *
 * @throws {DecodeFailed} its metadata are damaged or of an unknown version
 */
export function readNode(store: Store, path: string): ZarrNode | null {
  const at = (name: string) => keyBelow(path, name);
  const modern = readMetadata(store, at("zarr.json"));
  if (modern) {
    const { zarr_format: format, node_type: kind, attributes } = modern.fields;
    if (format !== 3) throw new DecodeFailed(`"${modern.key}" has the Zarr format ${JSON.stringify(format)}`);
    if (kind !== "group" && kind !== "array") {
      throw new DecodeFailed(`"${modern.key}" has the node type ${JSON.stringify(kind)}`);
    }
    return { zarrFormat: 3, kind, metadata: modern, attributes: object(attributes) };
  }
  const attributes = readMetadata(store, at(".zattrs"));
  const array = readMetadata(store, at(".zarray"));
  const group = array ? null : readMetadata(store, at(".zgroup"));
  const metadata = array ?? group ?? attributes;
  if (!metadata) return null;
  const format = (array ?? group)?.fields["zarr_format"];
  // Writers of version 2 leave it out of .zgroup now and then; another number is another format.
  if (format !== undefined && format !== 2) {
    throw new DecodeFailed(`"${metadata.key}" has the Zarr format ${JSON.stringify(format)}`);
  }
  return { zarrFormat: 2, kind: array ? "array" : "group", metadata, attributes: attributes?.fields ?? {} };
}

/** The OME attributes of a group: under `ome` from 0.5 on, at the top before. */
export function omeAttributes(node: ZarrNode): JsonObject {
  const { ome } = node.attributes;
  return isJsonObject(ome) ? ome : node.attributes;
}

/** Characters of a version that a message repeats. */
const MAX_VERSION = 20;

/** Checks the version that OME attributes state. @throws {DecodeFailed} it is not read */
export function requireVersion(version: unknown): void {
  const [, major, minor] = /^(\d+)\.(\d+)/.exec(String(version)) ?? [];
  if (Number(major) > 0 || Number(minor) > 5) {
    throw new DecodeFailed(`OME-Zarr ${String(version).slice(0, MAX_VERSION)} is not read; 0.1 to 0.5 are`);
  }
}

/** The first item of a list when it is an object. */
export const firstOf = (value: unknown): JsonObject | null =>
  Array.isArray(value) && isJsonObject(value[0]) ? value[0] : null;

/**
 * True when a group with attributes is stored at a path; its documents are not read.
 *
 * @param expected the version of Zarr that is looked for first
 */
export function holdsAttributes(store: Store, path: string, expected: ZarrNode["zarrFormat"] = 3): boolean {
  const names = expected === 3 ? ["zarr.json", ".zattrs"] : [".zattrs", "zarr.json"];
  return names.some((name) => store.has(keyBelow(path, name)));
}

/** Keys of the documents of the node at a path; those of Zarr 2 do not count beside that of Zarr 3. */
export function documentKeys(store: Store, path: string): string[] {
  const there = (...names: string[]) =>
    names.map((name) => keyBelow(path, name)).filter((key) => store.has(key));
  const modern = there("zarr.json");
  return modern.length > 0 ? modern : there(".zgroup", ".zarray", ".zattrs");
}
