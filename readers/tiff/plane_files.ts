/** The other files of a set, and planes that are a TIFF file each or a page of one. The files used last are kept. */
import { basename } from "node:path";
import { DecodeFailed, PlaneNotFound } from "../errors.ts";
import type { ByteSource } from "../io/byte_source.ts";
import type { FileAccess } from "../io/file_access.ts";
import type { Calibration } from "../metadata/axes.ts";
import { UNDATED } from "../metadata/moment.ts";
import { buildReferenceAxes, type ScanPath } from "../metadata/reference.ts";
import { FIRST_POSITION, type Reference } from "../reader.ts";
import { describeStack } from "./acquisition.ts";
import { type PageLayout, readPage } from "./page.ts";
import type { PlaneSource } from "./stack.ts";
import { describeLayout, hasSameLayout } from "./stored_planes.ts";
import { nameFileInErrors, TiffFile } from "./tiff_file.ts";

/** The result of `read` for another file of a set, or the reason for leaving the file out. Closes the file. */
export function readOther<T>(files: FileAccess, path: string, read: (tiff: TiffFile) => T): T | string {
  using file = files.openNeighbour(path);
  if (file === null) return "it cannot be opened";
  try {
    return read(new TiffFile(file, files));
  } catch (error) {
    if (error instanceof DecodeFailed) return error.message;
    throw error;
  }
}

/** Number of files that are kept, about 64 KiB each; a set has fewer channels. */
export const MAX_RECENT = 64;

/** Memory of a set of files: paths and, of the kept ones, windows, descriptions and chains of some thousand directories. */
export const estimateRecent = (files: number): number =>
  files * 1024 + Math.min(files, MAX_RECENT) * (160 << 10);

/** The opened file and, by path, the files of its set that were used last: 10,000 files take the memory of a few. */
export class RecentFiles<T> {
  readonly #path: string;
  readonly #opened: T;
  readonly #read: (path: string) => T;
  readonly #recent = new Map<string, T>();

  /** Always keeps `opened` at `path`; `read` opens another file. */
  constructor(path: string, opened: T, read: (path: string) => T) {
    this.#path = path;
    this.#opened = opened;
    this.#read = read;
  }

  /** The file at a path. @throws {DecodeFailed} it is damaged; the message names the file */
  get(path: string): T {
    if (path === this.#path) return this.#opened;
    const file = this.#recent.get(path) ?? nameFileInErrors(basename(path), () => this.#read(path));
    this.#recent.delete(path);
    this.#recent.set(path, file);
    const [oldest] = this.#recent.keys();
    if (this.#recent.size > MAX_RECENT && oldest !== undefined) this.#recent.delete(oldest);
    return file;
  }
}

/** Location of a plane: name of its file and index of its page. */
export interface PageLocation {
  readonly name: string;
  readonly page?: number;
}

/** Opens a file by name; `null` if it is missing. @throws {DecodeFailed | Unreadable} */
export type OpenPlaneFile = (name: string) => ByteSource | null;

/** The files of some planes. */
export class PlaneFiles {
  readonly first: PlaneSource;
  readonly #recent: RecentFiles<TiffFile>;

  private constructor(first: PageLocation, open: OpenPlaneFile, files: FileAccess) {
    const read = (name: string) => {
      const file = open(name);
      if (file === null) throw new PlaneNotFound(`"${name}" is missing`);
      return new TiffFile(file, files);
    };
    this.#recent = new RecentFiles(first.name, nameFileInErrors(first.name, () => read(first.name)), read);
    this.first = this.get(first);
  }

  /** Reads the first of some planes that is readable. @throws {DecodeFailed} the error of the first plane, if none is readable */
  static open(places: Iterable<PageLocation>, open: OpenPlaneFile, files: FileAccess): PlaneFiles {
    let failure: DecodeFailed | null = null;
    for (const place of places) {
      files.stop.check();
      try {
        return new PlaneFiles(place, open, files);
      } catch (error) {
        if (!isDamage(error)) throw error;
        failure ??= new DecodeFailed(error.message, { cause: error });
      }
    }
    throw failure ?? new DecodeFailed("it has no images");
  }

  static readonly indexBytes: number = estimateRecent(MAX_RECENT);

  /** One plane of the required layout, with `anyHeight` of any number of rows. @throws {PlaneNotFound | DecodeFailed} */
  get({ name, page: index = 0 }: PageLocation, layout?: PageLayout, anyHeight = false): PlaneSource {
    return nameFileInErrors(name, () => {
      const tiff = this.#recent.get(name);
      const directory = tiff.directory(index);
      if (directory === null) throw new PlaneNotFound(`it has no page ${index + 1}`);
      const page = readPage(directory);
      const height = anyHeight ? layout?.height ?? 0 : page.height;
      if (layout !== undefined && !hasSameLayout({ ...page, height }, layout)) {
        throw new DecodeFailed(`it is ${describeLayout(page)}, the first image ${describeLayout(layout)}`);
      }
      return { name, tiff, page };
    });
  }

  /** The layout of the first plane, with the rows of the tallest of some planes; unreadable planes are ignored. */
  tallest(places: Iterable<PageLocation>): PageLayout {
    let { height } = this.first.page;
    for (const place of places) {
      try {
        height = Math.max(height, this.get(place).page.height);
      } catch (error) {
        if (!isDamage(error)) throw error;
      }
    }
    return { ...this.first.page, height };
  }
}

const isDamage = (error: unknown): error is DecodeFailed | PlaneNotFound =>
  error instanceof DecodeFailed || error instanceof PlaneNotFound;

/** One channel of a reference image. */
export interface ReferenceChannel extends PageLocation {
  /** Its index among the channels of the file, which does not depend on missing channels. */
  readonly index: number;
  readonly channelName: string | null;
}

/** The reference image with these planes as channels. @throws {DecodeFailed} the first plane is damaged */
export function buildReference(
  channels: readonly ReferenceChannel[],
  planes: PlaneFiles,
  { steps, path }: { steps: { y: Calibration; x: Calibration }; path: ScanPath },
  files: FileAccess,
): Reference {
  const { page: layout, tiff } = planes.first;
  const acquisition = describeStack(
    {
      sizes: { T: 1, C: channels.length, Z: 1 },
      layout,
      calibrations: {},
      names: channels.map(({ channelName }) => channelName),
      moment: UNDATED,
      fileSize: 0,
      warnings: [],
      plane: ({ channel }) => planes.get(channels[channel]!, layout),
    },
    tiff.first,
    files.stop,
  );
  return {
    axes: buildReferenceAxes({ rows: layout.height, columns: layout.width }, steps),
    channels: acquisition.channels.map((channel, i) => ({ ...channel, index: channels[i]?.index ?? i })),
    ...path,
    plan: () => acquisition.plan(acquisition.channels.map(({ index }) => index), FIRST_POSITION),
  };
}
