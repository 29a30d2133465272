/**
 * TIFF and BigTIFF in the dialects of microscopes.
 *
 *   header      8 or 16 bytes: byte order, 42 or 43, offset of the first directory
 *   directory   entries of tag, type, count and value or its offset; then the offset of the next directory
 *   page        one directory: width, height, samples, bits; offsets and lengths of its strips or tiles
 *   strip/tile  samples of some rows or of a rectangle, chunky or one sample apart, compressed one by one
 *   dialect     how pages become time, channel and focus: NDTiff, OME-XML, ImageJ, Micro-Manager, MetaMorph,
 *               ScanImage, FluoView, a text file of Olympus beside it, or plain pages
 *
 * Refused, by the tag's name and value: complex samples, old-style JPEG, JBIG and other codecs that `compression.ts`
 * does not list, raw YCbCr with fewer chroma samples than pixels, image depth, predictors on packed samples; and
 * whatever does not lie in the file.
 */
import { extensionOf } from "../format_names.ts";
import { MAX_XML_BYTES } from "../io/limits.ts";
import type { FileAccess } from "../io/random_access.ts";
import { type Acquisition, type SceneEntry, type Scenes, sizesOf, type Source } from "../reader.ts";
import { warning } from "../warning.ts";
import { acquisitionOf } from "./acquisition.ts";
import { openFluoView } from "./dialects/fluoview.ts";
import { openImageJ } from "./dialects/imagej.ts";
import { openMetaMorph } from "./dialects/metamorph.ts";
import { openMicroManager, withPlaneMetadata } from "./dialects/micromanager.ts";
import { openNDTiff, openNDTiffFolder } from "./dialects/ndtiff.ts";
import { openOlympusText } from "./dialects/olympus_text.ts";
import { openCompanion, openOme } from "./dialects/ome.ts";
import { openPlain, plainSeries } from "./dialects/plain.ts";
import { withPrairieDocument } from "./dialects/prairie.ts";
import { openScanImage } from "./dialects/scanimage.ts";
import { withExperiment } from "./dialects/thorimage.ts";
import { noted, type Opened } from "./opened.ts";
import { oneSeries, type SeriesList } from "./stack.ts";
import { TAG, tagName } from "./tags.ts";
import { TiffFile } from "./tiff_file.ts";

/** Opens a TIFF acquisition, with the other files of its set. */
export function scenes(source: Source): Promise<Scenes> {
  return Promise.try(() => {
    const { opened, list } = openSeries(source);
    return scenesOf(opened, list);
  });
}

/** The opened file, or one of the set that a folder or a document stands for, and its series. */
function openSeries({ path, files }: Source): { opened: Opened; list: SeriesList } {
  if (files.kind(path) === "directory") return openNDTiffFolder(path, files);
  if (extensionOf(path) === ".companion.ome") return openCompanion(path, files);
  const tiff = new TiffFile(files.open(path), files);
  const set = openNDTiff(path, tiff, files);
  if (set !== null) return set;
  const opened = openFile(path, tiff, files);
  return { opened, list: withPrairieDocument(opened, seriesOf(opened)) };
}

function openFile(path: string, tiff: TiffFile, files: FileAccess): Opened {
  const { first } = tiff;
  // A file with that record is opened as LSM, so this one may have lost it.
  const warnings = /\.lsm$/i.test(path)
    ? [
      warning(
        "read_differently",
        `It is a plain TIFF: it lacks ${tagName(TAG.CZ_LSMINFO)}, which makes one LSM`,
      ),
    ]
    : [];
  const opened: Opened = { path, files, tiff, first, descriptions: [], warnings };
  opened.descriptions = noted(
    opened,
    tagName(TAG.ImageDescription),
    () => first.wholeTexts(TAG.ImageDescription, MAX_XML_BYTES),
  ) ??
    [];
  return opened;
}

/** The series of the first dialect that fits. */
function seriesOf(opened: Opened): SeriesList {
  const several = openMicroManager(opened);
  if (several !== null) return several;
  const ome = openOme(opened);
  if (ome !== null) return withExperiment(opened, ome);
  const stack = openImageJ(opened) ?? openScanImage(opened) ?? openMetaMorph(opened) ??
    openOlympusText(opened, (one) => openFluoView(one) ?? openPlain(one)) ?? openFluoView(opened);
  if (stack !== null) return oneSeries(stack);
  const plain = plainSeries(opened);
  return {
    ...plain,
    open: (index) => {
      const stack = plain.open(index);
      return withPlaneMetadata(stack, index === 0 ? opened.first : stack.layout.directory);
    },
  };
}

function scenesOf(opened: Opened, list: SeriesList): Scenes {
  const { files } = opened;
  // What was noted of the file holds for each of its series, what is noted of one for that alone.
  const ofFile = opened.warnings.splice(0);
  const sizes = new Map<number, SceneEntry["sizes"]>();
  const open = (scene: number): Acquisition => {
    const stack = list.open(scene);
    const warnings = [...ofFile, ...opened.warnings.splice(0), ...stack.warnings];
    const indexBytes = opened.tiff.indexBytes + (stack.indexBytes ?? 0);
    const acquisition = acquisitionOf({ ...stack, warnings, indexBytes }, opened.first, files.stop);
    sizes.set(scene, sizesOf(acquisition.axes));
    return acquisition;
  };
  // What holds one series is read as that series.
  const single = list.count === 1 ? open(0) : null;
  // They may be as large as all that is known of the planes, and were read.
  opened.descriptions = [];
  return {
    count: list.count,
    own: list.own,
    warnings: list.warnings,
    entries: (most) =>
      list.entries(most).map((entry, index) => ({ ...entry, sizes: sizes.get(index) ?? entry.sizes })),
    open: (scene) => Promise.try(() => single ?? open(scene)),
  };
}
