/** Olympus OIR. */
import { type FileFormat, startsWith } from "../format.ts";
import { explainOirRelative } from "./relatives.ts";

/** OIR; archives and descriptions of OIR files are told apart and not read. */
export const OIR: FileFormat = {
  name: "oir",
  title: "Olympus OIR",
  extensions: [".oir"],
  container: "file",
  recognises: (head) => startsWith(head, ...new TextEncoder().encode("OLYMPUSRAWFORMAT")),
  relatives: [".poir", ".mpoir", ".omp2info"],
  explains: explainOirRelative,
  load: () => import("./mod.ts"),
};
