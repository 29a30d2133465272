/**
 * NDTiff of Micro-Manager 2 and Pycro-Manager.
 *
 *   NDTiff.index            per image: its axes as JSON, file, offset of its samples, width, height, type, place of its JSON
 *   NAME_NDTiffStack.tif    at 8: 483729, version, 2355492, length and JSON of the summary; then a directory, samples and
 *                           the JSON (tag 51123) for each image
 *   NAME_NDTiffStack_1.tif  and so on, one every 4 GB
 *
 * Planes are found through the index, never through the chain of directories, which some versions wrote damaged; without an
 * index, through the metadata of each page. A plane without a record is missing.
 */
import { basename, dirname, join } from "node:path";
import { DecodeFailed } from "../../errors.ts";
import type { FileAccess } from "../../io/random_access.ts";
import { type Warning, warning } from "../../warning.ts";
import { Directory } from "../directory.ts";
import { NDTIFF_STACK } from "../file_names.ts";
import type { Opened } from "../opened.ts";
import type { SeriesList } from "../stack.ts";
import { TiffFile } from "../tiff_file.ts";
import { isNDTiff } from "./marks.ts";
import { addPages, INDEX_NAME, type ListedSet, type NDTiffImage, readIndex } from "./ndtiff_index.ts";
import { DataSet, FULL_RESOLUTION } from "./ndtiff_set.ts";

/** An opened data set. */
export interface OpenedSet {
  /** One of its files. */
  readonly opened: Opened;
  /** Its scenes. */
  readonly list: SeriesList;
}

/** The data set in a folder, or in `Full resolution` below it. @throws {DecodeFailed} none of its files exists */
export function openNDTiffFolder(path: string, files: FileAccess): OpenedSet {
  const folder =
    [path, join(path, FULL_RESOLUTION)].find((one) => files.kind(join(one, INDEX_NAME)) === "file") ?? path;
  const index = readIndex(folder, files);
  const named = new Set(index?.images.map(({ file }) => file));
  for (const name of [...named, ...files.list(folder).filter((name) => NDTIFF_STACK.test(name))]) {
    const file = files.openNeighbour(join(folder, name));
    if (file === null) continue;
    const tiff = new TiffFile(file, files);
    if (isNDTiff(tiff)) return openSet(file.path, tiff, files, index);
  }
  const [first] = named;
  const missing = first === undefined ? "no file" : `"${first}", which does not exist`;
  throw new DecodeFailed(`"${INDEX_NAME}" names ${missing}`);
}

/** The data set of a file. @throws {DecodeFailed} none of its images can be found */
export function openNDTiff(path: string, tiff: TiffFile, files: FileAccess): OpenedSet {
  return openSet(path, tiff, files, readIndex(dirname(path), files));
}

function openSet(path: string, tiff: TiffFile, files: FileAccess, index: ListedSet | null): OpenedSet {
  const first = Directory.empty(tiff.window, tiff.encoding);
  const opened: Opened = { path, files, tiff, first, descriptions: [], warnings: [] };
  const listed = index?.images.some(({ file }) => file === basename(path)) ? index : listPages(opened, index);
  return { opened, list: new DataSet(opened, listed).list() };
}

/** The images of the opened file and its continuations by their pages, for want of an index that names the file. */
function listPages({ path, files, tiff }: Opened, index: ListedSet | null): ListedSet {
  const folder = dirname(path);
  const name = basename(path);
  const stem = NDTIFF_STACK.exec(name)?.[1];
  const numberOf = (other: string) => Number(NDTIFF_STACK.exec(other)?.[2] ?? 0);
  const names = stem === undefined ? [name] : files.list(folder)
    .filter((other) => NDTIFF_STACK.exec(other)?.[1] === stem)
    .sort((a, b) => numberOf(a) - numberOf(b));
  const images: NDTiffImage[] = [];
  const warnings: Warning[] = [withoutIndex(name, index)];
  for (const other of names) {
    const file = other === name ? tiff : new TiffFile(files.open(join(folder, other)), files);
    addPages(images, file, other);
    if (file.brokenTail === null) continue;
    const text = `"${other}" ends after ${images.length} images: ${file.brokenTail}`;
    warnings.push(warning("planes_missing", text));
  }
  return { images, warnings, bytes: 0 };
}

function withoutIndex(name: string, index: ListedSet | null): Warning {
  const byTags = "the pages are read by their own tags";
  if (index === null) return warning("metadata_missing", `"${INDEX_NAME}" is missing; ${byTags}`);
  const [first] = index.images;
  const instead = first === undefined ? "" : ` but "${first.file}"`;
  const text =
    `"${INDEX_NAME}" names no image of "${name}"${instead}: the file may have been renamed; ${byTags}`;
  return warning("metadata_disagree", text);
}
