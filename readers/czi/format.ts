import { startsWithText } from "../first_bytes.ts";
import type { FileFormat } from "../format.ts";

/** The format CZI, called ZISRAW in its documentation. */
export const CZI: FileFormat = {
  name: "czi",
  title: "Zeiss CZI",
  extensions: [".czi"],
  container: "file",
  recognises: (head) => startsWithText(head, "ZISRAWFILE"),
  grouping: async () => (await import("./file_set.ts")).GROUPING,
  load: () => import("./mod.ts"),
};
