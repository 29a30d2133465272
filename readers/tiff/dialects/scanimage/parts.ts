/**
 * The files of one ScanImage acquisition: NAME_00001_00001.tif, NAME_00001_00002.tif and so on. The last number is the part. A
 * file belongs to the acquisition if its header differs only in counters and times and its frame numbers continue.
 */
import { basename, dirname, join } from "node:path";
import { MAX_XML_BYTES } from "../../../io/limits.ts";
import { MAX_TIMES } from "../../../metadata/time_stamps.ts";
import { MAX_LISTED, missingFiles, type Warning, warning } from "../../../warning.ts";
import { readPage } from "../../page.ts";
import type { OpenedTiff } from "../../stack.ts";
import { MAX_RECENT, readOther, RecentFiles } from "../../plane_files.ts";
import { hasSameLayout } from "../../stored_planes.ts";
import { TAG } from "../../tags.ts";
import { TiffFile } from "../../tiff_file.ts";
import { ScanImageHeader } from "./header.ts";
import type { FrameOrder } from "./axes.ts";
import { FileFrames, readFirstNumber } from "./stamps.ts";

/** Largest number of frames in an acquisition: nine hours at 500 Hz. */
const MAX_FRAMES = 1 << 24;

interface NumberedFile {
  readonly path: string;
  readonly number: number;
  readonly size: number;
  /** Number of its first frame in the acquisition, from 0; for a candidate, the stamped number, or `NaN`. */
  readonly start: number;
}

/** The stored frames of an acquisition, in one file or several. */
export class AcquiredFrames {
  readonly paths: readonly string[];
  readonly start: number;
  /** Number of frames from the first of the acquisition to the last stored one. */
  readonly span: number;
  readonly fileSize: number;
  readonly warnings: Warning[] = [];
  readonly #opened: OpenedTiff;
  readonly #header: ScanImageHeader;
  readonly #frames: FileFrames;
  readonly #parts: readonly NumberedFile[];
  readonly #files: RecentFiles<FileFrames>;

