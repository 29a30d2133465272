/**
 * NDTiff of Micro-Manager 2 and Pycro-Manager.
 *
 *   NDTiff.index            per image: its axes as JSON, file, offset of its samples, width, height, type, place of its JSON
 *   NAME_NDTiffStack.tif    at 8: 483729, version, 2355492, length and JSON of the summary; then a directory, samples and
 *                           the JSON (tag 51123) for each image
 *   NAME_NDTiffStack_1.tif  and so on, one every 4 GB
 *
 * Planes are found through the index, never through the chain of directories, which some versions wrote damaged; where there is
 * no index, through what each page says of itself. A plane without a record is not there.
 */
import { basename, dirname, join } from "node:path";
import { DecodeFailed } from "../../errors.ts";
import type { FileAccess } from "../../random_access.ts";
import { type Warning, warning } from "../../warning.ts";
import { Directory } from "../directory.ts";
import type { Opened } from "../opened.ts";
import type { SeriesList } from "../stack.ts";
import { TiffFile } from "../tiff_file.ts";
import { addPages, ImageList } from "./ndtiff_images.ts";
import { INDEX_NAME, readIndex } from "./ndtiff_index.ts";
import { DataSet, FULL_RESOLUTION, type ListedSet, localName } from "./ndtiff_set.ts";
import { isNDTiff } from "./ndtiff_summary.ts";

/** An opened data set. */
export interface OpenedSet {
  /** One of its files. */
  readonly opened: Opened;
  /** Its scenes. */
  readonly list: SeriesList;
}

/**
 * The data set in a folder, or in `Full resolution` below it.
 *
 * @throws {DecodeFailed} none of its files is there
 */
export function openNDTiffFolder(path: string, files: FileAccess): OpenedSet {
  const folder =
    [path, join(path, FULL_RESOLUTION)].find((one) => files.kind(join(one, INDEX_NAME)) === "file") ?? path;
  const index = indexIn(folder, files);
  const named = (index?.images.files ?? []).map((name) => localName(name));
  const names = named.length > 0 ? named : files.list(folder).filter((name) => STACK_NAME.test(name));
  for (const name of names) {
    const file = files.openNeighbour(join(folder, name));
    if (file === null) continue;
    const tiff = new TiffFile(file, files);
    if (isNDTiff(tiff)) return openSet(file.path, tiff, files, index);
  }
  const missing = names[0] === undefined ? "no file" : `"${names[0]}", which is not there`;
  throw new DecodeFailed(`"${INDEX_NAME}" names ${missing}`);
}

/** Names of the files of a data set. */
const STACK_NAME = /^(.*_NDTiffStack)(?:_\d+)?\.tif$/i;

/** The index of a folder; `null` where there is none. */
function indexIn(folder: string, files: FileAccess): ListedSet | null {
  const file = files.openNeighbour(join(folder, INDEX_NAME));
  if (file === null) return null;
  try {
    const { images, damage } = readIndex(file, files.stop);
    const lost = damage === null ? [] : [
      warning(
        "metadata_damaged",
        `"${INDEX_NAME}" is damaged or cut at ${damage}; the images from there on are left out`,
      ),
    ];
    return { images, warnings: lost, bytes: file.size };
  } finally {
    file.close();
  }
}

/** The data set of a file, or `null` where it is no NDTiff. @throws {DecodeFailed} none of its images can be found */
export function openNDTiff(path: string, tiff: TiffFile, files: FileAccess): OpenedSet | null {
  return isNDTiff(tiff) ? openSet(path, tiff, files, indexIn(dirname(path), files)) : null;
}

function openSet(path: string, tiff: TiffFile, files: FileAccess, index: ListedSet | null): OpenedSet {
  const first = Directory.empty(tiff.window, tiff.encoding);
  const opened: Opened = { path, files, tiff, first, descriptions: [], warnings: [] };
  const listed = indexed(index, opened) ?? listPages(opened);
  return { opened, list: new DataSet(opened, listed).list() };
}

/** An index, where it names the opened file. */
function indexed(index: ListedSet | null, { path, warnings }: Opened): ListedSet | null {
  const name = basename(path);
  const byTags = "the pages are read by their own tags";
  if (index === null) {
    warnings.push(warning("metadata_missing", `"${INDEX_NAME}" is missing; ${byTags}`));
    return null;
  }
  const names = index.images.files.map(localName);
  if (names.includes(name)) return index;
  warnings.push(
    ...index.warnings,
    warning(
      "metadata_disagree",
      `"${INDEX_NAME}" names no image of "${name}"${
        names[0] === undefined ? "" : ` but "${names[0]}"`
      }: the file may have been renamed; ${byTags}`,
    ),
  );
  return null;
}

/** What the pages of the opened file, and of those that continue it or that it continues, say of themselves. */
function listPages({ path, files, tiff }: Opened): ListedSet {
  const images = new ImageList();
  const warnings: Warning[] = [];
  const add = (name: string, file: TiffFile) => {
    const { unnamed, broken } = addPages(images, file, name);
    if (unnamed > 0) {
      warnings.push(
        warning(
          "axes_assumed",
          `${unnamed} pages of "${name}" do not say which image they are; each is a scene`,
        ),
      );
    }
    if (broken !== null) {
      warnings.push(warning("planes_missing", `"${name}" ends after ${images.length} images: ${broken}`));
    }
  };
  const stem = STACK_NAME.exec(basename(path))?.[1];
  const names = files.list(dirname(path)).filter((name) =>
    stem !== undefined && STACK_NAME.exec(name)?.[1] === stem
  ).sort((a, b) => numberIn(a) - numberIn(b));
  for (const name of names.length > 0 ? names : [basename(path)]) {
    if (name === basename(path)) add(name, tiff);
    else {
      const file = files.openNeighbour(join(dirname(path), name));
      if (file === null) continue;
      try {
        add(name, new TiffFile(file, files));
      } finally {
        file.close();
      }
    }
  }
  return { images, warnings, bytes: 0 };
}

/** Number of a continuation. */
const numberIn = (name: string) => Number(/_(\d+)\.tif$/i.exec(name)?.[1] ?? 0);
