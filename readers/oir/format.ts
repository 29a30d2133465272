import { asciiOf, startsWithText, startsZip } from "../first_bytes.ts";
import type { FileFormat } from "../format.ts";

/** Olympus OIR, with continuation files. */
export const OIR: FileFormat = {
  name: "oir",
  title: "Olympus OIR",
  extensions: [".oir"],
  container: "file",
  recognises: (head) => startsWithText(head, "OLYMPUSRAWFORMAT"),
  relatives: [".poir", ".mpoir", ".omp2info"],
  explains(head) {
    if (startsZip(head)) {
      return "it is a ZIP archive, as .poir and .mpoir are: unpack it and open an .oir inside";
    }
    return asciiOf(head).trimStart().startsWith("<?xml")
      ? "it is an XML document, as .omp2info is, and holds no pixels: open an .oir of the mosaic that it describes"
      : null;
  },
  grouping: async () => (await import("./file_set.ts")).GROUPING,
  load: () => import("./mod.ts"),
};
