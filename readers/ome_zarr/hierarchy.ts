/** A Zarr hierarchy, version 2 or 3: values by key, and the groups and arrays described in its metadata documents. */
import { DecodeFailed, quoted } from "../errors.ts";
import type { ByteSource } from "../io/byte_source.ts";
import { isDeepName, MAX_JSON_BYTES, MAX_NAME_FOLDERS } from "../io/limits.ts";
import { decodeJsonText, isJsonObject, type JsonObject, parseJsonText } from "../metadata/json.ts";

/** The bytes stored under one key. */
export interface StoredValue extends ByteSource {
  close?(): void;
}

/** A hierarchy of values. */
export interface Store {
  /** True if values may be compressed and are therefore held whole in memory. */
  readonly holdsWhole: boolean;
  /** Memory of its list of values in bytes. */
  readonly indexBytes: number;
  /**
   * Opens the value under a key such as `0/c/0/1`; `null` if it is absent.
   *
   * @param maxHeld largest value in bytes to hold whole in memory
   * @throws {DecodeFailed} the value cannot be read, is too large to hold, or lies outside the store
   */
  open(key: string, maxHeld: number): StoredValue | null;
  /** True if a value exists under a key, even an unreadable one. */
  has(key: string): boolean;
  /**
   * Checks, before an absent chunk of an array gets its fill value, that no value has lost its key: every key below the folder of the
   * array is a document or one of its chunks. Present if damage can change keys, as in the directory of a ZIP file.
   *
   * @throws {DecodeFailed} with the first key that is none
   */
  requireKeys?(array: string, isChunk: (key: string) => boolean): void;
  /** Notes the mark of the file under a key, or that it is absent; present if values are files. */
  note?(key: string): void;
}

/** Joins parts to a key; `null` if they lead out of the store. @throws {DecodeFailed} they have too many folders */
export function storeKey(...parts: readonly string[]): string | null {
  const deep = parts.find(isDeepName);
  if (deep !== undefined) {
    throw new DecodeFailed(`the path ${quoted(deep)} has more than ${MAX_NAME_FOLDERS} folders`);
  }
  const segments: string[] = [];
  for (const segment of parts.flatMap((part) => part.split("/"))) {
    if (segment === "" || segment === ".") continue;
    if (segment === ".." && segments.length === 0) return null;
    if (segment === "..") segments.pop();
    else segments.push(segment);
  }
  const key = segments.join("/");
  return key.includes("\0") ? null : key;
}

/** The key of `parts` below a path; the parts must not lead out of it. */
export const joinKey = (path: string, ...parts: readonly string[]): string =>
  [path, ...parts].filter((part) => part !== "").join("/");

/** Reads the whole value under a key; `null` if it is absent. @throws {DecodeFailed} as {@linkcode Store.open} does */
export function readValue(store: Store, key: string, maxBytes: number): Uint8Array<ArrayBuffer> | null {
  const value = store.open(key, maxBytes);
  if (value === null) return null;
  try {
    if (value.size > maxBytes) {
      throw new DecodeFailed(`"${key}" has ${value.size} bytes, more than ${maxBytes}`);
    }
    return value.read(0, value.size, `"${key}"`);
  } finally {
    value.close?.();
  }
}

/** A parsed metadata document. */
export interface NodeMetadata {
  readonly key: string;
  /** Fields, not validated. */
  readonly fields: JsonObject;
}

/** One node of a hierarchy. */
export interface ZarrNode {
  readonly zarrFormat: 2 | 3;
  readonly kind: "group" | "array";
  /** Document `zarr.json`, `.zarray` or `.zgroup`. */
  readonly metadata: NodeMetadata;
  /** User attributes, including those of OME. */
  readonly attributes: JsonObject;
}

/** Matches integers that a double cannot hold, which become strings. In JSON strings the quotes around the name are escaped. */
const LARGE_FILL = /("fill_value"\s*:\s*)(-?\d{16,40})(?=[\s,}])/g;

/** Matches the bare words that Python's `json` writes for numbers, and what begins and ends strings. */
const BARE_NUMBER = /\\[^]|"|-?\b(?:NaN|Infinity)\b/g;

