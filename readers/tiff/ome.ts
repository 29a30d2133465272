/**
 * OME-TIFF: OME-XML in the first ImageDescription, or in a file that it names (BinaryOnly), maps planes to
 * directories of one or several files. Sub-resolutions lie in SubIFDs and are not looked at; modulo annotations
 * are ignored; of several images the first is served.
 */
import { basename, dirname, join } from "node:path";
import { DecodeFailed } from "../errors.ts";
import { MAX_FOLDER_ENTRIES, MAX_XML_BYTES } from "../limits.ts";
import { decodeText, type Directory } from "./directory.ts";
import {
  firstImage,
  isOmeXml,
  type OmeDocument,
  type OmeImage,
  parseOme,
  planeNumber,
  type TiffData,
} from "./ome_xml.ts";
import { type PageLayout, readPage } from "./page.ts";
import { openPlain } from "./plain.ts";
import type { PlaneSource } from "./plane_plan.ts";
import { firstMoment, type Opened, planePage, type Stack, tagMoment } from "./stack.ts";
import { TAG } from "./tags.ts";
import { TiffFile } from "./tiff_file.ts";

/** The stack of an OME-TIFF, with the other files of its set, or `null`. */
export function openOme(opened: Opened): Stack | null {
  const text = opened.descriptions.find(isOmeXml);
  if (text === undefined) return null;
  const own = parseOme(text, "OME-XML");
  if (own.metadataFile === null) return imageStack(opened, own, opened.path, 0);
  const named = own.metadataFile.replaceAll("\\", "/");
  const companion =
    placesOf(dirname(opened.path), named).find((path) => opened.files.kind(path) === "file") ??
      join(dirname(opened.path), basename(named));
  const read = readCompanion(opened, companion);
  if (typeof read === "string") {
    const plain = openPlain(opened);
    const warning = `The metadata of this file are in "${
      basename(companion)
    }", which ${read}; it is read alone`;
    return { ...plain, warnings: [...plain.warnings, warning] };
  }
  return imageStack(opened, read.document, companion, read.size);
}

/** The document of a companion file, or why there is none. */
function readCompanion({ files }: Opened, path: string): { document: OmeDocument; size: number } | string {
  const file = files.openNeighbour(path);
  if (file === null) return "is missing";
  try {
    const head = file.read(0, Math.min(4, file.size), "the start");
    const tiff = head.length === 4 &&
      (head[0] === 0x49 && head[1] === 0x49 || head[0] === 0x4d && head[1] === 0x4d);
    const text = tiff
      ? new TiffFile(file, files).directory(0)!.texts(TAG.ImageDescription, MAX_XML_BYTES).find(isOmeXml)
      : file.size <= MAX_XML_BYTES
      ? decodeText(file.read(0, file.size, "the document"))
      : undefined;
    if (text === undefined || !isOmeXml(text)) return "holds no OME-XML";
    // A TIFF with the metadata is one of the files with planes, which are counted apart.
    return { document: parseOme(text, `OME-XML in "${basename(path)}"`), size: tiff ? 0 : file.size };
  } catch (error) {
    if (error instanceof DecodeFailed) return `cannot be read (${error.message})`;
    throw error;
  } finally {
    file.close();
  }
}

function imageStack(opened: Opened, document: OmeDocument, xmlPath: string, xmlSize: number): Stack | null {
  const image = firstImage(document);
  if (image === null) return null;
  const set = new OmeSet(opened, image, xmlPath);
  const origin = { T: 0, C: 0, Z: 0 };
  const start = set.locate(planeNumber(image.order, image.sizes, origin), image.tiffData);
  const directory = (start && set.start(start)) ?? opened.first;
  const layout = readPage(directory);
  const { samples } = layout;
  // SizeC counts samples; FirstC counts channels in files that follow the schema, samples in others.
  const folded = samples > 1 && image.sizes.C % samples === 0;
  const sizes = folded ? { ...image.sizes, C: image.sizes.C / samples } : image.sizes;
  const data = folded ? foldSamples(image, samples) : image.tiffData;
  return {
    sizes,
    layout,
    calibrations: image.calibrations,
    names: image.names,
    moment: firstMoment(image.moment, tagMoment(opened.first)),
    fileSize: xmlSize + set.totalSize(),
    warnings: set.warnings(),
    plane: ({ time, channel, focus }) => {
      const number = planeNumber(image.order, sizes, { T: time, C: channel, Z: focus });
      return set.plane(number, data, layout, `the plane T=${time} C=${channel} Z=${focus}`);
    },
  };
}

