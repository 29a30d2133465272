/** Zeiss CZI. */
import { type FileFormat, FORMAT_NAMES, startsWith } from "../format.ts";
import { firstName } from "./file_set.ts";

/** The format CZI, called ZISRAW in its documentation. */
export const CZI: FileFormat = {
  ...FORMAT_NAMES.czi,
  container: "file",
  recognises: (head) => startsWith(head, ...new TextEncoder().encode("ZISRAWFILE")),
  setOf(name, beside) {
    const first = firstName(name);
    return first === null ? null : beside.find(first);
  },
  load: () => import("./mod.ts"),
};
