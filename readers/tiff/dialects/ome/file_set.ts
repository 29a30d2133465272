/** The files of an OME-TIFF set: their paths, missing files, UUIDs and planes. */
import { basename, dirname } from "node:path";
import { DecodeFailed, PlaneNotFound, unlessDamaged } from "../../../errors.ts";
import { MAX_FOLDER_ENTRIES } from "../../../io/limits.ts";
import { alike, findNamedFiles } from "../../../io/names.ts";
import { leavesFolder, listPossiblePaths, takeLastName } from "../../../io/paths.ts";
import { listed, missingFiles, warnIf, type Warning } from "../../../warning.ts";
import type { Directory } from "../../directory.ts";
import type { PageLayout } from "../../page.ts";
import type { OpenedTiff, PlaneSource } from "../../stack.ts";
import { explainEnd, findPlanePage } from "../../stored_planes.ts";
import { TAG } from "../../tags.ts";
import { isOmeXml } from "../../marks.ts";
import { RecentFiles } from "../../plane_files.ts";
import { TiffFile } from "../../tiff_file.ts";
import type { OmeFile, OmeXmlScene, TiffData } from "./xml.ts";

/** Location of a plane: path of the file, number of the directory, and the file's expected UUID if the document states one. */
type Location = Pick<TiffData, "directory"> & Pick<OmeFile, "uuid"> & { readonly path: string };

/** The file's UUID in OME-XML, or `null`. A text search finds it, since the files of a set repeat a long document. */
export function findUuid(text: string): string | null {
  return /<(?:\w+:)?OME\s[^<>]*?\bUUID\s*=\s*["']([^"']*)["']/.exec(text)?.[1] ?? null;
}

/** Number of ranges before that of a plane in which others with the plane are searched. */
const MAX_OTHERS = 64;

/** Number of pages up to which those without a plane are counted. */
const MAX_UNNAMED = 256;

/** Bytes at the start of a document in which its root may state a UUID. */
const ROOT_BYTES = 1 << 16;

/** UUID in the OME-XML of a file, or `null`. @throws {DecodeFailed} the file's first directory is damaged */
export function readUuid(tiff: TiffFile): string | null {
  return findUuid(tiff.first.textStarts(TAG.ImageDescription, ROOT_BYTES).find(isOmeXml) ?? "");
}

const nameOmeFile = ({ name, uuid }: OmeFile) => name?.replaceAll("\\", "/") ?? uuid ?? "";

/** The files of one OME-TIFF set. */
export class OmeSet {
  readonly #opened: OpenedTiff;
  readonly #xmlPath: string;
  readonly #paths = new Map<OmeFile, string>();
  readonly #elsewhere: string[] = [];
  /** Files with the UUIDs that they state. */
  readonly #files: RecentFiles<{ readonly tiff: TiffFile; readonly uuid: string | null }>;
  readonly #sizes = new Map<string, number>();

