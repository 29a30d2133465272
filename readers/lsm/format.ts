/** Zeiss LSM. */
import { type FileFormat, FORMAT_NAMES, startsWith } from "../format.ts";
import { holdsLsmRecord } from "./record_entry.ts";
import { explainLsmRelative } from "./relatives.ts";

/** LSM: a TIFF with a record of Zeiss, whatever its extension. The databases beside such files are not read. */
export const LSM: FileFormat = {
  ...FORMAT_NAMES.lsm,
  container: "file",
  // Little-endian TIFF with offsets of 32 bits; others do not exist.
  recognises: (head) => startsWith(head, 0x49, 0x49, 42, 0),
  isDialect: holdsLsmRecord,
  relatives: [".mdb"],
  explains: explainLsmRelative,
  load: () => import("./mod.ts"),
};
