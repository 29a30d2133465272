/**
 * TIFF without a dialect: pages of one layout are planes along `Z`, and each layout is a scene. Reduced versions and masks
 * (NewSubfileType bits 0 and 2) are left out. Files of tifffile may describe arrays as JSON, with one directory for all planes;
 * each array is a scene.
 */
import { axesOf, calibrated, type Calibration, known } from "../../metadata/axes.ts";
import { unlessDamaged } from "../../errors.ts";
import { type AxisLetter, type SceneEntry, sizesOf } from "../../reader.ts";
import { type Warning, warning } from "../../warning.ts";
import { MAX_PAGE_SCENES } from "../bounds.ts";
import type { Directory } from "../directory.ts";
import { readPage } from "../page.ts";
import { PageChain } from "../page_chain.ts";
import { type ArrayPages, arrayPages, numberInArray, shapedArray, shapeOf } from "./shaped.ts";
import { listedPlanes, planesInRun } from "../stored_planes.ts";
import { noted, type Opened, tagMoment } from "../opened.ts";
import type { SeriesList, Stack } from "../stack.ts";
import { TAG } from "../tags.ts";
import { isShape, upToNul } from "../text.ts";

/** The pages of one scene. */
interface PageSeries {
  /** Numbers in the chain; none where the file holds reduced pages alone. */
  readonly pages: readonly number[];
  /** The array that they form, or `null` for slices. */
  readonly array: ArrayPages | null;
  /** Doubts about them. */
  readonly warnings: readonly Warning[];
}

/** The scenes of a file without a dialect. */
export function plainSeries(opened: Opened): SeriesList {
  const chain = new PageChain(opened.tiff);
  const first = firstSeries(opened, chain);
  const { others, further } = otherSeries(opened, chain, first);
  const text = `The file holds more than ${MAX_PAGE_SCENES} images; ${further} pages of others are left out`;
  // The chain itself is not kept.
  const all = [first, ...others].map((series) => listed(chain, series));
  return {
    count: all.length,
    own: 0,
    warnings: further === 0 ? [] : [warning("scenes_left_out", text)],
    entries: (most) => all.slice(0, most).map(({ sizes }) => ({ name: null, sizes })),
    open: (index) => stackOf(opened, all[index]!),
  };
}

/** The first scene of a file whose dialect does not describe its planes. */
export function openPlain(opened: Opened): Stack {
  const chain = new PageChain(opened.tiff);
  return stackOf(opened, listed(chain, firstSeries(opened, chain)));
}

/** A scene without the chain. */
interface ListedSeries extends Omit<PageSeries, "pages"> {
  /** Offsets of its directories. */
  readonly offsets: readonly number[];
  readonly sizes: SceneEntry["sizes"];
}

const listed = (chain: PageChain, series: PageSeries): ListedSeries => ({
  array: series.array,
  warnings: series.warnings,
  offsets: series.pages.map((page) => chain.offset(page)),
  sizes: sizesIn(chain, series),
});

/** The pages like the first shown one, or those of the array that it begins. */
function firstSeries(opened: Opened, chain: PageChain): PageSeries {
  const { tiff, descriptions } = opened;
  const pages = chain.likeFirst();
  const layout = readPage(shownDirectory(opened, pages.slice(0, 1).map((page) => chain.offset(page))));
  const text = upToNul(descriptions.find(isShape) ?? "");
  const shape = text === "" ? null : noted(opened, "The shape of the array", () => shapedArray(text, layout));
  if (shape === null) return { pages, array: null, warnings: chain.warnings };
  const { array, pages: own, warnings } = arrayPages({ tiff, chain, layout }, pages, shape, text);
  return { pages: own, array, warnings: [...chain.warnings, ...warnings] };
}

/** The first directory of these planes. */
function shownDirectory({ tiff, first }: Opened, [offset]: readonly number[]): Directory {
  return offset !== undefined && offset !== first.offset ? tiff.directoryAt(offset) : first;
}

