/** XML documents in blocks. They are found by `<?xml` and the length before it, and identified by the name of their root. */
import { Buffer } from "node:buffer";
import { basename } from "node:path";
import { DecodeFailed } from "../errors.ts";
import type { ByteSource } from "../io/byte_source.ts";
import type { DocumentList } from "../io/document_list.ts";
import type { StopFlag } from "../io/stop_flag.ts";
import type { StatedNumbers } from "../metadata/stated_numbers.ts";
import { decodeAnyText, numberOf } from "../metadata/text.ts";
import { findChild, findDescendant, parseXml, replaceForbidden, type XmlElement } from "../metadata/xml.ts";
import { unlessLost, type Warning } from "../warning.ts";
import type { DocumentBlock } from "./container.ts";
import type { FileScan } from "./file_scan.ts";

/** Largest block of documents in bytes; lookup tables of 0.5 MB for each of a hundred channels take less. */
const MAX_BLOCK_BYTES = 64 << 20;

/** Largest number of documents in a block; usual are three per channel and a dozen more. */
const MAX_DOCUMENTS = 4096;

// Limits of all documents of an acquisition. The largest known document has 1300 elements, 20 deep; usual are 1 MB.
/** Largest number of elements and attributes. */
export const MAX_NODES = 400_000;
const MAX_DEPTH = 64;
const MAX_PARSED_BYTES = 16 << 20;
const MAX_SEARCHED_BYTES = 128 << 20;

/** Number of bytes at the start of a document that contain the name of its root, after the declaration. */
const ROOT_SEARCH_BYTES = 4096;

/** A document that is not parsed yet. */
export interface StoredDocument {
  /** Local name of the root element, or `""`. */
  readonly name: string;
  /** `camera` for any document about a camera, else `name`. */
  readonly kind: string;
  readonly offset: number;
  readonly bytes: Uint8Array;
  /** Id of its channel, if an id precedes the document, as for a lookup table. */
  readonly channel?: string | null;
}

/** Finds the documents in a block. @throws {DecodeFailed} it is above a limit or cannot be read */
export function readDocuments(file: ByteSource, { offset, length }: DocumentBlock): StoredDocument[] {
  if (length > MAX_BLOCK_BYTES) {
    throw new DecodeFailed(`documents at ${offset} have ${length} bytes, more than ${MAX_BLOCK_BYTES}`);
  }
  return findOirDocuments(file.read(offset, length, "documents"), offset);
}

/** Finds the documents in a payload that starts at `offset` of its file. @throws {DecodeFailed} too many documents */
export function findOirDocuments(payload: Uint8Array, offset: number): StoredDocument[] {
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
      const root = findRootName(bytes.toString("latin1", at, Math.min(end, at + ROOT_SEARCH_BYTES)));
      const name = root.slice(root.indexOf(":") + 1);
      const kind = root.startsWith("cameraimage:") ? "camera" : name;
      const channel = trusted ? readIdBefore(bytes, at - 4) : null;
      found.push({ name, kind, offset: offset + at, bytes: payload.subarray(at, end), channel });
    }
    at = next;
  }
  return found;
}

const ID_LENGTH = 36;

/** The channel id that ends at `end`, which its length precedes; or `null`. */
function readIdBefore(bytes: Buffer, end: number): string | null {
  const start = end - ID_LENGTH;
  return start >= 4 && bytes.readUInt32LE(start - 4) === ID_LENGTH
    ? bytes.toString("latin1", start, end)
    : null;
}

/** Qualified name of the first start tag after declarations and comments, or `""`. */
const findRootName = (text: string): string =>
  /<([^\s/>!?][^\s/>]*)/.exec(text.replace(/<!--[^]*?(?:-->|$)|<\?[^]*?(?:\?>|$)/g, ""))?.[1] ?? "";

/** Roots of the documents to read. `imageDefinition` contains the size of a reference image. */
const WANTED = new Set(["imageProperties", "imageDefinition", "camera", "lsmChannel", "LUT"]);

/** Reads the documents of an acquisition within its limits. An unreadable document counts as missing and causes a warning. */
export class DocumentParser {
  readonly warnings: Warning[] = [];
  readonly stop: StopFlag;
  readonly #limits = { nodes: MAX_NODES, depth: MAX_DEPTH };
  #parsable = MAX_PARSED_BYTES;
  #searchable = MAX_SEARCHED_BYTES;

  constructor(stop: StopFlag) {
    this.stop = stop;
  }

  /** The wanted documents of a file; those of its last block come first. @throws {Stopped} */
  wantedIn(scan: FileScan): StoredDocument[] {
    const found: StoredDocument[] = [];
    for (const block of scan.documents.toReversed()) {
      if (this.#searchable <= 0) break;
      this.stop.check();
      this.#searchable -= block.length;
      const documents = this.#unlessLost(() => readDocuments(scan.file, block)) ?? [];
      found.push(...documents.filter(({ kind }) => WANTED.has(kind)));
    }
    return found;
  }

  /** Parses the documents that can be parsed. @throws {Stopped} */
  parseAll(documents: readonly StoredDocument[]): XmlElement[] {
    return documents.flatMap((document) => {
      this.stop.check();
      return this.#unlessLost(() => this.parse(document)) ?? [];
    });
  }

  /** Parses a document. Its text may be in a Windows code page. @throws {DecodeFailed} not well-formed, or above a limit */
  parse({ offset, bytes }: StoredDocument): XmlElement {
    const what = `the document at ${offset}`;
    if (bytes.length > this.#parsable) {
      throw new DecodeFailed(`${what} exceeds the ${MAX_PARSED_BYTES} bytes that are parsed`);
    }
    this.#parsable -= bytes.length;
    return parseXml(replaceForbidden(decodeAnyText(bytes)), what, this.#limits);
  }

  #unlessLost<T>(read: () => T): T | null {
    return unlessLost(this.warnings, "A metadata document", read);
  }
}

/** The number in an element, or `null`. @param numbers notes a text that is not a number */
export const findElementNumber = (element: XmlElement | undefined, numbers?: StatedNumbers): number | null =>
  numbers ? numbers.read(element?.name ?? "", element?.text) : numberOf(element?.text);

/** Width and height in pixels. */
export interface ImageSize {
  readonly width: number;
  readonly height: number;
}

/** Width and height in a document whose root, or an element below it, is an image definition; `null` unless both are positive. */
export function findDefinedSize(root: XmlElement): ImageSize | null {
  const holder = findChild(root, "width") ? root : findDescendant(root, "imageDefinition");
  const [width, height] = [
    findElementNumber(findChild(holder, "width")),
    findElementNumber(findChild(holder, "height")),
  ];
  const isCount = (value: number | null): value is number =>
    value !== null && Number.isSafeInteger(value) && value >= 1;
  return isCount(width) && isCount(height) ? { width, height } : null;
}

/** Adds the XML documents of the files in order, and the document of the first frame, which those of other frames repeat. */
export function addOirDocuments(list: DocumentList, scans: readonly FileScan[]): void {
  for (const [i, scan] of scans.entries()) {
    const [offset, length] = scan.frames;
    const frame = i === 0 && offset !== undefined && length !== undefined ? [{ offset, length }] : [];
    const file = i === 0 ? "" : `${basename(scan.file.path)}: `;
    for (const block of [...frame, ...scan.documents].sort((a, b) => a.offset - b.offset)) {
      for (const { name, offset, bytes } of readDocuments(scan.file, block)) {
        list.add(`${file}${name || "document"} at ${offset}`, "application/xml", decodeAnyText(bytes));
      }
    }
  }
}
