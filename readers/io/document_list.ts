/** The metadata documents of an acquisition, which are read on request and limited in their total size. */
import { Buffer } from "node:buffer";
import { DecodeFailed } from "../errors.ts";
import { MAX_DOCUMENT_BYTES } from "./limits.ts";

/** One metadata document, as the file has it. */
export interface MetadataDocument {
  /** Name of the document's tag, part of the file or companion file. */
  readonly name: string;
  readonly mediaType: "application/xml" | "application/json" | "text/csv" | "text/plain";
  readonly text: string;
}

/** Collects documents in the order in which a reader adds them. */
export class DocumentList {
  readonly found: MetadataDocument[] = [];
  /** Largest number of bytes for the next document. */
  left: number;
  readonly #most: number;

  /** Starts an empty list; `most` limits the UTF-8 bytes of all documents together. */
  constructor(most: number) {
    this.#most = most;
    this.left = most;
  }

  /** Checks before a document is read that it does not exceed the limit. @throws {DecodeFailed} too many bytes */
  require(bytes: number): void {
    if (bytes > this.left) {
      throw new DecodeFailed(`its metadata documents have more than ${this.#most} bytes`);
    }
  }

  /** Adds a document unless it is absent or empty. @throws {DecodeFailed} the documents have too many bytes */
  add(name: string, mediaType: MetadataDocument["mediaType"], text: string | null): void {
    if (text === null || text === "") return;
    const bytes = Buffer.byteLength(text);
    this.require(bytes);
    this.left -= bytes;
    this.found.push({ name, mediaType, text });
  }
}

/** All documents of an acquisition. @throws {DecodeFailed} a document is damaged, or all have more than `most` bytes */
export function collectDocuments(
  acquisition: { documents(list: DocumentList): void },
  most: number = MAX_DOCUMENT_BYTES,
): readonly MetadataDocument[] {
  const list = new DocumentList(most);
  acquisition.documents(list);
  return list.found;
}
