/** The planes of an LSM file by scene, time, focus and channel, with the places of their strips. */
import { DecodeFailed, PlaneNotFound } from "../errors.ts";
import { type PageLayout, UNCOMPRESSED, where } from "../tiff/page.ts";
import { rowBytes } from "../tiff/samples.ts";
import type { PlaneSource } from "../tiff/stack.ts";
import { TAG } from "../tiff/tags.ts";
import type { TiffFile } from "../tiff/tiff_file.ts";
import { warning } from "../warning.ts";
import { type Dimensions, planeNumber } from "./dimensions.ts";
import { layoutOf, type LsmPage, type LsmSample, readLsmPage, sameKind } from "./lsm_page.ts";
import type { PageList } from "./page_list.ts";
import { StoredPage } from "./stored_page.ts";
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

/** Memory of a page that is kept: its directory, and where strips of six pages beside it begin. */
const PAGE_BYTES = 16 << 10;

/** Memory of the start of a strip, in two lists. */
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

  /** Bytes of memory for the page that is kept, about. */
  get indexBytes(): number {
    return PAGE_BYTES + STRIP_BYTES * this.first.directory.count(TAG.StripOffsets);
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
    const { pages, dimensions } = this.#known;
    const number = planeNumber(dimensions, place);
    const index = pages.planes[number];
    if (index === undefined) {
      throw new PlaneNotFound(`plane ${number} is missing: the file holds ${pages.planes.length} planes`);
    }
    const stored = this.#stored(number, index);
    const layout = layoutOf(stored.page, channel, rows);
    return {
      tiff: this.#tiff,
      page: layout,
      run: null,
      strips: stored.strips(layout, channel),
      warnings: stored.overlaps
        ? [
          warning(
            "file_damaged",
            `Strips of plane ${number} overlap those of neighbouring pages: an offset is damaged`,
          ),
        ]
        : [],
    };
  }

  /** The page of a plane; that of the last one is kept for its other channels. */
  #stored(number: number, index: number): StoredPage {
    if (this.#last?.index === index) return this.#last.stored;
    const { pages, offsets, first } = this.#known;
    const directory = this.#tiff.directoryAt(pages.offsets[index]!);
    const page = readLsmPage(this.#tiff, directory);
    if (!sameKind(page, first)) {
      throw new DecodeFailed(`plane ${number} in ${where(directory)} is unlike the first plane`);
    }
    const starts = offsets.ofPage(index);
    if (starts === null) throw new PlaneNotFound(`plane ${number} was never written: its strips lie nowhere`);
    const stored = new StoredPage(page, starts, offsets.beside(index), this.#tiff.file.size);
    this.#last = { index, stored };
    return stored;
  }
}
