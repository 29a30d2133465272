/** The metadata documents of a file, for who wants to read them: XML as it is, binary trees as JSON. */
import { Buffer } from "node:buffer";
import type { ByteSource } from "../io/byte_source.ts";
import { DecodeFailed, quoted } from "../errors.ts";
import type { MetadataDocument } from "../reader.ts";
import { readChunk } from "./chunk.ts";
import { parseLite, type VariantBudget, variantBudget } from "./clx_lite.ts";
import { isXml } from "./metadata.ts";
import { metadataText } from "./metadata_text.ts";
import type { StoredChunks } from "./stored_chunks.ts";
import type { Variant } from "./variant.ts";

/** Chunks of documents; what else has a name is a list of numbers. */
const DOCUMENT = /^(?:Image|CustomDataVar\|)/;

/**
 * The documents in the order in which they lie in the file.
 *
 * @param most bytes of UTF-8 that all of them may have
 * @throws {DecodeFailed} they have more, or one is damaged
 */
export function metadataTexts(file: ByteSource, { named }: StoredChunks, most: number): MetadataDocument[] {
  const budget = variantBudget();
  let left = most;
  const found = [...named].filter(([name]) => DOCUMENT.test(name)).sort(([, a], [, b]) => a - b);
  return found.map(([name, at]) => {
    const bytes = readChunk(file, name, at, most);
    const xml = isXml(bytes);
    const text = xml ? metadataText(bytes) : jsonOf(bytes, `chunk ${quoted(name)}`, budget);
    left -= Buffer.byteLength(text);
    if (left < 0) throw new DecodeFailed(`its metadata documents have more than ${most} bytes`);
    return { name: name.replace(/!$/, ""), mediaType: xml ? "application/xml" : "application/json", text };
  });
}

const jsonOf = (bytes: Uint8Array, what: string, budget: VariantBudget) =>
  JSON.stringify(plain(parseLite(bytes, what, budget)), null, 1);

/** What JSON can hold; bytes as base64. */
function plain(value: Variant): unknown {
  if (value instanceof Uint8Array) {
    return Buffer.from(value.buffer, value.byteOffset, value.length).toString("base64");
  }
  if (Array.isArray(value)) return value.map(plain);
  // An object without a prototype, since names are those of the file.
  return value instanceof Map
    ? Object.assign(
      Object.create(null),
      Object.fromEntries([...value].map(([name, one]) => [name, plain(one)])),
    )
    : value;
}