/** Puts bare words outside strings into quotes. */
function quoteBareNumbers(text: string): string {
  let isInside = false;
  return text.replace(BARE_NUMBER, (found) => {
    if (found === '"') isInside = !isInside;
    return isInside || found === '"' || found.startsWith("\\") ? found : `"${found}"`;
  });
}

/** The document under a key, or `null`. @throws {DecodeFailed} it is not a JSON object, or above a limit */
function readNodeMetadata(store: Store, key: string): NodeMetadata | null {
  const bytes = readValue(store, key, MAX_JSON_BYTES);
  if (bytes === null) return null;
  let text = decodeJsonText(bytes, `"${key}"`).replace(LARGE_FILL, '$1"$2"');
  let fields: unknown;
  try {
    fields = JSON.parse(text);
  } catch {
    text = quoteBareNumbers(text);
    fields = parseJsonText(text, `"${key}"`);
  }
  if (!isJsonObject(fields)) throw new DecodeFailed(`"${key}" is not a JSON object`);
  return { key, fields };
}

/** The node at a path inside the store, or `null`. @throws {DecodeFailed} damaged metadata, or an unknown version */
export function readNode(store: Store, path: string): ZarrNode | null {
  const at = (name: string) => joinKey(path, name);
  const modern = readNodeMetadata(store, at("zarr.json"));
  if (modern) {
    const { zarr_format: format, node_type: kind, attributes } = modern.fields;
    if (format !== 3) throw new DecodeFailed(`"${modern.key}" has the Zarr format ${JSON.stringify(format)}`);
    if (kind !== "group" && kind !== "array") {
      throw new DecodeFailed(`"${modern.key}" has the node type ${JSON.stringify(kind)}`);
    }
    return { zarrFormat: 3, kind, metadata: modern, attributes: isJsonObject(attributes) ? attributes : {} };
  }
  const attributes = readNodeMetadata(store, at(".zattrs"));
  const array = readNodeMetadata(store, at(".zarray"));
  const group = array ? null : readNodeMetadata(store, at(".zgroup"));
  const metadata = array ?? group ?? attributes;
  if (!metadata) return null;
  const format = (array ?? group)?.fields["zarr_format"];
  // Some writers of version 2 omit the format from .zgroup.
  if (format !== undefined && format !== 2) {
    throw new DecodeFailed(`"${metadata.key}" has the Zarr format ${JSON.stringify(format)}`);
  }
  return { zarrFormat: 2, kind: array ? "array" : "group", metadata, attributes: attributes?.fields ?? {} };
}

/** The OME attributes of a group: under `ome` since version 0.5, at the top level before. */
export function findOmeAttributes(node: ZarrNode): JsonObject {
  const { ome } = node.attributes;
  return isJsonObject(ome) ? ome : node.attributes;
}

/** Refuses versions of OME-Zarr from 0.6 on. @throws {DecodeFailed} */
export function requireVersion(version: unknown): void {
  const [, major, minor] = /^(\d+)\.(\d+)/.exec(String(version)) ?? [];
  if (Number(major) > 0 || Number(minor) > 6) {
    throw new DecodeFailed(`OME-Zarr ${String(version).slice(0, 20)} is not supported, only 0.1 to 0.6`);
  }
}

/** The first item of a list, if it is an object; else `null`. */
export const takeFirstObject = (value: unknown): JsonObject | null =>
  Array.isArray(value) && isJsonObject(value[0]) ? value[0] : null;

/** True if a path has a document that may hold attributes; it is not read. */
export const holdsAttributes = (store: Store, path: string): boolean =>
  ["zarr.json", ".zattrs"].some((name) => store.has(joinKey(path, name)));

/** Keys of a node's documents; if there is a `zarr.json`, those of Zarr 2 are ignored. */
export function listDocumentKeys(store: Store, path: string): string[] {
  const existing = (...names: string[]) =>
    names.map((name) => joinKey(path, name)).filter((key) => store.has(key));
  const modern = existing("zarr.json");
  return modern.length > 0 ? modern : existing(".zgroup", ".zarray", ".zattrs");
}
