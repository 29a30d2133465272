/**
 * The frames of one file of ScanImage, and their stamps. From version 5 on the ImageDescription of each page begins with the
 * number and the time of its frame (`frameNumbers = 7`, `frameTimestamps_sec = 0.2`; `Frame Number` and `Frame Timestamp(s)`
 * in version 5). The channels of a frame share a stamp.
 */
import { DecodeFailed } from "../../errors.ts";
import { MAX_ROW_TIMES } from "../../limits.ts";
import { type Warning, warning } from "../../warning.ts";
import { TAG } from "../tags.ts";
import type { TiffFile } from "../tiff_file.ts";
import { MAX_SAVED_CHANNELS } from "./scanimage_header.ts";

/** The stamp of a frame; `NaN` for what it lacks. */
export interface Stamp {
  /** Number of the frame, counted on from file to file. */
  readonly number: number;
  /** Seconds since the recording began. */
  readonly seconds: number;
  /** Number of the acquisition; of a slow stack, of the slice. */
  readonly acquisition: number;
  /** Number of the frame within its acquisition. */
  readonly inAcquisition: number;
}

/** Bytes at the start of a description within which the stamp stands. */
const STAMP_BYTES = 512;

/** Frame numbers may skip as many frames as are stored, three times over: frames that were lost or not logged. */
const MAX_SPREAD = 4;

const value = (text: string, key: string) => {
  const found = new RegExp(`^(?:${key})\\s*=\\s*(\\d+(?:\\.\\d+)?)\\s*$`, "m").exec(text)?.[1];
  return found !== undefined && found.length <= 24 ? Number(found) : NaN;
};

/** Reads a stamp from the description of a page; `null` where it has none. */
function stampIn(text: string): Stamp | null {
  const number = value(text, "frameNumbers?|Frame Number");
  if (!Number.isSafeInteger(number)) return null;
  return {
    number,
    seconds: value(text, "frameTimestamps?_sec|Frame Timestamp\\(s\\)"),
    acquisition: value(text, "acquisitionNumbers?"),
    inAcquisition: value(text, "frameNumberAcquisition"),
  };
}

/** What the numbers of the frames of a file are worth. */
interface Judged {
  readonly counts: boolean;
  /** Why they do not count, as a clause. */
  readonly fault: string | null;
  /** Given where they skip frames. */
  readonly numbers: Float64Array | null;
}

const NO_STAMPS: Judged = { counts: false, fault: null, numbers: null };

const refused = (fault: string): Judged => ({ counts: false, fault, numbers: null });

/** The frames of one file in stored order; each has a page for every channel, but the last one may be incomplete. */
export class FileFrames {
  /** The file. */
  readonly tiff: TiffFile;
  /** Offsets of its pages. */
  readonly offsets: readonly number[];
  /** Pages of a frame. */
  readonly channels: number;
  /** Frames that begin in the file. */
  readonly count: number;
  /** From one stored frame to the next the number grows by so much: by the averaging factor, or by 1. */
  readonly stride: number;
  /** Whether stamps count; `false` where there are none, or they contradict themselves. */
  readonly stamped: boolean;
  /** What is doubtful about the stamps. */
  readonly warnings: readonly Warning[];
  /** Stamps by frame, those that were read. */
  readonly #stamps: (Stamp | null)[] = [];
  /** Numbers by frame where they skip some, else `null`. */
  readonly #numbers: Float64Array | null = null;

  /**
   * Reads the stamps of all frames, up to the common bound for time stamps; of more frames those of the first two and the last.
   *
   * @param declared channels by the header; `null` where it does not say
   * @param averaged frames that are averaged into one
   */
  constructor(tiff: TiffFile, offsets: readonly number[], declared: number | null, averaged: number) {
    this.tiff = tiff;
    this.offsets = offsets;
    const shown = this.#pagesOfFrame();
    this.channels = shown ?? declared ?? 1;
    this.count = Math.max(1, Math.ceil(offsets.length / this.channels));
    const warnings: Warning[] = [];
    if (shown !== null && declared !== null && shown !== declared) {
      warnings.push(warning(
        "metadata_disagree",
        `The header declares ${declared} channels, the frame stamps show ${shown}, which count`,
      ));
    }
    const [first, second] = [this.stamp(0), this.stamp(1)];
    this.stride = first && second && second.number - first.number === averaged ? averaged : 1;
    const judged = first === null ? NO_STAMPS : this.#judge(first.number);
    this.stamped = judged.counts;
    this.#numbers = judged.numbers;
    if (judged.fault !== null) {
      warnings.push(
        warning("metadata_disagree", `The frame stamps do not count, as ${judged.fault}; pages are counted`),
      );
    }
    this.warnings = warnings;
  }

