/**
 * TIFF without a dialect: pages of the same layout are planes along `Z`, and each layout is a scene. Reduced versions and masks
 * (NewSubfileType bits 0 and 2) are left out.
 *
 * Each array that tifffile describes in ImageDescription is a scene: `{"shape": [2, 3, 40, 50], "axes": "TCYX"}`. The planes of an
 * array have a page each or share one directory. Another array or reduced versions may follow.
 */
import { DecodeFailed, quoted, unlessDamaged } from "../../errors.ts";
import { buildAxes, type Calibration, convertStep, keepCalibrated } from "../../metadata/axes.ts";
import { buildLineScan } from "../../metadata/line_scan.ts";
import { isJsonObject, parseJsonText } from "../../metadata/json.ts";
import { warnAboutZeros } from "../../metadata/lost_text.ts";
import { type AxisLetter, type SceneEntry, sizesOf } from "../../reader.ts";
import { warnIf, type Warning, warning } from "../../warning.ts";
import {
  type ArrayAxes,
  computeLengths,
  locateArrayPlanes,
  readArrayAxes,
  warnAboutRowAxis,
  warnAboutSlices,
} from "../array_axes.ts";
import { cutAtNul, type Directory } from "../directory.ts";
import { type PageLayout, readPage } from "../page.ts";
import {
  MAX_PLANES,
  type OpenedTiff,
  type PlaneIndex,
  readOrWarn,
  type SeriesList,
  type Stack,
  tagMoment,
} from "../stack.ts";
import { countContiguous, listPlanesAt, listPlanesInRun, PageChain } from "../stored_planes.ts";
import { TAG, tagName } from "../tags.ts";
import { isShape } from "../marks.ts";

/** Largest number of scenes in a file whose pages are grouped only by layout. */
const MAX_PAGE_SCENES = 1000;

const PAGE_BYTES = 64;

/** Page numbers in the chain, none if the file holds only reduced pages, and their array; `null` if they are slices. */
interface PageSeries {
  readonly pages: readonly number[];
  readonly array: ShapedArray | null;
  readonly warnings: readonly Warning[];
}

interface ShapedArray extends ArrayAxes {
  readonly text: string;
  /** Number of pages. */
  readonly planes: number;
  readonly inRun: boolean;
  readonly warnings: readonly Warning[];
}

/** The scenes of a file without a dialect. */
export function openPlainSeries(opened: OpenedTiff): SeriesList {
  const chain = new PageChain(opened.tiff);
  const first = findFirstSeries(opened, chain);
  const taken = new Set(first.pages);
  const shown = chain.offsets.map((_, page) => page)
    .filter((page) => !taken.has(page) && chain.shownKind(page) !== null);
  const all = [first];
  // Further arrays, as far as descriptions identify them, then pages grouped by layout.
  const lost: Warning[] = [];
  let at = 0;
  while (first.array !== null && at < shown.length && all.length < MAX_PAGE_SCENES) {
    const series = findArrayAt(chain, shown, at);
    if (series === null) {
      lost.push(...warnAboutDescription(chain, shown[at]!));
      break;
    }
    all.push(series);
    at += series.pages.length;
  }
  const groups = [...Map.groupBy(shown.slice(at), (page) => chain.shownKind(page)).values()];
  const room = MAX_PAGE_SCENES - all.length;
  all.push(...groups.slice(0, room).map((pages) => ({ pages, array: null, warnings: [] })));
  const further = groups.slice(room).flat().length;
  const text = `The file holds more than ${MAX_PAGE_SCENES} images; ${further} pages of others are left out`;
  return {
    count: all.length,
    own: 0,
    warnings: [...lost, ...warnIf(further > 0, "scenes_left_out", text)],
    entries: (most) =>
      all.slice(0, most).map((series) => ({ name: null, sizes: readSeriesSizes(chain, series) })),
    open: (index) => buildPlainStack(chain, all[index]!),
  };
}

/** The first scene of a file whose dialect does not describe its planes. */
export const openPlain = (opened: OpenedTiff): Stack => openPlainSeries(opened).open(0);

/** The pages like the first shown page, or those of the array that begins with it. */
function findFirstSeries({ descriptions, warnings }: OpenedTiff, chain: PageChain): PageSeries {
  const pages = chain.likeFirst();
  const layout = readPage(chain.directory(pages[0]));
  const text = cutAtNul(descriptions.find(isShape) ?? "");
  const read = () => text === "" ? null : readShapedArray(text, layout);
  const array = readOrWarn(warnings, "The shape of the array", read);
  const series = array ? buildArraySeries(chain, pages, array, layout) : { pages, array, warnings: [] };
  return { ...series, warnings: [...chain.warnings, ...series.warnings] };
}

