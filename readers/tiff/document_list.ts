/** The metadata documents of a file, read when they are asked for and bounded in all. */
import { Buffer } from "node:buffer";
import { DecodeFailed } from "../errors.ts";
import type { MetadataDocument } from "../reader.ts";
import type { Directory } from "./directory.ts";
import { TAG, tagName } from "./tags.ts";
import { isOmeXml } from "./text.ts";

/** Documents in the order in which they are added. */
export class DocumentList {
  readonly #most: number;
  readonly #found: MetadataDocument[] = [];
  #left: number;

  /** No document yet; `most` is how many bytes of UTF-8 all of them may have. */
  constructor(most: number) {
    this.#most = most;
    this.#left = most;
  }

  /** Bytes that the next document may have. */
  get left(): number {
    return this.#left;
  }

  /** Those that were added. */
  get found(): readonly MetadataDocument[] {
    return this.#found;
  }

  /** Adds one that has text. @throws {DecodeFailed} all together have too many bytes */
  add(name: string, mediaType: string, text: string | null): void {
    if (text === null || text === "") return;
    this.#left -= Buffer.byteLength(text);
    if (this.#left < 0) {
      throw new DecodeFailed(`the metadata documents have more than ${this.#most} bytes`);
    }
    this.#found.push({ name, mediaType, text });
  }

  /** Adds the descriptions of a page. @throws {DecodeFailed} one does not lie in the file, or is too long */
  addDescriptions(directory: Directory): void {
    if (!directory.has(TAG.ImageDescription)) return;
    for (const text of directory.texts(TAG.ImageDescription, this.#left)) {
      this.add(tagName(TAG.ImageDescription), mediaTypeOf(text), text);
    }
  }
}

/** Type of a description: OME-XML, the XML of MetaMorph, a JSON object of tifffile, lines of any other program. */
function mediaTypeOf(text: string): string {
  if (isOmeXml(text) || text.trimStart().startsWith("<MetaData>")) return "application/xml";
  return text.startsWith("{") && text.includes('"shape":') ? "application/json" : "text/plain";
}
