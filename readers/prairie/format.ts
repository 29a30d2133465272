/** Bruker (Prairie Technologies) Prairie View. */
import type { ByteSource } from "../io/byte_source.ts";
import { type FileFormat, FORMAT_NAMES } from "../format.ts";
import { beginsScan, decodeDocument } from "../pvscan/document.ts";
import { isPartOfScan } from "../pvscan/found_document.ts";
import { explainPrairieRelative, isPrairieRelative } from "./relatives.ts";

/** Bytes of a document in which its first element is looked for. */
const START_BYTES = 4096;

/** True where a text may begin with XML, behind whatever mark of the byte order. */
const beginsWithTag = (head: Uint8Array) => /^\uFEFF?\s*</.test(decodeDocument(head));

const isScan = (file: ByteSource) =>
  beginsScan(decodeDocument(file.read(0, Math.min(START_BYTES, file.size), "the start")));

/** The XML document of a scan, and the TIFF images that it names. */
export const PRAIRIE: FileFormat = {
  ...FORMAT_NAMES.prairie,
  sharesExtensions: true,
  container: "file",
  recognises: beginsWithTag,
  isDialect: isScan,
  claims: isPartOfScan,
  isRelative: isPrairieRelative,
  explains: explainPrairieRelative,
  load: () => import("./mod.ts"),
};
