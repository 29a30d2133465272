/** How dialects are recognised before their readers are loaded: by names of files, marks in the header, tags and descriptions. */
import { basename, dirname, join } from "node:path";
import { Unreadable } from "../errors.ts";
import { extensionOf, type FolderNames } from "../format.ts";
import type { Opened } from "./stack.ts";
import { MAX_VENDOR_BYTES, TAG } from "./tags.ts";
import { isOmeXml } from "./text.ts";
import type { TiffFile } from "./tiff_file.ts";

/** Files of a data set of NDTiff: `NAME_NDTiffStack.tif`, then `NAME_NDTiffStack_1.tif`. Its name, and the number. */
export const NDTIFF_STACK = /^(.*_NDTiffStack)(?:_(\d+))?\.tif$/i;

/** An acquisition of Micro-Manager: the name up to its positions and continuations. */
export const MICRO_MANAGER = /^.*?_MMStack/i;

/** Channel, slice and frame at the end of the name of an Olympus file, without its extension. */
export const OLYMPUS_ENDING = /_C(\d{3,4})(?:Z(\d{3,4}))?(?:T(\d{3,4}))?$/i;

/** Name of the document of ThorImage. */
export const EXPERIMENT_NAME = "Experiment.xml";

/** Channel, tile and slice in the name of a file of ThorImage. */
const THOR_IMAGE = /^Chan[A-Z]_\d+_\d+_\d+(?:_\d+)?\.tiff?$/i;

/** Acquisition and part in the name of a file of ScanImage 4 and later, five digits each. */
const SCANIMAGE = /^(.*_\d{5})_\d{5,}\.tiff?$/i;

/** Indices at the end of the name of a file of OME-TIFF with a part of the planes: `_C0`, `-Z1_T3`; time alone may be a trial. */
const OME_INDICES = /(?=.*[_-][CZ]\d)(?:[_-](?:C|Z|TP?)\d+)+\.ome\.tiff?$/i;

const COMPANION = ".companion.ome";

/** See `setOf` of a format. */
export function setOf(name: string, beside: FolderNames): string | null {
  const extension = extensionOf(name);
  if (extension === null || !extension.includes(".tif")) return null;
  const companion = beside.ending(COMPANION).find((document) => continues(name, document));
  if (companion !== undefined) return companion;
  if (THOR_IMAGE.test(name) && beside.find(EXPERIMENT_NAME) !== null) return "Chan";
  const stack = NDTIFF_STACK.exec(name) ?? SCANIMAGE.exec(name);
  if (stack) return stack[1]!;
  if (extension.startsWith(".ome")) {
    return MICRO_MANAGER.exec(name)?.[0] ?? (OME_INDICES.test(name) ? name.replace(OME_INDICES, "") : null);
  }
  const stem = name.slice(0, -extension.length);
  return OLYMPUS_ENDING.test(stem) ? stem.replace(OLYMPUS_ENDING, "") : null;
}

/** True where a name is that of a companion document with more after it: `set-Z1.ome.tif` and `set.companion.ome`. */
function continues(name: string, companion: string): boolean {
  const stem = companion.slice(0, -COMPANION.length).toLowerCase();
  return name.toLowerCase().startsWith(stem) && !/^[\p{L}\p{N}]/u.test(name.slice(stem.length));
}

/** Numbers in the header of files of NDTiff and Micro-Manager. */
const NDTIFF_MARK = 483_729;
/** Announces the index map at byte 8. */
export const INDEX_MAP_MARK = 54_773_648;
/** Announces the summary. */
export const SUMMARY_MARK = 2_355_492;
/** Announces the settings at byte 16 of a BigTIFF. */
export const SCANIMAGE_MARK = 117_637_889;

/** The number at an offset of the header; `null` where the file ends before it. */
export function numberAt({ file, window, encoding }: TiffFile, at: number): number | null {
  return file.size < at + 4 ? null : window.view(at, 4, "the header").getUint32(0, encoding.littleEndian);
}

/** Whether a file is of NDTiff. */
export const isNDTiff = (tiff: TiffFile): boolean =>
  tiff.file.size >= 28 && numberAt(tiff, 8) === NDTIFF_MARK;

/** Whether a file has an index map or a summary of Micro-Manager. */
export const isMicroManager = (tiff: TiffFile): boolean =>
  tiff.file.size >= 40 && (numberAt(tiff, 8) === INDEX_MAP_MARK || numberAt(tiff, 32) === SUMMARY_MARK);

/** Whether a file has OME-XML, or a name that promises it. */
export const isOme = ({ path, descriptions }: Opened): boolean =>
  descriptions.some(isOmeXml) || /\.ome\.tiff?$/i.test(path);

/** Whether an `Experiment.xml` of ThorImage may lie beside a file. */
export const mayBeThorImage = ({ path, files }: Opened): boolean =>
  mayExist(files, join(dirname(path), EXPERIMENT_NAME));

/** First letters of the description of ImageJ. */
export const IMAGEJ_MARK = "ImageJ=";

/** Whether a file has a description of ImageJ. */
export const isImageJ = ({ descriptions }: Opened): boolean =>
  descriptions.some((text) => text.startsWith(IMAGEJ_MARK));

/** Lines of settings and stamps of ScanImage. */
const SCANIMAGE_KEYS = /^(?:(?:state\.|scanimage\.|SI\.)\w|frameNumbers? =|Frame Number =)/m;

/** Whether a text is of ScanImage. */
export const isScanImageText = (text: string): boolean => SCANIMAGE_KEYS.test(text.replace(/[\r\0]/g, "\n"));

/** Whether a file has settings or stamps of ScanImage. */
export const isScanImage = ({ tiff, first, descriptions }: Opened): boolean =>
  tiff.encoding.bigTiff && numberAt(tiff, 16) === SCANIMAGE_MARK ||
  [...descriptions, first.note(TAG.Software, MAX_VENDOR_BYTES)].some(isScanImageText);

/** Whether a file has tags or XML of MetaMorph. */
export const isMetaMorph = ({ first, descriptions }: Opened): boolean =>
  first.has(TAG.UIC1) || first.has(TAG.UIC2) ||
  (descriptions[0] ?? "").trimStart().startsWith("<MetaData>");

/** Whether a file is named like one of an Olympus set, or a text file may lie beside it. */
export function mayBeOlympus({ path, files }: Opened): boolean {
  const stem = path.slice(0, path.length - (/\.[^.]*$/.exec(basename(path))?.[0].length ?? 0));
  return OLYMPUS_ENDING.test(stem) || mayExist(files, `${stem}.txt`) || mayExist(files, `${stem}.TXT`);
}

/** Whether a file may be of Prairie View, by its name or its program. */
export const mayBePrairie = ({ path, first }: Opened): boolean =>
  /Cycle\d+/i.test(basename(path)) || PRAIRIE_SOFTWARE.test(first.note(TAG.Software, 64));

/** Software of Prairie View, which cuts it to 22 characters. */
export const PRAIRIE_SOFTWARE = /^Prairie View /;

/** Whether something is at a path, or cannot be looked at. */
function mayExist(files: Opened["files"], path: string): boolean {
  try {
    return files.kind(path) !== null;
  } catch (error) {
    if (error instanceof Unreadable) return true;
    throw error;
  }
}
