/** The opened file as dialects see it. */
import { DecodeFailed } from "../errors.ts";
import { type Moment, momentOf } from "../metadata/moment.ts";
import type { FileAccess } from "../io/random_access.ts";
import { lossWarning, type Warning } from "../warning.ts";
import type { Directory } from "./directory.ts";
import { TAG } from "./tags.ts";
import type { TiffFile } from "./tiff_file.ts";

/** The opened file, which each dialect examines. */
export interface Opened {
  /** Path of the opened file. */
  readonly path: string;
  /** For the other files of a set. */
  readonly files: FileAccess;
  /** The opened file. */
  readonly tiff: TiffFile;
  /** First directory of the chain. */
  readonly first: Directory;
  /** Texts of ImageDescription in the first directory, most often one; MetaMorph joins several with NULs. */
  descriptions: readonly string[];
  /** Metadata that a dialect could not read. */
  readonly warnings: Warning[];
}

/** The date of the DateTime tag. */
export function tagMoment(directory: Directory): Moment {
  return momentOf(directory.note(TAG.DateTime, 64));
}

/** The result of `read`, or `null` with a warning where the metadata are damaged. */
export function noted<T>(opened: Opened, what: string, read: () => T): T | null {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof DecodeFailed)) throw error;
    opened.warnings.push(lossWarning(error, "metadata_damaged", what));
    return null;
  }
}
