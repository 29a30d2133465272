/** The files of an OME-TIFF set: where they are, which are missing, whether they are those that the document means. */
import { basename, dirname, join } from "node:path";
import { DecodeFailed, PlaneNotFound } from "../../errors.ts";
import { MAX_FOLDER_ENTRIES, MAX_XML_BYTES } from "../../limits.ts";
import type { XmlElement } from "../../xml.ts";
import type { Directory } from "../directory.ts";
import { filesOf, isOmeXml, type OmeFile, type OmeImage, type TiffData } from "../ome_xml.ts";
import type { PageLayout } from "../page.ts";
import type { PlaneSource } from "../stack.ts";
import type { Opened } from "../opened.ts";
import { planePage } from "../stored_planes.ts";
import { TAG } from "../tags.ts";
import { TiffFile } from "../tiff_file.ts";

/** Where a plane is. */
export interface Location {
  /** Path of the file. */
  readonly path: string;
  /** UUID that the file must have where it states one. */
  readonly uuid: string | null;
  /** Number of the directory in the main chain. */
  readonly directory: number;
}

/** Where a file may be that a document names: in its folder as written, else beside it by its name alone. */
export function placesOf(folder: string, name: string): [string, ...string[]] {
  const written = name.replaceAll("\\", "/");
  const beside = join(folder, basename(written));
  const absolute = written.startsWith("/") || /^[A-Za-z]:/.test(written);
  return absolute || join(folder, written) === beside ? [beside] : [join(folder, written), beside];
}

/** UUID that OME-XML states for its file, or `null`; looked up as text, since the files of a set repeat a long document. */
export function uuidIn(text: string): string | null {
  return /<(?:\w+:)?OME\s[^>]*?\bUUID\s*=\s*["']([^"']*)["']/.exec(text)?.[1] ?? null;
}

function uuidOf(tiff: TiffFile): string | null {
  return uuidIn(tiff.first.texts(TAG.ImageDescription, MAX_XML_BYTES).find(isOmeXml) ?? "");
}

const keyOf = ({ name, uuid }: OmeFile) => `${name}\n${uuid}`;

const titleOf = ({ name, uuid }: OmeFile) => name?.replaceAll("\\", "/") ?? uuid ?? "";

/** The files of one OME-TIFF set. */
export class OmeSet {
  readonly #opened: Opened;
  readonly #xmlPath: string;
  /** UUID that the opened file states. */
  readonly #uuid: string | null;
  /** Paths by {@linkcode keyOf}. */
  readonly #paths = new Map<string, string>();
  readonly #missing: string[] = [];
  readonly #elsewhere: string[] = [];
  readonly #tiffs = new Map<string, TiffFile>();
  readonly #sizes = new Map<string, number>();

  /**
   * Finds the files that the images name.
   *
   * @param images all images of the document, whose files are one set
   * @param image the one whose planes are asked for
   * @param document its path, and the UUID that the opened file states
   */
  constructor(
    opened: Opened,
    images: readonly XmlElement[],
    image: OmeImage,
    { path: xmlPath, uuid }: { readonly path: string; readonly uuid: string | null },
  ) {
    this.#opened = opened;
    this.#xmlPath = xmlPath;
    this.#uuid = uuid;
    this.#tiffs.set(opened.path, opened.tiff);
    this.#sizes.set(opened.path, opened.tiff.file.size);
    const wanted = new Map(image.tiffData.map(({ place }) => [keyOf(place), place]));
    const all = new Map(images.flatMap(filesOf).map((place) => [keyOf(place), place]));
    if (all.size > MAX_FOLDER_ENTRIES) {
      throw new DecodeFailed(`OME-XML names ${all.size} files, more than ${MAX_FOLDER_ENTRIES}`);
    }
    // A document that names one file alone means its own, which may have been renamed.
    const alone = all.size === 1 && xmlPath === opened.path;
    for (const [key, place] of all) {
      const found = alone ? opened.path : this.#find(place);
      if (found !== null) this.#paths.set(key, found);
      else if (wanted.has(key)) this.#missing.push(titleOf(place));
    }
    if (alone) this.#uuid = null;
  }

