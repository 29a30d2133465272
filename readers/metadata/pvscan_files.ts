/**
 * The files of a Prairie View scan called NAME: their names, and how each of them leads to `NAME.xml`.
 *
 *   NAME_Cycle00001_Ch1_000001.ome.tif                      image of version 5: cycle, channel, number of the frame
 *   NAME_Cycle00001_CurrentSettings_Ch1_000001.tif          the same of version 4
 *   NAME-Cycle00001_Ch1Source.tif                           frame on which the line of a line scan was drawn
 *   References/NAME-Cycle00002-Ch1-16bit-Reference.tif      the same frame; its number is that of the cycle plus one
 */

import { basename, dirname, join } from "node:path";
import { DecodeFailed, isLoss, quoted, reasonOf, unlessDamaged, Unreadable } from "../errors.ts";
import type { ByteSource } from "../io/byte_source.ts";
import { MAX_XML_BYTES } from "../io/limits.ts";
import { alike, findNamedFiles, StoredNames } from "../io/names.ts";
import type { FileAccess } from "../io/file_access.ts";
import { MAX_NAME_BYTES } from "../io/paths.ts";
import { beginsScan, parseScan, type PvScan } from "./pvscan.ts";
import { decodeAnyText } from "./text.ts";

/** The parts of a file name: of an image of a cycle, from 1, or of the frame on which a line was drawn. */
export interface ScanFileName {
  readonly kind: "image" | "source";
  readonly scan: string;
  readonly cycle: number;
  /** True for a file in a subfolder of the scan's folder. */
  readonly below: boolean;
}

/** Kinds of files with their names. The number of a reference is that of the cycle plus one. */
const NAMES = [
  { kind: "image", ahead: 0, pattern: /^(.+)_Cycle(\d+)_(?:.*_)?Ch\d+_\d+(?:\.ome)?\.tiff?$/i },
  { kind: "source", ahead: 0, pattern: /^(.+)-Cycle(\d+)_Ch\d+Source\.tiff?$/i },
  { kind: "source", ahead: 1, pattern: /^(.+)-Cycle(\d+)[-_]Ch\d+-16bit-Reference\.tiff?$/i },
] as const;

/** The parts of a file name, or `null` for any other name. */
export function parseScanFileName(name: string): ScanFileName | null {
  if (name.length > MAX_NAME_BYTES) return null;
  for (const { kind, ahead, pattern } of NAMES) {
    const found = pattern.exec(name);
    if (found) return { kind, scan: found[1]!, cycle: Number(found[2]) - ahead, below: ahead > 0 };
  }
  return null;
}

/** Name of the frame on which an image's line was drawn, which version 4 does not state; `null` for other names. */
export function makeSourceName(image: string): string | null {
  if (image.length > MAX_NAME_BYTES) return null;
  const found = /^(.+)_(Cycle\d+)_(?:.*_)?(Ch\d+)_\d+(?:\.ome)?(\.tiff?)$/i.exec(image);
  return found && `${found[1]}-${found[2]}_${found[3]}Source${found[4]}`;
}

/** True for raw samples that Prairie View has not converted to TIFF yet. */
export const isRawData = (name: string): boolean => /^CYCLE_\d+_RAWDATA_\d+/i.test(name);

/** A document that was found and read, with the index of the sequence of each image, by file name. */
export interface FoundDocument {
  readonly path: string;
  readonly size: number;
  readonly scan: PvScan;
  readonly images: ReadonlyMap<string, number>;
}

/** Number of bytes in which the first element of a file is searched. */
const START_BYTES = 4096;

/** Number of XML files in a folder that are opened if none has the name of the scan. */
const MAX_LOOKED_INTO = 32;

/** The document last read, since an open asks twice: whether the file is part of a scan, and for the scan itself. */
const READ = new WeakMap<FileAccess, FoundDocument>();

