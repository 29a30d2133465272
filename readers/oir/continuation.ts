/**
 * Files of one acquisition. A long one goes on in `<stem>_00001`, `<stem>_00002` and so on beside `<stem>.oir`,
 * with or without the extension; each is a complete container.
 */
import { basename, dirname, join } from "node:path";
import { DecodeFailed } from "../errors.ts";
import type { FileAccess, RandomAccessFile } from "../random_access.ts";

/** Continuation files of one acquisition, each an open file; at 1 GB each this is half a terabyte. */
const MAX_CONTINUATIONS = 500;

const EXTENSION = /\.oir$/i;
const CONTINUATION = /^(.+)_\d{5}(\.oir)?$/i;

/** The files of an acquisition, opened. */
export interface FileSet {
  readonly main: RandomAccessFile;
  /** In their order. */
  readonly continuations: readonly RandomAccessFile[];
  readonly warnings: readonly string[];
}

/**
 * Opens the file at `path` and what belongs to it. A continuation file that was opened stands for its acquisition.
 *
 * @throws {DecodeFailed} a continuation file whose main file is missing, or more files than are opened at once
 */
export function openFileSet(path: string, files: FileAccess): FileSet {
  const main = mainFileOf(path, files);
  const stem = join(dirname(main), basename(main).replace(EXTENSION, ""));
  const numbered = (n: number) => `${stem}_${String(n).padStart(5, "0")}`;
  const openNumber = (n: number) =>
    files.openNeighbour(numbered(n)) ?? files.openNeighbour(`${numbered(n)}.oir`);
  const continuations: RandomAccessFile[] = [];
  // A file that is named like a continuation but stands alone has none of its own.
  const mayContinue = !CONTINUATION.test(basename(main));
  for (let file = mayContinue ? openNumber(1) : null; file; file = openNumber(continuations.length + 1)) {
    continuations.push(file);
    if (continuations.length > MAX_CONTINUATIONS) {
      throw new DecodeFailed(`the acquisition goes on in more than ${MAX_CONTINUATIONS} files`);
    }
  }
  const missing = continuations.length + 1;
  const later = mayContinue &&
    (files.kind(numbered(missing + 1)) ?? files.kind(`${numbered(missing + 1)}.oir`)) === "file";
  const warnings = later
    ? [`The continuation file "${basename(numbered(missing))}" is missing; what comes after it is not read`]
    : [];
  return { main: files.open(main), continuations, warnings };
}

function mainFileOf(path: string, files: FileAccess): string {
  const name = basename(path);
  const stem = CONTINUATION.exec(name)?.[1];
  if (stem === undefined) return path;
  const main = join(dirname(path), `${stem}.oir`);
  if (files.kind(main) === "file") return main;
  if (EXTENSION.test(name)) return path;
  throw new DecodeFailed(
    `it is a continuation file and says nothing of its acquisition; open "${stem}.oir", which is not beside it`,
  );
}
