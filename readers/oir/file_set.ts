/**
 * Files of one acquisition. A long one goes on in `<stem>_00001`, `<stem>_00002` and so on beside `<stem>.oir`,
 * with or without the extension; each is a complete container.
 */
import { basename, dirname, join } from "node:path";
import { DecodeFailed } from "../errors.ts";
import type { FileAccess, RandomAccessFile } from "../random_access.ts";
import { type FileScan, MAX_PLANES, scanFile } from "./file_scan.ts";

/** Continuation files of one acquisition, each an open file; at 1 GB each this is half a terabyte. */
const MAX_CONTINUATIONS = 500;

const EXTENSION = /\.oir$/i;
const CONTINUATION = /^(.+)_\d{5}(\.oir)?$/i;

/** The files of an acquisition, scanned. */
export interface FileSet {
  /** The main file, then its continuations in their order. */
  readonly scans: readonly FileScan[];
  readonly warnings: readonly string[];
}

/**
 * Opens and scans the file at `path` and what belongs to it. A continuation file that was opened stands for its
 * acquisition.
 *
 * @throws {DecodeFailed} the main file is no OIR file or is missing, or there are more files than are opened at once
 */
export function scanFileSet(path: string, files: FileAccess): FileSet {
  const main = mainFileOf(path, files);
  const scans = [scanFile(files.open(main), files.stop)];
  const stem = join(dirname(main), basename(main).replace(EXTENSION, ""));
  const numbered = (n: number) => `${stem}_${String(n).padStart(5, "0")}`;
  // A file that is named like a continuation but stands alone has none of its own.
  if (CONTINUATION.test(basename(main))) return { scans, warnings: [] };
  for (let n = 1;; n += 1) {
    const file = files.openNeighbour(numbered(n)) ?? files.openNeighbour(`${numbered(n)}.oir`);
    if (file === null) break;
    if (n > MAX_CONTINUATIONS) {
      throw new DecodeFailed(`the acquisition goes on in more than ${MAX_CONTINUATIONS} files`);
    }
    const scan = scanContinuation(file, files);
    if (typeof scan === "string") return { scans, warnings: [scan] };
    if (EXTENSION.test(file.path) && repeats(scan, scans)) {
      if (basename(file.path) === basename(path)) return { scans: [scan], warnings: [] };
      const warning = `"${basename(file.path)}" has frames of its own and is not taken for a continuation`;
      return { scans, warnings: [warning] };
    }
    scans.push(scan);
    if (scans.reduce((sum, { planes }) => sum + planes.size, 0) > MAX_PLANES) {
      throw new DecodeFailed(`the acquisition has more than ${MAX_PLANES} frames`);
    }
  }
  const later = [numbered(scans.length + 1), `${numbered(scans.length + 1)}.oir`];
  const warnings = later.some((name) => files.kind(name) === "file")
    ? [
      `The continuation file "${
        basename(numbered(scans.length))
      }" is missing; what comes after it is not read`,
    ]
    : [];
  return { scans, warnings };
}

/** What a continuation file holds, or why it cannot be read; the files before it are sound without it. */
function scanContinuation(file: RandomAccessFile, files: FileAccess): FileScan | string {
  try {
    return scanFile(file, files.stop);
  } catch (error) {
    if (!(error instanceof DecodeFailed)) throw error;
    return `The continuation file "${basename(file.path)}" cannot be read: ${error.message}`;
  }
}

/** True when a plane begins anew that an earlier file holds: the file is another acquisition of a like name. */
function repeats(scan: FileScan, earlier: readonly FileScan[]): boolean {
  for (const [id, slot] of scan.channelSlots) {
    for (const [key, slots] of scan.planes) {
      const begins = slots[slot]?.[0] === 0;
      if (begins && earlier.some((e) => e.planes.get(key)?.[e.channelSlots.get(id) ?? -1])) return true;
    }
  }
  return false;
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