/** Reads a document. @throws {DecodeFailed} the document is damaged, too large, or not a `PVScan` */
export function readScanDocument(path: string, files: FileAccess): FoundDocument {
  const known = READ.get(files);
  if (known?.path === path) return known;
  const { text, size } = readDocumentText(path, files, MAX_XML_BYTES);
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

/** The text of a document, as written. @throws {DecodeFailed} it has more than `most` bytes */
export function readDocumentText(
  path: string,
  files: FileAccess,
  most: number,
): { text: string; size: number } {
  const file = files.open(path);
  if (file.size > most) {
    throw new DecodeFailed(`the PVScan document has ${file.size} bytes, more than ${most}`);
  }
  return { text: decodeAnyText(file.read(0, file.size, "the PVScan document")), size: file.size };
}

/**
 * The document of the scan to which a file belongs by its name: `NAME.xml`, a document named like its folder, or the only
 * document in the folder; or the reason why there is none, as a clause. `null` for a file name that is not from Prairie View.
 *
 * @throws {Unreadable} the document of an image, or its folder, cannot be read
 */
export function findScanDocument(
  path: string,
  files: FileAccess,
): { readonly part: ScanFileName; readonly found: FoundDocument | { readonly reason: string } } | null {
  const part = parseScanFileName(basename(path));
  if (part === null) return null;
  const own = dirname(path);
  const folder = part.below && /^references$/i.test(basename(own)) ? dirname(own) : own;
  const missing = (reason: string) => ({ part, found: { reason } });
  try {
    const at = findDocumentPath(folder, part.scan, files);
    if (at === null) return missing(`"${part.scan}.xml" is not beside it`);
    const found = readScanDocument(at, files);
    return part.kind === "source" || findWrittenName(path, found, files) !== null
      ? { part, found }
      : missing(`${quoted(basename(at))} does not name it`);
  } catch (error) {
    // A plane cannot be read without its document; a source image needs it only for its steps.
    if (!isLoss(error) || error instanceof Unreadable && part.kind === "image") throw error;
    return missing(`its document cannot be read: ${reasonOf(error)}`);
  }
}

/** The name by which a document means the file at `path`, which it may spell differently; `null` if it does not name it. */
export function findWrittenName(
  path: string,
  { path: at, images }: FoundDocument,
  files: FileAccess,
): string | null {
  const name = basename(path);
  if (images.has(name)) return name;
  const written = [...images.keys()].filter((one) => alike(one, name));
  for (const [one, found] of findNamedFiles(files, dirname(at), written)) if (found === path) return one;
  return null;
}

function findDocumentPath(folder: string, scan: string, files: FileAccess): string | null {
  const wanted = new Set([`${scan}.xml`, `${basename(folder)}.xml`]);
  const first = (names: Iterable<string>) => {
    for (const name of names) if (isScan(join(folder, name), files)) return files.resolve(join(folder, name));
    return null;
  };
  const exact = first(wanted);
  if (exact !== null) return exact;
  const names = unlessDamaged(() => files.list(folder), []);
  const stored = new StoredNames(names);
  const spelled = first([...wanted].map((name) => stored.find(name)).filter((name) => name !== null));
  if (spelled !== null) return spelled;
  const documents = names.filter((name) => /\.xml$/i.test(name));
  if (documents.length > MAX_LOOKED_INTO) return null;
  const [only, ...others] = documents.filter((name) => isScan(join(folder, name), files));
  return only !== undefined && others.length === 0 ? files.resolve(join(folder, only)) : null;
}

function isScan(path: string, files: FileAccess): boolean {
  using file = files.openNeighbour(path);
  return file !== null && holdsScan(file);
}

/** True if a file begins like the document of a scan. */
export const holdsScan = (file: ByteSource): boolean =>
  beginsScan(decodeAnyText(file.read(0, Math.min(START_BYTES, file.size), "the start")));

/** True for an image that is named in a document beside it; it is opened as part of its scan. */
export function isPartOfScan(path: string, files: FileAccess): boolean {
  const document = findScanDocument(path, files);
  return document !== null && document.part.kind === "image" && "scan" in document.found;
}
