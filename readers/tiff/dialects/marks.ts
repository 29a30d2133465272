/** How dialects are recognised before their readers are loaded. */
import { basename, dirname, join } from "node:path";
import { Unreadable } from "../../errors.ts";
import { MAX_VENDOR_BYTES } from "../bounds.ts";
import { EXPERIMENT_NAME, OLYMPUS_ENDING } from "../file_names.ts";
import type { Opened } from "../opened.ts";
import { TAG } from "../tags.ts";
import { isOmeXml } from "../text.ts";
import type { TiffFile } from "../tiff_file.ts";

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
