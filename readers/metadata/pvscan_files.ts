/**
 * The files of a scan of Prairie View: how those of a scan called NAME are named, and how one of them leads to `NAME.xml`.
 *
 *   NAME_Cycle00001_Ch1_000001.ome.tif                      image of version 5: cycle, channel, number of the frame
 *   NAME_Cycle00001_CurrentSettings_Ch1_000001.tif          the same of version 4
 *   NAME-Cycle00001_Ch1Source.tif                           frame on which the line of a line scan was drawn
 *   References/NAME-Cycle00002-Ch1-16bit-Reference.tif      the same frame; its number is that of the cycle and one
 */

import { basename, dirname, join } from "node:path";
import { DecodeFailed, isLoss, quoted, reasonOf, unlessDamaged, Unreadable } from "../errors.ts";
import type { ByteSource } from "../io/byte_source.ts";
import { MAX_XML_BYTES } from "../io/limits.ts";
import type { FileAccess } from "../io/random_access.ts";
import { beginsScan, parseScan, type PvScan } from "./pvscan.ts";
import { textFrom } from "./text.ts";

/** The parts of a file name. */
export interface NamedPart {
  /** Image of a cycle, or the frame that a line was drawn on. */
  readonly kind: "image" | "source";
  readonly scan: string;
  /** Number of the cycle, from 1. */
  readonly cycle: number;
  /** True for a file that lies in a folder below that of the scan. */
  readonly below: boolean;
}

const IMAGE = /^(.+)_Cycle(\d+)_(?:.*_)?Ch\d+_\d+(?:\.ome)?\.tiff?$/i;
const SOURCE = /^(.+)-Cycle(\d+)_Ch\d+Source\.tiff?$/i;
const REFERENCE = /^(.+)-Cycle(\d+)[-_]Ch\d+-16bit-Reference\.tiff?$/i;

/** The parts of a file name, or `null` for any other name. */
export function namedPart(name: string): NamedPart | null {
  const image = IMAGE.exec(name);
  if (image) return part("image", image, 0);
  const source = SOURCE.exec(name);
  if (source) return part("source", source, 0);
  const reference = REFERENCE.exec(name);
  return reference && part("source", reference, 1);
}

function part(kind: NamedPart["kind"], found: RegExpExecArray, ahead: number): NamedPart {
  return { kind, scan: found[1] ?? "", cycle: Number(found[2]) - ahead, below: ahead > 0 };
}

/** Name of the frame that the line of an image was drawn on, which version 4 does not state; `null` for other names. */
export function sourceName(image: string): string | null {
  const found = /^(.+)_(Cycle\d+)_(?:.*_)?(Ch\d+)_\d+(?:\.ome)?(\.tiff?)$/i.exec(image);
  return found && `${found[1]}-${found[2]}_${found[3]}Source${found[4]}`;
}

/** True for samples that Prairie View has not converted into TIFF yet. */
export const isRawData = (name: string): boolean => /^CYCLE_\d+_RAWDATA_\d+/i.test(name);

/** A document that was read. */
export interface FoundDocument {
  readonly path: string;
  readonly size: number;
  readonly scan: PvScan;
  /** Index of the sequence of each image by the name of its file. */
  readonly images: ReadonlyMap<string, number>;
}

/** Why no document was found, in one clause. */
export interface NoDocument {
  /** Such as `"NAME.xml" is not beside it`. */
  readonly reason: string;
}

/** Bytes in which the first element of a file is searched. */
const START_BYTES = 4096;

/** XML files of a folder that are opened where none has the name of the scan. */
const MAX_LOOKED_INTO = 32;

/** An open asks twice: whether the file is a part of a scan, and what the scan is. */
const READ = new WeakMap<FileAccess, FoundDocument>();

/**
 * Reads a document.
 *
 * @throws {DecodeFailed} it is damaged, too large, or no `PVScan`
 */
export function readDocument(path: string, files: FileAccess): FoundDocument {
  const known = READ.get(files);
  if (known?.path === path) return known;
  const { text, size } = documentText(path, files, MAX_XML_BYTES);
  const scan = parseScan(text);
  const images = new Map<string, number>();
  scan.sequences.forEach(({ frames }, index) => {
    for (const frame of frames) {
      for (const { name } of frame.files) if (!images.has(name)) images.set(name, index);
    }
  });
  const found = { path, size, scan, images };
  READ.set(files, found);
  return found;
}

/** A document as it is. @throws {DecodeFailed} it has more bytes than `most` */
export function documentText(path: string, files: FileAccess, most: number): { text: string; size: number } {
  const file = files.open(path);
  if (file.size > most) {
    throw new DecodeFailed(`the PVScan document has ${file.size} bytes, more than ${most}`);
  }
  return { text: textFrom(file.read(0, file.size, "the PVScan document")), size: file.size };
}

/**
 * The document of the scan to which a file belongs by its name: `NAME.xml`, the one named like its folder, or the only
 * one in the folder.
 *
 * @returns `null` for a file whose name is not of Prairie View
 * @throws {Unreadable} the document of an image, or its folder, cannot be read
 */
export function documentOf(
  path: string,
  files: FileAccess,
): { readonly part: NamedPart; readonly found: FoundDocument | NoDocument } | null {
  const part = namedPart(basename(path));
  if (part === null) return null;
  const own = dirname(path);
  const folder = part.below && /^references$/i.test(basename(own)) ? dirname(own) : own;
  const missing = (reason: string) => ({ part, found: { reason } });
  try {
    const at = pathIn(folder, part.scan, files);
    if (at === null) return missing(`"${part.scan}.xml" is not beside it`);
    const found = readDocument(at, files);
    return part.kind === "source" || found.images.has(basename(path))
      ? { part, found }
      : missing(`${quoted(basename(at))} does not name it`);
  } catch (error) {
    // An image needs its document to be a plane; a source image needs it for its steps only.
    if (!isLoss(error) || error instanceof Unreadable && part.kind === "image") throw error;
    return missing(`its document cannot be read: ${reasonOf(error)}`);
  }
}

/** Path of the document of a scan in a folder, or `null`. */
function pathIn(folder: string, scan: string, files: FileAccess): string | null {
  for (const name of new Set([`${scan}.xml`, `${basename(folder)}.xml`])) {
    const path = join(folder, name);
    if (isScan(path, files)) return files.resolve(path);
  }
  const names = unlessDamaged(() => files.list(folder), []).filter((name) => /\.xml$/i.test(name));
  if (names.length > MAX_LOOKED_INTO) return null;
  const [only, ...others] = names.map((name) => join(folder, name)).filter((path) => isScan(path, files));
  return only !== undefined && others.length === 0 ? files.resolve(only) : null;
}

function isScan(path: string, files: FileAccess): boolean {
  const file = files.openNeighbour(path);
  if (file === null) return false;
  try {
    return holdsScan(file);
  } finally {
    file.close();
  }
}

/** True where a file begins as the document of a scan. */
export const holdsScan = (file: ByteSource): boolean =>
  beginsScan(textFrom(file.read(0, Math.min(START_BYTES, file.size), "the start")));

/** True for an image that a document beside it names: it is opened as a part of its scan. */
export function isPartOfScan(path: string, files: FileAccess): boolean {
  const document = documentOf(path, files);
  return document !== null && document.part.kind === "image" && "scan" in document.found;
}
