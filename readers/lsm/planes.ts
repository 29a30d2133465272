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

  /**
   * How the planes of a scene are laid out, with the rows of the channel that holds most.
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

  /** Rows that the file holds; all where it holds none, which the plan then refuses. */
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
   * A plane of a channel, or of all channels where they are interleaved; of a line scan as far as the file holds it.
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
