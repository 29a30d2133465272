/**
 * The files of one acquisition of ScanImage: NAME_00001_00001.tif, NAME_00001_00002.tif and so on; the last number is the part. A
 * file belongs to it when its header is the same but for counters and times and its frame numbers continue.
 */
import { basename, dirname, join } from "node:path";
import { ReaderError, Stopped, Unreadable } from "../../errors.ts";
import { MAX_ROW_TIMES, MAX_XML_BYTES } from "../../limits.ts";
import { type Warning, warning } from "../../warning.ts";
import type { Directory } from "../directory.ts";
import type { Opened } from "../opened.ts";
import { readPage } from "../page.ts";
import { MAX_RECENT, RecentFiles } from "../recent_files.ts";
import { sameLayout } from "../stored_planes.ts";
import { TAG } from "../tags.ts";
import { TiffFile } from "../tiff_file.ts";
import { ScanImageHeader } from "./scanimage_header.ts";
import { FileFrames, firstNumber } from "./scanimage_stamps.ts";

/** Frames of one acquisition that are told apart: nine hours at 500 a second. */
const MAX_FRAMES = 1 << 24;

/** Memory of a part: its path and numbers. */
const PART_BYTES = 1024;

/** Memory of a part that is read, beside its pages: its window and what is known of it. */
const RECENT_BYTES = 96 << 10;

/** A file of the acquisition, read as far as it was asked for. */
class PartFile {
  /** Its settings. */
  readonly header: ScanImageHeader | null;
  /** Bytes. */
  readonly size: number;
  /** First directory of the chain. */
  readonly first: Directory;
  readonly #tiff: TiffFile;
  readonly #known: Known;
  #frames: FileFrames | null = null;

  /** Reads the header. @throws {DecodeFailed} the file is damaged */
  constructor({ files }: Opened, path: string, known: Known) {
    const tiff = new TiffFile(files.open(path), files);
    const { first } = tiff;
    const descriptions = first.notes(TAG.ImageDescription, MAX_XML_BYTES);
    this.header = ScanImageHeader.read({ path, files, tiff, first, descriptions, warnings: [] });
    this.size = tiff.file.size;
    this.first = first;
    this.#tiff = tiff;
    this.#known = known;
  }

  /** Number of the first frame, `NaN` without a stamp. */
  get start(): number {
    return firstNumber(this.first);
  }

  /** All frames, for which the chain of directories is walked. */
  get frames(): FileFrames {
    const { channels, averaged } = this.#known;
    return this.#frames ??= new FileFrames(this.#tiff, channels, averaged);
  }
}

/** What of the opened file decides whether another one belongs to it. */
interface Known {
  readonly header: ScanImageHeader;
  readonly frames: FileFrames;
  readonly channels: number;
  readonly averaged: number;
  /** Whether stamps count the slices of a slow stack as acquisitions. */
  readonly slow: boolean;
}

/** A part that is there. */
interface Part {
  readonly path: string;
  /** Number in its name. */
  readonly number: number;
  /** Number of its first frame in the acquisition, from 0. */
  readonly start: number;
}

/** The files of the acquisition that are there, in order. */
interface Found {
  readonly parts: readonly Part[];
  readonly warnings: readonly Warning[];
}

/** The stored frames of an acquisition, in one file or several. */
export class AcquiredFrames {
  /** Frames from the first of the acquisition to the last that is stored in a file here. */
  readonly span: number;
  /** Bytes of all files. */
  readonly fileSize: number;
  /** Files that are missing or left out. */
  readonly warnings: readonly Warning[];
  readonly #parts: readonly Part[];
  readonly #frames: (path: string) => FileFrames;

  /** Finds the other files of the acquisition of the opened one. */
  constructor(opened: Opened, known: Omit<Known, "channels" | "averaged">, averaged: number) {
    const { frames } = known;
    const all = { ...known, channels: frames.channels, averaged };
    const files = new RecentFiles<PartFile | null>(
      opened.path,
      null,
      (path) => new PartFile(opened, path, all),
    );
    this.#frames = (path) => files.get(path)?.frames ?? frames;
    const own = partName(opened.path);
    const search = own && new PartSearch(opened, own, all, (path) => files.get(path)!);
    const found = frames.stamped ? search?.byStamps() : search?.byCounting();
    const parts = found?.parts ?? [{ path: opened.path, number: own?.number ?? 1, start: 0 }];
    this.#parts = parts;
    this.warnings = found?.warnings ?? [];
    const last = parts.at(-1)!;
    this.span = last.start + this.#frames(last.path).span;
    this.fileSize = parts.map(({ path }) => files.get(path)?.size ?? opened.tiff.file.size)
      .reduce((sum, size) => sum + size, 0);
  }

