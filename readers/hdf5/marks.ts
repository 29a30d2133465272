/** Which format the content of an HDF5 file is. */
import type { ByteSource } from "../io/byte_source.ts";
import { DecodeFailed } from "../errors.ts";
import { Hdf5File, startsHdf5 } from "./file.ts";

/** Whether a file is HDF5 with this root; false for one that is damaged. */
export async function hasRoot(source: ByteSource, isOwn: (file: Hdf5File) => boolean): Promise<boolean> {
  if (source.size < 8 || !startsHdf5(source.read(0, 8, "the first bytes"))) return false;
  try {
    using file = await Hdf5File.open(source);
    return isOwn(file);
  } catch (error) {
    if (error instanceof DecodeFailed) return false;
    throw error;
  }
}
