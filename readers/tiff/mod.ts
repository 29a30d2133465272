/**
 * TIFF and BigTIFF in the dialects of microscopes.
 *
 *   header      8 or 16 bytes: byte order, 42 or 43, offset of the first directory
 *   directory   entries of tag, type, count and value or its offset; then the offset of the next directory
 *   page        one directory: width, height, samples, bits; offsets and lengths of its strips or tiles
 *   strip/tile  samples of some rows or of a rectangle, interleaved or separate, each strip or tile compressed by itself
 *   dialect     how pages become time, channel and focus: `DIALECTS` below, plain pages last
 *
 * Not supported; the message names the tag and its value: complex samples, old-style JPEG, JBIG and other codecs that
 * `compressed_segments.ts` does not list, raw YCbCr with subsampled chroma, image depth, predictors on packed samples. Anything
 * that does not lie in the file is refused, too.
 */
import { basename, dirname, extname, join } from "node:path";
import { unlessDamaged, Unreadable } from "../errors.ts";
import { MAX_XML_BYTES } from "../io/limits.ts";
import type { FileAccess } from "../io/file_access.ts";
import { warnAboutZeros } from "../metadata/lost_text.ts";
import type { Acquisition, Scenes, Source } from "../reader.ts";
import { warnIf } from "../warning.ts";
import { describeStack } from "./acquisition.ts";
import { openPlainSeries } from "./dialects/plain.ts";
import * as marks from "./marks.ts";
import { estimateRecent } from "./plane_files.ts";
import { type OpenedSeries, type OpenedTiff, readOrWarn, type SeriesList, type Stack } from "./stack.ts";
import { MAX_VENDOR_BYTES, TAG, tagName } from "./tags.ts";
import { TiffFile } from "./tiff_file.ts";

/** Largest number of zeros of an empty description that a warning counts. */
const MAX_ZEROS = 4096;

/** What DateTime holds (TIFF 6.0). */
const DATE_TIME = "YYYY:MM:DD HH:MM:SS";

/** A dialect: a quick check, and its reader, which is loaded if the check passes. */
interface Dialect {
  fits(opened: OpenedTiff): boolean;
  /** The series of a file; `null` if the file is of another dialect after all. */
  open(opened: OpenedTiff): Promise<SeriesList | null>;
}

/** All dialects except NDTiff and plain pages. The first dialect that opens a file is used. */
const DIALECTS: readonly Dialect[] = [
  {
    fits: ({ tiff }) =>
      marks.readNumberAt(tiff, 8) === marks.INDEX_MAP_MARK ||
      marks.readNumberAt(tiff, 32) === marks.SUMMARY_MARK,
    open: async (opened) => (await import("./dialects/micromanager/mod.ts")).openMicroManager(opened),
  },
  {
    fits: ({ path, files }) =>
      marks.SEPARATE_IMAGE.test(basename(path)) && mayExist(files, join(dirname(path), marks.METADATA_NAME)),
    open: async (opened) =>
      (await import("./dialects/micromanager/separate_images.ts")).openSeparateImages(opened),
  },
  {
    fits: ({ path, descriptions }) => descriptions.some(marks.isOmeXml) || /\.ome\.tiff?$/i.test(path),
    open: async (opened) => {
      const list = (await import("./dialects/ome/mod.ts")).openOme(opened);
      const experiment = join(dirname(opened.path), marks.EXPERIMENT_NAME);
      if (list === null || !mayExist(opened.files, experiment)) return list;
      return (await import("./dialects/thorimage.ts")).withExperiment(opened, list);
    },
  },
  {
    fits: ({ descriptions }) => descriptions.some(marks.isImageJText),
    open: async (opened) => {
      const stack = (await import("./dialects/imagej.ts")).openImageJ(opened);
      if (!mayBeOlympus(opened)) return listSingle(stack);
      return listSingle((await import("./dialects/olympus/mod.ts")).withOlympusText(opened, stack));
    },
  },
  {
    fits: ({ tiff, first, descriptions }) =>
      tiff.encoding.bigTiff && marks.readNumberAt(tiff, 16) === marks.SCANIMAGE_MARK ||
      [...descriptions, first.note(TAG.Software, MAX_VENDOR_BYTES)].some(marks.isScanImageText),
    open: async (opened) => listSingle((await import("./dialects/scanimage/mod.ts")).openScanImage(opened)),
  },
  {
    fits: ({ first, descriptions: [text = ""] }) =>
      first.has(TAG.UIC1) || first.has(TAG.UIC2) || text.trimStart().startsWith("<MetaData>"),
    open: async (opened) => listSingle((await import("./dialects/metamorph.ts")).openMetaMorph(opened)),
  },
  {
    fits: mayBeOlympus,
    open: async (opened) => listSingle((await import("./dialects/olympus/mod.ts")).openOlympus(opened)),
  },
  {
    fits: ({ first }) => first.has(TAG.FluoViewHeader),
    open: async (opened) => listSingle((await import("./dialects/fluoview.ts")).openFluoView(opened)),
  },
];

