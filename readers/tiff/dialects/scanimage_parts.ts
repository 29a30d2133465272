/**
 * The files of one ScanImage acquisition: NAME_00001_00001.tif, NAME_00001_00002.tif and so on. The last number is the part. A
 * file belongs to the acquisition if its header differs only in counters and times and its frame numbers continue.
 */
import { basename, dirname, join } from "node:path";
import { ReaderError, Stopped, Unreadable } from "../../errors.ts";
import { MAX_XML_BYTES } from "../../io/limits.ts";
import { MAX_TIMES } from "../../metadata/time_stamps.ts";
import { MAX_LISTED, missingFiles, type Warning, warning } from "../../warning.ts";
import { readPage } from "../page.ts";
import type { Opened } from "../stack.ts";
import { sameLayout } from "../stored_planes.ts";
import { TAG } from "../tags.ts";
import { MAX_RECENT, recentBytes, RecentFiles, TiffFile } from "../tiff_file.ts";
import { ScanImageHeader } from "./scanimage_header.ts";
import { FileFrames, firstNumber } from "./scanimage_stamps.ts";

/** Largest number of frames in an acquisition: nine hours at 500 Hz. */
const MAX_FRAMES = 1 << 24;

/** Memory per part: its path and numbers. */
const PART_BYTES = 1024;

/** Properties of the opened file that identify its other parts. */
interface Known {
  readonly header: ScanImageHeader;
  readonly frames: FileFrames;
  readonly averaged: number;
  /** Whether stamps count each slice of a slow stack as an acquisition. */
  readonly slow: boolean;
}

/** A file whose name and header are those of a part. */
interface Part {
  readonly path: string;
  /** Part number in its name. */
  readonly number: number;
  readonly size: number;
  /** Number of its first frame in the acquisition, from 0; for a candidate, the stamped number, or `NaN`. */
  readonly start: number;
}

/** The stored frames of an acquisition, in one file or several. */
export class AcquiredFrames {
  /** Number of frames from the first of the acquisition to the last stored one. */
  readonly span: number;
  /** Total size of all files in bytes. */
  readonly fileSize: number;
  readonly warnings: Warning[] = [];
  /** Part numbers of all files named like parts. */
  readonly #named = new Set<number>();
  /** Paths of files with another header or layout, by part number. */
  readonly #unlike = new Map<number, string>();
  readonly #opened: Opened;
  readonly #known: Known;
  readonly #parts: readonly Part[];
  readonly #files: RecentFiles<FileFrames>;

