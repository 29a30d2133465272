/** Zeiss CZI. */
import { type FileFormat, startsWith } from "../format.ts";
import { FORMAT_NAMES } from "../format_names.ts";

/** CZI, which its documentation calls ZISRAW. */
export const CZI: FileFormat = {
  ...FORMAT_NAMES.czi,
  container: "file",
  recognises: (head) => startsWith(head, ...new TextEncoder().encode("ZISRAWFILE")),
  load: () => import("./mod.ts"),
};
