/**
 * TIFF without a dialect: pages of the same layout are planes along `Z`, and each layout is a scene. Reduced versions and masks
 * (NewSubfileType bits 0 and 2) are left out. Each array described by tifffile is a scene (`shaped.ts`).
 */
import { axesOf, calibrated, type Calibration, known } from "../../metadata/axes.ts";
import { type AxisLetter, type SceneEntry, sizesOf } from "../../reader.ts";
import { warning } from "../../warning.ts";
import type { Directory } from "../directory.ts";
import { readPage } from "../page.ts";
import { noted, type Opened, type SeriesList, type Stack, tagMoment } from "../stack.ts";
import { listedPlanes, PageChain, planesInRun } from "../stored_planes.ts";
import { TAG } from "../tags.ts";
import { isShape, upToNul } from "../text.ts";
import type { TiffFile } from "../tiff_file.ts";
import { arrayAt, arraySeries, numberInArray, type PageSeries, shapedArray } from "./shaped.ts";

/** Largest number of scenes in a file whose pages are grouped only by layout. */
const MAX_PAGE_SCENES = 1000;

/** Memory per page of the chain. */
const PAGE_BYTES = 64;

/** The scenes of a file without a dialect. */
export function plainSeries(opened: Opened): SeriesList {
  const chain = new PageChain(opened.tiff);
  const first = firstSeries(opened, chain);
  const { others, further } = otherSeries(opened.tiff, chain, first);
  const all = [first, ...others];
  const text = `The file holds more than ${MAX_PAGE_SCENES} images; ${further} pages of others are left out`;
  return {
    count: all.length,
    own: 0,
    warnings: further === 0 ? [] : [warning("scenes_left_out", text)],
    entries: (most) => all.slice(0, most).map((series) => ({ name: null, sizes: sizesIn(chain, series) })),
    open: (index) => stackOf(opened, chain, all[index]!),
  };
}

/** The first scene of a file whose dialect does not describe its planes. */
export function openPlain(opened: Opened): Stack {
  const chain = new PageChain(opened.tiff);
  return stackOf(opened, chain, firstSeries(opened, chain));
}

/** The pages like the first shown page, or those of the array that begins with it. */
function firstSeries(opened: Opened, chain: PageChain): PageSeries {
  const { tiff, descriptions } = opened;
  const pages = chain.likeFirst();
  const layout = readPage(shownDirectory(opened, chain, pages));
  const text = upToNul(descriptions.find(isShape) ?? "");
  const shape = text === ""
    ? null
    : noted(opened.warnings, "The shape of the array", () => shapedArray(text, layout));
  const { warnings, ...series } = shape === null
    ? { pages, array: null, warnings: [] }
    : arraySeries(tiff, chain, pages, shape, layout);
  return { ...series, warnings: [...chain.warnings, ...warnings] };
}

/** The directory of the first of these pages. */
function shownDirectory({ tiff, first }: Opened, chain: PageChain, [page = 0]: readonly number[]): Directory {
  return page === 0 ? first : tiff.directoryAt(chain.offsets[page]!);
}

/** The scenes after the first one: first arrays, as far as descriptions identify them, then pages grouped by layout. */
function otherSeries(
  tiff: TiffFile,
  chain: PageChain,
  first: PageSeries,
): { others: PageSeries[]; further: number } {
  const taken = new Set(first.pages);
  const shown = chain.offsets.map((_, page) => page)
    .filter((page) => !taken.has(page) && chain.shownKind(page) !== null);
  const others: PageSeries[] = [];
  let at = 0;
  while (first.array !== null && at < shown.length && others.length < MAX_PAGE_SCENES - 1) {
    const series = arrayAt(tiff, chain, shown, at);
    if (series === null) break;
    others.push(series);
    at += series.pages.length;
  }
  let further = 0;
  const groups = new Map<number, number[]>();
  for (const page of shown.slice(at)) {
    const kind = chain.shownKind(page)!;
    const group = groups.get(kind);
    if (group) group.push(page);
    else if (1 + others.length + groups.size < MAX_PAGE_SCENES) groups.set(kind, [page]);
    else further += 1;
  }
  for (const pages of groups.values()) others.push({ pages, array: null, warnings: [] });
  return { others, further };
}

function sizesIn(chain: PageChain, { pages, array }: PageSeries): SceneEntry["sizes"] {
  const kind = chain.kinds[pages[0] === undefined ? -1 : chain.shownKind(pages[0]) ?? -1];
  if (kind === undefined || !Number.isSafeInteger(kind.width * kind.height)) return {};
  const { T, L = 1, C, Z } = array?.sizes ?? { T: 1, C: 1, Z: pages.length };
  return sizesOf(axesOf({ T, L, C: C * kind.samples, Z, Y: kind.height, X: kind.width }, {}));
}

function stackOf(opened: Opened, chain: PageChain, { pages, array, warnings }: PageSeries): Stack {
  const { tiff } = opened;
  const shown = shownDirectory(opened, chain, pages);
  const layout = readPage(shown);
  const offsets = pages.map((page) => chain.offsets[page]!);
  const plane = array?.inRun ? planesInRun(tiff, layout) : listedPlanes(tiff, layout, offsets);
  return {
    sizes: array?.sizes ?? { T: 1, C: 1, Z: Math.max(pages.length, 1) },
    layout,
    calibrations: resolutionCalibrations(shown),
    names: [],
    moment: tagMoment(shown),
    fileSize: tiff.file.size,
    warnings,
    indexBytes: chain.offsets.length * PAGE_BYTES,
    plane: (index) => plane(array ? numberInArray(array, index) : index.z),
  };
}

/** Micrometres per inch and per centimetre, by ResolutionUnit. */
const RESOLUTION_UNIT: Readonly<Record<number, number>> = { 2: 25_400, 3: 10_000 };

/** Largest pixel of a microscope in micrometres; larger pixels are those of prints or screens. */
const LARGEST_PIXEL = 10;

/** Resolutions of printers and scanners in dots per inch. Below 2540 the pixel is too large in any case. */
const PRINT_DPI = new Set([2880, 3000, 3200, 3600, 4000, 4800, 5760, 6400, 7200, 9600, 12_800, 19_200]);

/** Pixel size from the resolution tags, if it is plausible. */
export function resolutionCalibrations(directory: Directory): Partial<Record<AxisLetter, Calibration>> {
  // Olympus FV software writes 10000 per centimetre for any pixel size.
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
