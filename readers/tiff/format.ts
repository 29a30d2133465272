import type { FileFormat } from "../format.ts";
import { startsTiff } from "../first_bytes.ts";
import { COMPANION, GROUPING, isCompanion } from "./marks.ts";

/** Extensions of ScanImage recordings along arbitrary lines, which are not read. */
const SCANIMAGE_LINE_FILES: readonly string[] = [".pmt.dat", ".meta.txt", ".scnnr.dat"];

/** TIFF in all dialects but LSM. */
export const TIFF: FileFormat = {
  name: "tif",
  title: "TIFF",
  extensions: [".tif", ".tiff", ".ome.tif", ".ome.tiff", COMPANION, ".stk", ".btf", ".tf8"],
  bareExtensions: [COMPANION],
  markers: ["NDTiff.index"],
  markedFolder: "Full resolution",
  container: "file",
  content: "index of NDTiff",
  recognises: startsTiff,
  // Opens the XML document of a set, too, which is not a TIFF itself.
  claims: isCompanion,
  relatives: SCANIMAGE_LINE_FILES,
  explains: (_head, name) =>
    SCANIMAGE_LINE_FILES.some((extension) => name.toLowerCase().endsWith(extension))
      ? "it is named like a part of a recording of ScanImage along arbitrary lines, whose samples are not stored as TIFF " +
        "and are not read: convert the line scan with ScanImage"
      : null,
  grouping: () => Promise.resolve(GROUPING),
  load: () => import("./mod.ts"),
};
