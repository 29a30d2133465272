/** The files of an OME-TIFF set: their places, the missing ones, and whether they are the ones that the document means. */
import { basename, dirname } from "node:path";
import { DecodeFailed, PlaneNotFound, unlessDamaged } from "../../errors.ts";
import { MAX_FOLDER_ENTRIES } from "../../io/limits.ts";
import { lastNameOf, leavesFolder, placesOf } from "../../io/names_inside.ts";
import { listed, missingFiles, type Warning, warning } from "../../warning.ts";
import type { Directory } from "../directory.ts";
import { isOmeXml } from "../text.ts";
import type { OmeFile, TiffData } from "./ome_xml.ts";
import type { PageLayout } from "../page.ts";
import type { PlaneSource } from "../stack.ts";
import type { Opened } from "../opened.ts";
import { planePage } from "../stored_planes.ts";
import { TAG } from "../tags.ts";
import { recentBytes, RecentFiles } from "../recent_files.ts";
import { TiffFile } from "../tiff_file.ts";
import type { PlaneLookup } from "./ome_planes.ts";

/** The place of a plane. */
export interface Location {
  /** Path of the file. */
  readonly path: string;
  /** UUID that the file must have, if it states one. */
  readonly uuid: string | null;
  /** Number of the directory in the main chain. */
  readonly directory: number;
}

/** UUID of the file in OME-XML, or `null`; found as text, since the files of a set repeat a long document. */
export function uuidIn(text: string): string | null {
  return /<(?:\w+:)?OME\s[^>]*?\bUUID\s*=\s*["']([^"']*)["']/.exec(text)?.[1] ?? null;
}

/** Bytes of a document in which its root states a UUID. */
const ROOT_BYTES = 1 << 16;

/** UUID in the OME-XML of a file, or `null`. @throws {DecodeFailed} its first directory is damaged */
export function uuidOf(tiff: TiffFile): string | null {
  return uuidIn(tiff.first.textStarts(TAG.ImageDescription, ROOT_BYTES).find(isOmeXml) ?? "");
}

const titleOf = ({ name, uuid }: OmeFile) => name?.replaceAll("\\", "/") ?? uuid ?? "";

/** Memory of a file that a document names: name, UUID, path and size. */
const PLACE_BYTES = 1024;

/** A file and the UUID that it states; `undefined` until it is looked up. */
interface SetFile {
  readonly tiff: TiffFile;
  uuid: string | null | undefined;
}

/** The files of one OME-TIFF set. */
export class OmeSet {
  readonly #opened: Opened;
  readonly #xmlPath: string;
  /** UUID that the opened file states. */
  readonly #uuid: string | null;
  readonly #paths = new Map<OmeFile, string>();
  readonly #elsewhere: string[] = [];
  readonly #files: RecentFiles<SetFile>;
  readonly #sizes = new Map<string, number>();

