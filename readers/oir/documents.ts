/** XML documents in blocks. They are found by `<?xml` and the length before it, and identified by the name of their root. */
import { Buffer } from "node:buffer";
import { basename } from "node:path";
import { DecodeFailed } from "../errors.ts";
import type { ByteSource } from "../io/byte_source.ts";
import type { DocumentList } from "../io/document_list.ts";
import { numberOf, textFrom } from "../metadata/text.ts";
import { child, descendant, parseXml, type XmlElement } from "../metadata/xml.ts";
import type { DocumentBlock, FileScan } from "./file_scan.ts";

/** Largest block of documents in bytes; lookup tables of 0.5 MB for each of a hundred channels take less. */
const MAX_BLOCK_BYTES = 64 << 20;

/** Largest number of documents in a block; usual are three per channel and a dozen more. */
const MAX_DOCUMENTS = 4096;

/** Largest number of elements and attributes in a document, and deepest nesting; the largest known has 1300 elements, 20 deep. */
export const MAX_DOCUMENT_NODES = 50_000;
const MAX_DOCUMENT_DEPTH = 64;

/** Largest number of elements and attributes in all documents of an acquisition: those of eight documents at their limit. */
const MAX_NODES = 400_000;

/** Largest number of bytes to parse in all documents of an acquisition, half a second of work; usual is about 1 MB. */
const MAX_PARSED_BYTES = 16 << 20;

/** Number of bytes at the start of a document that contain the name of its root, after the declaration. */
const ROOT_SEARCH_BYTES = 4096;

/** A document that is not parsed yet. */
export interface StoredDocument {
  /** Qualified name of the root element, or `""`. */
  readonly root: string;
  /** Local name of the root element. */
  readonly name: string;
  /** Offset in the file. */
  readonly offset: number;
  /** Its encoded text. */
  readonly bytes: Uint8Array;
  /** Id of its channel, if an id precedes the document, as for a lookup table. */
  readonly channel?: string | null;
}

/**
 * Finds the documents in a block.
 *
 * @throws {DecodeFailed} the block is above a limit or cannot be read
 */
export function readDocuments(file: ByteSource, block: DocumentBlock): StoredDocument[] {
  if (block.length > MAX_BLOCK_BYTES) {
    throw new DecodeFailed(
      `documents at ${block.offset} have ${block.length} bytes, more than ${MAX_BLOCK_BYTES}`,
    );
  }
  return findDocuments(file.read(block.offset, block.length, "documents"), block.offset);
}

/** Finds the documents in a payload that starts at `offset` of its file. @throws {DecodeFailed} too many documents */
export function findDocuments(payload: Uint8Array, offset: number): StoredDocument[] {
  const bytes = Buffer.from(payload.buffer, payload.byteOffset, payload.length);
  const found: StoredDocument[] = [];
  for (let at = bytes.indexOf("<?xml"); at >= 0;) {
    const next = bytes.indexOf("<?xml", at + 5);
    const stated = at >= 4 ? bytes.readUInt32LE(at - 4) : 0;
    const trusted = stated > 5 && at + stated <= bytes.length && (next < 0 || next >= at + stated);
    const end = trusted ? at + stated : bytes.lastIndexOf(">", (next < 0 ? bytes.length : next) - 1) + 1;
    if (end > at) {
      if (found.length >= MAX_DOCUMENTS) {
        throw new DecodeFailed(`the block at ${offset} holds more than ${MAX_DOCUMENTS} documents`);
      }
      const root = rootName(bytes.toString("latin1", at, Math.min(end, at + ROOT_SEARCH_BYTES)));
      found.push({
        root,
        name: root.slice(root.indexOf(":") + 1),
        offset: offset + at,
        bytes: payload.subarray(at, end),
        channel: trusted ? idBefore(bytes, at - 4) : null,
      });
    }
    at = next;
  }
  return found;
}

/** Number of characters of a channel id. */
const ID_LENGTH = 36;

/** The id that ends at `end`, which its length precedes; or `null`. */
function idBefore(bytes: Buffer, end: number): string | null {
  const start = end - ID_LENGTH;
  return start >= 4 && bytes.readUInt32LE(start - 4) === ID_LENGTH
    ? bytes.toString("latin1", start, end)
    : null;
}

/** Qualified name of the first start tag after declarations and comments, or `""`. */
function rootName(text: string): string {
  for (let at = text.indexOf("<"); at >= 0; at = text.indexOf("<", at + 1)) {
    const closing = text.startsWith("<!--", at) ? "-->" : text.startsWith("<?", at) ? "?>" : null;
    if (closing !== null) {
      at = text.indexOf(closing, at);
      if (at < 0) return "";
    } else if (text[at + 1] !== "!") {
      return /^[^\s/>]*/.exec(text.slice(at + 1))?.[0] ?? "";
    }
  }
  return "";
}

/** Control characters that XML forbids but that text fields filled in by operators may contain. */
// deno-lint-ignore no-control-regex
const CONTROLS = /[\x00-\x08\x0b\x0c\x0e-\x1f]/g;

/** Parses documents as long as the acquisition is within its limits. */
export class DocumentParser {
  #nodes = MAX_NODES;
  #bytes = MAX_PARSED_BYTES;

  /**
   * Parses a document. Even if it declares ASCII, operators' text may be UTF-8 or in a Windows code page.
   *
   * @throws {DecodeFailed} it is not well-formed, declares a document type, or is above a limit
   */
  parse(document: StoredDocument): XmlElement {
    const what = `the document at ${document.offset}`;
    if (document.bytes.length > this.#bytes) {
      throw new DecodeFailed(`${what} exceeds the ${MAX_PARSED_BYTES} bytes that are parsed`);
    }
    this.#bytes -= document.bytes.length;
    const nodes = Math.min(MAX_DOCUMENT_NODES, this.#nodes);
    const limits = { nodes, depth: MAX_DOCUMENT_DEPTH };
    const text = textFrom(document.bytes).replace(CONTROLS, "\ufffd");
    try {
      return parseXml(text, what, limits);
    } finally {
      this.#nodes -= nodes - limits.nodes;
    }
  }
}

/** The number in an element, or `null`. */
export const numberIn = (element: XmlElement | undefined): number | null => numberOf(element?.text);

/** True for a valid number of pixels or rows. */
export const isCount = (value: number | null | undefined): value is number =>
  typeof value === "number" && Number.isSafeInteger(value) && value >= 1;

/** Width and height in pixels. */
export interface ImageSize {
  readonly width: number;
  readonly height: number;
}

/** Width and height in a document whose root, or an element below it, is an image definition. */
export function definedSize(root: XmlElement): ImageSize | null {
  const holder = child(root, "width") ? root : descendant(root, "imageDefinition");
  const [width, height] = [numberIn(child(holder, "width")), numberIn(child(holder, "height"))];
  return isCount(width) && isCount(height) ? { width, height } : null;
}

/** Adds the XML documents of the files in order, and the document of the first frame, which those of other frames repeat. */
export function addDocuments(list: DocumentList, scans: readonly FileScan[]): void {
  for (const [i, scan] of scans.entries()) {
    const [offset, length] = scan.frames;
    const frame = i === 0 && offset !== undefined && length !== undefined ? [{ offset, length }] : [];
    const file = i === 0 ? "" : `${basename(scan.file.path)}: `;
    for (const block of [...frame, ...scan.documents].sort((a, b) => a.offset - b.offset)) {
      for (const { name, offset, bytes } of readDocuments(scan.file, block)) {
        list.add(`${file}${name || "document"} at ${offset}`, "application/xml", textFrom(bytes));
      }
    }
  }
}
