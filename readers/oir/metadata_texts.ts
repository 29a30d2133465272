/** The XML documents of a set of files. */
import { basename } from "node:path";
import type { DocumentList } from "../io/document_list.ts";
import { readDocuments, textOf } from "./documents.ts";
import type { FileScan } from "./file_scan.ts";

/** Adds the XML documents of the files in their order, and that of the first frame; those of other frames repeat it. */
export function addDocuments(list: DocumentList, scans: readonly FileScan[]): void {
  for (const [i, scan] of scans.entries()) {
    const [offset, length] = scan.frames;
    const frame = i === 0 && offset !== undefined && length !== undefined ? [{ offset, length }] : [];
    const file = i === 0 ? "" : `${basename(scan.file.path)}: `;
    for (const block of [...frame, ...scan.documents].sort((a, b) => a.offset - b.offset)) {
      for (const { name, offset, bytes } of readDocuments(scan.file, block)) {
        list.add(`${file}${name || "document"} at ${offset}`, "application/xml", textOf(bytes));
      }
    }
  }
}
