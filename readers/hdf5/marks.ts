/** Which format the content of an HDF5 file is. */
import type { ByteSource } from "../io/byte_source.ts";
import { DecodeFailed } from "../errors.ts";
import { superblockAt } from "./blocks.ts";
import { Hdf5File } from "./file.ts";

/** Formats that are HDF5 files. */
export type Hdf5Format = "imaris" | "mesc" | "nwb";

/** The format by the attributes of the root, or `null`. */
export function formatIn(file: Hdf5File): Hdf5Format | null {
  const names = file.attributeNames("/");
  if (names.includes("ImarisDataSet") || names.includes("DataSetInfoDirectoryName")) return "imaris";
  if (names.includes("nwb_version")) return "nwb";
  return names.includes("FileFormatVersion") && file.names("/").some((name) => /^MSession_\d+$/.test(name))
    ? "mesc"
    : null;
}

/** Whether a file is of a format; false for one that is damaged. */
export function isHdf5Format(source: ByteSource, format: Hdf5Format): boolean {
  if (superblockAt(source) === null) return false;
  try {
    using file = new Hdf5File(source);
    return formatIn(file) === format;
  } catch (error) {
    if (error instanceof DecodeFailed) return false;
    throw error;
  }
}