/** The list of a file with one series. */
const listSingle = (stack: Stack | null): SeriesList | null =>
  stack && { count: 1, own: 0, warnings: [], entries: () => [{ name: null, sizes: {} }], open: () => stack };

/** Whether a file is named like a file of an Olympus set, or may have a text file beside it. */
function mayBeOlympus({ path, files }: OpenedTiff): boolean {
  const stem = path.slice(0, path.length - extname(path).length);
  return marks.OLYMPUS_ENDING.test(stem) || mayExist(files, `${stem}.txt`) || mayExist(files, `${stem}.TXT`);
}

/** Whether a path exists or cannot be inspected. */
function mayExist(files: FileAccess, path: string): boolean {
  try {
    return files.kind(path) !== null;
  } catch (error) {
    if (error instanceof Unreadable) return true;
    throw error;
  }
}

async function openTiffSeries({ path, files }: Source): Promise<OpenedSeries> {
  if (files.kind(path) === "directory") {
    return (await import("./dialects/ndtiff/mod.ts")).openNDTiffFolder(path, files);
  }
  if (marks.isCompanion(path)) {
    return (await import("./dialects/ome/mod.ts")).openCompanion(path, files);
  }
  const tiff = new TiffFile(files.open(path), files);
  // Does not look at the directories, which may be damaged.
  if (marks.isNDTiff(tiff)) return (await import("./dialects/ndtiff/mod.ts")).openNDTiff(path, tiff, files);
  const { first } = tiff;
  const text = `It is a plain TIFF: it lacks ${tagName(TAG.CZ_LSMINFO)}, which makes one LSM`;
  const warnings = warnIf(/\.lsm$/i.test(path), "read_differently", text);
  const texts = () => first.texts(TAG.ImageDescription, MAX_XML_BYTES);
  const descriptions = readOrWarn(warnings, tagName(TAG.ImageDescription), texts) ?? [];
  for (const text of descriptions) {
    const zeros = text === "" ? "\0".repeat(Math.min(first.count(TAG.ImageDescription), MAX_ZEROS)) : text;
    const few = marks.isImageJText(text) || marks.isScanImageText(text)
      ? "end fields"
      : first.has(TAG.UIC1)
      ? "end lines"
      : "end";
    warnings.push(...warnAboutZeros(tagName(TAG.ImageDescription), zeros, few));
  }
  const [moment = ""] = unlessDamaged(() => first.textStarts(TAG.DateTime, DATE_TIME.length), []);
  warnings.push(...warnAboutZeros(tagName(TAG.DateTime), moment));
  const opened: OpenedTiff = { path, files, tiff, first, descriptions, warnings };
  const list = await openDialect(opened);
  const software = first.note(TAG.Software, 64);
  if (!/Cycle\d+/i.test(basename(path)) && !marks.PRAIRIE_SOFTWARE.test(software)) return { opened, list };
  return { opened, list: (await import("./dialects/prairie.ts")).withPrairieDocument(opened, list) };
}

/** The series of the first dialect that opens a file, else its plain pages. */
async function openDialect(opened: OpenedTiff): Promise<SeriesList> {
  for (const { fits, open } of DIALECTS) {
    const list = fits(opened) ? await open(opened) : null;
    if (list !== null) return list;
  }
  const plain = openPlainSeries(opened);
  if (!opened.first.has(TAG.MicroManagerMetadata)) return plain;
  const { withPlaneMetadata } = await import("./dialects/micromanager/mod.ts");
  return { ...plain, open: (index) => withPlaneMetadata(plain.open(index), opened.first, index) };
}

/** Opens a TIFF acquisition, with the other files of its set. */
export async function scenes(source: Source): Promise<Scenes> {
  const { opened, list } = await openTiffSeries(source);
  // Warnings about the file apply to each series; warnings from opening a series apply to it alone.
  const ofFile = opened.warnings.splice(0);
  const open = (scene: number): Acquisition => {
    const stack = list.open(scene);
    const warnings = [...ofFile, ...opened.warnings.splice(0), ...stack.warnings];
    const others = Math.max(0, new Set(stack.files?.()).size - 1);
    const indexBytes = opened.tiff.indexBytes + (stack.indexBytes ?? 0) + estimateRecent(others);
    return describeStack({ ...stack, warnings, indexBytes }, opened.first, opened.files.stop);
  };
  const only = list.count === 1 ? open(0) : null;
  // Descriptions may be large and are no longer needed.
  opened.descriptions = [];
  return { ...list, open: (scene) => Promise.try(() => only ?? open(scene)) };
}
