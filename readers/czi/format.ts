/** Zeiss CZI. */
import { type FileFormat, startsWith } from "../format.ts";

/** CZI, which its documentation calls ZISRAW. */
export const CZI: FileFormat = {
  name: "czi",
  title: "Zeiss CZI",
  extensions: [".czi"],
  container: "file",
  recognises: (head) => startsWith(head, ...new TextEncoder().encode("ZISRAWFILE")),
  load: () => import("./mod.ts"),
};