  /** Path of the file that a document names, or `null` where it is missing. */
  #find({ name, uuid }: OmeFile): string | null {
    if (uuid !== null && uuid === this.#uuid) return this.#opened.path;
    if (name === null) return uuid === null ? this.#xmlPath : null;
    const places = placesOf(dirname(this.#xmlPath), name);
    const found = this.#noteFirst(places);
    // Absolute paths of another machine say nothing of where the opened file should be.
    const expected = found === this.#opened.path && places.length === 1;
    if (
      found !== null && !expected &&
      basename(dirname(found)) !== basename(dirname(places[0]))
    ) this.#elsewhere.push(name);
    return found;
  }

  /** Notes the size of the first of these files that is there, and gives its path; `null` without one. */
  #noteFirst(places: readonly string[]): string | null {
    for (const place of places) {
      if (place === this.#opened.path) return place;
      const file = this.#opened.files.openNeighbour(place);
      if (file === null) continue;
      file.close();
      this.#sizes.set(file.path, file.size);
      return file.path;
    }
    return null;
  }

  /** Bytes of all files that were found. */
  totalSize(): number {
    return [...this.#sizes.values()].reduce((sum, size) => sum + size, 0);
  }

  /** Which files are missing or lie elsewhere. */
  warnings(): string[] {
    const listed = (what: string, [first, ...more]: readonly string[]) =>
      first === undefined ? [] : [`${what}: "${first}"${more.length > 0 ? ` and ${more.length} more` : ""}`];
    return [
      ...listed("Files of this set are missing", this.#missing),
      ...listed("Files of this set are read by their name alone, not from the folder named", this.#elsewhere),
    ];
  }

  /** Where a plane is, or `null` when the document does not say or the file is missing. */
  locate(number: number, tiffData: readonly TiffData[]): Location | null {
    if (tiffData.length === 0) return { path: this.#opened.path, uuid: null, directory: number };
    const data = tiffData.findLast(({ first, count }) => number >= first && number - first < count);
    if (!data) return null;
    const start = this.startOf(data);
    return start && { ...start, directory: start.directory + number - data.first };
  }

  /** Where the first plane of a `TiffData` is, or `null` when its file is missing. */
  startOf({ place, directory }: TiffData): Location | null {
    const path = this.#paths.get(keyOf(place));
    return path === undefined ? null : { path, uuid: place.uuid, directory };
  }

  /** Opens a file of the set, once. @throws {DecodeFailed} the file is damaged, or is another than the document means */
  open({ path, uuid }: Location): TiffFile {
    const known = this.#tiffs.get(path);
    const tiff = known ?? this.#openOther(path);
    this.#tiffs.set(path, tiff);
    const own = uuid === null ? null : tiff === this.#opened.tiff ? this.#uuid : uuidOf(tiff);
    if (own !== null && own !== uuid) {
      throw new DecodeFailed(`"${basename(path)}" is of another set: its UUID is "${own}", not "${uuid}"`);
    }
    return tiff;
  }

  #openOther(path: string): TiffFile {
    const { files } = this.#opened;
    try {
      return new TiffFile(files.open(path), files);
    } catch (error) {
      if (!(error instanceof DecodeFailed)) throw error;
      throw new DecodeFailed(`"${basename(path)}" of this set: ${error.message}`, { cause: error });
    }
  }

  /** The directory of the first plane, or `null` where it cannot be read; other channels may be. */
  start(location: Location): Directory | null {
    try {
      return this.open(location).directory(location.directory);
    } catch (error) {
      if (error instanceof DecodeFailed && location.path !== this.#opened.path) return null;
      throw error;
    }
  }

  /**
   * The plane of this number in the dimension order; `what` names it in messages.
   *
   * @throws {PlaneNotFound} its file is missing, or no file is named for it, or that file ends before it
   * @throws {DecodeFailed} its file is damaged, or another than the document means
   */
  plane(number: number, tiffData: readonly TiffData[], layout: PageLayout, what: string): PlaneSource {
    const location = this.locate(number, tiffData);
    if (location === null) {
      const data = tiffData.findLast(({ first, count }) => number >= first && number - first < count);
      throw new PlaneNotFound(
        data
          ? `${what} is in "${titleOf(data.place)}", which is missing`
          : `OME-XML names no directory for ${what}`,
      );
    }
    const tiff = this.open(location);
    const directory = tiff.heldDirectory(location.directory);
    const page = tiff === this.#opened.tiff || directory === null
      ? planePage(directory, layout, what)
      : planePage(directory, layout, `${what} of "${basename(location.path)}"`);
    return { tiff, page, run: null };
  }
}
