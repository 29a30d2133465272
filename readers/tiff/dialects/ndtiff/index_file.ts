/**
 * The images of an NDTiff data set, from `NDTiff.index` or from the metadata of the pages.
 *
 * The index consists of records. Each has the length and the JSON of the axes, the length and the name of the file,
 * and eight numbers: offset of the samples, width, height, type, compression, offset and length of the image's JSON,
 * compression of that JSON.
 */
import { basename, dirname, join } from "node:path";
import { DecodeFailed, reasonOf } from "../../../errors.ts";
import { MAX_FOLDER_ENTRIES } from "../../../io/limits.ts";
import { findNamedFiles } from "../../../io/names.ts";
import type { FileAccess } from "../../../io/file_access.ts";
import { isJsonObject, type JsonObject, parseJsonText } from "../../../metadata/json.ts";
import { type Warning, warning } from "../../../warning.ts";
import { NDTIFF_STACK } from "../../marks.ts";
import { UNCOMPRESSED } from "../../page.ts";
import type { OpenedTiff } from "../../stack.ts";
import { TAG } from "../../tags.ts";
import { MAX_DIRECTORIES, TiffFile } from "../../tiff_file.ts";
import { readPageMetadata } from "../micromanager/index_map.ts";

/** Name of the index of a data set. */
export const INDEX_NAME = "NDTiff.index";

/** Largest index in bytes: as many records as a data set may have, each twice as long as usual. */
const MAX_INDEX_BYTES = 256 << 20;

/** Longest JSON of an image's axes in bytes; half a dozen axes take a hundred. */
const MAX_AXES_BYTES = 4096;

const MAX_NAME_BYTES = 1024;

/** One image and its location. */
export interface NDTiffImage {
  readonly axes: JsonObject;
  /** Name of the file as it is stored, which the index may spell differently; for a missing file, as written. */
  readonly file: string;
  readonly offset: number;
  readonly width: number;
  readonly height: number;
  /** Index into {@linkcode SAMPLE_TYPES}; other numbers are unknown types. */
  readonly type: number;
  readonly noteOffset: number;
  readonly noteLength: number;
}

/** Samples per pixel and stored bits of each sample, by type. Samples of 10 to 14 bits (types 3 to 6) are stored in 16. */
export const SAMPLE_TYPES = [[1, 8], [1, 16], [3, 8], [1, 16], [1, 16], [1, 16], [1, 16]] as const;

/** Type of an image that cannot be read, for example a compressed one. */
const NO_TYPE = -1;

/** The images found in a data set, in the order of acquisition. */
export interface ListedSet {
  readonly images: readonly NDTiffImage[];
  readonly warnings: readonly Warning[];
  readonly bytes: number;
}

/**
 * Reads the index of a folder; `null` if there is none. The list ends before a damaged or truncated record, and at the zeros that
 * the program reserves after the last record. @throws {DecodeFailed} the index is too large, or cannot be read
 */
export function readNDTiffIndex(folder: string, files: FileAccess): ListedSet | null {
  using file = files.openNeighbour(join(folder, INDEX_NAME));
  if (file === null) return null;
  if (file.size > MAX_INDEX_BYTES) {
    throw new DecodeFailed(`"${INDEX_NAME}" has ${file.size} bytes, more than ${MAX_INDEX_BYTES}`);
  }
  const index = file.read(0, file.size, "the index");
  const images: NDTiffImage[] = [];
  const warnings: Warning[] = [];
  const names = new Map<string, string>();
  for (let at = 0; at < index.length;) {
    files.stop.check();
    requireRoom(images);
    try {
      const record = readRecord(index, at);
      if (record === null) break;
      // All images of one file share the string of its name.
      const name = names.getOrInsert(record.image.file, record.image.file);
      images.push({ ...record.image, file: name });
      at = record.end;
    } catch (error) {
      if (!(error instanceof DecodeFailed)) throw error;
      const damage = `the record at ${at} of ${index.length} bytes: ${reasonOf(error)}`;
      const text = `"${INDEX_NAME}" is damaged or cut at ${damage}; the images from there on are left out`;
      warnings.push(warning("metadata_damaged", text));
      break;
    }
  }
  if (names.size > MAX_FOLDER_ENTRIES) {
    throw new DecodeFailed(`it names more than ${MAX_FOLDER_ENTRIES} files`);
  }
  const found = [...findNamedFiles(files, folder, names.keys())];
  const respelled = new Map(
    found.map(([name, path]) => [name, basename(path)] as const)
      .filter(([name, stored]) => name !== stored),
  );
  const listed = respelled.size === 0
    ? images
    : images.map((image) => ({ ...image, file: respelled.get(image.file) ?? image.file }));
  return { images: listed, warnings, bytes: index.length };
}

