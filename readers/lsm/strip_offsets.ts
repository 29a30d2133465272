/**
 * Where the strips of pages begin. Offsets have 32 bits and wrap around in files of more than 4 GB: in the order in which
 * the pages were written each offset is greater than the one before, or one round of 2^32 bytes further.
 */
import { DecodeFailed } from "../errors.ts";
import { MAX_CHANNELS } from "../io/limits.ts";
import type { StopFlag } from "../io/stop_flag.ts";
import { MAX_SEGMENTS } from "../tiff/bounds.ts";
import { TAG, tagName } from "../tiff/tags.ts";
import type { TiffFile } from "../tiff/tiff_file.ts";
import type { PageList } from "./page_list.ts";

const ROUND = 2 ** 32;

/** Where a strip begins and ends, as far as its page says. */
export interface StripExtent {
  /** Offset of its first byte. */
  readonly start: number;
  /** Offset behind its last byte; `start` where no length is stated. */
  readonly end: number;
}

/** Strips of all pages that are looked at in a file above 4 GB: a thousand pages of several hundred channels each. */
const MAX_STRIPS = 1 << 24;

/** Offsets of the strips of each page. */
export class StripOffsets {
  readonly #tiff: TiffFile;
  readonly #pages: PageList;
  /** The offset before the first strip of each page, in the whole file; `null` in files of at most 4 GB. */
  readonly #before: Float64Array | null;
  private constructor(tiff: TiffFile, pages: PageList, before: Float64Array | null) {
    this.#tiff = tiff;
    this.#pages = pages;
    this.#before = before;
  }

  /**
   * Goes through the pages where the file has more than 4 GB; reads nothing else.
   *
   * @param planes numbers of planes in the order in which they were written
   */
  static of(tiff: TiffFile, pages: PageList, planes: () => Iterable<number>, stop: StopFlag): StripOffsets {
    if (tiff.file.size <= ROUND) return new StripOffsets(tiff, pages, null);
    const raw = new StripOffsets(tiff, pages, null);
    const before = new Float64Array(pages.offsets.length).fill(NaN);
    let [last, strips] = [0, 0];
    for (const page of written(raw, pages, planes())) {
      stop.check();
      const offsets = raw.ofPage(page);
      // The recording was cut here.
      if (offsets === null) break;
      strips += offsets.length;
      if (strips > MAX_STRIPS) throw new DecodeFailed(`the pages have more than ${MAX_STRIPS} strips`);
      before[page] = last;
      last = unwrap(offsets, last).at(-1) ?? last;
    }
    return new StripOffsets(tiff, pages, before);
  }

  /** Offsets of the strips of a page; `null` where they were never written. @throws {DecodeFailed} it is damaged */
  ofPage(page: number, most = MAX_SEGMENTS): Float64Array | null {
    const offset = this.#pages.offsets[page];
    if (offset === undefined) return null;
    const stored = this.#tiff.directoryAt(offset).numbers(TAG.StripOffsets, most);
    if (stored.every((at) => at === 0)) return null;
    if (this.#before === null) return stored;
    const before = this.#before[page] ?? NaN;
    return Number.isNaN(before) ? null : unwrap(stored, before);
  }

  /** Where the strips of the pages beside one lie, as far as that is known, in no order. */
  beside(page: number): StripExtent[] {
    const found: StripExtent[] = [];
    for (let other = Math.max(0, page - NEIGHBOURS); other <= page + NEIGHBOURS; other += 1) {
      if (other !== page) found.push(...this.#tolerant(other));
    }
    return found;
  }

  /** Strips of a page that no sample depends on; where their lengths are damaged, where they begin still counts. */
  #tolerant(page: number): StripExtent[] {
    const none = new Float64Array(0);
    const starts = unlessDamaged(() => this.ofPage(page, MAX_BESIDE)) ?? none;
    if (starts.length === 0) return [];
    const directory = this.#tiff.directoryAt(this.#pages.offsets[page]!);
    const counts = unlessDamaged(() => directory.numbers(TAG.StripByteCounts, MAX_BESIDE)) ?? none;
    return Array.from(starts, (start, i) => ({ start, end: start + (counts[i] ?? 0) }));
  }

  /** Bytes of memory, from above. */
  get indexBytes(): number {
    return this.#before?.byteLength ?? 0;
  }
}

function unlessDamaged<T>(read: () => T): T | null {
  try {
    return read();
  } catch (error) {
    if (error instanceof DecodeFailed) return null;
    throw error;
  }
}

/** Strips of a page that is looked at for the sake of another: one for each of the most channels. */
const MAX_BESIDE = MAX_CHANNELS;

/** A plane is followed in the file by its thumbnail, or by that of the plane behind it, three pages on. */
const NEIGHBOURS = 3;

/** The pages of planes and their thumbnails; which of the two was written first is that of the first plane. */
function* written(raw: StripOffsets, pages: PageList, planes: Iterable<number>): Generator<number> {
  const [plane, thumbnail] = [0, 1].map((page) => raw.ofPage(page)?.[0] ?? 0);
  const thumbnailFirst = pages.thumbnailOf(0) !== null && (plane ?? 0) > (thumbnail ?? 0);
  for (const number of planes) {
    const page = pages.planes[number];
    if (page === undefined) continue;
    const behind = pages.thumbnailOf(page);
    const pair = behind === null ? [page] : [page, behind];
    yield* thumbnailFirst ? pair.reverse() : pair;
  }
}

/** @throws {DecodeFailed} a strip was never written although others of its page were */
function unwrap(offsets: Float64Array, before: number): Float64Array {
  let last = before;
  return offsets.map((offset) => {
    if (offset === 0) throw new DecodeFailed(`${tagName(TAG.StripOffsets)} has a strip at 0 beside others`);
    const round = last - last % ROUND;
    return last = offset < last % ROUND ? round + ROUND + offset : round + offset;
  });
}