  /** Finds the files that the document at `xmlPath` names for all images; `uuid` is that of the opened file. */
  constructor(opened: OpenedTiff, places: ReadonlySet<OmeFile>, xmlPath: string, uuid: string | null) {
    this.#opened = opened;
    this.#xmlPath = xmlPath;
    this.#sizes.set(opened.path, opened.tiff.file.size);
    if (places.size > MAX_FOLDER_ENTRIES) {
      throw new DecodeFailed(`OME-XML names ${places.size} files, more than ${MAX_FOLDER_ENTRIES}`);
    }
    // If a document names a single file, it means its own file, which may have been renamed.
    const alone = places.size === 1 && xmlPath === opened.path;
    const isOwn = (place: OmeFile) => place.uuid !== null && place.uuid === uuid;
    const names = [...places].filter((place) => !alone && !isOwn(place)).map(({ name }) => name);
    const named = findNamedFiles(opened.files, dirname(xmlPath), names.filter((name) => name !== null));
    for (const place of places) {
      const found = alone || isOwn(place) ? opened.path : this.#find(place, named);
      if (found !== null) this.#paths.set(place, found);
    }
    const own = { tiff: opened.tiff, uuid: alone ? null : uuid };
    this.#files = new RecentFiles(opened.path, own, (path) => {
      const tiff = new TiffFile(opened.files.open(path), opened.files);
      return { tiff, uuid: readUuid(tiff) };
    });
  }

  #find({ name, uuid }: OmeFile, named: ReadonlyMap<string, string>): string | null {
    const { path } = this.#opened;
    if (name === null) return uuid === null ? this.#xmlPath : null;
    const places = listPossiblePaths(dirname(this.#xmlPath), name);
    const leaves = leavesFolder(name);
    // The document may name the opened file by a path out of its folder. The opened file exists in any case.
    const own = leaves && alike(takeLastName(name), basename(path)) ? path : null;
    const place = named.get(name);
    const found = place === undefined ? own : this.#existing(place) ?? own;
    // Folders of another machine do not show where the opened file should be.
    const isExpected = found === path ? places.length === 1 : !leaves && alike(place ?? "", places[0] ?? "");
    if (found !== null && !isExpected) this.#elsewhere.push(name);
    return found;
  }

  #existing(place: string): string | null {
    if (place === this.#opened.path) return place;
    using file = this.#opened.files.openNeighbour(place);
    if (file) this.#sizes.set(file.path, file.size);
    return file && file.path;
  }

  get filePaths(): string[] {
    return [this.#xmlPath, this.#opened.path, ...this.#paths.values()];
  }

  get totalSize(): number {
    return this.#sizes.values().reduce((sum, size) => sum + size, 0);
  }

  warnings(places: readonly OmeFile[]): Warning[] {
    const names = listed(this.#elsewhere.map((name) => `"${name}"`));
    const text = `Files of this set are read by their name alone, not from the folder named: ${names}`;
    return [
      ...missingFiles(places.filter((place) => !this.#paths.has(place)).map(nameOmeFile)),
      ...warnIf(this.#elsewhere.length > 0, "name_left_folder", text),
    ];
  }

  /** Whether one of these files is missing. */
  lacks(places: readonly OmeFile[]): boolean {
    return places.some((place) => !this.#paths.has(place));
  }

  /** Warns about planes without a directory, and with several ones. */
  directoryWarnings({ ranges, planes }: PlaneLookup): Warning[] {
    const { tiff, path } = this.#opened;
    let [covered, reached, repeated] = [0, 0, 0];
    let farthest: PlaneRange | null = null;
    for (const range of ranges) {
      const { first, end } = range;
      if (end === first) continue;
      covered += Math.max(0, end - Math.max(first, reached));
      const isOther = farthest !== null && !namesSameDirectory(farthest, range);
      if (isOther) repeated += Math.max(0, Math.min(end, reached) - first);
      if (end > reached) [reached, farthest] = [end, range];
    }
    const own = ranges.filter(({ first, end, data }) => end > first && this.#startOf(data)?.path === path);
    const needed = ranges.length === 0
      ? planes
      : own.reduce((most, { first, end, data }) => Math.max(most, data.directory + end - first), 0);
    const present = tiff.countUpTo(needed + 1);
    const unnamed = `OME-XML says where ${covered} of the ${planes} planes that it declares are`;
    const absent = `OME-XML names ${needed} directories of this file, which has ${present}${
      explainEnd(tiff)
    }`;
    const several =
      `OME-XML names several directories for a plane; the last one that exists is served; planes: ${repeated}`;
    return [
      ...warnIf(ranges.length > 0 && covered < planes, "planes_missing", unnamed),
      ...warnIf(present < needed, "planes_missing", absent),
      ...warnIf(repeated > 0, "planes_repeated", several),
    ];
  }

  /** Warns about pages of the opened file of this layout that belong to none of the images. */
  unnamedPages(images: readonly OmeXmlScene[], { width, height }: PageLayout): Warning[] {
    const { tiff, path } = this.#opened;
    const all = images.flatMap(({ tiffData, sizes: { T, C, Z } }) =>
      tiffData.length === 0 ? [[0, T * C * Z] as const] : tiffData.flatMap((data) => {
        const { directory, count, counted, first } = data;
        const end = directory + (counted ? count : Math.min(count, Math.max(1, T * C * Z - first)));
        return this.#startOf(data)?.path === path ? [[directory, end] as const] : [];
      })
    ).sort(([a], [b]) => a - b);
    let [reached, unnamed] = [0, 0];
    const count = (from: number, to: number) => {
      for (let page = from; page < to && unnamed < MAX_UNNAMED; page += 1) {
        const directory = tiff.directory(page);
        if (directory === null) return;
        const isPlane = directory.number(TAG.ImageWidth) === width &&
          directory.number(TAG.ImageLength) === height;
        if (isPlane) unnamed += 1;
      }
    };
    for (const [start, end] of all) {
      count(reached, start);
      reached = Math.max(reached, end);
    }
    count(reached, reached + MAX_UNNAMED);
    const number = unnamed < MAX_UNNAMED ? `${unnamed}` : `${MAX_UNNAMED} or more`;
    const text = `OME-XML names no plane for some pages of the file, which are left out: ${number}`;
    return warnIf(unnamed > 0, "content_left_out", text);
  }

  /** The places of a plane, the likelier one first. */
  #placesOf(number: number, lookup: PlaneLookup): Location[] {
    if (lookup.ranges.length === 0) return [{ path: this.#opened.path, uuid: null, directory: number }];
    return lookup.find(number).flatMap((data) => {
      const start = this.#startOf(data);
      return start ? [{ ...start, directory: start.directory + number - data.first }] : [];
    });
  }

  /** The place of a plane: of several, one whose file and page exist, else one that may be damaged; `null` if its file is missing. */
  #locate(number: number, lookup: PlaneLookup): Location | null {
    const places = this.#placesOf(number, lookup);
    if (places.length < 2) return places[0] ?? null;
    return places.find((place) => this.#isStored(place, false)) ??
      places.find((place) => this.#isStored(place, true)) ?? places[0]!;
  }

  /** Whether the chain of a file reaches a directory; `otherwise` for a damaged file. */
  #isStored(place: Location, otherwise: boolean): boolean {
    const needed = place.directory + 1;
    return unlessDamaged(() => this.#open(place).countUpTo(needed) === needed, otherwise);
  }

  #startOf({ place, directory }: TiffData): Location | null {
    const path = this.#paths.get(place);
    return path === undefined ? null : { path, uuid: place.uuid, directory };
  }

  /** Whether any of the `planes` of an image may exist: in another file of the set, or in a directory of the opened file. */
  holds(tiffData: readonly TiffData[], planes: number): boolean {
    return tiffData.some((data) => {
      const start = data.count > 0 && data.first < planes ? this.#startOf(data) : null;
      if (start?.path !== this.#opened.path) return start !== null;
      return this.#opened.tiff.directory(start.directory) !== null;
    });
  }

  /** The document of the file with a plane; `null` if the file is missing or has none. @throws {DecodeFailed} the file is damaged */
  documentAt(number: number, lookup: PlaneLookup): string | null {
    const location = this.#locate(number, lookup);
    const texts = location && this.#open(location).first.textStarts(TAG.ImageDescription, ROOT_BYTES);
    return texts?.find(isOmeXml) ?? null;
  }

  /** Whether the file of a plane exists and its chain reaches the plane. Damage is found when the plane is decoded. */
  stores(number: number, lookup: PlaneLookup): boolean {
    return this.#placesOf(number, lookup).some((place) => this.#isStored(place, true));
  }

  #open({ path, uuid }: Location): TiffFile {
    const file = this.#files.get(path);
    if (uuid === null || file.uuid === null || file.uuid === uuid) return file.tiff;
    const other = `"${basename(path)}" is of another set`;
    throw new DecodeFailed(`${other}: its UUID is "${file.uuid}", not "${uuid}"`);
  }

  /** The directory of the first plane of a `TiffData`; `null` if it is missing or another file of the set is damaged. */
  start(data: TiffData): Directory | null {
    const location = this.#startOf(data);
    const read = () => location && this.#open(location).directory(location.directory);
    return location?.path === this.#opened.path ? read() : unlessDamaged(read, null);
  }

  /** A plane. @throws {PlaneNotFound | DecodeFailed} its file is missing, unknown or too short; damaged, or has another UUID */
  plane(number: number, lookup: PlaneLookup, layout: PageLayout, what: string): PlaneSource {
    const location = this.#locate(number, lookup);
    if (location === null) {
      const [data] = lookup.find(number);
      if (!data) throw new PlaneNotFound(`OME-XML names no directory for ${what}`);
      throw new PlaneNotFound(`${what} is in "${nameOmeFile(data.place)}", which is missing`);
    }
    const tiff = this.#open(location);
    const name = tiff === this.#opened.tiff ? what : `${what} of "${basename(location.path)}"`;
    return { tiff, page: findPlanePage(tiff.directory(location.directory), layout, name) };
  }
}

/** The planes of a `TiffData`. */
export interface PlaneRange {
  readonly first: number;
  readonly end: number;
  readonly data: TiffData;
}

/** Whether two ranges name the same directory for the planes in both. */
const namesSameDirectory = ({ data: a }: PlaneRange, { data: b }: PlaneRange) =>
  a.place === b.place && a.directory - a.first === b.directory - b.first;

/** The planes of an image, by number. */
export class PlaneLookup {
  readonly planes: number;
  /** The ranges by first plane, those with equal ones in document order. Without a count, a range ends where the next one begins. */
  readonly ranges: readonly PlaneRange[];
  /** Largest end of the ranges up to each one. */
  readonly #reach: Float64Array;

  constructor(all: readonly TiffData[], planes: number) {
    this.planes = planes;
    const sorted = all.toSorted((a, b) => a.first - b.first);
    const ranges: PlaneRange[] = [];
    let next = planes;
    for (const [i, data] of sorted.entries().toArray().reverse()) {
      const { first, count, counted } = data;
      if ((sorted[i + 1]?.first ?? planes) > first) next = sorted[i + 1]?.first ?? planes;
      const end = Math.min(first + count, counted ? planes : next, planes);
      ranges.push({ first, end: Math.max(first, end), data });
    }
    this.ranges = ranges.reverse();
    this.#reach = Float64Array.from(this.ranges, ({ end }) => end);
    for (let i = 1; i < this.#reach.length; i += 1) {
      this.#reach[i] = Math.max(this.#reach[i]!, this.#reach[i - 1]!);
    }
  }

  /** Every `TiffData` that contains a plane, the one that begins last first. */
  find(plane: number): TiffData[] {
    let [low, high] = [0, this.ranges.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.ranges[middle]!.first <= plane) low = middle + 1;
      else high = middle;
    }
    const found: TiffData[] = [];
    let others = 0;
    for (let i = low - 1; i >= 0 && this.#reach[i]! > plane && others < MAX_OTHERS; i -= 1) {
      if (found.length > 0) others += 1;
      if (this.ranges[i]!.end > plane) found.push(this.ranges[i]!.data);
    }
    return found;
  }
}
