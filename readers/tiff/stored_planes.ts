/** Where the planes of one layout are stored: each with its directory, or one after the other with one directory. */
import { DecodeFailed, PlaneNotFound } from "../errors.ts";
import { type Warning, warning } from "../warning.ts";
import { MAX_SEGMENTS } from "./bounds.ts";
import type { Directory } from "./directory.ts";
import { type PageLayout, readPage, UNCOMPRESSED, where } from "./page.ts";
import type { PlaneSource } from "./stack.ts";
import { TAG } from "./tags.ts";
import type { TiffFile } from "./tiff_file.ts";

/** Whether the planes of two pages have the same size and samples. */
export function sameLayout(a: PageLayout, b: PageLayout): boolean {
  return a.width === b.width && a.height === b.height && a.samples === b.samples && a.kind === b.kind &&
    a.bits.every((bits, i) => bits === b.bits[i]);
}

/**
 * The page of a plane.
 *
 * @param directory `null` where the chain ends before it
 * @throws {PlaneNotFound} the directory is missing
 * @throws {DecodeFailed} the page has another layout than the stack
 */
export function planePage(directory: Directory | null, layout: PageLayout, what: string): PageLayout {
  if (directory === null) {
    throw new PlaneNotFound(`${what} is missing: the chain of directories ends before it`);
  }
  const page = readPage(directory);
  if (!sameLayout(page, layout)) {
    throw new DecodeFailed(
      `${what} in ${where(directory)} is ${page.width} x ${page.height} x ${page.samples} of ${
        page.bits.join(", ")
      } bits, unlike the first plane`,
    );
  }
  return page;
}

/**
 * How many planes fit into the file one after the other from the first strip of a page on; 1 when the page is compressed or
 * tiled, or when its strips are scattered.
 */
export function contiguousPlanes(tiff: TiffFile, layout: PageLayout): number {
  if (layout.tiled || layout.compression !== UNCOMPRESSED) return 1;
  const strips = layout.directory.numbers(TAG.StripOffsets, MAX_SEGMENTS);
  const plane = planeBytes(layout);
  const { first, end } = roomOf(tiff, layout);
  const last = strips.at(-1) ?? 0;
  if (last < first || last >= first + plane || first >= tiff.file.size) return 1;
  return Math.max(1, Math.floor((end - first) / plane));
}

/** Where the planes after a directory begin, and where their samples end at the latest: at the next part of the file. */
function roomOf({ file }: TiffFile, { directory }: PageLayout) {
  const first = directory.number(TAG.StripOffsets) ?? 0;
  return { first, end: Math.min(file.size, directory.firstPartAfter(first)) };
}

/** Bytes of one uncompressed plane. */
function planeBytes({ width, height, bits, planar }: PageLayout): number {
  const row = planar
    ? bits.reduce((sum, b) => sum + Math.ceil(width * b / 8), 0)
    : Math.ceil(width * bits.reduce((sum, b) => sum + b, 0) / 8);
  return row * height;
}

/** Finds a plane by its number. @throws {PlaneNotFound | DecodeFailed} it is missing, or damaged or of another layout */
export type PlaneFinder = (number: number) => PlaneSource;

/** The planes of the directories at these offsets. */
export function listedPlanes(tiff: TiffFile, layout: PageLayout, offsets: readonly number[]): PlaneFinder {
  return (number) => {
    // A file of reduced pages alone shows its first one.
    const offset = offsets[number] ?? (number === 0 ? layout.directory.offset : undefined);
    if (offset === undefined) throw missingPlane(number, offsets.length);
    return { tiff, page: planePage(tiff.directoryAt(offset), layout, `plane ${number}`), run: null };
  };
}

function planeInChain(tiff: TiffFile, layout: PageLayout, number: number): PlaneSource {
  const directory = tiff.heldDirectory(number);
  if (directory === null) throw missingPlane(number, tiff.countUpTo(number));
  return { tiff, page: planePage(directory, layout, `plane ${number}`), run: null };
}

/** The planes that follow one another with one directory. */
export function planesInRun(tiff: TiffFile, layout: PageLayout): PlaneFinder {
  const { first, end } = roomOf(tiff, layout);
  // A plane that begins in that room is incomplete, not missing.
  const stored = Math.ceil((end - first) / planeBytes(layout));
  return (number) => {
    if (number > 0 && number >= stored) throw missingPlane(number, stored);
    return { tiff, page: layout, run: number === 0 ? null : number };
  };
}

function missingPlane(number: number, stored: number): PlaneNotFound {
  return new PlaneNotFound(
    `plane ${number} is missing: the file holds ${stored} planes, ${number + 1} are needed`,
  );
}

/**
 * The planes that a description declares, in the main chain or, where that has one directory and a second plane fits, one after the
 * other; warns when the file holds more or fewer.
 */
export function declaredPlanes(
  tiff: TiffFile,
  layout: PageLayout,
  planes: number,
): { readonly plane: PlaneFinder; readonly warnings: Warning[] } {
  const fitting = planes > 1 && layout.directory.next === 0 ? contiguousPlanes(tiff, layout) : 1;
  const isRun = fitting > 1;
  const found = isRun ? planesInRun(tiff, layout) : (number: number) => planeInChain(tiff, layout, number);
  const present = isRun ? fitting : tiff.countUpTo(planes + 1);
  if (present === planes) return { plane: found, warnings: [] };
  const there = present > planes ? "more" : present === 1 ? "one" : String(present);
  const reason = tiff.brokenTail === null ? "" : `: ${tiff.brokenTail}`;
  const declared = planes === 1 ? "one plane" : `${planes} planes`;
  const text = `The description declares ${declared}, but the file holds ${there}${reason}`;
  const code = present > planes ? "content_left_out" : "planes_missing";
  return { plane: found, warnings: [warning(code, text)] };
}