function readSeriesSizes(chain: PageChain, { pages, array }: PageSeries): SceneEntry["sizes"] {
  const kind = chain.kinds[pages[0] === undefined ? -1 : chain.shownKind(pages[0]) ?? -1];
  if (kind === undefined || !Number.isSafeInteger(kind.width * kind.height)) return {};
  if (array !== null) return sizesOf(buildAxes(computeLengths(array.axes), {}));
  return sizesOf(buildAxes({ C: kind.samples, Z: pages.length, Y: kind.height, X: kind.width }, {}));
}

function buildPlainStack(chain: PageChain, { pages, array, warnings }: PageSeries): Stack {
  const { tiff } = chain;
  const shown = chain.directory(pages[0]);
  const layout = readPage(shown);
  const offsets = pages.map((page) => chain.offsets[page]!);
  const page = array?.inRun ? listPlanesInRun(tiff, layout) : listPlanesAt(tiff, layout, offsets);
  const planes = array
    ? locateArrayPlanes(array.axes, page)
    : { sizes: { T: 1, C: 1, Z: Math.max(pages.length, 1) }, plane: ({ z }: PlaneIndex) => page(z) };
  const { X, Y } = readResolution(shown);
  const isLineScan = array?.rows === "T";
  return {
    ...planes,
    layout,
    // The resolution tags belong to the rows and columns of a page.
    calibrations: "arrangement" in planes ? {} : { ...X && { X }, ...Y && !isLineScan && { Y } },
    names: [],
    lineScan: isLineScan ? buildLineScan(null) : null,
    moment: tagMoment(shown),
    fileSize: tiff.file.size,
    warnings,
    indexBytes: chain.offsets.length * PAGE_BYTES,
  };
}

/** Largest number of axes of an array; tifffile has some twenty letters. */
const MAX_AXES = 32;

/** The array in a description. @throws {DecodeFailed} the description is damaged, or its planes have another layout */
function readShapedArray(text: string, layout: PageLayout): ShapedArray {
  const { samples, width, height } = layout;
  const document = parseJsonText(text, "ImageDescription (270)");
  const { shape, axes, truncated } = isJsonObject(document) ? document : {};
  const isValid = Array.isArray(shape) && shape.length <= MAX_AXES &&
    shape.every((n) => Number.isSafeInteger(n) && n >= 1);
  if (!isValid) throw new DecodeFailed(`ImageDescription (270) has no valid "shape"`);
  const planes = shape.reduce((product, n) => product * n, 1) / (samples * width * height);
  const plane = `${height} x ${width} x ${samples}`;
  if (!Number.isInteger(planes) || planes >= MAX_PLANES) {
    throw new DecodeFailed(`its shape ${shape.join(" x ")} does not end in planes of ${plane}`);
  }
  const letters = typeof axes === "string" && axes.length === shape.length ? [...axes] : null;
  const found = letters && readArrayAxes(letters, shape, layout);
  const misfit = `The array has ${shape.length} axes; "axes" is ${quoted(`${axes}`)}`;
  const other = `The axes ${quoted(`${axes}`)} of the shape ${
    shape.join(" x ")
  } do not end in planes of ${plane}`;
  return {
    ...found ?? arrangeAlongZ(planes, layout),
    text,
    planes,
    inRun: truncated === true,
    warnings: [
      ...warnIf(axes !== undefined && letters === null, "metadata_disagree", misfit),
      ...warnIf(letters !== null && found === null, "metadata_disagree", other),
      ...found ? [...warnAboutRowAxis(found), ...warnAboutSlices(found)] : [],
    ],
  };
}

/** An array of pages along `Z`. */
const arrangeAlongZ = (planes: number, { samples, width, height }: PageLayout): ArrayAxes => ({
  axes: [
    { letter: "Z", size: planes, along: "pages" },
    { letter: "Y", size: height, along: "rows" },
    { letter: "X", size: width, along: "columns" },
    { letter: "C", size: samples, along: "samples" },
  ],
  rows: "Y",
});

/** Warns about a description of a further array that has zeros, so that nobody knows which pages are its. */
function warnAboutDescription(chain: PageChain, page: number): Warning[] {
  if (!chain.isDescribed(page)) return [];
  const [text = ""] = chain.directory(page).notes(TAG.ImageDescription, MAX_SHAPE_TEXT);
  return warnAboutZeros(`${tagName(TAG.ImageDescription)} of page ${page}`, text);
}

