/** The files of a Micro-Manager acquisition, each with an index map. The result does not depend on which of them is opened. */
import { basename, dirname, join } from "node:path";
import { DecodeFailed, reasonOf, unlessDamaged } from "../../errors.ts";
import { namedFile } from "../../io/names.ts";
import type { JsonObject } from "../../metadata/json.ts";
import type { XmlElement } from "../../metadata/xml.ts";
import { type Warning, warning } from "../../warning.ts";
import { upToNul } from "../directory.ts";
import { INDEX_MAP_MARK, isOmeXml, MICRO_MANAGER, numberAt, SUMMARY_MARK } from "../marks.ts";
import { MAX_XML_BYTES } from "../../io/limits.ts";
import { readOther } from "../plane_files.ts";
import { noted, type Opened } from "../stack.ts";
import { TAG } from "../tags.ts";
import type { TiffFile } from "../tiff_file.ts";
import { type IndexEntry, pageIndices, readIndexMap, readSummary, textIn } from "./micromanager_index.ts";
import { type OmeImage, parseOme, readImage } from "./ome_xml.ts";

/** A file with the indices of its planes. */
export interface IndexedFile {
  readonly path: string;
  readonly size: number;
  readonly index: readonly IndexEntry[];
  /** Why the index map cannot be read, so that the metadata of the pages replace it; or `null`. */
  readonly damage: string | null;
}

/** Reads the indices of a file; `null` if it is not of Micro-Manager, or its pages do not state theirs. */
export function indexedFile(path: string, tiff: TiffFile): IndexedFile | null {
  if (numberAt(tiff, 8) !== INDEX_MAP_MARK && numberAt(tiff, 32) !== SUMMARY_MARK) return null;
  const { size } = tiff.file;
  try {
    return { path, size, index: readIndexMap(tiff), damage: null };
  } catch (error) {
    if (!(error instanceof DecodeFailed)) throw error;
    const index = pageIndices(tiff);
    return index && { path, size, index, damage: reasonOf(error) };
  }
}

/** The files of an acquisition, the one with the shortest name first, which is that of the first file. */
export function acquisitionFiles(
  { path, files }: Opened,
  own: IndexedFile,
  several: boolean,
  summary: JsonObject | null,
): { readonly indexed: readonly IndexedFile[]; readonly warnings: readonly Warning[] } {
  const found: IndexedFile[] = [];
  const warnings: Warning[] = [];
  for (const name of partNames(path, files.list(dirname(path)), several)) {
    const other = join(dirname(path), name);
    const read = other === path
      ? own
      : readOther(files, other, (tiff) => isOfOther(tiff, summary) ? null : indexedFile(other, tiff));
    if (typeof read === "string") {
      warnings.push(warning("file_unreadable", `"${name}" of this acquisition is left out: ${read}`));
    } else if (read !== null) found.push(read);
  }
  if (!found.includes(own)) found.push(own);
  return { indexed: withoutCopies(found, own), warnings };
}

/** Whether a file is of another acquisition: both summaries have an identifier, and these differ. */
function isOfOther(tiff: TiffFile, summary: JsonObject | null): boolean {
  const own = textIn(summary?.UUID);
  const other = textIn(unlessDamaged(() => readSummary(tiff).UUID, null));
  return own !== "" && other !== "" && own !== other;
}

const keyOf = ({ position, frame, channel, slice }: IndexEntry) => `${position} ${frame} ${channel} ${slice}`;

/** Leaves out files all of whose planes are in the opened file or in files before them. */
function withoutCopies(files: readonly IndexedFile[], own: IndexedFile): IndexedFile[] {
  if (files.length < 2) return [...files];
  const known = new Set(own.index.map(keyOf));
  return files.filter((file) => {
    if (file === own) return true;
    const added = file.index.map(keyOf).filter((key) => !known.has(key));
    for (const key of added) known.add(key);
    return added.length > 0;
  });
}

/** Parts of a file name: up to `_MMStack`, up to the number of a continuation, that number, extension. */
function partOf(name: string) {
  const [, stem, number = "0", ending] = /^(.*?_MMStack[^.]*?)(?:_(\d+))?(\.ome\.tiff?)$/i.exec(name) ?? [];
  if (stem === undefined || ending === undefined) return null;
  return { acquisition: MICRO_MANAGER.exec(stem)?.[0] ?? stem, stem, number: Number(number), ending };
}

/** Names of the files that may belong to the acquisition of one; with `several` positions, each may have files of its own. */
function partNames(path: string, names: readonly string[], several: boolean): string[] {
  const own = partOf(basename(path));
  if (own === null) return [basename(path)];
  return names.filter((name) => {
    const part = partOf(name);
    return part !== null && (several ? part.acquisition === own.acquisition : part.stem === own.stem);
  }).sort((a, b) => a.length - b.length || (a < b ? -1 : 1));
}

/**
 * Name of the first missing continuation of a file: a gap, or the one after the last. `null` if it is unknown, since with `several`
 * positions the last number may be that of a position.
 */
export function missingPart(
  path: string,
  indexed: readonly IndexedFile[],
  several: boolean,
): string | null {
  const own = partOf(basename(path));
  if (own === null) return null;
  const parts = indexed.map((file) => partOf(basename(file.path))).filter((part) => part?.stem === own.stem);
  const numbers = new Set(parts.map((part) => part!.number));
  let first = 0;
  while (numbers.has(first)) first += 1;
  if (several && first > Math.max(...numbers)) return null;
  return `${own.stem}${first === 0 ? "" : `_${first}`}${own.ending}`;
}

/** The summary of the acquisition: of its first file, else of the opened one; empty, with a warning, if neither can be read. */
export function summaryOf({ tiff, files, warnings, path }: Opened, first: string): JsonObject {
  if (first !== path) {
    const read = readOther(files, first, readSummary);
    if (typeof read !== "string") return read;
  }
  return noted(warnings, "The summary of Micro-Manager", () => readSummary(tiff)) ?? {};
}

/**
 * The images in the OME-XML of the acquisition, which only its first file has: the others name that file. Planes do not need them:
 * without them, only calibration and time stamps are lost.
 */
export function omeImages(
  { path, files, descriptions, warnings }: Opened,
  first: string,
): Pick<OmeImage, "calibrations" | "stamps">[] {
  const own = descriptions.find(isOmeXml);
  const read = () => {
    if (own === undefined) return first === path ? [] : imagesIn(files, first);
    const { metadataFile, images } = parseOme(upToNul(own), "the document");
    if (metadataFile === null) return images;
    const found = namedFile(files, dirname(path), metadataFile);
    return found === null ? [] : imagesIn(files, found);
  };
  const found = noted(warnings, "The calibration in OME-XML", () => read().map((image) => readImage(image)));
  return (found ?? []).map(({ calibrations, stamps }) => ({ calibrations, stamps }));
}

function imagesIn(files: Opened["files"], path: string): readonly XmlElement[] {
  const text = readOther(
    files,
    path,
    ({ first }) => ({ text: first.texts(TAG.ImageDescription, MAX_XML_BYTES).find(isOmeXml) ?? null }),
  );
  // Files of an interrupted acquisition have no OME-XML.
  if (typeof text === "string" || text.text === null) return [];
  return parseOme(upToNul(text.text), "the document").images;
}