  /** Paths of all files. */
  get paths(): readonly string[] {
    return this.#parts.map(({ path }) => path);
  }

  /** Number of the first frame that is stored here. */
  get start(): number {
    return this.#parts[0]!.start;
  }

  /** Whether they are in several files. */
  get isSplit(): boolean {
    return this.#parts.length > 1;
  }

  /** Memory of the parts that are known and of those that are read. */
  get indexBytes(): number {
    const frames = this.#frames(this.#parts.at(-1)!.path);
    const read = Math.min(this.#parts.length, MAX_RECENT);
    return this.#parts.length * PART_BYTES + read * (RECENT_BYTES + frames.indexBytes);
  }

  /**
   * A stored frame by its number in the acquisition, from 0; `null` where it is not stored.
   *
   * @throws {DecodeFailed} its file is damaged
   */
  find(number: number): { readonly file: FileFrames; readonly frame: number; readonly path: string } | null {
    const part = this.#parts.findLast(({ start }) => start <= number);
    if (part === undefined) return null;
    const file = this.#frames(part.path);
    const frame = file.find(number - part.start);
    return frame === null ? null : { file, frame, path: part.path };
  }
}

/** The name of a part. */
interface PartName {
  /** Up to its number. */
  readonly stem: string;
  readonly number: number;
  /** Digits of the number. */
  readonly digits: number;
  readonly ending: string;
}

function partName(path: string): PartName | null {
  const found = /^(.*\d_)(\d{1,9})(\.tiff?)$/i.exec(basename(path));
  if (found === null || Number(found[2]) < 1) return null;
  const [, stem = "", digits = "", ending = ""] = found;
  return { stem, number: Number(digits), digits: digits.length, ending };
}

/** A file that is named like a part and has the header of one. */
interface Candidate {
  readonly path: string;
  readonly number: number;
  /** Number of its first frame, `NaN` without stamps. */
  readonly first: number;
}

/** The search for the parts of an acquisition. */
class PartSearch {
  readonly #opened: Opened;
  readonly #own: PartName;
  readonly #known: Known;
  readonly #file: (path: string) => PartFile;
  readonly #warnings: Warning[] = [];
  /** Numbers of all files that are named like parts. */
  readonly #named = new Set<number>();
  /** Numbers of those whose header is another. */
  readonly #unlike = new Map<number, string>();

  constructor(opened: Opened, own: PartName, known: Known, file: (path: string) => PartFile) {
    this.#opened = opened;
    this.#own = own;
    this.#known = known;
    this.#file = file;
  }

