/** TIFF and BigTIFF in all dialects. */
import { extensionOf, type FileFormat, FORMAT_NAMES, startsWith } from "../format.ts";
import { setOf } from "./marks.ts";

/** Extensions of ScanImage recordings along arbitrary lines, which are not read. */
const SCANIMAGE_LINE_FILES: readonly string[] = [".pmt.dat", ".meta.txt", ".scnnr.dat"];

/** The format TIFF. */
export const TIFF: FileFormat = {
  ...FORMAT_NAMES.tiff,
  container: "file",
  content: "index of NDTiff",
  // TIFF 6.0 section 2 and the BigTIFF design: byte order, then 42 or 43 in that order.
  recognises: (head) =>
    startsWith(head, 0x49, 0x49, 42, 0) || startsWith(head, 0x4d, 0x4d, 0, 42) ||
    startsWith(head, 0x49, 0x49, 43, 0) || startsWith(head, 0x4d, 0x4d, 0, 43),
  // Opens the XML document of a set, too, which is not a TIFF itself.
  claims: (path) => extensionOf(path) === ".companion.ome",
  setOf,
  relatives: SCANIMAGE_LINE_FILES,
  explains: (_head, name) =>
    SCANIMAGE_LINE_FILES.some((extension) => name.toLowerCase().endsWith(extension))
      ? "it is named like a part of a recording of ScanImage along arbitrary lines, whose samples are not stored as TIFF " +
        "and are not read: convert the line scan with ScanImage"
      : null,
  load: () => import("./mod.ts"),
};
