/** The metadata of a file as documents: XML as it is, binary trees as JSON. */
import { Buffer } from "node:buffer";
import type { ByteSource } from "../io/byte_source.ts";
import { quoted } from "../errors.ts";
import type { DocumentList } from "../io/document_list.ts";
import { readChunk } from "./chunk.ts";
import { parseLite, type VariantBudget, variantBudget } from "./clx_lite.ts";
import { isXml, MAX_METADATA_BYTES } from "./metadata.ts";
import { metadataText } from "./metadata_text.ts";
import type { StoredChunks } from "./stored_chunks.ts";
import type { Variant } from "./variant.ts";

/** Chunks of documents; what else has a name is a list of numbers. */
const DOCUMENT = /^(?:Image|CustomDataVar\|)/;

/** Adds the documents in the order of the file. @throws {DecodeFailed} one is damaged */
export function addDocuments(list: DocumentList, file: ByteSource, { named }: StoredChunks): void {
  const budget = variantBudget();
  const found = [...named].filter(([name]) => DOCUMENT.test(name)).sort(([, a], [, b]) => a - b);
  for (const [name, at] of found) {
    const bytes = readChunk(file, name, at, MAX_METADATA_BYTES);
    const title = name.replace(/!$/, "");
    if (isXml(bytes)) list.add(title, "application/xml", metadataText(bytes));
    else list.add(title, "application/json", jsonOf(bytes, `chunk ${quoted(name)}`, budget));
  }
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
