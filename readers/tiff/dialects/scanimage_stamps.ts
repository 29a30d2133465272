/**
 * The frames of one file of ScanImage, and their stamps. From version 5 on the ImageDescription of each page begins with the
 * number and the time of its frame (`frameNumbers = 7`, `frameTimestamps_sec = 0.2`; `Frame Number` and `Frame Timestamp(s)`
 * in version 5). The channels of a frame share a stamp.
 */
import { DecodeFailed } from "../../errors.ts";
import { MAX_ROW_TIMES } from "../../limits.ts";
import { type Warning, warning } from "../../warning.ts";
import { TAG } from "../tags.ts";
import type { Directory } from "../directory.ts";
import { pagesLikeFirst } from "../page_chain.ts";
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
const STAMP_BYTES = 256;

/** Frame numbers may skip as many frames as are stored, three times over: frames that were lost or not logged. */
const MAX_SPREAD = 4;

/** The value of a key at the start of a line, without sign or exponent. */
const valueOf = (key: string) => new RegExp(`^(?:${key})\\s*=\\s*(\\d{1,15}(?:\\.\\d{1,15})?)\\s*$`, "m");

const NUMBER = valueOf("frameNumbers?|Frame Number");
const SECONDS = valueOf("frameTimestamps?_sec|Frame Timestamp\\(s\\)");
const ACQUISITION = valueOf("acquisitionNumbers?");
const IN_ACQUISITION = valueOf("frameNumberAcquisition");

const numberBy = (key: RegExp, text: string) => Number(key.exec(text)?.[1] ?? NaN);

/** Reads a stamp from the description of a page; `null` where it has none. */
function stampIn(text: string): Stamp | null {
  const number = numberBy(NUMBER, text);
  if (!Number.isSafeInteger(number)) return null;
  return {
    number,
    seconds: numberBy(SECONDS, text),
    acquisition: numberBy(ACQUISITION, text),
    inAcquisition: numberBy(IN_ACQUISITION, text),
  };
}

/** The stamps of the pages of a file, by the offsets of their directories. */
class PageStamps {
  readonly #tiff: TiffFile;
  readonly #known = new Map<number, Stamp | null>();

  constructor(tiff: TiffFile) {
    this.#tiff = tiff;
  }

  /** Keeps the stamp of a page, up to the common bound for time stamps; none of a file whose first page has none. */
  note(directory: Directory): void {
    const [first] = this.#known.values();
    if (first !== null && this.#known.size < MAX_ROW_TIMES) {
      this.#known.set(directory.offset, stampOf(directory));
    }
  }

  /** The stamp of a page, `null` where it has none. */
  at(offset: number | undefined): Stamp | null {
    if (offset === undefined) return null;
    const known = this.#known.get(offset);
    return known === undefined ? stampOf(this.#tiff.directoryAt(offset)) : known;
  }

  /** How many are kept. */
  get size(): number {
    return this.#known.size;
  }

  /** Whether a page behind the first has a stamp that is kept. */
  get areSeveral(): boolean {
    return this.#known.values().drop(1).some((stamp) => stamp !== null);
  }

  /** Whether all kept stamps of these pages have one number. */
  agree(offsets: readonly number[], number: number): boolean {
    return offsets.every((offset) => (this.#known.get(offset)?.number ?? number) === number);
  }
}

/** The stamp of a page; one that cannot be read is none. */
function stampOf(directory: Directory): Stamp | null {
  try {
    const texts = directory.textStarts(TAG.ImageDescription, STAMP_BYTES);
    return texts.map(stampIn).find((stamp) => stamp !== null) ?? null;
  } catch (error) {
    if (error instanceof DecodeFailed) return null;
    throw error;
  }
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

/** Number of the first frame of a file, `NaN` without a stamp. */
export const firstNumber = (first: Directory): number => stampOf(first)?.number ?? NaN;

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
  readonly #stamps: PageStamps;
  /** Numbers by frame where they skip some, else `null`. */
  readonly #numbers: Float64Array | null = null;

  /**
   * Walks the pages of a file. The stamps of all frames are judged, up to the common bound for time stamps; of more frames those
   * of the first two and the last.
   *
   * @param declared channels by the header; `null` where it does not say
   * @param averaged frames that are averaged into one
   */
  constructor(tiff: TiffFile, declared: number | null, averaged: number) {
    const stamps = new PageStamps(tiff);
    const { offsets, warnings: chainWarnings } = pagesLikeFirst(tiff, (directory) => stamps.note(directory));
    this.tiff = tiff;
    this.offsets = offsets;
    this.#stamps = stamps;
    const shown = this.#pagesOfFrame();
    this.channels = shown ?? declared ?? 1;
    this.count = Math.max(1, Math.ceil(offsets.length / this.channels));
    const warnings: Warning[] = [...chainWarnings];
    if (shown !== null && declared !== null && shown !== declared) {
      warnings.push(warning(
        "metadata_disagree",
        `The header declares ${declared} channels, the frame stamps show ${shown}, which count`,
      ));
    }
    const [first, second] = [this.stamp(0), this.stamp(1)];
    this.stride = first && second && second.number - first.number === averaged ? averaged : 1;
    const hasLater = first === null &&
      [...offsets.slice(1, MAX_SAVED_CHANNELS), offsets.at(-1)].some((offset) => stamps.at(offset) !== null);
    const judged = first !== null
      ? this.#judge(first.number)
      : hasLater
      ? refused("the first frame lacks one")
      : NO_STAMPS;
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
    return 16 * this.offsets.length + 160 * this.#stamps.size;
  }

  /** The stamp of a stored frame. */
  stamp(frame: number): Stamp | null {
    return this.#stamps.at(this.offsets[frame * this.channels]);
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

  /** How many pages share the stamp of the first one, where the next frame has as many; else `null`. */
  #pagesOfFrame(): number | null {
    const number = (page: number) => this.#stamps.at(this.offsets[page])?.number;
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
    if (missing > 0 && missing === frames.length - 1 && !this.#stamps.areSeveral) return NO_STAMPS;
    if (missing > 0) return refused(`${missing} of ${frames.length} frames lack one`);
    const numbers = Float64Array.from(frames, (frame) => this.stamp(frame)!.number);
    const wrong = numbers.findIndex((number, i) =>
      i > 0 && number <= numbers[i - 1]! || (number - first) % this.stride !== 0
    );
    if (wrong >= 0) {
      return refused(`frame ${frames[wrong]} has number ${numbers[wrong]} after ${numbers[wrong - 1]}`);
    }
    const torn = frames.find((frame, i) => {
      const page = frame * this.channels;
      return !this.#stamps.agree(this.offsets.slice(page, page + this.channels), numbers[i]!);
    });
    if (torn !== undefined) return refused(`the channels of frame ${torn} have unlike numbers`);
    const span = (numbers.at(-1)! - first) / this.stride + 1;
    if (span === this.count) return { counts: true, fault: null, numbers: null };
    return span < this.count || span > MAX_SPREAD * this.count || !all
      ? refused(`they number ${span} frames, while ${this.count} are stored`)
      : { counts: true, fault: null, numbers };
  }
}