  /** Number of the first frame, `NaN` without stamps. */
  get first(): number {
    return this.stamped ? this.stamp(0)!.number : NaN;
  }

  /** Frames from the first to the last, lost ones included. */
  get span(): number {
    return this.#numbers === null ? this.count : this.#place(this.#numbers.at(-1)!) + 1;
  }

  /** Memory of offsets and stamps. */
  get indexBytes(): number {
    return 16 * this.offsets.length + 96 * this.#stamps.length;
  }

  /** The stamp of a stored frame. */
  stamp(frame: number): Stamp | null {
    const known = this.#stamps[frame];
    if (known !== undefined) return known;
    const stamp = this.#read(frame * this.channels);
    if (frame < MAX_ROW_TIMES) this.#stamps[frame] = stamp;
    return stamp;
  }

  /** Which stored frame is the one `place` frames after the first; `null` where it is not stored. */
  find(place: number): number | null {
    if (this.#numbers === null) return place < this.count ? place : null;
    let [low, high] = [0, this.count - 1];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#place(this.#numbers[middle]!) < place) low = middle + 1;
      else high = middle;
    }
    return this.#place(this.#numbers[low]!) === place ? low : null;
  }

  #place(number: number): number {
    return (number - this.#numbers![0]!) / this.stride;
  }

  #read(page: number): Stamp | null {
    const offset = this.offsets[page];
    if (offset === undefined) return null;
    try {
      const texts = this.tiff.directoryAt(offset).textStarts(TAG.ImageDescription, STAMP_BYTES);
      return texts.map((text) => stampIn(text.replaceAll("\r", "\n"))).find((stamp) => stamp !== null) ??
        null;
    } catch (error) {
      if (error instanceof DecodeFailed) return null;
      throw error;
    }
  }

  /** How many pages share the stamp of the first one, where the next frame has as many; else `null`. */
  #pagesOfFrame(): number | null {
    const number = (page: number) => this.#read(page)?.number;
    const run = (from: number) => {
      const first = number(from);
      if (first === undefined) return 0;
      let length = 1;
      while (length <= MAX_SAVED_CHANNELS && number(from + length) === first) length += 1;
      return length;
    };
    const first = run(0);
    if (first === 0 || first > MAX_SAVED_CHANNELS || number(first) === undefined) return null;
    const second = run(first);
    const cut = first + second >= this.offsets.length && second < first;
    return second === first || cut ? first : null;
  }

  #judge(first: number): Judged {
    const all = this.count <= MAX_ROW_TIMES;
    const frames = all ? Array.from({ length: this.count }, (_, i) => i) : [0, 1, this.count - 1];
    // A file that was saved anew keeps the description of its first page alone.
    const missing = frames.filter((frame) => this.stamp(frame) === null).length;
    if (missing > 0 && missing === frames.length - 1) return NO_STAMPS;
    if (missing > 0) return refused(`${missing} of ${frames.length} frames lack one`);
    const numbers = Float64Array.from(frames, (frame) => this.stamp(frame)!.number);
    const wrong = numbers.findIndex((number, i) =>
      i > 0 && number <= numbers[i - 1]! || (number - first) % this.stride !== 0
    );
    if (wrong >= 0) {
      return refused(`frame ${frames[wrong]} has number ${numbers[wrong]} after ${numbers[wrong - 1]}`);
    }
    const span = (numbers.at(-1)! - first) / this.stride + 1;
    if (span === this.count) return { counts: true, fault: null, numbers: null };
    return span < this.count || span > MAX_SPREAD * this.count || !all
      ? refused(`they number ${span} frames, while ${this.count} are stored`)
      : { counts: true, fault: null, numbers };
  }
}
