/** The image files, each a TIFF of one page, of which the latest stay read. */
import { DecodeFailed } from "../errors.ts";
import type { FileAccess } from "../io/random_access.ts";
import { type PageLayout, readPage } from "../tiff/page.ts";
import { MAX_RECENT, RecentFiles } from "../tiff/recent_files.ts";
import { sameLayout } from "../tiff/stored_planes.ts";
import { TiffFile } from "../tiff/tiff_file.ts";
import { type Warning, warning } from "../warning.ts";
import type { NamedStreams } from "./named_streams.ts";

/** An image file and its page. */
export interface PlaneImage {
  /** The file. */
  readonly tiff: TiffFile;
  /** Its first page; FluoView writes no other. */
  readonly page: PageLayout;
  /** Where there is another page, or what leads to it is damaged. */
  readonly warnings: readonly Warning[];
}

/** The image files of an acquisition. */
export class PlaneImages {
  readonly #recent: RecentFiles<PlaneImage>;
  readonly #streams: NamedStreams;
  readonly #files: FileAccess;

  /** Reads the first one. @throws {DecodeFailed} it is damaged, or no image of one sample of 8 or 16 bits */
  constructor(first: string, streams: NamedStreams, files: FileAccess) {
    this.#streams = streams;
    this.#files = files;
    this.#recent = new RecentFiles(first, this.#read(first), (name) => this.#read(name));
  }

  /** The first one of some that can be read. @throws {DecodeFailed} why the first cannot, where none can */
  static first(
    names: readonly string[],
    streams: NamedStreams,
    files: FileAccess,
  ): { readonly images: PlaneImages; readonly name: string } {
    let failure: DecodeFailed | null = null;
    for (const name of names) {
      files.stop.check();
      try {
        return { images: new PlaneImages(name, streams, files), name };
      } catch (error) {
        if (!(error instanceof DecodeFailed)) throw error;
        failure ??= error;
      }
    }
    throw failure ?? new DecodeFailed("it has no image files");
  }

  /** Bytes of memory, from above. */
  get indexBytes(): number {
    return (MAX_RECENT + 1) * (80 << 10);
  }

  /**
   * The image of a name.
   *
   * @param layout what it must be laid out like
   * @param longer whether it may have more rows
   * @throws {DecodeFailed} it is not there, damaged, or laid out otherwise
   */
  get(name: string, layout?: PageLayout, longer = false): PlaneImage {
    const image = this.#recent.get(name);
    const { page } = image;
    const height = longer ? Math.min(page.height, layout?.height ?? 0) : page.height;
    if (layout !== undefined && !sameLayout({ ...page, height }, layout)) {
      throw new DecodeFailed(
        `"${name}" has ${page.width} x ${page.height} pixels of ${
          page.bits[0]
        } bits, unlike the first plane of ` +
          `${layout.width} x ${layout.height} pixels of ${layout.bits[0]} bits`,
      );
    }
    return image;
  }

  #read(name: string): PlaneImage {
    const stream = this.#streams.open(name);
    if (stream === null) throw new DecodeFailed(`"${name}" is not there or cannot be opened`);
    try {
      const tiff = new TiffFile(stream, this.#files);
      const page = readPage(tiff.first);
      const bits = page.bits[0];
      if (page.samples !== 1 || page.kind !== "uint" || (bits !== 8 && bits !== 16)) {
        throw new DecodeFailed(
          `it holds ${page.samples} samples of ${
            page.bits.join(", ")
          } bits (${page.kind}); one of 8 or 16 is read`,
        );
      }
      return { tiff, page, warnings: chainWarnings(tiff, name) };
    } catch (error) {
      if (!(error instanceof DecodeFailed)) throw error;
      throw new DecodeFailed(`"${name}": ${error.message}`, { cause: error });
    }
  }
}

/** A warning where the chain of pages does not end with the first, which moved bytes would do to it. */
function chainWarnings(tiff: TiffFile, name: string): Warning[] {
  const pages = tiff.countUpTo(2);
  if (tiff.brokenTail !== null) {
    return [
      warning("file_damaged", `"${name}" names another page that it does not hold: ${tiff.brokenTail}`),
    ];
  }
  return pages > 1
    ? [warning("content_left_out", `"${name}" holds more than one page; the first is read`)]
    : [];
}