  /** Finds the other parts of the acquisition; all arguments describe the opened file. */
  constructor(opened: OpenedTiff, header: ScanImageHeader, frames: FileFrames, order: FrameOrder) {
    const { path, files, tiff } = opened;
    this.#opened = opened;
    this.#header = header;
    this.#frames = frames;
    this.#files = new RecentFiles(
      path,
      frames,
      (other) => new FileFrames(new TiffFile(files.open(other), files), frames.channels, order.averaged),
    );
    const own = splitNumberedName(path);
    // Stamps count each slice of a slow stack as an acquisition.
    const isSlow = !order.fast && order.slices !== 1;
    this.#parts = (own && (frames.stamped ? this.#byStamps(own, isSlow) : this.#byCounting(own))) ??
      [{ path, number: own?.number ?? 1, size: tiff.file.size, start: 0 }];
    const last = this.#parts.at(-1)!;
    this.paths = this.#parts.map((part) => part.path);
    this.start = this.#parts[0]!.start;
    this.span = last.start + this.#files.get(last.path).span;
    this.fileSize = this.#parts.reduce((sum, { size }) => sum + size, 0);
  }

  /** Number of stored frames. Of a part that is followed by the next one, those up to that one, so that not all parts are read. */
  get stored(): number {
    return this.#parts.reduce((sum, { path, number, start }, i) => {
      const next = this.#parts[i + 1];
      const isKnown = path !== this.#opened.path && next?.number === number + 1;
      return sum + (isKnown ? next.start - start : this.#files.get(path).count);
    }, 0);
  }

  get isSplit(): boolean {
    return this.paths.length > 1;
  }

  get indexBytes(): number {
    return this.#frames.indexBytes * Math.min(this.paths.length, MAX_RECENT);
  }

  /** A frame by its number in the acquisition, from 0; `null` if it is not stored. @throws {DecodeFailed} its file is damaged */
  find(number: number): { readonly file: FileFrames; readonly frame: number; readonly path: string } | null {
    const part = this.#parts.findLast(({ start }) => start <= number);
    if (part === undefined) return null;
    const file = this.#files.get(part.path);
    const frame = file.find(number - part.start);
    return frame === null ? null : { file, frame, path: part.path };
  }

  /** Parts whose frame numbers continue; `null` if the frame numbers of the opened file contradict its name. */
  #byStamps(own: PartName, isSlow: boolean): readonly NumberedFile[] | null {
    const { stride } = this.#frames;
    const stamp = this.#frames.stamp(0)!;
    // Frame numbers start at 1; an averaged frame has the number of the last frame in it.
    const counted = isSlow || Number.isNaN(stamp.inAcquisition) ? stamp.number : stamp.inAcquisition;
    const origin = stamp.number - counted + stride;
    const { found, unlike, numbers } = this.#candidates(own);
    const named = found.map((part) => ({ ...part, start: (part.start - origin) / stride }));
    const parts = named.filter(({ number, start }) =>
      Number.isSafeInteger(start) && start <= MAX_FRAMES && (number === 1 ? start === 0 : start > 0)
    );
    const at = parts.findIndex(({ path }) => path === this.#opened.path);
    if (at < 0) return null;
    let [from, to] = [at, at + 1];
    while (from > 0 && this.#follows(parts, from)) from -= 1;
    while (to < parts.length && this.#follows(parts, to)) to += 1;
    const joined = parts.slice(from, to);
    const isJoined = new Set(joined);
    const last = joined.at(-1)!.number;
    // A later file whose frames start at 1 is another acquisition.
    const others = named.filter((part) => !isJoined.has(part) && (part.start > 0 || part.number < last));
    this.#leaveOut(others, "its frame numbers do not continue");
    this.#leaveOut(unlike.filter(({ number }) => number < last), "its header or layout differs");
    // All missing parts before the last one.
    const count = last - [...numbers].filter((number) => number <= last).length;
    const missing: string[] = [];
    for (let number = 1; missing.length < Math.min(count, MAX_LISTED); number += 1) {
      const name = own.stem + String(number).padStart(own.digits, "0") + own.ending;
      if (!numbers.has(number)) missing.push(name);
    }
    this.warnings.push(...missingFiles(missing, count));
    return joined;
  }

  /** Whether a part begins where the previous one ends, or later if parts between are missing or incomplete. */
  #follows(parts: readonly NumberedFile[], at: number): boolean {
    const [before, part] = [parts[at - 1]!, parts[at]!];
    // Avoids walking all of many long parts during an open.
    const isLong = this.#frames.offsets.length * parts.length > MAX_TIMES &&
      part.number === before.number + 1 && before.path !== this.#opened.path;
    return part.start >= before.start + (isLong ? 1 : this.#files.get(before.path).span);
  }

  #leaveOut(parts: readonly { readonly path: string }[], why: string): void {
    for (const { path } of parts) {
      const text = `"${basename(path)}" is named like a part of this acquisition and left out: ${why}`;
      this.warnings.push(warning("metadata_disagree", text));
    }
  }

  /** Parts without stamps, if all parts from 1 on exist and each but the last has as many frames as the header allows. */
  #byCounting(own: PartName): readonly NumberedFile[] | null {
    const keys = ["hScan2D.logFramesPerFile", "loggingFramesPerFile", "acq.framesPerFile"];
    const limit = this.#header.count(keys);
    if (limit === null) return null;
    const { found } = this.#candidates(own);
    const isWhole = found.every(({ path, number }, i) => {
      const { span } = this.#files.get(path);
      return number === i + 1 && (i === found.length - 1 ? span <= limit : span === limit);
    });
    return isWhole ? found.map((one, i) => ({ ...one, start: i * limit })) : null;
  }

  /** The files named like parts: those with the opened file's header, in order of part number; others; all part numbers. */
  #candidates(own: PartName) {
    const { path, files, tiff } = this.#opened;
    const found: NumberedFile[] = [{
      path,
      number: own.number,
      size: tiff.file.size,
      start: this.#frames.first,
    }];
    const unlike: { readonly path: string; readonly number: number }[] = [];
    const numbers = new Set([own.number]);
    for (const name of files.list(dirname(path))) {
      const other = splitNumberedName(name);
      if (other?.stem !== own.stem || other.ending !== own.ending || other.number === own.number) continue;
      const place = { path: join(dirname(path), name), number: other.number };
      numbers.add(other.number);
      const candidate = readOther(files, place.path, (tiff) => this.#candidate(tiff, place));
      if (typeof candidate === "string") {
        const text = `"${name}" of this acquisition is left out: ${candidate}`;
        this.warnings.push(warning("file_unreadable", text));
      } else if (candidate === null) unlike.push(place);
      else found.push(candidate);
    }
    return { found: found.sort((a, b) => a.number - b.number), unlike, numbers };
  }

  #candidate(tiff: TiffFile, place: Pick<NumberedFile, "path" | "number">): NumberedFile | null {
    const { first } = tiff;
    const descriptions = first.notes(TAG.ImageDescription, MAX_XML_BYTES);
    const header = ScanImageHeader.read({ ...this.#opened, tiff, first, descriptions, warnings: [] });
    const start = readFirstNumber(first);
    const isPart = header !== null && hasSameHeader(header, this.#header) &&
      hasSameLayout(readPage(first), readPage(this.#opened.first)) &&
      Number.isNaN(start) !== this.#frames.stamped;
    return isPart ? { ...place, size: tiff.file.size, start } : null;
  }
}

type PartName = NonNullable<ReturnType<typeof splitNumberedName>>;

/** The part of a name before its part number, that number with its number of digits, and the extension; or `null`. */
function splitNumberedName(path: string) {
  const found = /^(.*\d_)(\d{1,9})(\.tiff?)$/i.exec(basename(path));
  if (found === null || Number(found[2]) < 1) return null;
  const [, stem = "", digits = "", ending = ""] = found;
  return { stem, number: Number(digits), digits: digits.length, ending };
}

/** Keys that differ between parts: stamps, counters, times and motor positions. */
const VARYING =
  /^(?:frame|acquisition|acqTrigger|nextFile|endOfAcq|dcOver|epoch|auxTrigger|I2CData|Frame |Acq |Next |DC |internal\.|motor\.|files\.)|(?:Counter|Done|Position\w*|Time(?:String|First)?|Timestamp\w*)$/;

function hasSameHeader({ fields: a }: ScanImageHeader, { fields: b }: ScanImageHeader): boolean {
  const differs = (one: typeof a, other: typeof a) =>
    one.entries().some(([key, value]) => other.get(key) !== value && !VARYING.test(key));
  return !differs(a, b) && !differs(b, a);
}