  /** Finds the other files of the opened file's acquisition. */
  constructor(opened: Opened, known: Known) {
    const { path, files, tiff } = opened;
    const { frames, averaged } = known;
    this.#opened = opened;
    this.#known = known;
    this.#files = new RecentFiles(
      path,
      frames,
      (other) => new FileFrames(new TiffFile(files.open(other), files), frames.channels, averaged),
    );
    const own = partName(path);
    this.#parts = (own && (frames.stamped ? this.#byStamps(own) : this.#byCounting(own))) ??
      [{ path, number: own?.number ?? 1, size: tiff.file.size, start: 0 }];
    const last = this.#parts.at(-1)!;
    this.span = last.start + this.#files.get(last.path).span;
    this.fileSize = this.#parts.reduce((sum, { size }) => sum + size, 0);
  }

  /** Paths of all files. */
  get paths(): readonly string[] {
    return this.#parts.map(({ path }) => path);
  }

  /** Number of the first stored frame. */
  get start(): number {
    return this.#parts[0]!.start;
  }

  /** Whether there are several files. */
  get isSplit(): boolean {
    return this.#parts.length > 1;
  }

  /** Memory for all parts, including the open ones. */
  get indexBytes(): number {
    const open = recentBytes(this.#parts.length) + MAX_RECENT * this.#known.frames.indexBytes;
    return this.#parts.length * PART_BYTES + (this.isSplit ? open : this.#known.frames.indexBytes);
  }

  /**
   * A stored frame by its number in the acquisition, from 0; `null` if it is not stored.
   *
   * @throws {DecodeFailed} its file is damaged
   */
  find(number: number): { readonly file: FileFrames; readonly frame: number; readonly path: string } | null {
    const part = this.#parts.findLast(({ start }) => start <= number);
    if (part === undefined) return null;
    const file = this.#files.get(part.path);
    const frame = file.find(number - part.start);
    return frame === null ? null : { file, frame, path: part.path };
  }

  /** Parts whose frame numbers continue; `null` if the frame numbers of the opened file contradict its name. */
  #byStamps(own: PartName): readonly Part[] | null {
    const { frames, slow } = this.#known;
    const stamp = frames.stamp(0)!;
    // Frame numbers start at 1; an averaged frame has the number of the last frame in it.
    const counted = slow || Number.isNaN(stamp.inAcquisition) ? stamp.number : stamp.inAcquisition;
    const origin = stamp.number - counted + frames.stride;
    const named = this.#candidates(own)
      .map((part) => ({ ...part, start: (part.start - origin) / frames.stride }));
    const parts = named.filter(({ number, start }) =>
      Number.isSafeInteger(start) && start <= MAX_FRAMES && (number === 1 ? start === 0 : start > 0)
    );
    const at = parts.findIndex(({ path }) => path === this.#opened.path);
    if (at < 0) return null;
    let [from, to] = [at, at + 1];
    while (from > 0 && this.#follows(parts, from)) from -= 1;
    while (to < parts.length && this.#follows(parts, to)) to += 1;
    const joined = parts.slice(from, to);
    const last = joined.at(-1)!.number;
    // A later file whose frames start at 1 is another acquisition.
    const others = named.filter((part) => !joined.includes(part) && (part.start > 0 || part.number < last));
    this.#leaveOut(others.map(({ path }) => path), "its frame numbers do not continue");
    const unlike = [...this.#unlike].filter(([number]) => number < last);
    this.#leaveOut(unlike.map(([, path]) => path), "its header or layout differs");
    this.#warnOfMissing(own, last);
    return joined;
  }

  /** Whether a part begins where the previous one ends, or later if parts between are missing or incomplete. */
  #follows(parts: readonly Part[], at: number): boolean {
    const [before, part] = [parts[at - 1]!, parts[at]!];
    const { frames } = this.#known;
    // Avoids walking all of many long parts during an open.
    const isLong = frames.offsets.length * parts.length > MAX_TIMES &&
      part.number === before.number + 1 &&
      before.path !== this.#opened.path;
    return part.start >= before.start + (isLong ? 1 : this.#files.get(before.path).span);
  }

  /** Parts without stamps, if all parts from 1 on exist and each but the last has as many frames as the header allows. */
  #byCounting(own: PartName): readonly Part[] | null {
    const { header } = this.#known;
    const limit = header.count(["hScan2D.logFramesPerFile", "loggingFramesPerFile", "acq.framesPerFile"]);
    const candidates = limit === null ? [] : this.#candidates(own);
    const spans = candidates.map(({ path }) => this.#files.get(path).span);
    const isWhole = candidates.every(({ number }, i) =>
      number === i + 1 && (i === candidates.length - 1 ? spans[i]! <= limit! : spans[i] === limit)
    );
    return isWhole && limit !== null ? candidates.map((one, i) => ({ ...one, start: i * limit })) : null;
  }

  /** The opened file and the files with the names and header of its parts, in order of part number. */
  #candidates(own: PartName): Part[] {
    const { path, files, tiff } = this.#opened;
    const { frames } = this.#known;
    const found: Part[] = [{ path, number: own.number, size: tiff.file.size, start: frames.first }];
    this.#named.add(own.number);
    for (const name of files.list(dirname(path))) {
      const other = partName(name);
      if (other?.stem !== own.stem || other.ending !== own.ending || other.number === own.number) continue;
      this.#named.add(other.number);
      const place = join(dirname(path), name);
      try {
        const candidate = this.#candidate(place, other.number);
        if (candidate === null) this.#unlike.set(other.number, place);
        else found.push(candidate);
      } catch (error) {
        // An unreadable part may hold any number of frames.
        const isLeftOut = error instanceof ReaderError &&
          !(error instanceof Stopped || error instanceof Unreadable);
        if (!isLeftOut) throw error;
        const text = `"${name}" of this acquisition is left out: ${error.message}`;
        this.warnings.push(warning("file_unreadable", text));
      }
    }
    return found.sort((a, b) => a.number - b.number);
  }

  /** A file as a candidate; `null` if its header or layout differs. @throws {ReaderError} it is damaged or unreadable */
  #candidate(path: string, number: number): Part | null {
    const { files } = this.#opened;
    const tiff = new TiffFile(files.open(path), files);
    const { first: directory } = tiff;
    const descriptions = directory.notes(TAG.ImageDescription, MAX_XML_BYTES);
    const header = ScanImageHeader.read({ path, files, tiff, first: directory, descriptions, warnings: [] });
    const isPart = header !== null && sameHeader(header, this.#known.header) &&
      sameLayout(readPage(directory), readPage(this.#opened.first));
    const start = firstNumber(directory);
    return isPart && Number.isNaN(start) !== this.#known.frames.stamped
      ? { path, number, size: tiff.file.size, start }
      : null;
  }

  #leaveOut(paths: readonly string[], why: string): void {
    for (const path of paths) {
      const text = `"${basename(path)}" is named like a part of this acquisition and left out: ${why}`;
      this.warnings.push(warning("metadata_disagree", text));
    }
  }

  /** Adds one warning about all missing parts before the last one. */
  #warnOfMissing({ stem, digits, ending }: PartName, last: number): void {
    const count = last - [...this.#named].filter((number) => number <= last).length;
    const names: string[] = [];
    for (let number = 1; names.length < Math.min(count, MAX_LISTED); number += 1) {
      if (!this.#named.has(number)) names.push(stem + String(number).padStart(digits, "0") + ending);
    }
    this.warnings.push(...missingFiles(names, count));
  }
}

/** The name of a part. */
interface PartName {
  /** The part of the name before its number. */
  readonly stem: string;
  readonly number: number;
  readonly digits: number;
  readonly ending: string;
}

function partName(path: string): PartName | null {
  const found = /^(.*\d_)(\d{1,9})(\.tiff?)$/i.exec(basename(path));
  if (found === null || Number(found[2]) < 1) return null;
  const [, stem = "", digits = "", ending = ""] = found;
  return { stem, number: Number(digits), digits: digits.length, ending };
}

/** Keys that differ between parts: stamps, counters, times and motor positions. */
const VARYING =
  /^(?:frame|acquisition|acqTrigger|nextFile|endOfAcq|dcOver|epoch|auxTrigger|I2CData|Frame |Acq |Next |DC |internal\.|motor\.|files\.)|(?:Counter|Done|Position\w*|Time(?:String|First)?|Timestamp\w*)$/;

function sameHeader({ fields: a }: ScanImageHeader, { fields: b }: ScanImageHeader): boolean {
  const differs = (one: typeof a, other: typeof a) =>
    one.entries().some(([key, value]) => other.get(key) !== value && !VARYING.test(key));
  return !differs(a, b) && !differs(b, a);
}
