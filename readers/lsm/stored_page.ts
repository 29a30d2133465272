/** A page of planes with the places of its strips: what is stored of each channel, and whether the places can be right. */
import { lzwToLength } from "../codecs/lzw.ts";
import { DecodeFailed } from "../errors.ts";
import { type PageLayout, UNCOMPRESSED } from "../tiff/page.ts";
import { rowBytes } from "../tiff/samples.ts";
import type { StripPlaces } from "../tiff/stack.ts";
import { TAG, tagName } from "../tiff/tags.ts";
import { layoutOf, type LsmPage, LZW } from "./lsm_page.ts";
import type { StripExtent } from "./strip_offsets.ts";

/** LZW takes at most 12 bits for a byte, and some for its codes. */
const longestLzw = (bytes: number) => 2 * bytes + 16;

/** One page, read once for all its channels. */
export class StoredPage {
  /** What its directory says. */
  readonly page: LsmPage;
  /** True where strips of samples as they are lie over others, as no program writes them. */
  readonly overlaps: boolean;
  readonly #starts: Float64Array;
  /** Where strips begin on this page and beside it, in ascending order. */
  readonly #near: Float64Array;
  readonly #fileSize: number;

  /**
   * Reads nothing.
   *
   * @param starts where its strips begin
   * @param beside strips of its neighbours, as far as they are known
   */
  constructor(page: LsmPage, starts: Float64Array, beside: readonly StripExtent[], fileSize: number) {
    this.page = page;
    this.#starts = starts;
    this.#near = new Float64Array(starts.length + beside.length);
    this.#near.set(starts);
    this.#near.set(beside.map(({ start }) => start), starts.length);
    this.#near.sort();
    this.#fileSize = fileSize;
    this.overlaps = page.compression === UNCOMPRESSED && this.#overlap(beside);
  }

  /**
   * Where the strips of a channel lie, from the first on as many as a layout has.
   *
   * @param channel index of the channel; 0 where all are interleaved
   * @throws {DecodeFailed} lengths are missing
   */
  strips(layout: PageLayout, channel: number): StripPlaces {
    const { page } = this;
    const from = page.planar ? channel * page.strips : 0;
    const offsets = this.#starts.slice(from, from + layout.down);
    const row = rowBytes(layout.width, layout.bits);
    const needed = offsets.map((_, i) =>
      row * Math.min(layout.segmentHeight, layout.height - i * layout.segmentHeight)
    );
    if (page.compression === LZW) {
      const lengths = offsets.map((offset, i) => {
        const end = Math.min(this.#following(offset), this.#fileSize);
        return Math.max(0, Math.min(end - offset, longestLzw(needed[i] ?? 0)));
      });
      return { offsets, lengths, codec: lzwToLength };
    }
    if (!page.directory.lists(TAG.StripByteCounts)) return { offsets, lengths: needed, codec: null };
    const counts = page.directory.numbers(TAG.StripByteCounts, this.#fileSize);
    if (counts.length < this.#starts.length) {
      throw new DecodeFailed(
        `${tagName(TAG.StripByteCounts)} has ${counts.length} values, ${this.#starts.length} are needed`,
      );
    }
    return { offsets, lengths: counts.slice(from, from + layout.down), codec: null };
  }

  /** The first start of a strip behind `offset`, `Infinity` without one. */
  #following(offset: number): number {
    let [low, high] = [0, this.#near.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#near[middle]! <= offset) low = middle + 1;
      else high = middle;
    }
    return this.#near[low] ?? Infinity;
  }

  /** Whether a strip of the page shares a byte with another one of it, or of a page beside it. */
  #overlap(beside: readonly StripExtent[]): boolean {
    const strips = [
      ...this.#extents().map((extent) => ({ ...extent, own: true })),
      ...beside.map((extent) => ({ ...extent, own: false })),
    ].sort((a, b) => a.start - b.start);
    let [ownEnd, otherEnd] = [0, 0];
    for (const { start, end, own } of strips) {
      if (start < ownEnd || own && start < otherEnd) return true;
      if (own) ownEnd = end;
      else otherEnd = Math.max(otherEnd, end);
    }
    return false;
  }

  /** Strips of samples as they are. */
  #extents(): StripExtent[] {
    const { page } = this;
    return Array.from(this.#starts, (start, i) => {
      const channel = page.planar ? Math.floor(i / page.strips) : 0;
      const row = rowBytes(page.width, layoutOf(page, channel, page.height).bits);
      const above = (i % page.strips) * page.stripRows;
      return { start, end: start + row * Math.min(page.stripRows, page.height - above) };
    });
  }
}
