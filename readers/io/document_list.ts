/** The metadata documents of an acquisition: read when a client asks for them, and bounded together. */
import { Buffer } from "node:buffer";
import { DecodeFailed } from "../errors.ts";
import { MAX_DOCUMENT_BYTES } from "./limits.ts";

/** One metadata document, as the file has it. */
export interface MetadataDocument {
  /** Name of its tag, part of the file or companion file. */
  readonly name: string;
  readonly mediaType: "application/xml" | "application/json" | "text/csv" | "text/plain";
  /** The whole text. */
  readonly text: string;
}

/** Collects documents, in the order in which a reader adds them. */
export class DocumentList {
  readonly #most: number;
  readonly #found: MetadataDocument[] = [];
  #left: number;

  /** Starts empty; the documents may have `most` bytes of UTF-8 together. */
  constructor(most: number) {
    this.#most = most;
    this.#left = most;
  }

  /** Bytes that the next document may have. */
  get left(): number {
    return this.#left;
  }

  /** The added documents. */
  get found(): readonly MetadataDocument[] {
    return this.#found;
  }

  /** Checks before a document is read that it fits. @throws {DecodeFailed} too many bytes */
  require(bytes: number): void {
    if (bytes > this.#left) {
      throw new DecodeFailed(`its metadata documents have more than ${this.#most} bytes`);
    }
  }

  /** Adds a document unless it is absent or empty. @throws {DecodeFailed} the documents have too many bytes */
  add(name: string, mediaType: MetadataDocument["mediaType"], text: string | null): void {
    if (text === null || text === "") return;
    const bytes = Buffer.byteLength(text);
    this.require(bytes);
    this.#left -= bytes;
    this.#found.push({ name, mediaType, text });
  }
}

/** All documents of an acquisition. @throws {DecodeFailed} one is damaged, or they have more than `most` bytes */
export function documentsOf(
  acquisition: { documents(list: DocumentList): void },
  most: number = MAX_DOCUMENT_BYTES,
): readonly MetadataDocument[] {
  const list = new DocumentList(most);
  acquisition.documents(list);
  return list.found;
}
