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
import type { PageList } from "./page_list.ts";
import type { StripOffsets } from "./strip_offsets.ts";

/** What is known of the pages. */
interface KnownPages {
  readonly pages: PageList;
  readonly offsets: StripOffsets;
  readonly first: LsmPage;
  readonly dimensions: Dimensions;
}

/** Which plane, channels aside. */
export interface PlaceOfPlane {
  /** Tile or position. */
  readonly scene: number;
  /** Time point. */
  readonly t: number;
  /** Focus plane. */
  readonly z: number;
}

/** Complete rows of the channels of a scene. */
export interface StoredRows {
  /** Of the channel that has most. */
  readonly most: number;
  /** Of the one of these channels that has fewest. */
  ofChannels(channels: readonly number[]): number;
}

/** LZW takes at most 12 bits for a byte, and some for its codes. */
const longestLzw = (bytes: number) => 2 * bytes + 16;

/** The planes of one file. */
export class LsmPlanes {
  readonly #tiff: TiffFile;
  readonly #known: KnownPages;

  /** Reads nothing yet. */
  constructor(tiff: TiffFile, known: KnownPages) {
    this.#tiff = tiff;
    this.#known = known;
  }

  /** The first page, whose kind all others have. */
  get first(): LsmPage {
    return this.#known.first;
  }

  /** The channels. */
  get samples(): readonly LsmSample[] {
    return this.first.samples;
  }

  /** True where each channel has strips of its own, or there is but one. */
  get separate(): boolean {
    return this.first.planar || this.samples.length === 1;
  }

  /** How many planes there are, those that were never written included. */
  get held(): number {
    return this.#known.pages.planes.length;
  }

  /** How the planes of a channel are stored, with so many rows. */
  layout(channel: number, rows: number): PageLayout {
    return layoutOf(this.first, channel, rows);
  }

  /**
   * Complete rows of a scene: those of its page, or fewer where a line scan was interrupted and its file ends before.
   *
   * @throws {DecodeFailed} the page is damaged
   */
  rows(scene: number): StoredRows {
    const { height } = this.first;
    if (this.#known.dimensions.rows !== "T" || this.first.compression !== UNCOMPRESSED) {
      return { most: height, ofChannels: () => height };
    }
    const sources = Array.from(
      { length: this.separate ? this.samples.length : 1 },
      (_, channel) => this.plane({ scene, t: 0, z: 0 }, channel, height),
    );
    const stored = this.separate ? sources.map((source) => this.#rowsInFile(source)) : [];
    const shared = sources[0] ? this.#rowsInFile(sources[0]) : height;
    const of = (channels: readonly number[]) =>
      this.separate
        ? channels.reduce((least, channel) => Math.min(least, stored[channel] ?? height), height)
        : shared;
    const most = this.separate ? stored.reduce((greatest, rows) => Math.max(greatest, rows), 0) : shared;
    // A page without a single row is damaged, as any other image is that lacks rows.
    return most === 0 ? { most: height, ofChannels: () => height } : {
      most,
      ofChannels: (channels) => of(channels) || most,
    };
  }

  #rowsInFile({ page, strips }: PlaneSource): number {
    const row = rowBytes(page.width, page.bits);
    const { size } = this.#tiff.file;
    let rows = 0;
    for (let i = 0; i < page.down; i += 1) {
      const whole = Math.min(page.segmentHeight, page.height - i * page.segmentHeight);
      const there = Math.max(0, Math.floor((size - (strips?.offsets[i] ?? size)) / row));
      rows += Math.min(whole, there);
      if (there < whole) break;
    }
    return rows;
  }

  /**
   * A plane of a channel; of all channels where they are interleaved.
   *
   * @param rows how many rows it is to have, from the first on
   * @throws {PlaneNotFound} it was never written
   * @throws {DecodeFailed} its page is damaged
   */
  plane(place: PlaceOfPlane, channel: number, rows: number): PlaneSource {
    const { pages, offsets, first, dimensions } = this.#known;
    const number = planeNumber(dimensions, place);
    const index = pages.planes[number];
    const at = index === undefined ? undefined : pages.offsets[index];
    if (index === undefined || at === undefined) {
      throw new PlaneNotFound(`plane ${number} is missing: the file holds ${pages.planes.length} planes`);
    }
    const directory = this.#tiff.directoryAt(at);
    const page = readLsmPage(this.#tiff, directory);
    if (!sameKind(page, first)) {
      throw new DecodeFailed(`plane ${number} in ${where(directory)} is unlike the first plane`);
    }
    const stored = offsets.ofPage(index);
    if (stored === null) throw new PlaneNotFound(`plane ${number} was never written: its strips lie nowhere`);
    const layout = layoutOf(page, channel, rows);
    return {
      tiff: this.#tiff,
      page: layout,
      run: null,
      strips: this.#strips({ page, index, stored }, layout, channel),
      warnings: page.compression === UNCOMPRESSED && this.#overlap(page, index, stored)
        ? [`Strips of plane ${number} and of pages beside it lie over each other: an offset is damaged`]
        : [],
    };
  }

  #strips(
    { page, index, stored }: {
      readonly page: LsmPage;
      readonly index: number;
      readonly stored: Float64Array;
    },
    layout: PageLayout,
    channel: number,
  ): StripPlaces {
    const from = page.planar ? channel * page.strips : 0;
    const own = stored.slice(from, from + layout.down);
    const row = rowBytes(layout.width, layout.bits);
    const needed = own.map((_, i) =>
      row * Math.min(layout.segmentHeight, layout.height - i * layout.segmentHeight)
    );
    if (page.compression === LZW) {
      const { file } = this.#tiff;
      const lengths = own.map((offset, i) => {
        const end = Math.min(this.#known.offsets.following(index, offset), file.size);
        return Math.max(0, Math.min(end - offset, longestLzw(needed[i] ?? 0)));
      });
      return { offsets: own, lengths, codec: lzwToLength };
    }
    if (!page.directory.lists(TAG.StripByteCounts)) return { offsets: own, lengths: needed, codec: null };
    const counts = page.directory.numbers(TAG.StripByteCounts, this.#tiff.file.size);
    if (counts.length < stored.length) {
      throw new DecodeFailed(
        `${tagName(TAG.StripByteCounts)} has ${counts.length} values, ${stored.length} are needed`,
      );
    }
    return { offsets: own, lengths: counts.slice(from, from + layout.down), codec: null };
  }

  /** Whether another strip begins before one of samples as they are ends, as no program writes them. */
  #overlap(page: LsmPage, index: number, stored: Float64Array): boolean {
    return stored.some((start, i) => {
      const held = layoutOf(page, page.planar ? Math.floor(i / page.strips) : 0, page.height);
      const rows = Math.min(page.stripRows, page.height - i % page.strips * page.stripRows);
      const end = start + rows * rowBytes(page.width, held.bits);
      return this.#known.offsets.following(index, start) < end || stored.indexOf(start) !== i;
    });
  }
}
