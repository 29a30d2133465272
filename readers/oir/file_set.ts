/**
 * The files of one acquisition. A long acquisition continues in `<stem>_00001`, `<stem>_00002` and so on beside `<stem>.oir`,
 * with or without extension. Each file is a complete container.
 */
import { basename, dirname, join } from "node:path";
import { DecodeFailed } from "../errors.ts";
import type { FileGrouping } from "../format.ts";
import type { FileAccess } from "../io/file_access.ts";
import type { RandomAccessFile } from "../io/random_access_file.ts";
import type { StopFlag } from "../io/stop_flag.ts";
import { lossWarning, type Warning, warning } from "../warning.ts";
import { FileScan, MAX_CHUNKS, MAX_PLANES } from "./file_scan.ts";
import { EXTENSION, findContinuedStem } from "./file_names.ts";
import { readCreation } from "./metadata.ts";

/** Largest number of continuation files, each an open file; with 1 GB each this is half a terabyte. */
const MAX_CONTINUATIONS = 500;

/** Both spellings of the extension, for file systems that distinguish them. */
const EXTENSIONS = [".oir", ".OIR"];

/** True for the name of a continuation file. */
export const isContinuationName = (path: string): boolean => findContinuedStem(basename(path)) !== null;

/** The scanned files of an acquisition. */
export interface OirFileSet {
  /** The main file, then its continuations in order. */
  readonly scans: readonly FileScan[];
  readonly warnings: readonly Warning[];
}

/**
 * Opens and scans all files of the acquisition to which the file at `path` belongs.
 *
 * @throws {DecodeFailed} the main file is missing or not OIR, or there are too many files
 */
export function scanFileSet(path: string, files: FileAccess): OirFileSet {
  const { stop } = files;
  const main = findMainFile(path, files);
  const first = new FileScan(files.open(main), stop);
  const scans = [first];
  // A single file named like a continuation has no continuations.
  if (isContinuationName(main)) return { scans, warnings: [] };
  const differenceOf = compareWith(scans, stop);
  const stem = join(dirname(main), basename(main).replace(EXTENSION, ""));
  const warnings = addContinuations(scans, stem, differenceOf, files);
  if (EXTENSION.test(path) && !scans.some(({ file }) => file.path === path)) {
    const alone = new FileScan(files.open(path), stop);
    if (differenceOf(alone) !== null) return { scans: [alone], warnings: [] };
  }
  return { scans, warnings };
}

/** How a file differs from the acquisition of the files in `scans`, which may grow; `null` if it continues them. */
function compareWith(scans: readonly FileScan[], stop: StopFlag): (scan: FileScan) => string | null {
  let created: string | null | undefined;
  return (scan) => {
    if (EXTENSION.test(scan.file.path) && repeatsPlane(scan, scans)) return "has frames of its own";
    if (created === undefined) created = readCreation(scans[0]!, stop);
    const own = readCreation(scan, stop);
    return own !== null && created !== null && own !== created
      ? `was made at ${own.slice(0, 40)}, not ${created.slice(0, 40)},`
      : null;
  };
}

/** An acquisition and its continuations, by name and header. */
export const GROUPING: FileGrouping = {
  setOf(name, beside) {
    const stem = findContinuedStem(name);
    return stem && beside.find(`${stem}.oir`);
  },
  // Without the extension, it can only be a continuation.
  mayBeOwn: (name) => EXTENSION.test(name),
  isPartOf: isContinuationOf,
};

/** Number of blocks in which the first documents and the first chunks of a file are searched. */
const HEAD_BLOCKS = 256;

/**
 * Whether the file at `path` continues the acquisition of the file at `main`, by the start of both files.
 *
 * @throws {DecodeFailed | Unreadable} one of them cannot be read
 */
function isContinuationOf(path: string, main: string, files: FileAccess): boolean {
  using first = files.open(main);
  using other = files.open(path);
  const scan = (file: RandomAccessFile) => new FileScan(file, files.stop, HEAD_BLOCKS);
  return compareWith([scan(first)], files.stop)(scan(other)) === null;
}

/** Adds the continuations of the first scan in order. Returns warnings about the first continuation that is left out. */
function addContinuations(
  scans: FileScan[],
  stem: string,
  differenceOf: (scan: FileScan) => string | null,
  files: FileAccess,
): Warning[] {
  const namesOf = (n: number) =>
    ["", ...EXTENSIONS].map((end) => `${stem}_${String(n).padStart(5, "0")}${end}`);
  for (let n = 1;; n += 1) {
    const file = namesOf(n).values().map((name) => files.openNeighbour(name)).find((opened) =>
      opened !== null
    );
    if (!file) return warnAboutUnopened(namesOf(n), namesOf(n + 1), files);
    if (n > MAX_CONTINUATIONS) {
      throw new DecodeFailed(`the acquisition goes on in more than ${MAX_CONTINUATIONS} files`);
    }
    let scan: FileScan;
    try {
      scan = new FileScan(file, files.stop);
    } catch (error) {
      if (!(error instanceof DecodeFailed)) throw error;
      return [lossWarning(error, "file_unreadable", `The continuation file "${basename(file.path)}"`)];
    }
    const difference = differenceOf(scan);
    if (difference !== null) {
      const text = `"${basename(file.path)}" ${difference} and is not a continuation`;
      return [warning("content_left_out", text)];
    }
    scans.push(scan);
    const counts = [["planeCount", MAX_PLANES, "planes"], ["chunkCount", MAX_CHUNKS, "chunks"]] as const;
    for (const [count, most, what] of counts) {
      if (scans.reduce((sum, one) => sum + one[count], 0) > most) {
        throw new DecodeFailed(`the acquisition has more than ${most} ${what}`);
      }
    }
  }
}

/** Warns if a continuation exists but cannot be opened, or if one is missing before the next. */
function warnAboutUnopened(
  next: readonly string[],
  afterNext: readonly string[],
  files: FileAccess,
): Warning[] {
  const unreachable = next.find((name) => files.hasEntry(name) && files.kind(name) !== "directory");
  if (unreachable) {
    return [warning("file_unreadable", `The continuation file "${basename(unreachable)}" cannot be opened`)];
  }
  if (!afterNext.some((name) => files.kind(name) === "file")) return [];
  const text = `The continuation file "${basename(next[0] ?? "")}" is missing; later ones are not read`;
  return [warning("file_missing", text)];
}

/** True if the file starts a plane that an earlier file holds; it then belongs to another acquisition with a similar name. */
function repeatsPlane(scan: FileScan, earlier: readonly FileScan[]): boolean {
  for (const [channel, planes] of scan.planes) {
    for (const [key, chunks] of planes) {
      if (chunks[0] === 0 && earlier.some((one) => one.planes.get(channel)?.has(key))) return true;
    }
  }
  return false;
}

function findMainFile(path: string, files: FileAccess): string {
  const name = basename(path);
  const stem = findContinuedStem(name);
  if (stem === null) return path;
  const main = EXTENSIONS.map((end) => join(dirname(path), stem + end)).find((m) => files.kind(m) === "file");
  if (main !== undefined) return main;
  if (EXTENSION.test(name)) return path;
  throw new DecodeFailed(`the file is a continuation of "${stem}.oir", which is missing beside it`);
}