/** The scenes after the first: arrays as far as descriptions identify them, then pages grouped by layout. */
function otherSeries(
  opened: Opened,
  chain: PageChain,
  first: PageSeries,
): { others: PageSeries[]; further: number } {
  const taken = new Uint8Array(chain.length);
  for (const page of first.pages) taken[page] = 1;
  const shown: number[] = [];
  for (let page = 0; page < chain.length; page += 1) {
    if (taken[page] === 0 && chain.shownKind(page) !== null) shown.push(page);
  }
  let further = 0;
  const others = first.array === null ? [] : arraysIn(opened, chain, shown);
  const groups = new Map<number, number[]>();
  for (const page of shown.slice(others.reduce((sum, { pages }) => sum + pages.length, 0))) {
    const kind = chain.shownKind(page)!;
    const group = groups.get(kind);
    if (group) group.push(page);
    else if (1 + others.length + groups.size < MAX_PAGE_SCENES) groups.set(kind, [page]);
    else further += 1;
  }
  return {
    others: [...others, ...[...groups.values()].map((pages) => ({ pages, array: null, warnings: [] }))],
    further,
  };
}

/** The arrays that these pages begin with. */
function arraysIn({ tiff }: Opened, chain: PageChain, shown: readonly number[]): PageSeries[] {
  const found: PageSeries[] = [];
  let at = 0;
  while (at < shown.length && 1 + found.length < MAX_PAGE_SCENES) {
    const series = arrayAt(tiff, chain, shown, at);
    if (series === null) break;
    found.push(series);
    at += series.pages.length;
  }
  return found;
}

function arrayAt(
  tiff: Opened["tiff"],
  chain: PageChain,
  shown: readonly number[],
  at: number,
): PageSeries | null {
  const page = shown[at]!;
  if (!chain.described.has(chain.offset(page))) return null;
  return unlessDamaged(() => {
    const directory = tiff.directoryAt(chain.offset(page));
    const text = shapeOf(directory);
    if (text === null) return null;
    const layout = readPage(directory);
    const shape = shapedArray(text, layout);
    const kind = chain.shownKind(page);
    // One more page than planes shows whether another array follows.
    let end = at + 1;
    while (end - at <= shape.planes && end < shown.length && chain.shownKind(shown[end]!) === kind) end += 1;
    const { array, pages, warnings } = arrayPages({ tiff, chain, layout }, shown.slice(at, end), shape, text);
    return array && { pages, array, warnings };
  }, null);
}

function sizesIn(chain: PageChain, { pages, array }: PageSeries): SceneEntry["sizes"] {
  const kind = chain.kinds[pages[0] === undefined ? -1 : chain.shownKind(pages[0]) ?? -1];
  if (kind === undefined || !Number.isSafeInteger(kind.width * kind.height)) return {};
  const { T, L = 1, C, Z } = array?.shape.sizes ?? { T: 1, C: 1, Z: pages.length };
  return sizesOf(axesOf({ T, L, C: C * kind.samples, Z, Y: kind.height, X: kind.width }, {}));
}

function stackOf(opened: Opened, { array, warnings, offsets }: ListedSeries): Stack {
  const { tiff } = opened;
  const shown = shownDirectory(opened, offsets);
  const layout = readPage(shown);
  const plane = array?.inRun ? planesInRun(tiff, layout) : listedPlanes(tiff, layout, offsets);
  return {
    sizes: array?.shape.sizes ?? { T: 1, C: 1, Z: Math.max(offsets.length, 1) },
    layout,
    calibrations: resolutionCalibrations(shown),
    names: [],
    moment: tagMoment(shown),
    fileSize: tiff.file.size,
    warnings,
    indexBytes: offsets.length * OFFSET_BYTES,
    plane: (index) => plane(array ? numberInArray(array.shape, index) : index.z),
  };
}

/** Memory of the offset of a page. */
const OFFSET_BYTES = 16;

/** Micrometres by ResolutionUnit: inch and centimetre. */
const RESOLUTION_UNIT: Readonly<Record<number, number>> = { 2: 25_400, 3: 10_000 };

/** Largest pixel of a microscope in micrometres; larger ones are print or screen. */
const LARGEST_PIXEL = 10;

/** Settings of printers and scanners in dots per inch; below 2540 the pixel is too large anyway. */
const PRINT_DPI = new Set([2880, 3000, 3200, 3600, 4000, 4800, 5760, 6400, 7200, 9600, 12_800, 19_200]);

/** Pixel size from the resolution tags where it is plausible. */
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
