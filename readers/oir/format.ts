/** Olympus OIR. */
import { type FileFormat, FORMAT_NAMES, startsWith } from "../format.ts";
import { continuedStem } from "./file_names.ts";

/** The format OIR. Archives and descriptions of OIR files are recognised and refused. */
export const OIR: FileFormat = {
  ...FORMAT_NAMES.oir,
  container: "file",
  recognises: (head) => startsWith(head, ...new TextEncoder().encode("OLYMPUSRAWFORMAT")),
  setOf(name, beside) {
    const stem = continuedStem(name);
    return stem === null ? null : beside.find(`${stem}.oir`);
  },
  relatives: [".poir", ".mpoir", ".omp2info"],
  explains: explainOirRelative,
  load: () => import("./mod.ts"),
};

/** Says what to open instead of a file related to OIR; `null` for any other content. */
export function explainOirRelative(head: Uint8Array): string | null {
  const [p, k, third, fourth] = head;
  if (p === 0x50 && k === 0x4b && ((third === 3 && fourth === 4) || (third === 5 && fourth === 6))) {
    return "it is a ZIP archive, as .poir and .mpoir are: unpack it and open an .oir inside";
  }
  // Skips a byte order mark and the zeros of UTF-16.
  const text = String.fromCharCode(...head.subarray(0, 64).filter((byte) => byte > 0 && byte < 0x80));
  if (text.trimStart().startsWith("<?xml")) {
    return "it is an XML document, as .omp2info is, and holds no pixels: open an .oir of the mosaic that it describes";
  }
  return null;
}