function findArrayAt(chain: PageChain, shown: readonly number[], at: number): PageSeries | null {
  const page = shown[at]!;
  const text = readShapeText(chain, page);
  if (text === undefined) return null;
  return unlessDamaged(() => {
    const layout = readPage(chain.directory(page));
    const shape = readShapedArray(text, layout);
    const kind = chain.shownKind(page);
    // One page more than the array has planes shows whether another array follows.
    let end = at + 1;
    while (end - at <= shape.planes && end < shown.length && chain.shownKind(shown[end]!) === kind) end += 1;
    const series = buildArraySeries(chain, shown.slice(at, end), shape, layout);
    return series.array && series;
  }, null);
}

/** Longest description of a further array in bytes; tifffile writes some hundred. */
const MAX_SHAPE_TEXT = 1 << 16;

/** The description of an array in a page other than the first. */
const readShapeText = (chain: PageChain, page: number): string | undefined =>
  chain.isDescribed(page)
    ? chain.directory(page).notes(TAG.ImageDescription, MAX_SHAPE_TEXT).find(isShape)
    : undefined;

/**
 * The pages of an array, which ends where a page describes another array. `all` are pages of one layout from the first on. If there
 * are more pages than planes and no further array, they are slices.
 */
function buildArraySeries(
  chain: PageChain,
  all: readonly number[],
  array: ShapedArray,
  layout: PageLayout,
): PageSeries {
  const { planes, text } = array;
  const other = all.slice(1, planes).findIndex((page) => (readShapeText(chain, page) ?? text) !== text);
  const pages = other < 0 ? all : all.slice(0, other + 1);
  const present = Math.max(pages.length, 1);
  const fitting = countContiguous(chain.tiff, layout);
  const inRun = array.inRun || present < planes && fitting >= planes;
  const held = inRun ? fitting : present;
  const counts = `The description declares ${planes} planes, but the file holds ${held}`;
  const next = (pages[0] ?? 0) + planes;
  const isFollowed = pages[planes - 1] === next - 1 && readShapeText(chain, next) !== undefined;
  if (!inRun && present > planes && !isFollowed) {
    const slices = warning("axes_assumed", `${counts}; they are read as slices`);
    return { pages, array: null, warnings: [...array.warnings, slices] };
  }
  return {
    pages: pages.slice(0, inRun ? 1 : planes),
    array: { ...array, inRun },
    warnings: [...array.warnings, ...warnIf(held < planes, "planes_missing", counts)],
  };
}

/** Micrometres: inch and centimetre (TIFF 6.0), millimetre and micrometre (TIFF/IT, tifffile `RESUNIT`). */
const RESOLUTION_UNIT: Readonly<Record<number, number>> = {
  2: 25_400,
  3: 10_000,
  4: 1000,
  5: 1,
};

/** Largest pixel of a microscope in micrometres; larger pixels are those of prints or screens. */
const LARGEST_PIXEL = 10;

/** Resolutions of printers and scanners in dots per inch. Below 2540 the pixel is too large in any case. */
const PRINT_DPI = new Set([2880, 3000, 3200, 3600, 4000, 4800, 5760, 6400, 7200, 9600, 12_800, 19_200]);

/** Pixel size from the resolution tags, if it is plausible. */
export function readResolution(directory: Directory): Partial<Record<AxisLetter, Calibration>> {
  // Olympus FV software writes 10000 per centimetre for any pixel size.
  if (/^FV\d/.test(directory.note(TAG.Software, 1024))) return {};
  const unit = RESOLUTION_UNIT[directory.number(TAG.ResolutionUnit) ?? 2];
  if (unit === undefined) return {};
  const step = (tag: number) => {
    const resolution = directory.noteNumber(tag) ?? 0;
    const pixel = unit / resolution;
    const dpi = 25_400 / pixel;
    const isPrint = PRINT_DPI.has(Math.round(dpi)) && Math.abs(dpi - Math.round(dpi)) < 0.01;
    return pixel > 0 && pixel <= LARGEST_PIXEL && !isPrint
      ? keepCalibrated(convertStep(pixel, "um"))
      : undefined;
  };
  const [X, Y] = [step(TAG.XResolution), step(TAG.YResolution)];
  return X && Y ? { X, Y } : {};
}
