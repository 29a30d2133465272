/** Olympus OIR. */
import { type FileFormat, FORMAT_NAMES, startsWith } from "../format.ts";
import { explainOirRelative } from "./relatives.ts";

/** OIR; archives and descriptions of OIR files are told apart and not read. */
export const OIR: FileFormat = {
  ...FORMAT_NAMES.oir,
  container: "file",
  recognises: (head) => startsWith(head, ...new TextEncoder().encode("OLYMPUSRAWFORMAT")),
  relatives: [".poir", ".mpoir", ".omp2info"],
  explains: explainOirRelative,
  load: () => import("./mod.ts"),
};
