/**
 * The files of one acquisition. A long acquisition continues in `<stem>_00001`, `<stem>_00002` and so on beside `<stem>.oir`,
 * with or without extension. Each file is a complete container.
 */
import { basename, dirname, join } from "node:path";
import { DecodeFailed } from "../errors.ts";
import type { FileAccess, RandomAccessFile } from "../io/random_access.ts";
import { lossWarning, type Warning, warning } from "../warning.ts";
import { DocumentParser } from "./documents.ts";
import { continuedStem, EXTENSION, EXTENSIONS } from "./file_names.ts";
import { type FileScan, MAX_CHUNKS, MAX_PLANES, scanFile } from "./file_scan.ts";
import { creationOf } from "./metadata.ts";

/** Largest number of continuation files, each an open file; with 1 GB each this is half a terabyte. */
const MAX_CONTINUATIONS = 500;

/** True for the name of a continuation file. */
export const isContinuationName = (path: string): boolean => continuedStem(basename(path)) !== null;

/** The scanned files of an acquisition. */
export interface FileSet {
  /** The main file, then its continuations in order. */
  readonly scans: readonly FileScan[];
  /** Warnings about the end of the set. */
  readonly warnings: readonly Warning[];
}

/**
 * Opens and scans the file at `path` and the other files of its acquisition. If a continuation file was opened, its whole
 * acquisition is opened.
 *
 * @throws {DecodeFailed} the main file is missing or not OIR, or there are too many files
 */
export function scanFileSet(path: string, files: FileAccess): FileSet {
  const main = mainFileOf(path, files);
  const file = files.open(main);
  const scans = [scanFile(file, files.stop)];
  // A single file named like a continuation has no continuations.
  if (isContinuationName(main)) return { scans, warnings: [] };
  const stem = join(dirname(main), basename(main).replace(EXTENSION, ""));
  let known: string | null | undefined;
  const created = () => known === undefined ? known = createdIn(scans[0]!, files) : known;
  const warnings = addContinuations(scans, stem, created, files);
  if (EXTENSION.test(path) && !scans.some(({ file }) => file.path === path)) {
    const alone = scanFile(files.open(path), files.stop);
    if (differenceOf(alone, scans, created, files) !== null) return { scans: [alone], warnings: [] };
  }
  return { scans, warnings };
}

/** Adds the continuations of the first scan in order. Returns warnings about the first continuation that is left out. */
function addContinuations(
  scans: FileScan[],
  stem: string,
  created: () => string | null,
  files: FileAccess,
): Warning[] {
  const namesOf = (n: number) =>
    ["", ...EXTENSIONS].map((end) => `${stem}_${String(n).padStart(5, "0")}${end}`);
  for (let n = 1;; n += 1) {
    const file = openFirst(namesOf(n), files);
    if (file === null) return unopened(namesOf(n), namesOf(n + 1), files);
    if (n > MAX_CONTINUATIONS) {
      throw new DecodeFailed(`the acquisition goes on in more than ${MAX_CONTINUATIONS} files`);
    }
    const scan = scanContinuation(file, files);
    if ("code" in scan) return [scan];
    const difference = differenceOf(scan, scans, created, files);
    if (difference !== null) {
      const text = `"${basename(file.path)}" ${difference} and is not a continuation`;
      return [warning("content_left_out", text)];
    }
    scans.push(scan);
    if (scans.reduce((sum, { planes }) => sum + planes.size, 0) > MAX_PLANES) {
      throw new DecodeFailed(`the acquisition has more than ${MAX_PLANES} frames`);
    }
    if (scans.reduce((sum, { chunkCount }) => sum + chunkCount, 0) > MAX_CHUNKS) {
      throw new DecodeFailed(`the acquisition has more than ${MAX_CHUNKS} chunks`);
    }
  }
}

function openFirst(names: readonly string[], files: FileAccess): RandomAccessFile | null {
  for (const name of names) {
    const file = files.openNeighbour(name);
    if (file) return file;
  }
  return null;
}

/** Warns if a continuation exists but cannot be opened, or if one is missing before the next. */
function unopened(next: readonly string[], afterNext: readonly string[], files: FileAccess): Warning[] {
  const unreachable = next.find((name) => files.hasEntry(name) && files.kind(name) !== "directory");
  if (unreachable) {
    return [warning("file_unreadable", `The continuation file "${basename(unreachable)}" cannot be opened`)];
  }
  if (!afterNext.some((name) => files.kind(name) === "file")) return [];
  const text = `The continuation file "${basename(next[0] ?? "")}" is missing; later ones are not read`;
  return [warning("file_missing", text)];
}

/** The contents of a continuation file, or a warning that it is damaged. */
function scanContinuation(file: RandomAccessFile, files: FileAccess): FileScan | Warning {
  try {
    return scanFile(file, files.stop);
  } catch (error) {
    if (!(error instanceof DecodeFailed)) throw error;
    return lossWarning(error, "file_unreadable", `The continuation file "${basename(file.path)}"`);
  }
}

const createdIn = (scan: FileScan, { stop }: FileAccess) => creationOf(scan, new DocumentParser(), stop);

/**
 * How a file differs from the acquisition of other files; `null` if it continues them.
 *
 * @param scans the files so far
 * @param created returns the creation date of the acquisition
 */
function differenceOf(
  scan: FileScan,
  scans: readonly FileScan[],
  created: () => string | null,
  files: FileAccess,
): string | null {
  if (EXTENSION.test(scan.file.path) && repeats(scan, scans)) return "has frames of its own";
  const [own, first] = [createdIn(scan, files), created()];
  return own !== null && first !== null && own !== first
    ? `was made at ${own.slice(0, 40)}, not ${first.slice(0, 40)},`
    : null;
}

/** True if the file starts a plane that an earlier file holds; it then belongs to another acquisition with a similar name. */
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
  const stem = continuedStem(name);
  if (stem === null) return path;
  const main = EXTENSIONS.map((end) => join(dirname(path), stem + end)).find((m) => files.kind(m) === "file");
  if (main !== undefined) return main;
  if (EXTENSION.test(name)) return path;
  throw new DecodeFailed(
    `the file is a continuation of "${stem}.oir", which is missing beside it`,
  );
}
