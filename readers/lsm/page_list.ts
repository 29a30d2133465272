/**
 * The pages of an LSM file and the offsets of their strips. Offsets have 32 bits and wrap around in files of more than 4 GB:
 * in the order in which pages were written each offset is greater than the one before, or 2^32 bytes further.
 */
import { DecodeFailed } from "../errors.ts";
import { MAX_CHANNELS } from "../io/limits.ts";
import type { StopFlag } from "../io/stop_flag.ts";
import { MAX_SEGMENTS } from "../tiff/bounds.ts";
import type { Directory } from "../tiff/directory.ts";
import { TAG, tagName } from "../tiff/tags.ts";
import type { TiffFile } from "../tiff/tiff_file.ts";
import { type Warning, warning } from "../warning.ts";

const REDUCED = 1;

/** Heap of the offset of a page, or of its number. */
const NUMBER_BYTES = 16;

/** Pages by their number in the chain. */
export class PageList {
  /** Offsets of the directories of all pages. */
  readonly offsets: readonly number[];
  /** Numbers of the pages with planes. */
  readonly planes: readonly number[];
  /** Warns of a chain that ends early. */
  readonly warnings: readonly Warning[];

  /** Walks the chain up to one plane more than `most`. @throws {DecodeFailed} the first directory is damaged */
  constructor(tiff: TiffFile, most: number) {
    const offsets: number[] = [];
    const planes: number[] = [];
    let broken: string | null = null;
    try {
      for (let page = 0; planes.length <= most; page += 1) {
        const directory = tiff.directory(page);
        if (directory === null) break;
        offsets.push(directory.offset);
        if (page === 0 || !isThumbnail(directory)) planes.push(page);
      }
    } catch (error) {
      if (offsets.length === 0 || !(error instanceof DecodeFailed)) throw error;
      broken = error.message;
    }
    this.offsets = offsets;
    this.planes = planes;
    this.warnings = broken === null
      ? []
      : [warning("file_damaged", `The file ends early, after ${offsets.length} pages: ${broken}`)];
  }

  /** Number of the thumbnail after the plane on a page, or `null`. */
  thumbnailOf(page: number): number | null {
    return page + 1 < this.offsets.length && !this.#isPlane(page + 1) ? page + 1 : null;
  }

  /** Heap, at most. */
  get indexBytes(): number {
    return (this.offsets.length + this.planes.length) * NUMBER_BYTES;
  }

  #isPlane(page: number): boolean {
    let [low, high] = [0, this.planes.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.planes[middle]! < page) low = middle + 1;
      else high = middle;
    }
    return this.planes[low] === page;
  }
}

/** True for a reduced image (NewSubfileType of TIFF 6.0). */
const isThumbnail = (directory: Directory): boolean =>
  ((directory.noteNumber(TAG.NewSubfileType) ?? 0) & REDUCED) !== 0;

const ROUND = 2 ** 32;

/** Strips of all pages of a file above 4 GB: a thousand pages of several hundred channels each. */
const MAX_STRIPS = 1 << 24;

/** Offsets of the strips of each page. */
export class StripOffsets {
  readonly #tiff: TiffFile;
  readonly #pages: PageList;
  /** For each page the full offset that precedes its first strip; `null` in files of at most 4 GB. */
  readonly #before: Float64Array | null;

  private constructor(tiff: TiffFile, pages: PageList, before: Float64Array | null) {
    this.#tiff = tiff;
    this.#pages = pages;
    this.#before = before;
  }

  /**
   * Walks over the pages of a file of more than 4 GB.
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
      // The recording was interrupted here.
      if (offsets === null) break;
      strips += offsets.length;
      if (strips > MAX_STRIPS) throw new DecodeFailed(`the pages have more than ${MAX_STRIPS} strips`);
      before[page] = last;
      last = unwrap(offsets, last).at(-1) ?? last;
    }
    return new StripOffsets(tiff, pages, before);
  }

  /** Offsets of the strips of a page; `null` if they were never written. @throws {DecodeFailed} it is damaged */
  ofPage(page: number, most = MAX_SEGMENTS): Float64Array | null {
    const offset = this.#pages.offsets[page];
    if (offset === undefined) return null;
    const stored = this.#tiff.directoryAt(offset).numbers(TAG.StripOffsets, most);
    if (stored.every((at) => at === 0)) return null;
    if (this.#before === null) return stored;
    const before = this.#before[page] ?? NaN;
    return Number.isNaN(before) ? null : unwrap(stored, before);
  }

  /** Offsets of the strips of neighbouring pages, unsorted; damaged pages are skipped. */
  beside(page: number): number[] {
    const found: number[] = [];
    for (let other = Math.max(0, page - NEIGHBOURS); other <= page + NEIGHBOURS; other += 1) {
      if (other !== page) found.push(...unlessDamaged(() => this.ofPage(other, MAX_CHANNELS)) ?? []);
    }
    return found;
  }

  /** Heap. */
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

/** A plane is followed in the file by its thumbnail, or by that of the next plane, three pages on. */
const NEIGHBOURS = 3;

/** The pages of planes and thumbnails as they were written: in each pair in the order of the first pair. */
function* written(raw: StripOffsets, pages: PageList, planes: Iterable<number>): Generator<number> {
  const [plane, thumbnail] = [0, 1].map((page) => raw.ofPage(page)?.[0] ?? 0);
  const thumbnailFirst = pages.thumbnailOf(0) !== null && (plane ?? 0) > (thumbnail ?? 0);
  for (const number of planes) {
    const page = pages.planes[number];
    if (page === undefined) continue;
    const thumbnail = pages.thumbnailOf(page);
    const pair = thumbnail === null ? [page] : [page, thumbnail];
    yield* thumbnailFirst ? pair.reverse() : pair;
  }
}

/** Full offsets of strips. @throws {DecodeFailed} a strip was never written although others of its page were */
function unwrap(offsets: Float64Array, before: number): Float64Array {
  let last = before;
  return offsets.map((offset) => {
    if (offset === 0) throw new DecodeFailed(`${tagName(TAG.StripOffsets)} is 0 for some strips of a page`);
    const round = last - last % ROUND;
    return last = offset < last % ROUND ? round + ROUND + offset : round + offset;
  });
}
