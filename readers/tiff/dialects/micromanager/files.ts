/** The files of a Micro-Manager acquisition, each with an index map. The result does not depend on which of them is opened. */
import { basename, dirname, join } from "node:path";
import { DecodeFailed, reasonOf, unlessDamaged } from "../../../errors.ts";
import { findNamedFile } from "../../../io/names.ts";
import type { JsonObject } from "../../../metadata/json.ts";
import type { XmlElement } from "../../../metadata/xml.ts";
import { type Warning, warning } from "../../../warning.ts";
import { cutAtNul } from "../../directory.ts";
import { INDEX_MAP_MARK, isOmeXml, MICRO_MANAGER, readNumberAt, SUMMARY_MARK } from "../../marks.ts";
import { MAX_XML_BYTES } from "../../../io/limits.ts";
import { readOther } from "../../plane_files.ts";
import { type OpenedTiff, readOrWarn } from "../../stack.ts";
import { TAG } from "../../tags.ts";
import type { TiffFile } from "../../tiff_file.ts";
import { findJsonText, type IndexEntry, readIndexMap, readPageIndices, readSummary } from "./index_map.ts";
import { type OmeXmlScene, parseOme, readImage } from "../ome/xml.ts";

/** A file with the indices of its planes. */
export interface IndexedFile {
  readonly path: string;
  readonly size: number;
  readonly index: readonly IndexEntry[];
  /** Why the index map cannot be read, so that the metadata of the pages replace it; or `null`. */
  readonly damage: string | null;
}

/** Reads the indices of a file; `null` if it is not of Micro-Manager, or its pages do not state theirs. */
export function openIndexedFile(path: string, tiff: TiffFile): IndexedFile | null {
  if (readNumberAt(tiff, 8) !== INDEX_MAP_MARK && readNumberAt(tiff, 32) !== SUMMARY_MARK) return null;
  const { size } = tiff.file;
  try {
    return { path, size, index: readIndexMap(tiff), damage: null };
  } catch (error) {
    if (!(error instanceof DecodeFailed)) throw error;
    const index = readPageIndices(tiff);
    return index && { path, size, index, damage: reasonOf(error) };
  }
}

/** The files of an acquisition, the one with the shortest name first, which is that of the first file. */
export function listAcquisitionFiles(
  { path, files }: OpenedTiff,
  own: IndexedFile,
  several: boolean,
  summary: JsonObject | null,
): { readonly indexed: readonly IndexedFile[]; readonly warnings: readonly Warning[] } {
  const found: IndexedFile[] = [];
  const warnings: Warning[] = [];
  for (const name of listPartNames(path, files.list(dirname(path)), several)) {
    const other = join(dirname(path), name);
    const read = other === path
      ? own
      : readOther(files, other, (tiff) => isOfOther(tiff, summary) ? null : openIndexedFile(other, tiff));
    if (typeof read === "string") {
      warnings.push(warning("file_unreadable", `"${name}" of this acquisition is left out: ${read}`));
    } else if (read !== null) found.push(read);
  }
  if (!found.includes(own)) found.push(own);
  return { indexed: withoutCopies(found, own), warnings };
}

/** Whether a file is of another acquisition: both summaries have an identifier, and these differ. */
function isOfOther(tiff: TiffFile, summary: JsonObject | null): boolean {
  const own = findJsonText(summary?.UUID);
  const other = findJsonText(unlessDamaged(() => readSummary(tiff).UUID, null));
  return own !== "" && other !== "" && own !== other;
}

const makeIndexKey = ({ position, frame, channel, slice }: IndexEntry) =>
  `${position} ${frame} ${channel} ${slice}`;

/** Leaves out files all of whose planes are in the opened file or in files before them. */
function withoutCopies(files: readonly IndexedFile[], own: IndexedFile): IndexedFile[] {
  if (files.length < 2) return [...files];
  const known = new Set(own.index.map(makeIndexKey));
  return files.filter((file) => {
    if (file === own) return true;
    const added = file.index.map(makeIndexKey).filter((key) => !known.has(key));
    for (const key of added) known.add(key);
    return added.length > 0;
  });
}

/** Parts of a file name: up to `_MMStack`, up to the number of a continuation, that number, extension. */
function splitPartName(name: string) {
  const [, stem, number = "0", ending] = /^(.*?_MMStack[^.]*?)(?:_(\d+))?(\.ome\.tiff?)$/i.exec(name) ?? [];
  if (stem === undefined || ending === undefined) return null;
  return { acquisition: MICRO_MANAGER.exec(stem)?.[0] ?? stem, stem, number: Number(number), ending };
}

/** Names of the files that may belong to the acquisition of one; with `several` positions, each may have files of its own. */
function listPartNames(path: string, names: readonly string[], several: boolean): string[] {
  const own = splitPartName(basename(path));
  if (own === null) return [basename(path)];
  return names.filter((name) => {
    const part = splitPartName(name);
    return part !== null && (several ? part.acquisition === own.acquisition : part.stem === own.stem);
  }).sort((a, b) => a.length - b.length || (a < b ? -1 : 1));
}

/**
 * Name of the first missing continuation of a file: a gap, or the one after the last. `null` if it is unknown, since with `several`
 * positions the last number may be that of a position.
 */
export function findMissingPart(
  path: string,
  indexed: readonly IndexedFile[],
  several: boolean,
): string | null {
  const own = splitPartName(basename(path));
  if (own === null) return null;
  const parts = indexed.map((file) => splitPartName(basename(file.path))).filter((part) =>
    part?.stem === own.stem
  );
  const numbers = new Set(parts.map((part) => part!.number));
  let first = 0;
  while (numbers.has(first)) first += 1;
  if (several && first > Math.max(...numbers)) return null;
  return `${own.stem}${first === 0 ? "" : `_${first}`}${own.ending}`;
}

/** The summary of the acquisition: of its first file, else of the opened one; empty, with a warning, if neither can be read. */
export function readFilesSummary({ tiff, files, warnings, path }: OpenedTiff, first: string): JsonObject {
  if (first !== path) {
    const read = readOther(files, first, readSummary);
    if (typeof read !== "string") return read;
  }
  return readOrWarn(warnings, "The summary of Micro-Manager", () => readSummary(tiff)) ?? {};
}

/**
 * The images in the OME-XML of the acquisition, which only its first file has: the others name that file. Planes do not need them:
 * without them, only calibration and time stamps are lost.
 */
export function readOmeImages(
  { path, files, descriptions, warnings }: OpenedTiff,
  first: string,
): Pick<OmeXmlScene, "calibrations" | "stamps">[] {
  const own = descriptions.find(isOmeXml);
  const read = () => {
    if (own === undefined) return first === path ? [] : listImagesIn(files, first);
    const { metadataFile, images } = parseOme(cutAtNul(own), "the document");
    if (metadataFile === null) return images;
    const found = findNamedFile(files, dirname(path), metadataFile);
    return found === null ? [] : listImagesIn(files, found);
  };
  const found = readOrWarn(
    warnings,
    "The calibration in OME-XML",
    () => read().map((image) => readImage(image)),
  );
  return (found ?? []).map(({ calibrations, stamps }) => ({ calibrations, stamps }));
}

function listImagesIn(files: OpenedTiff["files"], path: string): readonly XmlElement[] {
  const text = readOther(
    files,
    path,
    ({ first }) => ({ text: first.texts(TAG.ImageDescription, MAX_XML_BYTES).find(isOmeXml) ?? null }),
  );
  // Files of an interrupted acquisition have no OME-XML.
  if (typeof text === "string" || text.text === null) return [];
  return parseOme(cutAtNul(text.text), "the document").images;
}
