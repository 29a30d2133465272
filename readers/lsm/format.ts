import { startsWith } from "../first_bytes.ts";
import type { FileFormat } from "../format.ts";
import { TAG } from "../tiff/tags.ts";

/** A TIFF with a Zeiss record, whatever its extension. Databases (MDB) beside such files are not read. */
export const LSM: FileFormat = {
  name: "lsm",
  title: "Zeiss LSM",
  extensions: [".lsm"],
  container: "file",
  // LSM is always a little-endian TIFF with offsets of 32 bits.
  recognises: (head) => startsWith(head, 0x49, 0x49, 42, 0),
  isDialect: async (file) =>
    (await import("../tiff/tiff_file.ts")).firstDirectoryHasTag(file, TAG.CZ_LSMINFO),
  relatives: [".mdb"],
  explains: (head) =>
    ["Standard Jet DB", "Standard ACE DB"].includes(String.fromCharCode(...head.subarray(4, 19)))
      ? "it is a database without pixels: open an .lsm that it lists, each is complete by itself"
      : null,
  load: () => import("./mod.ts"),
};
