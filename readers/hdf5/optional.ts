/** Metadata of an HDF5 file that may be missing or damaged while its images can be read. */
import { DecodeFailed } from "../errors.ts";
import { lossWarning, type Warning } from "../warning.ts";

/** Reads metadata; what is damaged is left out with a warning. */
export class OptionalMetadata {
  readonly warnings: Warning[] = [];

  /** The value that `read` gives, or `otherwise`. @param what starts the warning */
  read<T, U>(what: string, read: () => T, otherwise: U): T | U {
    try {
      return read();
    } catch (error) {
      if (!(error instanceof DecodeFailed)) throw error;
      this.warnings.push(lossWarning(error, "metadata_damaged", what));
      return otherwise;
    }
  }
}
