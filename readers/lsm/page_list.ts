/** The pages of an LSM file: planes and, most often behind each of them, a thumbnail that is never read. */
import { DecodeFailed } from "../errors.ts";
import type { Directory } from "../tiff/directory.ts";
import { TAG } from "../tiff/tags.ts";
import type { TiffFile } from "../tiff/tiff_file.ts";
import { type Warning, warning } from "../warning.ts";

const REDUCED = 1;

/** Memory of the offset of a page, or of its number. */
const NUMBER_BYTES = 16;

/** Pages by their number in the chain. */
export class PageList {
  /** Offsets of the directories of all pages. */
  readonly offsets: readonly number[];
  /** Numbers of the pages that hold planes, in the order of the chain. */
  readonly planes: readonly number[];
  /** Why the chain ended early. */
  readonly warnings: readonly Warning[];

  /** Walks the chain until it holds one plane more than `most`. @throws {DecodeFailed} the first directory is damaged */
  constructor(tiff: TiffFile, most: number) {
    const offsets: number[] = [];
    const planes: number[] = [];
    const judge = new PlaneJudge();
    let broken: string | null = null;
    try {
      for (let page = 0; planes.length <= most; page += 1) {
        const directory = tiff.directory(page);
        if (directory === null) break;
        offsets.push(directory.offset);
        if (judge.isPlane(directory, page)) planes.push(page);
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

  /** Number of the thumbnail behind the plane on a page, or `null`. */
  thumbnailOf(page: number): number | null {
    return page + 1 < this.offsets.length && !this.#isPlane(page + 1) ? page + 1 : null;
  }

  /** Bytes of memory, from above. */
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

/** Tells planes from thumbnails, page after page. Where they alternate, one damaged value does not shift the planes behind it. */
class PlaneJudge {
  #first = "";
  #alternates = false;
  #afterPlane = false;

  isPlane(directory: Directory, page: number): boolean {
    const plane = this.#judge(directory, page);
    this.#afterPlane = plane;
    return plane;
  }

  #judge(directory: Directory, page: number): boolean {
    // The record of Zeiss belongs to a plane.
    if (page === 0) {
      this.#first = kindOf(directory);
      return true;
    }
    const reduced = ((directory.noteNumber(TAG.NewSubfileType) ?? 0) & REDUCED) !== 0;
    if (page === 1) this.#alternates = reduced;
    if (!this.#alternates) return !reduced;
    const like = kindOf(directory) === this.#first;
    if (page % 2 === 1) return !reduced && like;
    return reduced ? like && !this.#afterPlane : true;
  }
}

/** Values that the planes of a file have in common, from what stands in the directory itself. */
const kindOf = (directory: Directory): string =>
  [TAG.ImageWidth, TAG.ImageLength, TAG.SamplesPerPixel, TAG.PlanarConfiguration]
    .map((tag) => directory.noteNumber(tag)).join();
