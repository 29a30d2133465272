/** Where the planes of one layout are stored: in a chain of directories, or one after the other behind one directory. */
import { DecodeFailed, PlaneNotFound } from "../errors.ts";
import { type Warning, warning } from "../warning.ts";
import { MAX_SEGMENTS } from "./bounds.ts";
import type { Directory } from "./directory.ts";
import { type PageLayout, readPage, UNCOMPRESSED, where } from "./page.ts";
import type { PlaneSource } from "./stack.ts";
import { endOfSamples } from "./structures.ts";
import { TAG } from "./tags.ts";
import type { TiffFile } from "./tiff_file.ts";

/** Memory of the offset of a page in a list of them. */
export const OFFSET_BYTES = 16;

/** True when two pages hold planes of one kind. */
export function sameLayout(a: PageLayout, b: PageLayout): boolean {
  return a.width === b.width && a.height === b.height && a.samples === b.samples && a.kind === b.kind &&
    a.bits.every((bits, i) => bits === b.bits[i]);
}

/**
 * The page of a plane.
 *
 * @param directory `null` where the chain ends before it
 * @throws {PlaneNotFound} it is missing
 * @throws {DecodeFailed} it is of another layout than the stack
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
 * How many planes fit into the file from the first strip of a page on, one after the other; 1 when the page is
 * compressed or in tiles, or when its strips do not follow one another.
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

/** Where the planes behind a directory begin, and where the samples of its file end at the latest. */
function roomOf({ file, structures }: TiffFile, { directory }: PageLayout) {
  const first = directory.number(TAG.StripOffsets) ?? 0;
  return { first, end: endOfSamples(structures, directory, first, file.size) };
}

/** Bytes of one uncompressed plane. */
function planeBytes({ width, height, bits, planar }: PageLayout): number {
  const row = planar
    ? bits.reduce((sum, b) => sum + Math.ceil(width * b / 8), 0)
    : Math.ceil(width * bits.reduce((sum, b) => sum + b, 0) / 8);
  return row * height;
}

/** Whether planes lie behind the only directory, one after the other: it is the only one, and a second one fits. */
export function isRun(tiff: TiffFile, layout: PageLayout, planes: number): boolean {
  return planes > 1 && layout.directory.next === 0 && contiguousPlanes(tiff, layout) > 1;
}

/** The planes of one layout by their number. */
export class StoredPlanes {
  readonly #tiff: TiffFile;
  readonly #layout: PageLayout;
  /** The directory of a plane, `null` where there is none. */
  readonly #pageAt: (number: number) => Directory | null;
  /** How many there are at most, where a plane is missing. */
  readonly #count: (number: number) => number;
  /** Where the first strips of the first pages begin, `NaN` where that is unknown; they tell which others are misplaced. */
  readonly #places: number[] = [];

  private constructor(
    tiff: TiffFile,
    layout: PageLayout,
    { pageAt, count }: {
      readonly pageAt: (number: number) => Directory | null;
      readonly count: (number: number) => number;
    },
  ) {
    this.#tiff = tiff;
    this.#layout = layout;
    this.#pageAt = pageAt;
    this.#count = count;
  }

  /** Those of the directories at these offsets. */
  static listed(tiff: TiffFile, layout: PageLayout, offsets: readonly number[]): StoredPlanes {
    return new StoredPlanes(tiff, layout, {
      pageAt: (number) => {
        // A file of nothing but reduced pages shows its first one.
        const offset = offsets[number] ?? (number === 0 ? layout.directory.offset : undefined);
        return offset === undefined ? null : tiff.directoryAt(offset);
      },
      count: () => offsets.length,
    });
  }

  /** Those of a chain of directories. */
  static inChain(tiff: TiffFile, layout: PageLayout): StoredPlanes {
    return new StoredPlanes(tiff, layout, {
      pageAt: (number) => tiff.heldDirectory(number),
      count: (number) => tiff.countUpTo(number),
    });
  }

  /**
   * The plane at a number.
   *
   * @throws {PlaneNotFound} the chain ends before it
   * @throws {DecodeFailed} it is of another layout
   */
  plane(number: number): PlaneSource {
    const directory = this.#pageAt(number);
    if (directory === null) throw missingPlane(number, this.#count(number));
    const page = planePage(directory, this.#layout, `plane ${number}`);
    return { tiff: this.#tiff, page, run: null, warnings: this.#placeWarnings(number, directory) };
  }

  /** A warning where a page does not lie in line with others that do, or lies over the first or before it. */
  #placeWarnings(number: number, directory: Directory): Warning[] {
    const layout = this.#layout;
    if (layout.tiled || layout.compression !== UNCOMPRESSED) return [];
    const plane = planeBytes(layout);
    // Two other pages that follow one another tell where this one belongs.
    const [one, two] = number === 0 ? [1, 2] : number === 1 ? [0, 2] : [0, 1];
    const [own, first, second] = [placeOf(directory), this.#place(one), this.#place(two)];
    const meant = first + (number - one) * plane;
    const misplaced = own !== meant && second === first + (two - one) * plane;
    if (!misplaced && (number === 0 || own - first >= plane)) return [];
    return [
      warning("file_damaged", `Plane ${number} lies at ${own}, not at ${meant} in line with the others`),
    ];
  }

  /** That of a page that is damaged is unknown; it refuses no other. */
  #place(number: number): number {
    try {
      return this.#places[number] ??= placeOf(this.#pageAt(number));
    } catch (error) {
      if (error instanceof DecodeFailed) return this.#places[number] = NaN;
      throw error;
    }
  }
}

const placeOf = (directory: Directory | null) => directory?.number(TAG.StripOffsets) ?? NaN;

/** The planes that follow one another behind one directory, or those of a chain of directories. */
export function stackedPlanes(
  tiff: TiffFile,
  layout: PageLayout,
  run: boolean,
): { plane(number: number): PlaneSource } {
  return run ? { plane: (number) => planeInRun(tiff, layout, number) } : StoredPlanes.inChain(tiff, layout);
}

/** @throws {PlaneNotFound} what can hold samples ends before it */
function planeInRun(tiff: TiffFile, layout: PageLayout, number: number): PlaneSource {
  // One that begins and does not end there is incomplete, not missing.
  const { first, end } = roomOf(tiff, layout);
  const stored = Math.ceil((end - first) / planeBytes(layout));
  if (number > 0 && number >= stored) throw missingPlane(number, stored);
  return { tiff, page: layout, run: number === 0 ? null : number };
}

function missingPlane(number: number, stored: number): PlaneNotFound {
  return new PlaneNotFound(
    `plane ${number} is missing: the file holds ${stored} planes, ${number + 1} are needed`,
  );
}

/** A warning where a file holds other than the planes that its description declares. */
export function countWarnings(tiff: TiffFile, layout: PageLayout, planes: number, run: boolean): Warning[] {
  const present = run ? contiguousPlanes(tiff, layout) : tiff.countUpTo(planes + 1);
  if (present === planes) return [];
  const there = present > planes ? "more" : present === 1 ? "one" : String(present);
  const reason = tiff.brokenTail === null ? "" : `: ${tiff.brokenTail}`;
  const code = present > planes ? "content_left_out" : "planes_missing";
  const declared = planes === 1 ? "one plane" : `${planes} planes`;
  return [
    warning(code, `The description declares ${declared}, but the file holds ${there}${reason}`),
  ];
}