  /** Parts whose frame numbers continue; `null` where the opened file is none by its own. */
  byStamps(): Found | null {
    const { frames, slow } = this.#known;
    const stamp = frames.stamp(0)!;
    // Frames are counted from 1, averaged ones by the last of those that are averaged.
    const counted = slow || Number.isNaN(stamp.inAcquisition) ? stamp.number : stamp.inAcquisition;
    const origin = stamp.number - counted + frames.stride;
    const parts = this.#candidates().map(({ path, number, first }) => ({
      path,
      number,
      start: (first - origin) / frames.stride,
    }));
    const at = parts.findIndex(({ path }) => path === this.#opened.path);
    let [from, to] = [at, at];
    while (from > 0 && this.#follows(parts, from)) from -= 1;
    while (to + 1 < parts.length && this.#follows(parts, to + 1)) to += 1;
    const joined = parts.slice(from, to + 1);
    const head = joined[0]!;
    if (!this.#canStart(head) || joined.at(-1)!.start >= MAX_FRAMES) return null;
    const last = joined.at(-1)!.number;
    // A later file whose frames begin at 1 is another acquisition.
    const others = parts.filter((part) => !joined.includes(part) && (part.start > 0 || part.number < last));
    this.#leaveOut(others.map(({ path }) => path), "its frame numbers do not continue");
    const unlike = [...this.#unlike].filter(([number]) => number < last);
    this.#leaveOut(unlike.map(([, path]) => path), "its header or layout differs");
    return { parts: joined, warnings: [...this.#warnings, ...this.#missing(joined)] };
  }

  /**
   * Parts without stamps, all of which have to be there: numbered from 1 on, each but the last with as many frames as the header
   * allows a file.
   */
  byCounting(): Found | null {
    const { header, frames } = this.#known;
    const limit = header.count(["hScan2D.logFramesPerFile", "loggingFramesPerFile", "acq.framesPerFile"]);
    const candidates = limit === null ? [] : this.#candidates();
    if (limit === null || candidates.some(({ number }, i) => number !== i + 1)) return null;
    const parts: Part[] = [];
    let start = 0;
    for (const { path, number } of candidates) {
      const { span } = path === this.#opened.path ? frames : this.#file(path).frames;
      if (span > limit || number < candidates.length && span < limit) return null;
      parts.push({ path, number, start });
      start += span;
    }
    return { parts, warnings: this.#warnings };
  }

  /** The opened file and those that are named like its parts and have its header, by number. */
  #candidates(): Candidate[] {
    const { path: ownPath, files } = this.#opened;
    const { stem, ending, number: ownNumber } = this.#own;
    const found: Candidate[] = [{ path: ownPath, number: ownNumber, first: this.#known.frames.first }];
    this.#named.add(ownNumber);
    for (const name of files.list(dirname(ownPath))) {
      const other = partName(name);
      if (other?.stem !== stem || other.ending !== ending || other.number === ownNumber) continue;
      const path = join(dirname(ownPath), name);
      this.#named.add(other.number);
      const first = this.#firstOf(path, other.number);
      if (first !== null) found.push({ path, number: other.number, first });
    }
    return found.sort((a, b) => a.number - b.number);
  }

  /**
   * Number of the first frame of a file with an equal header, `NaN` without stamps; `null` of any other file.
   *
   * @throws {Unreadable} it may hold frames, and nobody knows how many
   */
  #firstOf(path: string, number: number): number | null {
    try {
      const file = this.#file(path);
      const layout = readPage(file.first);
      const equal = file.header !== null && sameHeader(file.header, this.#known.header) &&
        sameLayout(layout, readPage(this.#opened.first));
      const { start } = file;
      if (equal && Number.isNaN(start) !== this.#known.frames.stamped) return start;
      this.#unlike.set(number, path);
      return null;
    } catch (error) {
      const isLeftOut = error instanceof ReaderError &&
        !(error instanceof Stopped || error instanceof Unreadable);
      if (!isLeftOut) throw error;
      this.#warnings.push(
        warning("file_unreadable", `"${basename(path)}" of this acquisition is left out: ${error.message}`),
      );
      return null;
    }
  }

  /** Whether a part begins where the one before it ends, or, where others between are missing, after it. */
  #follows(parts: readonly Part[], at: number): boolean {
    const [before, part] = [parts[at - 1]!, parts[at]!];
    const step = part.number - before.number;
    const gap = part.start - before.start - this.#span(before, part, parts.length);
    // Of a part that was cut some are missing.
    return gap >= 0 && gap <= step * MAX_PART_RATIO * this.#known.frames.span;
  }

  /** Frames of a part. Of many long ones the next part tells, so that not all are walked at an open. */
  #span(part: Part, next: Part, count: number): number {
    const { frames } = this.#known;
    if (part.path === this.#opened.path) return frames.span;
    const isLong = frames.offsets.length * count > MAX_ROW_TIMES && next.number === part.number + 1;
    return isLong ? next.start - part.start : this.#file(part.path).frames.span;
  }

  /** Whether the first part that is there can begin where its stamps say. */
  #canStart({ number, start }: Part): boolean {
    const most = (number - 1) * MAX_PART_RATIO * this.#known.frames.span;
    return Number.isSafeInteger(start) && (number === 1 ? start === 0 : start > 0 && start <= most);
  }

  #leaveOut(paths: readonly string[], why: string): void {
    for (const path of paths) {
      const text = `"${basename(path)}" is named like a part of this acquisition and left out: ${why}`;
      this.#warnings.push(warning("metadata_disagree", text));
    }
  }

  /** One warning for all parts before the last one that no file is named like. */
  #missing(parts: readonly Part[]): Warning[] {
    const last = parts.at(-1)!.number;
    const count = last - [...this.#named].filter((number) => number <= last).length;
    if (count < 1) return [];
    let first = 1;
    while (this.#named.has(first)) first += 1;
    const { stem, digits, ending } = this.#own;
    const name = stem + String(first).padStart(digits, "0") + ending;
    const text = count > 1 ? `and ${count - 1} more parts of this acquisition are` : "of this acquisition is";
    return [warning("file_missing", `"${name}" ${text} missing`)];
  }
}

/** A part may have so many times the frames of another one. */
const MAX_PART_RATIO = 4;

/** What differs between the headers of parts: stamps, counters, times and places of motors. */
const VARYING =
  /^(?:frame|acquisition|acqTrigger|nextFile|endOfAcq|dcOver|epoch|auxTrigger|I2CData|Frame |Acq |Next |DC |internal\.|motor\.|files\.)|(?:Counter|Done|Position\w*|Time(?:String|First)?|Timestamp\w*)$/;

function sameHeader({ fields: a }: ScanImageHeader, { fields: b }: ScanImageHeader): boolean {
  const differs = (one: typeof a, other: typeof a) =>
    one.entries().some(([key, value]) => other.get(key) !== value && !VARYING.test(key));
  return !differs(a, b) && !differs(b, a);
}
