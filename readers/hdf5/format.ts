import { startsWith } from "../first_bytes.ts";
import type { FileFormat } from "../format.ts";
import type { ByteSource } from "../io/byte_source.ts";
import type { Hdf5File } from "./file.ts";

/** The part of a format that all formats in HDF5 files share. @param isOwn true for a file whose root is that of the format */
export const inHdf5 = (
  isOwn: (file: Hdf5File) => boolean,
): Pick<FileFormat, "container" | "recognises" | "beginsLater" | "confirms"> => ({
  container: "file",
  // HDF5 File Format Specification, section II.A.
  recognises: (head: Uint8Array) => startsWith(head, 0x89, 0x48, 0x44, 0x46, 0x0d, 0x0a, 0x1a, 0x0a),
  beginsLater: async (file: ByteSource) => (await import("./blocks.ts")).findSuperblock(file) !== null,
  confirms: async (file: ByteSource) => (await import("./marks.ts")).hasRoot(file, isOwn),
});
