/** Zeiss CZI. */
import { type FileFormat, FORMAT_NAMES, startsWith } from "../format.ts";

/** CZI, which its documentation calls ZISRAW. */
export const CZI: FileFormat = {
  ...FORMAT_NAMES.czi,
  container: "file",
  recognises: (head) => startsWith(head, ...new TextEncoder().encode("ZISRAWFILE")),
  load: () => import("./mod.ts"),
};