/** The record at an offset; `null` if only zeros follow. @throws {DecodeFailed} the record is damaged or truncated */
function readRecord(index: Uint8Array<ArrayBuffer>, start: number) {
  let end = start;
  const take = (length: number, most: number, what: string) => {
    if (length > most) throw new DecodeFailed(`${what} have ${length} bytes, more than ${most}`);
    if (end + length > index.length) throw new DecodeFailed(`${what} at ${end} end after the file`);
    end += length;
    return new DataView(index.buffer, index.byteOffset + end - length, length);
  };
  const text = (most: number, what: string) =>
    UTF8.decode(take(take(4, 4, `the bytes of ${what}`).getUint32(0, true), most, what));
  const json = text(MAX_AXES_BYTES, "its axes");
  if (json === "") {
    if (index.subarray(start).every((byte) => byte === 0)) return null;
    throw new DecodeFailed("zeros stand in place of its axes");
  }
  const axes = parseJsonText(json, "the text of its axes");
  if (!isJsonObject(axes)) throw new DecodeFailed("its axes are not a JSON object");
  const file = text(MAX_NAME_BYTES, "the letters of its file name");
  const numbers = take(32, 32, "its numbers");
  const number = (i: number) => numbers.getUint32(4 * i, true);
  const image = {
    axes,
    // The files of a data set are in the folder of its index.
    file: basename(file.replaceAll("\\", "/")),
    offset: number(0),
    width: number(1),
    height: number(2),
    type: number(4) === 0 ? number(3) : NO_TYPE,
    noteOffset: number(5),
    // A compressed text is not read.
    noteLength: number(7) === 0 ? number(6) : 0,
  };
  return { image, end };
}

const UTF8 = new TextDecoder();

/** The images in the pages of the opened file and its continuations, for an `index` that is missing or names another file. */
export function listPages({ path, files, tiff }: OpenedTiff, index: ListedSet | null): ListedSet {
  const folder = dirname(path);
  const own = basename(path);
  const stem = NDTIFF_STACK.exec(own)?.[1];
  const numberOf = (name: string) => Number(NDTIFF_STACK.exec(name)?.[2] ?? 0);
  const names = stem === undefined ? [own] : files.list(folder)
    .filter((name) => NDTIFF_STACK.exec(name)?.[1] === stem)
    .sort((a, b) => numberOf(a) - numberOf(b));
  const byTags = "the pages are read by their own tags";
  const named = index?.images[0]?.file ?? "";
  const renamed = `names no image of "${own}" but "${named}": the file may have been renamed; ${byTags}`;
  const warnings = [
    index === null
      ? warning("metadata_missing", `"${INDEX_NAME}" is missing; ${byTags}`)
      : warning("metadata_disagree", `"${INDEX_NAME}" ${renamed}`),
  ];
  const images: NDTiffImage[] = [];
  for (const name of names) {
    const file = name === own ? tiff : new TiffFile(files.open(join(folder, name)), files);
    addPages(images, file, name);
    if (file.brokenTail === null) continue;
    const text = `"${name}" ends after ${images.length} images: ${file.brokenTail}`;
    warnings.push(warning("planes_missing", text));
  }
  return { images, warnings, bytes: 0 };
}

/** Adds the images of a file by the metadata of its pages (tag 51123). Pages without are counted along an axis of their own. */
function addPages(images: NDTiffImage[], tiff: TiffFile, file: string): void {
  tiff.walk((directory, page) => {
    requireRoom(images);
    const { Axes } = readPageMetadata(directory);
    const note = directory.entry(TAG.MicroManagerMetadata);
    const number = (tag: number, missing: number) => directory.number(tag) ?? missing;
    const [samples, bits] = [number(TAG.SamplesPerPixel, 1), number(TAG.BitsPerSample, 1)];
    const isRaw = number(TAG.Compression, UNCOMPRESSED) === UNCOMPRESSED &&
      directory.count(TAG.StripOffsets) === 1;
    images.push({
      axes: isJsonObject(Axes) ? Axes : { page },
      file,
      offset: number(TAG.StripOffsets, 0),
      width: number(TAG.ImageWidth, 0),
      height: number(TAG.ImageLength, 0),
      type: isRaw ? SAMPLE_TYPES.findIndex((type) => type[0] === samples && type[1] === bits) : NO_TYPE,
      noteOffset: note?.at ?? 0,
      noteLength: note?.count ?? 0,
    });
  });
}

function requireRoom({ length }: readonly NDTiffImage[]): void {
  if (length >= MAX_DIRECTORIES) throw new DecodeFailed(`it has more than ${MAX_DIRECTORIES} images`);
}
