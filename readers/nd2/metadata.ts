/** The documents that describe the image, in binary or XML chunks of either generation. */
import { Buffer } from "node:buffer";
import { DecodeFailed, quoted } from "../errors.ts";
import type { ByteSource } from "../io/byte_source.ts";
import type { DocumentList } from "../io/document_list.ts";
import { unlessLost, type Warning, warning } from "../warning.ts";
import { ATTRIBUTES, readChunk, type StoredChunks } from "./chunk_map.ts";
import {
  decodeMetadataText,
  EMPTY,
  newVariantBudget,
  parseLite,
  parseXmlVariant,
  unwrapObject,
  type Variant,
  type VariantObject,
} from "./clx.ts";

/** Largest metadata chunk in bytes; pictures with many channels have a megabyte. */
export const MAX_METADATA_BYTES = 32 << 20;

const PICTURE = ["ImageMetadataSeqLV|0!", "ImageMetadataSeq|0!"];
const EXPERIMENT = ["ImageMetadataLV!", "ImageMetadata!"];
const TEXTS = ["ImageTextInfoLV!", "ImageTextInfo!"];

/** The documents of the image. */
export interface Nd2Metadata {
  readonly attributes: VariantObject;
  /** Channels and calibration of the first frame; empty if missing. */
  readonly picture: VariantObject;
  readonly experiment: VariantObject;
  readonly texts: VariantObject;
  readonly warnings: readonly Warning[];
}

/** Reads the documents of the image. @throws {DecodeFailed} attributes are missing, or attributes, channels or loops damaged */
export function readNd2Metadata(file: ByteSource, chunks: StoredChunks): Nd2Metadata {
  const budget = newVariantBudget();
  const warnings: Warning[] = [];
  const read = (names: readonly string[]): VariantObject | null => {
    const found = chunks.find(names);
    if (found === null) return null;
    const what = `chunk ${quoted(found.name)}`;
    const bytes = readChunk(file, found.name, found.at, MAX_METADATA_BYTES);
    return unwrapObject(
      isXml(bytes) ? parseXmlVariant(bytes, what, budget, warnings) : parseLite(bytes, what, budget),
    );
  };
  const attributes = read(ATTRIBUTES);
  if (attributes === null) throw new DecodeFailed("the attributes of the image are missing");
  const picture = read(PICTURE);
  if (picture === null) {
    warnings.push(warning("metadata_missing", "The file lacks channel names and pixel size"));
  }
  const experiment = read(EXPERIMENT) ?? EMPTY;
  const texts = unlessLost(warnings, "The description", () => read(TEXTS)) ?? EMPTY;
  return { attributes, picture: picture ?? EMPTY, experiment, texts, warnings };
}

/** True for XML: `<`, perhaps after a byte order mark. */
export function isXml(bytes: Uint8Array): boolean {
  const mark = bytes[0] === 0xef ? 3 : bytes[0] === 0xff || bytes[0] === 0xfe ? 2 : 0;
  return bytes[mark] === 0x3c || bytes[mark] === 0 && bytes[mark + 1] === 0x3c;
}

/** Matches chunks with documents; other chunks are lists of numbers. */
const DOCUMENT = /^(?:Image|CustomDataVar\|)/;

/** Adds the documents in file order. @throws {DecodeFailed} a document is damaged */
export function addNd2Documents(list: DocumentList, file: ByteSource, { named }: StoredChunks): void {
  const budget = newVariantBudget();
  const found = [...named].filter(([name]) => DOCUMENT.test(name)).sort(([, a], [, b]) => a - b);
  for (const [name, at] of found) {
    const bytes = readChunk(file, name, at, MAX_METADATA_BYTES);
    const title = name.replace(/!$/, "");
    if (isXml(bytes)) list.add(title, "application/xml", decodeMetadataText(bytes));
    else {
      const value = parseLite(bytes, `chunk ${quoted(name)}`, budget);
      list.add(title, "application/json", JSON.stringify(convertForJson(value), null, 1));
    }
  }
}

/** A value for JSON, with bytes in base64. */
function convertForJson(value: Variant): unknown {
  if (value instanceof Uint8Array) {
    return Buffer.from(value.buffer, value.byteOffset, value.length).toString("base64");
  }
  if (Array.isArray(value)) return value.map(convertForJson);
  // `fromEntries` defines properties, so `__proto__` is an ordinary name.
  return value instanceof Map
    ? Object.fromEntries([...value].map(([name, one]) => [name, convertForJson(one)]))
    : value;
}
