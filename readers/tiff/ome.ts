/**
 * OME-TIFF: OME-XML in the first ImageDescription, or in a file that it names (BinaryOnly), maps planes to
 * directories of one or several files. Sub-resolutions lie in SubIFDs and are not looked at; modulo annotations
 * are ignored; of several images the first is served.
 */
import { basename, dirname, join } from "node:path";
import { DecodeFailed } from "../errors.ts";
import { MAX_FOLDER_ENTRIES, MAX_XML_BYTES } from "../limits.ts";
import { decodeText } from "./directory.ts";
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
  const companion = join(dirname(opened.path), basename(own.metadataFile.replaceAll("\\", "/")));
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
  const startFile = start && set.open(start.path);
  const directory = startFile?.directory(start!.directory) ?? opened.first;
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
  return tiffData.map((data) => {
    let rest = data.first;
    const at = { T: 0, C: 0, Z: 0 };
    for (const letter of order) {
      at[letter] = rest % sizes[letter];
      rest = Math.floor(rest / sizes[letter]);
    }
    const C = at.C >= channels ? Math.floor(at.C / samples) : at.C;
    return { ...data, first: planeNumber(order, { ...sizes, C: channels }, { ...at, C }) };
  });
}

interface Location {
  readonly path: string;
  readonly directory: number;
}

/** The files of one OME-TIFF set. */
class OmeSet {
  readonly #opened: Opened;
  readonly #folder: string;
  readonly #paths = new Map<string, string>();
  readonly #missing: string[] = [];
  readonly #tiffs = new Map<string, TiffFile>();
  readonly #sizes = new Map<string, number>();

  constructor(opened: Opened, image: OmeImage, xmlPath: string) {
    this.#opened = opened;
    this.#folder = dirname(xmlPath);
    this.#tiffs.set(opened.path, opened.tiff);
    this.#sizes.set(opened.path, opened.tiff.file.size);
    const named = new Map<string, string | null>();
    for (const { file, uuid } of image.tiffData) if (file !== null && !named.has(file)) named.set(file, uuid);
    if (named.size > MAX_FOLDER_ENTRIES) {
      throw new DecodeFailed(`OME-XML names ${named.size} files, more than ${MAX_FOLDER_ENTRIES}`);
    }
    // A file that names only itself, by a name that it no longer has, was renamed.
    const alone = named.size === 1 && xmlPath === opened.path;
    for (const [name, uuid] of named) {
      const path = join(this.#folder, basename(name.replaceAll("\\", "/")));
      if (xmlPath === opened.path && uuid !== null && uuid === image.uuid) this.#paths.set(name, opened.path);
      else if (path === opened.path) this.#paths.set(name, path);
      else if (this.#note(path)) this.#paths.set(name, path);
      else if (alone) this.#paths.set(name, opened.path);
      else this.#missing.push(basename(path));
    }
  }

  /** Notes the size of a file of the set; false when it is missing. */
  #note(path: string): boolean {
    const file = this.#opened.files.openNeighbour(path);
    if (file === null) return false;
    this.#sizes.set(path, file.size);
    file.close();
    return true;
  }

  totalSize(): number {
    return [...this.#sizes.values()].reduce((sum, size) => sum + size, 0);
  }

  warnings(): string[] {
    const [first] = this.#missing;
    if (first === undefined) return [];
    const more = this.#missing.length > 1 ? ` and ${this.#missing.length - 1} more` : "";
    return [`Files of this set are missing: "${first}"${more}`];
  }

  /** Where a plane is, or `null` when the document does not say or the file is missing. */
  locate(number: number, tiffData: readonly TiffData[]): Location | null {
    if (tiffData.length === 0) return { path: this.#opened.path, directory: number };
    const data = tiffData.findLast(({ first, count }) => number >= first && number - first < count);
    if (!data) return null;
    const path = data.file === null ? this.#opened.path : this.#paths.get(data.file);
    return path === undefined ? null : { path, directory: data.directory + number - data.first };
  }

  open(path: string): TiffFile {
    const known = this.#tiffs.get(path);
    if (known) return known;
    const tiff = new TiffFile(this.#opened.files.open(path), this.#opened.files);
    this.#tiffs.set(path, tiff);
    return tiff;
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
    const tiff = this.open(location.path);
    const directory = tiff.directory(location.directory);
    const page = tiff === this.#opened.tiff || directory === null
      ? planePage(directory, layout, what)
      : planePage(directory, layout, `${what} of "${basename(location.path)}"`);
    return { tiff, page, run: null };
  }
}