  /**
   * Finds the files that a document names.
   *
   * @param places of all images
   * @param document its path, and the UUID of the opened file
   */
  constructor(
    opened: Opened,
    places: ReadonlySet<OmeFile>,
    { path: xmlPath, uuid }: { readonly path: string; readonly uuid: string | null },
  ) {
    this.#opened = opened;
    this.#xmlPath = xmlPath;
    this.#uuid = uuid;
    this.#sizes.set(opened.path, opened.tiff.file.size);
    if (places.size > MAX_FOLDER_ENTRIES) {
      throw new DecodeFailed(`OME-XML names ${places.size} files, more than ${MAX_FOLDER_ENTRIES}`);
    }
    // A document with a single file name means its own file, which may have been renamed.
    const alone = places.size === 1 && xmlPath === opened.path;
    for (const place of places) {
      const found = alone ? opened.path : this.#find(place);
      if (found !== null) this.#paths.set(place, found);
    }
    this.#files = new RecentFiles(
      opened.path,
      { tiff: opened.tiff, uuid: alone ? null : uuid },
      (path) => this.#openOther(path),
    );
  }

  /** Path of the file that a document names, or `null` where it is missing. */
  #find({ name, uuid }: OmeFile): string | null {
    if (uuid !== null && uuid === this.#uuid) return this.#opened.path;
    if (name === null) return uuid === null ? this.#xmlPath : null;
    const places = placesOf(dirname(this.#xmlPath), name);
    // A document in its own folder may name the opened file, which exists, by a path out of that folder.
    const own = leavesFolder(name) && lastNameOf(name) === basename(this.#opened.path)
      ? this.#opened.path
      : null;
    const found = this.#noteFirst(places) ?? own;
    // Folders of another machine do not say where the opened file should be.
    const expected = found === this.#opened.path
      ? places.length === 1
      : found === places[0] && !leavesFolder(name);
    if (found !== null && !expected) this.#elsewhere.push(name);
    return found;
  }

  /** Path of the first existing file, whose size is noted; `null` without one. */
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

  /** Paths of all existing files, with the document and the opened one. */
  filePaths(): string[] {
    return [this.#xmlPath, this.#opened.path, ...this.#paths.values()];
  }

  /** Bytes of all existing files. */
  totalSize(): number {
    return [...this.#sizes.values()].reduce((sum, size) => sum + size, 0);
  }

  /** Bytes of memory for the files of the set. */
  get indexBytes(): number {
    return this.#paths.size * PLACE_BYTES + recentBytes(this.#paths.size);
  }

  /** Warns about missing files, and about files found in another folder. */
  warnings(places: readonly OmeFile[]): Warning[] {
    const names = listed(this.#elsewhere.map((name) => `"${name}"`));
    const text = `Files of this set are read by their name alone, not from the folder named: ${names}`;
    return [
      ...missingFiles(places.filter((place) => !this.#paths.has(place)).map(titleOf)),
      ...this.#elsewhere.length > 0 ? [warning("name_left_folder", text)] : [],
    ];
  }

  /** The place of a plane; `null` when the document does not say it or the file is missing. */
  locate(number: number, lookup: PlaneLookup): Location | null {
    if (lookup.data.length === 0) return { path: this.#opened.path, uuid: null, directory: number };
    const data = lookup.find(number);
    const start = data && this.startOf(data);
    return start ? { ...start, directory: start.directory + number - data.first } : null;
  }

  /** The place of the first plane of a `TiffData`, `null` when its file is missing. */
  startOf({ place, directory }: TiffData): Location | null {
    const path = this.#paths.get(place);
    return path === undefined ? null : { path, uuid: place.uuid, directory };
  }

  /**
   * Whether some of these planes may exist: in another file of the set, or in a directory of the opened one.
   *
   * @param planes of the image
   */
  holds(tiffData: readonly TiffData[], planes: number): boolean {
    return tiffData.some((data) => {
      const start = data.count > 0 && data.first < planes ? this.startOf(data) : null;
      if (start?.path !== this.#opened.path) return start !== null;
      return this.#opened.tiff.heldDirectory(start.directory) !== null;
    });
  }

  /** Whether the file of a plane exists and its chain reaches the plane; damage shows when it is decoded. */
  stores(number: number, lookup: PlaneLookup): boolean {
    const location = this.locate(number, lookup);
    if (location === null) return false;
    const { directory } = location;
    return unlessDamaged(() => this.open(location).countUpTo(directory + 1) > directory, true);
  }

  /** Opens a file of the set. @throws {DecodeFailed} it is damaged, or has another UUID */
  open({ path, uuid }: Location): TiffFile {
    const file = this.#files.get(path);
    if (uuid === null) return file.tiff;
    if (file.uuid === undefined) file.uuid = uuidOf(file.tiff);
    if (file.uuid !== null && file.uuid !== uuid) {
      throw new DecodeFailed(
        `"${basename(path)}" is of another set: its UUID is "${file.uuid}", not "${uuid}"`,
      );
    }
    return file.tiff;
  }

  #openOther(path: string): SetFile {
    const { files } = this.#opened;
    try {
      return { tiff: new TiffFile(files.open(path), files), uuid: undefined };
    } catch (error) {
      if (!(error instanceof DecodeFailed)) throw error;
      throw new DecodeFailed(`"${basename(path)}" of this set: ${error.message}`, { cause: error });
    }
  }

  /** The directory of the first plane, or `null` where another file of the set is damaged. */
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
   * @throws {PlaneNotFound} its file is missing, unknown or too short
   * @throws {DecodeFailed} its file is damaged, or has another UUID
   */
  plane(number: number, lookup: PlaneLookup, layout: PageLayout, what: string): PlaneSource {
    const location = this.locate(number, lookup);
    if (location === null) {
      const data = lookup.find(number);
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
