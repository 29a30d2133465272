/** How programs name the files of one acquisition that is stored in several TIFF files. */
import { extensionOf, type FolderNames } from "../format.ts";

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
