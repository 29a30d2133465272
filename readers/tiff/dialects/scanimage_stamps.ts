/**
 * The frames of one ScanImage file, and their stamps. From version 5 on, the ImageDescription of each page begins with the number
 * and time of its frame (`frameNumbers = 7`, `frameTimestamps_sec = 0.2`; `Frame Number` and `Frame Timestamp(s)` in
 * version 5). The channels of a frame share a stamp.
 */
import { unlessDamaged } from "../../errors.ts";
import { MAX_TIMES } from "../../metadata/time_stamps.ts";
import { type Warning, warning } from "../../warning.ts";
import type { Directory } from "../directory.ts";
import { PageChain } from "../stored_planes.ts";
import { TAG } from "../tags.ts";
import type { TiffFile } from "../tiff_file.ts";
import { MAX_SAVED_CHANNELS } from "./scanimage_header.ts";

/**
 * The stamp of a frame: its number, which continues from file to file; seconds since the recording began; number of the
 * acquisition (in a slow stack, of the slice); and number of the frame in it. Missing values are `NaN`.
 */
export type Stamp = Readonly<Record<"number" | "seconds" | "acquisition" | "inAcquisition", number>>;

/** Bytes at the start of a description that hold the stamp. */
const STAMP_BYTES = 256;

/** Largest ratio of the range of frame numbers to the number of stored frames: some frames are lost or not logged. */
const MAX_SPREAD = 4;

/** Matches a key at the start of a line and its value, a number without sign or exponent. */
const valueOf = (key: string) => new RegExp(`^(?:${key})\\s*=\\s*(\\d{1,15}(?:\\.\\d{1,15})?)\\s*$`, "m");

const NUMBER = valueOf("frameNumbers?|Frame Number");
const SECONDS = valueOf("frameTimestamps?_sec|Frame Timestamp\\(s\\)");
const ACQUISITION = valueOf("acquisitionNumbers?");
const IN_ACQUISITION = valueOf("frameNumberAcquisition");

const numberBy = (key: RegExp, text: string) => Number(key.exec(text)?.[1] ?? NaN);

/** The stamp in a description, or `null`. */
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

/** The stamp of a page, or `null`. */
function stampOf(directory: Directory): Stamp | null {
  const texts = unlessDamaged(() => directory.textStarts(TAG.ImageDescription, STAMP_BYTES), []);
  return texts.map(stampIn).find((stamp) => stamp !== null) ?? null;
}

/** Number of the first frame of a file; `NaN` without a stamp. */
export const firstNumber = (first: Directory): number => stampOf(first)?.number ?? NaN;

/** The frames of one file in stored order, each with a page per channel. The last frame may be incomplete. */
export class FileFrames {
  readonly tiff: TiffFile;
  /** Offsets of the file's pages. */
  readonly offsets: readonly number[];
  /** Pages per frame. */
  readonly channels: number;
  /** Number of frames that begin in the file. */
  readonly count: number;
  /** Number of frames from the first to the last, including lost ones. */
  readonly span: number;
  /** Difference between the numbers of consecutive stored frames: the averaging factor, or 1. */
  readonly stride: number;
  /** Whether the file has consistent stamps. With more than {@linkcode MAX_TIMES} pages they are not read. */
  readonly stamped: boolean;
  readonly warnings: readonly Warning[];
  /** Stamps by page offset. If the first page has none, only those of the first pages. */
  readonly #stamps = new Map<number, Stamp | null>();
  /** Stored frames by their distance from the first one, if numbers are skipped; else `null`. */
  readonly #frames: ReadonlyMap<number, number> | null;

