/**
 * The frames of one ScanImage file, and their stamps. From version 5 on, the ImageDescription of each page begins with the number
 * and time of its frame (`frameNumbers = 7`, `frameTimestamps_sec = 0.2`; `Frame Number` and `Frame Timestamp(s)` in
 * version 5). The channels of a frame share a stamp.
 */
import { unlessDamaged } from "../../../errors.ts";
import { MAX_TIMES } from "../../../metadata/time_stamps.ts";
import { numberOf } from "../../../metadata/text.ts";
import { warnIf, type Warning } from "../../../warning.ts";
import type { Directory } from "../../directory.ts";
import { PageChain } from "../../stored_planes.ts";
import { TAG } from "../../tags.ts";
import type { TiffFile } from "../../tiff_file.ts";
import { MAX_SAVED_CHANNELS } from "./header.ts";

/**
 * The stamp of a frame: its number, which continues from file to file; seconds since the recording began; number of the
 * acquisition (in a slow stack, of the slice); and number of the frame in it. Missing values are `NaN`.
 */
export type Stamp = Readonly<Record<"number" | "seconds" | "acquisition" | "inAcquisition", number>>;

/** Bytes at the start of a description that hold the stamp. */
const STAMP_BYTES = 256;

/** Largest ratio of the range of frame numbers to the number of stored frames: some frames are lost or not logged. */
const MAX_SPREAD = 4;

/** Finds the value, a number without sign or exponent, of a key at the start of a line. */
function findStampValue(key: string): (text: string) => number {
  const line = new RegExp(`^(?:${key})\\s*=\\s*(\\d{1,15}(?:[.,]\\d{1,15})?)\\s*$`, "m");
  return (text) => numberOf(line.exec(text)?.[1]) ?? NaN;
}

const numberIn = findStampValue("frameNumbers?|Frame Number");
const secondsIn = findStampValue("frameTimestamps?_sec|Frame Timestamp\\(s\\)");
const acquisitionIn = findStampValue("acquisitionNumbers?");
const inAcquisitionIn = findStampValue("frameNumberAcquisition");

function readFrameStamp(directory: Directory): Stamp | null {
  const texts = unlessDamaged(() => directory.textStarts(TAG.ImageDescription, STAMP_BYTES), []);
  const text = texts.find((one) => Number.isSafeInteger(numberIn(one)));
  if (text === undefined) return null;
  const [acquisition, inAcquisition] = [acquisitionIn(text), inAcquisitionIn(text)];
  return { number: numberIn(text), seconds: secondsIn(text), acquisition, inAcquisition };
}

/** Number of the first frame of a file; `NaN` without a stamp. */
export const readFirstNumber = (first: Directory): number => readFrameStamp(first)?.number ?? NaN;

/** The frames of one file in stored order, each with a page per channel. The last frame may be incomplete. */
export class FileFrames {
  readonly tiff: TiffFile;
  readonly offsets: readonly number[];
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

  /** Checks the stamps of all pages; `declared` channels and `averaged` frames per stored one are those of the header. */
  constructor(tiff: TiffFile, declared: number | null, averaged: number) {
    const chain = new PageChain(tiff, (directory) => {
      const [first] = this.#stamps.values();
      if (this.#stamps.size <= (first === null ? MAX_SAVED_CHANNELS : MAX_TIMES)) {
        this.#stamps.set(directory.offset, readFrameStamp(directory));
      }
    });
    this.tiff = tiff;
    this.offsets = chain.likeFirst().map((page) => chain.offsets[page]!);
    const shown = this.#pagesOfFrame();
    this.channels = shown ?? declared ?? 1;
    this.count = Math.max(1, Math.ceil(this.offsets.length / this.channels));
    const unlike = `The header declares ${declared} channels, the frame stamps show ${shown}, which count`;
    const isUnlike = shown !== null && declared !== null && shown !== declared;
    const [first, second] = [this.stamp(0), this.stamp(1)];
    this.stride = first && second && second.number - first.number === averaged ? averaged : 1;
    const numbers = Array.from({ length: this.count }, (_, frame) => this.stamp(frame)?.number ?? NaN);
    // In files saved by other programs, only the first page has a description.
    const isBare = this.#stamps.size > MAX_TIMES || (first === null || this.count > 1) &&
        this.#stamps.values().drop(1).every((stamp) => stamp === null);
    const fault = isBare ? null : this.#faultIn(numbers);
    const text = `The frame stamps do not count, as ${fault}; pages are counted`;
    this.warnings = [
      ...chain.warnings,
      ...warnIf(isUnlike, "metadata_disagree", unlike),
      ...warnIf(fault !== null, "metadata_disagree", text),
    ];
    this.stamped = !isBare && fault === null;
    const [start = NaN] = numbers;
    const places = numbers.map((number) => (number - start) / this.stride);
    this.span = this.stamped ? (places.at(-1) ?? NaN) + 1 : this.count;
    this.#frames = this.span === this.count ? null : new Map(places.map((place, frame) => [place, frame]));
  }

  get first(): number {
    return this.stamped ? this.stamp(0)!.number : NaN;
  }

  get indexBytes(): number {
    return 16 * this.offsets.length + 200 * this.#stamps.size;
  }

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
    const numbers = this.offsets.slice(0, 2 * MAX_SAVED_CHANNELS + 1)
      .map((_, page) => this.#stampAt(page)?.number ?? NaN);
    const first = numbers.findIndex((number) => number !== numbers[0]);
    if (first < 1 || first > MAX_SAVED_CHANNELS || Number.isNaN(numbers[first])) return null;
    const rest = numbers.slice(first);
    const next = rest.findIndex((number) => number !== rest[0]);
    // The last frame may be incomplete.
    const isLast = next < 0 && first + rest.length === this.offsets.length && rest.length <= first;
    return next === first || isLast ? first : null;
  }

  /** Why the frame numbers are inconsistent, as a clause; or `null`. */
  #faultIn(numbers: readonly number[]): string | null {
    const lacking = numbers.filter(Number.isNaN).length;
    if (lacking > 0) return `${lacking} of ${numbers.length} frames lack one`;
    const [first = NaN, last = NaN] = [numbers.at(0), numbers.at(-1)];
    const wrong = numbers.findIndex((number, i) =>
      i > 0 && number <= (numbers[i - 1] ?? NaN) || (number - first) % this.stride !== 0
    );
    if (wrong >= 0) return `frame ${wrong} has number ${numbers[wrong]} after ${numbers[wrong - 1]}`;
    const torn = this.offsets.findIndex((_, page) => {
      const frame = Math.floor(page / this.channels);
      return (this.#stampAt(page)?.number ?? numbers[frame]) !== numbers[frame];
    });
    if (torn >= 0) return `the channels of frame ${Math.floor(torn / this.channels)} have unlike numbers`;
    const span = (last - first) / this.stride + 1;
    const isDense = span <= MAX_SPREAD * this.count;
    return isDense ? null : `they number ${span} frames, while ${this.count} are stored`;
  }
}
