/** TIFF and BigTIFF. */
import { type FileFormat, startsWith } from "../format.ts";
import { extensionOf, FORMAT_NAMES } from "../format_names.ts";
import { explainTiffRelative, SCANIMAGE_LINE_FILES } from "./relatives.ts";

/** All dialects of TIFF. */
export const TIFF: FileFormat = {
  ...FORMAT_NAMES.tiff,
  container: "file",
  content: "index of NDTiff",
  // TIFF 6.0 section 2 and the BigTIFF design: byte order, then 42 or 43 in that order.
  recognises: (head) =>
    startsWith(head, 0x49, 0x49, 42, 0) || startsWith(head, 0x4d, 0x4d, 0, 42) ||
    startsWith(head, 0x49, 0x49, 43, 0) || startsWith(head, 0x4d, 0x4d, 0, 43),
  // The XML document of a set, which is no TIFF itself.
  claims: (path) => extensionOf(path) === ".companion.ome",
  relatives: SCANIMAGE_LINE_FILES,
  explains: explainTiffRelative,
  load: () => import("./mod.ts"),
};