  /**
   * Walks the pages of a file and checks the stamps of all frames.
   *
   * @param declared number of channels in the header, or `null`
   * @param averaged number of frames averaged into one
   */
  constructor(tiff: TiffFile, declared: number | null, averaged: number) {
    const chain = new PageChain(tiff, (directory) => {
      const [first] = this.#stamps.values();
      if (this.#stamps.size <= (first === null ? MAX_SAVED_CHANNELS : MAX_TIMES)) {
        this.#stamps.set(directory.offset, stampOf(directory));
      }
    });
    const offsets = chain.likeFirst().map((page) => chain.offsets[page]!);
    this.tiff = tiff;
    this.offsets = offsets;
    const shown = this.#pagesOfFrame();
    this.channels = shown ?? declared ?? 1;
    this.count = Math.max(1, Math.ceil(offsets.length / this.channels));
    const warnings: Warning[] = [...chain.warnings];
    if (shown !== null && declared !== null && shown !== declared) {
      const text = `The header declares ${declared} channels, the frame stamps show ${shown}, which count`;
      warnings.push(warning("metadata_disagree", text));
    }
    const [first, second] = [this.stamp(0), this.stamp(1)];
    this.stride = first && second && second.number - first.number === averaged ? averaged : 1;
    const numbers = Array.from({ length: this.count }, (_, frame) => this.stamp(frame)?.number ?? NaN);
    // In files saved by other programs, only the first page has a description.
    const isBare = this.#stamps.size > MAX_TIMES || (first === null || this.count > 1) &&
        this.#stamps.values().drop(1).every((stamp) => stamp === null);
    const fault = isBare ? null : this.#faultIn(numbers);
    if (fault !== null) {
      const text = `The frame stamps do not count, as ${fault}; pages are counted`;
      warnings.push(warning("metadata_disagree", text));
    }
    this.warnings = warnings;
    this.stamped = !isBare && fault === null;
    const places = numbers.map((number) => (number - numbers[0]!) / this.stride);
    this.span = this.stamped ? places.at(-1)! + 1 : this.count;
    this.#frames = this.span === this.count ? null : new Map(places.map((place, frame) => [place, frame]));
  }

  /** Number of the first frame; `NaN` without stamps. */
  get first(): number {
    return this.stamped ? this.stamp(0)!.number : NaN;
  }

  /** Memory of offsets and stamps. */
  get indexBytes(): number {
    return 16 * this.offsets.length + 200 * this.#stamps.size;
  }

  /** The stamp of a stored frame. */
  stamp(frame: number): Stamp | null {
    return this.#stampAt(frame * this.channels);
  }

  /** The stored frame `place` frames after the first one; `null` if it is not stored. */
  find(place: number): number | null {
    return this.#frames === null ? (place < this.count ? place : null) : this.#frames.get(place) ?? null;
  }

  #stampAt(page: number): Stamp | null {
    return this.#stamps.get(this.offsets[page] ?? NaN) ?? null;
  }

  /** Number of pages that share the first stamp, if the next frame has as many; else `null`. */
  #pagesOfFrame(): number | null {
    const run = (from: number) => {
      const first = this.#stampAt(from)?.number;
      let length = first === undefined ? 0 : 1;
      while (length > 0 && length <= MAX_SAVED_CHANNELS && this.#stampAt(from + length)?.number === first) {
        length += 1;
      }
      return length;
    };
    const first = run(0);
    if (first === 0 || first > MAX_SAVED_CHANNELS) return null;
    const second = run(first);
    // The last frame may be incomplete.
    const isCut = second > 0 && second < first && first + second >= this.offsets.length;
    return second === first || isCut ? first : null;
  }

  /** Why the frame numbers are inconsistent, as a clause; or `null`. */
  #faultIn(numbers: readonly number[]): string | null {
    const lacking = numbers.filter(Number.isNaN).length;
    if (lacking > 0) return `${lacking} of ${numbers.length} frames lack one`;
    const wrong = numbers.findIndex((number, i) =>
      i > 0 && number <= numbers[i - 1]! || (number - numbers[0]!) % this.stride !== 0
    );
    if (wrong >= 0) return `frame ${wrong} has number ${numbers[wrong]} after ${numbers[wrong - 1]}`;
    const torn = this.offsets.findIndex((_, page) => {
      const frame = Math.floor(page / this.channels);
      return (this.#stampAt(page)?.number ?? numbers[frame]) !== numbers[frame];
    });
    if (torn >= 0) return `the channels of frame ${Math.floor(torn / this.channels)} have unlike numbers`;
    const span = (numbers.at(-1)! - numbers[0]!) / this.stride + 1;
    return span <= MAX_SPREAD * this.count
      ? null
      : `they number ${span} frames, while ${this.count} are stored`;
  }
}
