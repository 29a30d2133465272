/** The planes of an LSM file by scene, time, focus and channel, with the places of their strips. */
import { lzwToLength } from "../codecs/lzw.ts";
import { DecodeFailed, PlaneNotFound } from "../errors.ts";
import { type PageLayout, UNCOMPRESSED, where } from "../tiff/page.ts";
import { rowBytes } from "../tiff/samples.ts";
import type { PlaneSource, StripPlaces } from "../tiff/stack.ts";
import { TAG, tagName } from "../tiff/tags.ts";
import type { TiffFile } from "../tiff/tiff_file.ts";
import { type Dimensions, planeNumber } from "./dimensions.ts";
import { layoutOf, type LsmPage, type LsmSample, LZW, readLsmPage, sameKind } from "./lsm_page.ts";
import type { PageList, StripOffsets } from "./page_list.ts";

/** The pages of a file. */
interface KnownPages {
  readonly pages: PageList;
  readonly offsets: StripOffsets;
  readonly first: LsmPage;
  readonly dimensions: Dimensions;
}

/** The position of a plane in all channels. */
export interface PlaceOfPlane {
  /** Tile or position. */
  readonly scene: number;
  /** Time point. */
  readonly t: number;
  /** Focus plane. */
  readonly z: number;
}

/** Heap of the page that is kept: its directory, and the offsets of strips of six neighbours. */
const PAGE_BYTES = 16 << 10;

/** Heap of the offset of a strip in two lists. */
const STRIP_BYTES = 16;

/** The planes of one file. */
export class LsmPlanes {
  readonly #tiff: TiffFile;
  readonly #known: KnownPages;
  #last: { readonly index: number; readonly stored: StoredPage } | null = null;

  /** Reads nothing yet. */
  constructor(tiff: TiffFile, known: KnownPages) {
    this.#tiff = tiff;
    this.#known = known;
  }

  /** The first page; all others are of the same kind. */
  get first(): LsmPage {
    return this.#known.first;
  }

  /** The channels. */
  get samples(): readonly LsmSample[] {
    return this.first.samples;
  }

  /** True if each channel has its own strips. */
  get separate(): boolean {
    return this.first.planar || this.samples.length === 1;
  }

  /** Number of planes, with those that were never written. */
  get held(): number {
    return this.#known.pages.planes.length;
  }

  /** Heap of the page that is kept, roughly. */
  get indexBytes(): number {
    return PAGE_BYTES + STRIP_BYTES * this.first.directory.count(TAG.StripOffsets);
  }

  /**
   * Layout of the planes of a scene, with the rows of its longest channel.
   *
   * @throws {DecodeFailed} the page of a line scan is damaged
   */
  layout(scene: number): PageLayout {
    const { height } = this.first;
    if (!this.#mayBeCut) return layoutOf(this.first, 0, height);
    const rows = Array.from(
      { length: this.separate ? this.samples.length : 1 },
      (_, channel) => this.plane({ scene, t: 0, z: 0 }, channel).page.height,
    );
    return layoutOf(this.first, 0, rows.reduce((most, own) => Math.max(most, own), 0));
  }

  /** True for an uncompressed line scan, whose file may end before its last line. */
  get #mayBeCut(): boolean {
    return this.#known.dimensions.rows === "T" && this.first.compression === UNCOMPRESSED;
  }

  /** Rows that the file holds; without any, all rows, which the plan then refuses. */
  #rowsInFile(stored: StoredPage, channel: number): number {
    const { page } = stored;
    const layout = layoutOf(page, channel, page.height);
    if (!this.#mayBeCut) return page.height;
    const row = rowBytes(page.width, layout.bits);
    const { size } = this.#tiff.file;
    let rows = 0;
    for (const [i, offset] of stored.strips(layout, channel).offsets.entries()) {
      const whole = Math.min(layout.segmentHeight, page.height - i * layout.segmentHeight);
      const held = Math.max(0, Math.floor((size - offset) / row));
      rows += Math.min(whole, held);
      if (held < whole) break;
    }
    return rows || page.height;
  }

  /**
   * A plane of a channel, or of all interleaved channels; of a line scan as far as the file holds it.
   *
   * @throws {PlaneNotFound} it was never written
   * @throws {DecodeFailed} its page is damaged
   */
  plane(place: PlaceOfPlane, channel: number): PlaneSource {
    const { pages, dimensions } = this.#known;
    const number = planeNumber(dimensions, place);
    const index = pages.planes[number];
    if (index === undefined) {
      throw new PlaneNotFound(`plane ${number} is missing: the file holds ${pages.planes.length} planes`);
    }
    const stored = this.#stored(number, index);
    const layout = layoutOf(stored.page, channel, this.#rowsInFile(stored, channel));
    return {
      tiff: this.#tiff,
      page: layout,
      run: null,
      strips: stored.strips(layout, channel),
      warnings: [],
    };
  }

  /** The page of a plane; the last one is kept for its other channels. */
  #stored(number: number, index: number): StoredPage {
    if (this.#last?.index === index) return this.#last.stored;
    const { pages, offsets, first } = this.#known;
    const directory = this.#tiff.directoryAt(pages.offsets[index]!);
    const page = readLsmPage(this.#tiff, directory);
    if (!sameKind(page, first)) {
      throw new DecodeFailed(`plane ${number} in ${where(directory)} differs from the first plane`);
    }
    const starts = offsets.ofPage(index);
    if (starts === null) throw new PlaneNotFound(`plane ${number} was never written`);
    const beside = page.compression === LZW ? offsets.beside(index) : [];
    const stored = new StoredPage(page, starts, beside, this.#tiff.file.size);
    this.#last = { index, stored };
    return stored;
  }
}

/** LZW takes at most 12 bits for a byte, and some for its codes. */
const longestLzw = (bytes: number) => 2 * bytes + 16;

/** One page, read once for all its channels. */
class StoredPage {
  readonly page: LsmPage;
  readonly #starts: Float64Array;
  /** For each offset of a strip on this page or beside it the next one. */
  readonly #following: ReadonlyMap<number, number>;
  readonly #fileSize: number;

  constructor(page: LsmPage, starts: Float64Array, beside: readonly number[], fileSize: number) {
    this.page = page;
    this.#starts = starts;
    const near = [...new Set([...starts, ...beside])].sort((a, b) => a - b);
    this.#following = new Map(near.map((start, i) => [start, near[i + 1] ?? fileSize]));
    this.#fileSize = fileSize;
  }

  /**
   * The first strips of a channel, as many as a layout has.
   *
   * @param channel index of the channel; 0 if all are interleaved
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
        const end = Math.min(this.#following.get(offset) ?? 0, this.#fileSize);
        return Math.max(0, Math.min(end - offset, longestLzw(needed[i] ?? 0)));
      });
      return { offsets, lengths, codec: lzwToLength };
    }
    if (!page.directory.lists(TAG.StripByteCounts)) return { offsets, lengths: needed, codec: null };
    const counts = page.directory.numbers(TAG.StripByteCounts, this.#fileSize);
    if (counts.length < this.#starts.length) {
      throw new DecodeFailed(
        `${tagName(TAG.StripByteCounts)} has ${counts.length} values instead of ${this.#starts.length}`,
      );
    }
    return { offsets, lengths: counts.slice(from, from + layout.down), codec: null };
  }
}
