/** Which format the content of an HDF5 file is. */
import type { ByteSource } from "../io/byte_source.ts";
import { DecodeFailed } from "../errors.ts";
import { findSuperblock } from "./blocks.ts";
import { Hdf5File } from "./file.ts";

/** Whether a file is HDF5 with this root; false for one that is damaged. */
export function hasRoot(source: ByteSource, isOwn: (file: Hdf5File) => boolean): boolean {
  if (findSuperblock(source) === null) return false;
  try {
    using file = new Hdf5File(source);
    return isOwn(file);
  } catch (error) {
    if (error instanceof DecodeFailed) return false;
    throw error;
  }
}
