/**
 * TIFF without a dialect: pages of one layout are planes along `Z`. Pages that are reduced versions or masks
 * (NewSubfileType bits 0 and 2) and pages of another layout are none of them. Files of tifffile may carry the
 * shape and axes of the array as JSON, with one directory for all planes; of several arrays the first is served.
 */
import { calibrated, type Calibration, known } from "../../axes.ts";
import { DecodeFailed } from "../../errors.ts";
import type { AxisLetter } from "../../reader.ts";
import type { Directory } from "../directory.ts";
import { readPage } from "../page.ts";
import { isShape, numberInArray, pagesOfArray, type ShapedArray, shapedArray, shapesOf } from "./shaped.ts";
import { contiguousPlanes, listedPlane, stackedPlane } from "../stored_planes.ts";
import { noted, type Opened, tagMoment } from "../opened.ts";
import type { Stack } from "../stack.ts";
import { TAG } from "../tags.ts";
import { upToNul } from "../text.ts";
import type { TiffFile } from "../tiff_file.ts";

/** Offsets of the directories that hold planes like the first, and why a chain ended early. */
export interface PageRun {
  /** In the order of the chain. */
  readonly offsets: readonly number[];
  /** Those of them that have a description. */
  readonly described: ReadonlySet<number>;
  /** Why the chain ended early. */
  readonly warnings: readonly string[];
}

const REDUCED_OR_MASK = 1 | 4;

const hidden = (directory: Directory) =>
  ((directory.noteNumber(TAG.NewSubfileType) ?? 0) & REDUCED_OR_MASK) !== 0;

/** Walks the chain once, reading nothing but the directories. */
export function pagesLikeFirst(tiff: TiffFile): PageRun {
  const seen: { readonly offset: number; readonly key: string | null }[] = [];
  const described = new Set<number>();
  let shown: string | null = null;
  let pages = 0;
  tiff.walk((directory) => {
    pages += 1;
    if (directory.lists(TAG.ImageDescription)) described.add(directory.offset);
    const key = noteKey(directory, pages === 1);
    if (key !== null && !hidden(directory)) shown ??= key;
    if (shown === null || key === null || key === shown) seen.push({ offset: directory.offset, key });
  });
  // What is as large as a plane is no reduced version of it, whatever its NewSubfileType says.
  const offsets = seen.filter(({ key }) => shown !== null && (key ?? shown) === shown).map(({ offset }) =>
    offset
  );
  const broken = tiff.brokenTail;
  const warnings = broken === null ? [] : [`The file ends early, after ${pages} pages: ${broken}`];
  return { offsets, described, warnings };
}

/** Key of a page; `null` of a later one that is damaged, which keeps its place among the planes. */
function noteKey(directory: Directory, first: boolean): string | null {
  try {
    return layoutKey(directory);
  } catch (error) {
    if (first || !(error instanceof DecodeFailed)) throw error;
    return null;
  }
}

/** What decides whether two pages are planes of one stack, from values that stand in the directory itself. */
function layoutKey(directory: Directory): string {
  const inline = (tag: number) => directory.count(tag) <= 2 ? directory.number(tag) : directory.count(tag);
  return [
    directory.number(TAG.ImageWidth),
    directory.number(TAG.ImageLength),
    directory.number(TAG.SamplesPerPixel) ?? 1,
    inline(TAG.BitsPerSample) ?? 1,
    inline(TAG.SampleFormat) ?? 1,
    directory.number(TAG.PlanarConfiguration) ?? 1,
    directory.number(TAG.PhotometricInterpretation) ?? 1,
  ].join();
}

/** The stack of a file without a dialect. */
export function openPlain(opened: Opened): Stack {
  const { tiff, first, descriptions } = opened;
  const run = pagesLikeFirst(tiff);
  const shown = run.offsets.length > 0 && run.offsets[0] !== first.offset
    ? tiff.directoryAt(run.offsets[0]!)
    : first;
  const layout = readPage(shown);
  const shape = upToNul(descriptions.find(isShape) ?? "");
  const array = shape === ""
    ? null
    : noted(opened, "The shape of the array", () => shapedArray(shape, layout));
  const offsets = array === null ? run.offsets : pagesOfArray(tiff, run, array, shape);
  const pages = Math.max(offsets.length, 1);
  const warnings = [...run.warnings, ...array?.warnings ?? []];
  let shaped: ShapedArray | null = array;
  let behindOne = false;
  if (array !== null) {
    behindOne = array.truncated || pages < array.planes && contiguousPlanes(tiff, layout) >= array.planes;
    const present = behindOne ? contiguousPlanes(tiff, layout) : pages;
    if (present < array.planes) {
      warnings.push(`The description declares ${array.planes} planes, but the file holds ${present}`);
    } else if (!behindOne && !startsSeries(tiff, offsets, array.planes)) {
      warnings.push(
        `The description declares ${array.planes} planes, but the file holds ${pages}; they are slices`,
      );
      shaped = null;
    }
  }
  return {
    sizes: shaped?.sizes ?? { T: 1, C: 1, Z: pages },
    layout,
    calibrations: resolutionCalibrations(shown),
    names: [],
    moment: tagMoment(shown),
    fileSize: tiff.file.size,
    warnings,
    plane: (index) => {
      const number = shaped ? numberInArray(shaped, index) : index.z;
      if (shaped && behindOne) return stackedPlane(tiff, layout, number, true);
      return listedPlane(tiff, layout, offsets, number);
    },
  };
}

/** Whether the first pages are those of an array: there are no others, or the next one begins another array. */
function startsSeries(tiff: TiffFile, offsets: readonly number[], planes: number): boolean {
  if (planes === offsets.length) return true;
  const next = tiff.directory(planes);
  return tiff.directory(planes - 1)?.offset === offsets[planes - 1] && next !== null &&
    shapesOf(next).length > 0;
}

/** Micrometres of the units of ResolutionUnit that are lengths. */
const RESOLUTION_UNIT: Readonly<Record<number, number>> = { 2: 25_400, 3: 10_000 };

/** A pixel larger than this is print or screen, not a microscope, in micrometres. */
const LARGEST_PIXEL = 10;

/** Dots per inch that printers and scanners are set to; what is below 2540, as all screens are, is too large a pixel. */
const PRINT_DPI = new Set([2880, 3000, 3200, 3600, 4000, 4800, 5760, 6400, 7200, 9600, 12_800, 19_200]);

/** Pixel size from the resolution tags where it plausibly is one. */
export function resolutionCalibrations(directory: Directory): Partial<Record<AxisLetter, Calibration>> {
  // Olympus FV software writes 10000 per centimetre whatever the pixel is.
  if (/^FV\d/.test(directory.note(TAG.Software, 1024))) return {};
  const unit = RESOLUTION_UNIT[directory.number(TAG.ResolutionUnit) ?? 2];
  if (unit === undefined) return {};
  const step = (tag: number) => {
    const resolution = directory.noteNumber(tag) ?? 0;
    const pixel = unit / resolution;
    const dpi = 25_400 / pixel;
    const print = PRINT_DPI.has(Math.round(dpi)) && Math.abs(dpi - Math.round(dpi)) < 0.01;
    return pixel > 0 && pixel <= LARGEST_PIXEL && !print ? known(calibrated(pixel, "um")) : undefined;
  };
  const [X, Y] = [step(TAG.XResolution), step(TAG.YResolution)];
  return X && Y ? { X, Y } : {};
}