/** Plane numbers of a document whose C counts samples, in terms of channels. */
function foldSamples({ tiffData, order, sizes }: OmeImage, samples: number): TiffData[] {
  const channels = sizes.C / samples;
  const starts = tiffData.map((data) => {
    let rest = data.first;
    const at = { T: 0, C: 0, Z: 0 };
    for (const letter of order) {
      at[letter] = rest % sizes[letter];
      rest = Math.floor(rest / sizes[letter]);
    }
    return at;
  });
  // One that is too large for a channel shows that all of them count samples.
  const each = starts.some(({ C }) => C >= channels) ? samples : 1;
  return tiffData.map((data, i) => {
    const C = Math.floor(starts[i]!.C / each);
    return { ...data, first: planeNumber(order, { ...sizes, C: channels }, { ...starts[i]!, C }) };
  });
}

interface Location {
  readonly path: string;
  /** UUID that the file must have where it states one. */
  readonly uuid: string | null;
  readonly directory: number;
}

/** Where a file may be that a document names: in its folder as written, else beside it by its name alone. */
function placesOf(folder: string, name: string): string[] {
  const written = name.replaceAll("\\", "/");
  const beside = join(folder, basename(written));
  const absolute = written.startsWith("/") || /^[A-Za-z]:/.test(written);
  return absolute || join(folder, written) === beside ? [beside] : [join(folder, written), beside];
}

/** UUID in the first OME-XML of a file, or `null`; looked up as text, since the files of a set repeat a long document. */
function uuidOf(tiff: TiffFile): string | null {
  const text = tiff.directory(0)!.texts(TAG.ImageDescription, MAX_XML_BYTES).find(isOmeXml) ?? "";
  return /<(?:\w+:)?OME\s[^>]*?\bUUID\s*=\s*["']([^"']*)["']/.exec(text)?.[1] ?? null;
}

/** The files of one OME-TIFF set. */
class OmeSet {
  readonly #opened: Opened;
  readonly #paths = new Map<string, string>();
  readonly #uuids = new Map<string, string>();
  readonly #missing: string[] = [];
  readonly #elsewhere: string[] = [];
  readonly #tiffs = new Map<string, TiffFile>();
  readonly #sizes = new Map<string, number>();

  constructor(opened: Opened, image: OmeImage, xmlPath: string) {
    this.#opened = opened;
    this.#tiffs.set(opened.path, opened.tiff);
    this.#sizes.set(opened.path, opened.tiff.file.size);
    const named = new Map<string, string | null>();
    for (const { file, uuid } of image.tiffData) if (file !== null && !named.has(file)) named.set(file, uuid);
    if (named.size > MAX_FOLDER_ENTRIES) {
      throw new DecodeFailed(`OME-XML names ${named.size} files, more than ${MAX_FOLDER_ENTRIES}`);
    }
    const ownUuid = xmlPath === opened.path ? image.uuid : null;
    for (const [name, uuid] of named) {
      // A file that names only itself, by a name that it no longer has, was renamed.
      const renamed = named.size === 1 && xmlPath === opened.path &&
        (uuid === null || ownUuid === null || uuid === ownUuid);
      const places = placesOf(dirname(xmlPath), name);
      const found = uuid !== null && uuid === ownUuid ? opened.path : this.#noteFirst(places);
      if (found !== null) {
        this.#paths.set(name, found);
        if (uuid !== null) this.#uuids.set(name, uuid);
        if (found !== opened.path && basename(dirname(found)) !== basename(dirname(places[0]!))) {
          this.#elsewhere.push(name);
        }
      } else if (renamed) this.#paths.set(name, opened.path);
      else this.#missing.push(name.replaceAll("\\", "/"));
    }
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

  totalSize(): number {
    return [...this.#sizes.values()].reduce((sum, size) => sum + size, 0);
  }

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
    const path = data.file === null ? this.#opened.path : this.#paths.get(data.file);
    if (path === undefined) return null;
    const uuid = path === this.#opened.path ? null : this.#uuids.get(data.file!) ?? null;
    return { path, uuid, directory: data.directory + number - data.first };
  }

  /** @throws {DecodeFailed} the file is damaged, or is another than the document means */
  open({ path, uuid }: Location): TiffFile {
    const known = this.#tiffs.get(path);
    const tiff = known ?? this.#openOther(path);
    this.#tiffs.set(path, tiff);
    const own = uuid === null ? null : uuidOf(tiff);
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

  /** @throws {DecodeFailed} its file is missing, or no file is named for it */
  plane(number: number, tiffData: readonly TiffData[], layout: PageLayout, what: string): PlaneSource {
    const location = this.locate(number, tiffData);
    if (location === null) {
      const data = tiffData.findLast(({ first, count }) => number >= first && number - first < count);
      throw new DecodeFailed(
        data?.file
          ? `${what} is in "${data.file}", which is missing`
          : `OME-XML names no directory for ${what}`,
      );
    }
    const tiff = this.open(location);
    const directory = tiff.directory(location.directory);
    const page = tiff === this.#opened.tiff || directory === null
      ? planePage(directory, layout, what)
      : planePage(directory, layout, `${what} of "${basename(location.path)}"`);
    return { tiff, page, run: null };
  }
}
