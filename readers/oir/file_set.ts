/**
 * Files of one acquisition. A long one goes on in `<stem>_00001`, `<stem>_00002` and so on beside `<stem>.oir`,
 * with or without the extension; each is a complete container.
 */
import { basename, dirname, join } from "node:path";
import { DecodeFailed } from "../errors.ts";
import type { FileAccess, RandomAccessFile } from "../io/random_access.ts";
import { type Warning, warning } from "../warning.ts";
import { DocumentParser } from "./documents.ts";
import { type FileScan, MAX_CHUNKS, MAX_PLANES, scanFile } from "./file_scan.ts";
import { FrameDocuments, type FrameGeometry } from "./frame_documents.ts";
import { creationOf } from "./metadata.ts";

/** Continuation files of one acquisition, each an open file; at 1 GB each this is half a terabyte. */
const MAX_CONTINUATIONS = 500;

const EXTENSION = /\.oir$/i;
const CONTINUATION = /^(.+)_\d{5}(\.oir)?$/i;

/** Both ways in which the extension is written, for file systems that tell them apart. */
const EXTENSIONS = [".oir", ".OIR"] as const;

/** True for the name of a file that goes on with another one. */
export const isContinuationName = (path: string): boolean => CONTINUATION.test(basename(path));

/** The files of an acquisition, scanned. */
export interface FileSet {
  /** The main file, then its continuations in their order. */
  readonly scans: readonly FileScan[];
  /** Why the set ends where it does. */
  readonly warnings: readonly Warning[];
}

/**
 * Opens and scans the file at `path` and what belongs to it. A continuation file that was opened stands for its
 * acquisition.
 *
 * @throws {DecodeFailed} the main file is missing or not OIR, or there are too many files
 */
export function scanFileSet(path: string, files: FileAccess): FileSet {
  const main = mainFileOf(path, files);
  const file = files.open(main);
  file.hold();
  const scans = [scanFile(file, files.stop)];
  // A file that is named like a continuation but stands alone has none of its own.
  if (isContinuationName(main)) return { scans, warnings: [] };
  const kinship = new Kinship(scans, files);
  const warnings = addContinuations(
    scans,
    kinship,
    join(dirname(main), basename(main).replace(EXTENSION, "")),
    files,
  );
  if (EXTENSION.test(path) && !scans.some(({ file }) => file.path === path)) {
    const alone = scanFile(files.open(path), files.stop);
    if (kinship.difference(alone) !== null) return { scans: [alone], warnings: [] };
  }
  return { scans, warnings };
}

/** Adds the continuations of the first scan, in their order, and says why there are no more than these. */
function addContinuations(scans: FileScan[], kinship: Kinship, stem: string, files: FileAccess): Warning[] {
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
    const difference = kinship.difference(scan);
    if (difference !== null) {
      return [
        warning(
          "content_left_out",
          `"${basename(file.path)}" ${difference} and is not taken for a continuation`,
        ),
      ];
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

/** Why the set ends where it does, when there is more than its end. */
function unopened(next: readonly string[], afterNext: readonly string[], files: FileAccess): Warning[] {
  const unreachable = next.find((name) => files.hasEntry(name) && files.kind(name) !== "directory");
  if (unreachable) {
    return [warning("file_unreadable", `The continuation file "${basename(unreachable)}" cannot be opened`)];
  }
  return afterNext.some((name) => files.kind(name) === "file")
    ? [
      warning(
        "file_missing",
        `The continuation file "${basename(next[0] ?? "")}" is missing; what comes after it is not read`,
      ),
    ]
    : [];
}

/** What a continuation file holds, or why it cannot be read; the files before it are sound without it. */
function scanContinuation(file: RandomAccessFile, files: FileAccess): FileScan | Warning {
  try {
    return scanFile(file, files.stop);
  } catch (error) {
    if (!(error instanceof DecodeFailed)) throw error;
    return warning(
      "file_unreadable",
      `The continuation file "${basename(file.path)}" cannot be read: ${error.message}`,
    );
  }
}

/** Tells whether a file goes on with an acquisition or is another one of a like name. */
class Kinship {
  readonly #scans: readonly FileScan[];
  readonly #files: FileAccess;
  readonly #parser = new DocumentParser();
  #main: { readonly geometry: FrameGeometry | null; readonly created: string | null } | null = null;

  /** @param scans the files so far; the first is the main one */
  constructor(scans: readonly FileScan[], files: FileAccess) {
    this.#scans = scans;
    this.#files = files;
  }

  /** In what a file differs from the acquisition, or `null` when it goes on with it. */
  difference(scan: FileScan): string | null {
    const [main = scan] = this.#scans;
    if (EXTENSION.test(scan.file.path) && repeats(scan, this.#scans)) return "has frames of its own";
    if (main.channelSlots.size > 0) {
      const other = [...scan.channelSlots.keys()].find((id) => !main.channelSlots.has(id));
      if (other !== undefined) return `has a channel of its own (${other.slice(0, 40)})`;
    }
    this.#main ??= { geometry: this.#geometry(main), created: this.#created(main) };
    const own = this.#geometry(scan);
    const { geometry, created } = this.#main;
    if (own && geometry && (own.width !== geometry.width || own.depth !== geometry.depth)) {
      return `has frames of ${own.width} columns and ${own.depth} bytes a sample, not ${geometry.width} and ` +
        geometry.depth;
    }
    if (created === null) return null;
    const made = this.#created(scan);
    return made !== null && made !== created
      ? `was made at ${made.slice(0, 40)}, not ${created.slice(0, 40)},`
      : null;
  }

  #geometry(scan: FileScan): FrameGeometry | null {
    try {
      return new FrameDocuments([scan], this.#parser, this.#files.stop).geometry();
    } catch (error) {
      if (!(error instanceof DecodeFailed)) throw error;
      return null;
    }
  }

  #created(scan: FileScan): string | null {
    return creationOf(scan, this.#parser, this.#files.stop);
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
  const main = EXTENSIONS.map((end) => join(dirname(path), stem + end)).find((m) => files.kind(m) === "file");
  if (main !== undefined) return main;
  if (EXTENSION.test(name)) return path;
  throw new DecodeFailed(
    `it is a continuation file and says nothing of its acquisition; open "${stem}.oir", which is not beside it`,
  );
}
