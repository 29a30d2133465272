/** The TIFF images of a scan, each in a file or on a page of one, of which the latest stay read. */
import { join } from "node:path";
import { DecodeFailed, PlaneNotFound } from "../errors.ts";
import type { PvFile } from "../pvscan/document.ts";
import type { FileAccess } from "../io/random_access.ts";
import { type PageLayout, readPage } from "../tiff/page.ts";
import { MAX_RECENT, RecentFiles } from "../tiff/recent_files.ts";
import type { PlaneSource } from "../tiff/stack.ts";
import { sameLayout } from "../tiff/stored_planes.ts";
import { TiffFile } from "../tiff/tiff_file.ts";

/** Memory of a file that is read: its window and a few directories. */
const RECENT_BYTES = 80 << 10;

/** An image by the name of its file and its page. */
export type ImagePlace = Pick<PvFile, "name" | "page">;

/** The images in the folder of a document. */
export class PlaneImages {
  readonly #recent: RecentFiles<TiffFile>;
  /** The image that the others must be laid out like. */
  readonly first: PlaneSource;

  private constructor(first: ImagePlace, folder: string, files: FileAccess) {
    const read = (name: string) => {
      const file = files.openNeighbour(join(folder, name));
      if (file === null) throw new PlaneNotFound(`"${name}" is missing`);
      return new TiffFile(file, files);
    };
    this.#recent = new RecentFiles(first.name, within(first.name, () => read(first.name)), read);
    this.first = this.get(first);
  }

  /** Reads the first of some images that can be read. @throws {DecodeFailed} why the first cannot, where none can */
  static open(places: readonly ImagePlace[], folder: string, files: FileAccess): PlaneImages {
    let failure: unknown = null;
    for (const place of places) {
      files.stop.check();
      try {
        return new PlaneImages(place, folder, files);
      } catch (error) {
        if (!(error instanceof DecodeFailed || error instanceof PlaneNotFound)) throw error;
        failure ??= error;
      }
    }
    throw failure ?? new DecodeFailed("the document names no images");
  }

  /** Bytes of memory, from above. */
  static readonly indexBytes = (MAX_RECENT + 1) * RECENT_BYTES;

  /**
   * One image.
   *
   * @param layout what it must be laid out like
   * @param longer whether it may have more rows
   * @throws {PlaneNotFound} its file or its page is missing
   * @throws {DecodeFailed} it is damaged, or laid out otherwise
   */
  get({ name, page: index }: ImagePlace, layout?: PageLayout, longer = false): PlaneSource {
    return within(name, () => {
      const tiff = this.#recent.get(name);
      const directory = tiff.heldDirectory(index);
      if (directory === null) throw new PlaneNotFound(`it has no page ${index + 1}`);
      const page = readPage(directory);
      if (layout !== undefined) requireLayout(page, layout, longer);
      return { name, tiff, page, run: null };
    });
  }
}

function requireLayout(page: PageLayout, layout: PageLayout, longer: boolean): void {
  const height = longer ? Math.min(page.height, layout.height) : page.height;
  if (sameLayout({ ...page, height }, layout)) return;
  const [own, first] = [page, layout].map(({ width, height, samples, bits }) =>
    `${width} x ${height} x ${samples} of ${bits[0]} bits`
  );
  throw new DecodeFailed(`it is ${own}, the first image ${first}`);
}

/** What `read` gives; a failure names the file. */
function within<T>(name: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    const named = (message: string) => message.startsWith(`"${name}"`) ? message : `"${name}": ${message}`;
    if (error instanceof PlaneNotFound) throw new PlaneNotFound(named(error.message), { cause: error });
    if (error instanceof DecodeFailed) throw new DecodeFailed(named(error.message), { cause: error });
    throw error;
  }
}
