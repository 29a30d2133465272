/** The documents of a file as they are, for who wants to read them. */
import { Buffer } from "node:buffer";
import { basename } from "node:path";
import { DecodeFailed } from "../errors.ts";
import type { MetadataDocument } from "../reader.ts";
import { readDocuments, textOf } from "./documents.ts";
import type { FileScan } from "./file_scan.ts";

/**
 * The XML documents of the files in their order, and of the first frame; those of other frames repeat it.
 *
 * @param most bytes of UTF-8 that all of them may have
 * @throws {DecodeFailed} they have more, or cannot be read
 */
export function metadataTexts(scans: readonly FileScan[], most: number): MetadataDocument[] {
  let left = most;
  return scans.flatMap((scan, i) => {
    const [offset, length] = scan.frames;
    const frame = i === 0 && offset !== undefined && length !== undefined ? [{ offset, length }] : [];
    const blocks = [...frame, ...scan.documents].sort((a, b) => a.offset - b.offset);
    return blocks.flatMap((block) =>
      readDocuments(scan.file, block).map(({ name, offset, bytes }) => {
        if (bytes.length > left) {
          throw new DecodeFailed(`its metadata documents have more than ${most} bytes`);
        }
        const text = textOf(bytes);
        left -= Buffer.byteLength(text);
        const place = `${name || "document"} at ${offset}`;
        const file = i === 0 ? "" : `${basename(scan.file.path)}: `;
        return { name: file + place, mediaType: "application/xml", text };
      })
    );
  });
}
