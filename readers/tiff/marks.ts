/** Recognises dialects before their readers are loaded: by file names, marks in the header, tags and descriptions. */
import type { FileGrouping, FolderNames } from "../format.ts";
import type { TiffFile } from "./tiff_file.ts";

/** Files of an NDTiff data set: `NAME_NDTiffStack.tif`, then `NAME_NDTiffStack_1.tif`. Captures name and number. */
export const NDTIFF_STACK = /^(.*_NDTiffStack)(?:_(\d+))?\.tif$/i;

/** File of a Micro-Manager acquisition: the name up to its positions and continuations. */
export const MICRO_MANAGER = /^.*?_MMStack/i;

/**
 * File of a Micro-Manager acquisition saved as separate image files. Captures time, channel and slice (`img_000000000_DAPI_000.tif`),
 * or axes with numbers (`img_channel000_position000_time000000000_z000.tif`). The name of the channel may be empty.
 */
export const SEPARATE_IMAGE =
  /^img(?:_(\d{9,10})_(.*)_(\d{3,})|((?:_(?:channel|position|time|z)\d{3,}){1,4}))\.tiff?$/i;

/** Name of the document beside such files. */
export const METADATA_NAME = "metadata.txt";

/** Channel, slice and frame at the end of an Olympus file name, without its extension. */
export const OLYMPUS_ENDING = /_C(\d{3,4})(?:Z(\d{3,4}))?(?:T(\d{3,4}))?$/i;

/** Name of ThorImage's document. */
export const EXPERIMENT_NAME = "Experiment.xml";

/** Channel, tile and slice in a ThorImage file name. */
const THOR_IMAGE = /^Chan[A-Z]_\d+_\d+_\d+(?:_\d+)?\.tiff?$/i;

/** Acquisition and part in a file name of ScanImage 4 and later, five digits each. */
const SCANIMAGE = /^(.*_\d{5})_\d{5,}\.tiff?$/i;

/** Indices at the end of the name of an OME-TIFF with some of the planes: `_C0`, `-Z1_T3`. A time alone may be a trial number. */
const OME_INDICES = /(?=.*[_-][CZ]\d)(?:[_-](?:C|Z|TP?)\d+)+\.ome\.tiff?$/i;

/** Extension of the XML document of an OME-TIFF set, which may be the whole name. */
export const COMPANION = ".companion.ome";

/** True for the path of such a document. */
export const isCompanion = (path: string): boolean => /(?:^|[./\\])companion\.ome$/i.test(path);

/** Sets of TIFF files of several programs, by name. */
export const GROUPING: FileGrouping = { setOf, mayBeOwn: () => true };

function setOf(name: string, beside: FolderNames): string | null {
  const [extension] = /(?:\.ome)?\.tiff?$/i.exec(name) ?? [];
  if (extension === undefined) return null;
  const companion = beside.ending(COMPANION).find((document) => continuesCompanion(name, document));
  if (companion !== undefined) return companion;
  if (THOR_IMAGE.test(name) && isThorSet(name, beside)) return "Chan";
  if (SEPARATE_IMAGE.test(name) && beside.find(METADATA_NAME) !== null) return "img_";
  const stack = NDTIFF_STACK.exec(name) ?? SCANIMAGE.exec(name);
  if (stack) return stack[1]!;
  if (/^\.ome/i.test(extension)) {
    const bare = beside.find(COMPANION.slice(1));
    if (bare !== null) return bare;
    return MICRO_MANAGER.exec(name)?.[0] ?? (OME_INDICES.test(name) ? name.replace(OME_INDICES, "") : null);
  }
  const stem = name.slice(0, -extension.length);
  return OLYMPUS_ENDING.test(stem) ? stem.replace(OLYMPUS_ENDING, "") : null;
}

/** True for a file of ThorImage beside its document or the first file of its set. */
const isThorSet = (name: string, beside: FolderNames) =>
  [
    EXPERIMENT_NAME,
    name.replace(/^Chan[A-Z]/i, "ChanA").replace(/(_\d+)(?=[_.])/g, (part) =>
      `_${"1".padStart(part.length - 1, "0")}`),
  ]
    .some((first) =>
      beside.find(first) !== null
    );

/** True if a name continues that of a companion document: `set-Z1.ome.tif` and `set.companion.ome`. */
function continuesCompanion(name: string, companion: string): boolean {
  const stem = companion.slice(0, -COMPANION.length).toLowerCase();
  return name.toLowerCase().startsWith(stem) && !/^[\p{L}\p{N}]/u.test(name.slice(stem.length));
}

/** Mark at byte 8 of NDTiff files. */
const NDTIFF_MARK = 483_729;
/** Mark before the offset of Micro-Manager's index map, at byte 8. */
export const INDEX_MAP_MARK = 54_773_648;
/** Mark before the summary. */
export const SUMMARY_MARK = 2_355_492;
/** Mark before ScanImage's settings, at byte 16 of a BigTIFF. */
export const SCANIMAGE_MARK = 117_637_889;

/** The number at an offset of the header; `null` if the file ends before it. */
export function readNumberAt({ file, window, encoding }: TiffFile, at: number): number | null {
  return file.size < at + 4 ? null : window.view(at, 4, "the header").getUint32(0, encoding.littleEndian);
}

/** Whether a file is NDTiff. */
export const isNDTiff = (tiff: TiffFile): boolean =>
  tiff.file.size >= 28 && readNumberAt(tiff, 8) === NDTIFF_MARK;

/** Start of a description by ImageJ 1, Bio-Formats or tifffile. */
export const IMAGEJ_MARK = "ImageJ=";

/** Start of a description by SCIFIO, the library of ImageJ2 and pyimagej. */
export const SCIFIO_MARK = "SCIFIO=";

/** Whether a description has the lines of ImageJ. */
export const isImageJText = (text: string): boolean =>
  text.startsWith(IMAGEJ_MARK) || text.startsWith(SCIFIO_MARK);

/** Lines of ScanImage settings and stamps. */
const SCANIMAGE_KEYS = /^(?:(?:state\.|scanimage\.|SI\.)\w|frameNumbers? =|Frame Number =)/m;

/** Whether a text is from ScanImage. */
export const isScanImageText = (text: string): boolean => SCANIMAGE_KEYS.test(text.replace(/[\r\0]/g, "\n"));

/** Value of Software in Prairie View files, which is cut to 22 characters. */
export const PRAIRIE_SOFTWARE = /^Prairie View /;

/** Whether a description is OME-XML, even if its root element is damaged. */
export const isOmeXml = (text: string): boolean =>
  /<(?:\w+:)?OME[\s>]|openmicroscopy\.org\/Schemas\/OME/i.test(text.slice(0, 8192));

/** Whether a description is an array shape written by tifffile. */
export const isShape = (text: string): boolean => text.startsWith("{") && text.includes('"shape":');
