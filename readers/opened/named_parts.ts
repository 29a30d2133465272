/** Whether files that are named like parts of another one are parts of it, by their headers and the tests that opening uses. */
import { isPartOf } from "../czi/file_set.ts";
import { isLoss, PathNotAllowed, PathNotFound, UnsupportedFormat } from "../errors.ts";
import { FORMAT_NAMES } from "../format.ts";
import type { FileAccess } from "../io/random_access.ts";
import { isContinuationOf } from "../oir/file_set.ts";

/** A file that is named like a part of the file at `main`. */
export interface NamedPart {
  /** Format of both, as in `source.format`. */
  readonly format: string;
  readonly path: string;
  readonly main: string;
}

type Test = (path: string, main: string, files: FileAccess) => boolean;

const TESTS: ReadonlyMap<string, Test> = new Map([
  [FORMAT_NAMES.czi.name, isPartOf],
  [FORMAT_NAMES.oir.name, isContinuationOf],
]);

/** Whether each file is a part of the other one. A file that cannot be read is none: opening it says why. */
export const arePartsOf = (named: readonly NamedPart[], files: FileAccess): boolean[] =>
  named.map(({ format, path, main }) => {
    files.stop.check();
    try {
      return TESTS.get(format)?.(path, main, files) ?? true;
    } catch (error) {
      const isNone = isLoss(error) ||
        [PathNotFound, PathNotAllowed, UnsupportedFormat].some((kind) => error instanceof kind);
      if (!isNone) throw error;
      return false;
    }
  });
