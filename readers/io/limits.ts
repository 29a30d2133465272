/**
 * Limits that all readers share. If the heap of a worker is exhausted, the whole process ends; so everything that a file can
 * make a reader build is limited beforehand. Limits of a single format are in its folder.
 */

/** Largest number of bytes per read call, between two checks of the stop flag. */
export const MAX_READ_STEP = 1 << 20;

/** Largest plane in samples: 4 GiB as float32, the default session memory, so nothing larger could be served. */
export const MAX_PLANE_SAMPLES = 1 << 30;

/** Largest number of channels; spectral instruments have a few hundred. Opening 10,000 blocked the server for 0.1 s. */
export const MAX_CHANNELS = 1000;

/** Largest number of entries to read in a folder when a reader searches for sibling files. */
export const MAX_FOLDER_ENTRIES = 100_000;

/** Largest number of folders in a name: an entry of a ZIP file, a key of a store, a name in a document. A chunk has up to 20. */
export const MAX_NAME_FOLDERS = 64;

/** Matches a name with more folders than {@linkcode MAX_NAME_FOLDERS}. */
const DEEP_NAME = new RegExp(`^(?:[^/]*/){${MAX_NAME_FOLDERS + 1}}`);

/** True for a name with too many folders, which nothing splits or joins. */
export const isDeepName = (name: string): boolean => DEEP_NAME.test(name);

/** Largest XML document in bytes; the OME-XML of a plate of thousands of images is smaller. */
export const MAX_XML_BYTES = 32 << 20;

/** Largest number of elements and attributes in an XML document, about 500 bytes of heap each. */
export const MAX_XML_NODES = 1_000_000;

/** Deepest nesting of an XML document. */
export const MAX_XML_DEPTH = 256;

/** Largest JSON document in bytes: a `zarr.json`, a `.zattrs`, a document of a collection. */
export const MAX_JSON_BYTES = 16 << 20;

/** Largest number of scenes that an open lists; a plate of 384 wells with nine fields each has 3,456. */
export const MAX_LISTED_SCENES = 10_000;

/** Largest number of bytes of all metadata documents of an acquisition. */
export const MAX_DOCUMENT_BYTES = 32 << 20;

// Descriptions, which every session keeps longer than the file's documents.

/** Largest size of a name, a unit or a warning, in bytes of UTF-8. */
const MAX_TEXT_BYTES = 4096;

/** Bytes of a suffix such as ` (2)`, which may make a name unique after it was cut. */
const SUFFIX_BYTES = 16;

const MARK = "…";
const encoder = new TextEncoder();
const room = new Uint8Array(MAX_TEXT_BYTES - encoder.encode(MARK).length);

/** The text. If it is longer than 4 KiB of UTF-8 and a suffix, it is cut to 4 KiB and ends with a mark. */
export function limitText(text: string): string {
  if (text.length * 3 <= MAX_TEXT_BYTES) return text;
  if (
    encoder.encode(text.slice(0, MAX_TEXT_BYTES + SUFFIX_BYTES + 1)).length <= MAX_TEXT_BYTES + SUFFIX_BYTES
  ) {
    return text;
  }
  const { written } = encoder.encodeInto(text, room);
  // Decodes a copy: a slice would keep the whole text in memory.
  return new TextDecoder().decode(room.slice(0, written)) + MARK;
}

/** A copy of plain data with every text limited. */
export function limitTexts<T>(value: T): T {
  if (typeof value === "string") return limitText(value) as T;
  if (typeof value !== "object" || value === null || ArrayBuffer.isView(value)) return value;
  if (Array.isArray(value)) return (typeof value[0] === "number" ? value : value.map(limitTexts)) as T;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, limitTexts(inner)])) as T;
}

/** Approximate number of bytes that plain data take on V8's heap. */
export function estimateHeap(value: unknown): number {
  if (typeof value === "string") return 32 + 2 * value.length;
  if (typeof value !== "object" || value === null) return 16;
  if (ArrayBuffer.isView(value)) return 128 + value.byteLength;
  if (Array.isArray(value) && typeof value[0] === "number") return 32 + 8 * value.length;
  const values = Object.values(value);
  return 64 + 8 * values.length + values.reduce((sum: number, inner) => sum + estimateHeap(inner), 0);
}
