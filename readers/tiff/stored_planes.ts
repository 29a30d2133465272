/** Where the planes of one layout are stored: each with its directory, or one after the other with one directory. */
import { DecodeFailed, PlaneNotFound } from "../errors.ts";
import { type Warning, warning } from "../warning.ts";
import { MAX_SEGMENTS } from "./bounds.ts";
import type { Directory } from "./directory.ts";
import { type PageLayout, readPage, UNCOMPRESSED, where } from "./page.ts";
import type { PlaneSource } from "./stack.ts";
import { TAG } from "./tags.ts";
import type { TiffFile } from "./tiff_file.ts";

/** Memory of the offset of a page in a list. */
export const OFFSET_BYTES = 16;

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

/** Whether planes follow the first one without directories: there is one directory, and a second plane fits. */
export function isRun(tiff: TiffFile, layout: PageLayout, planes: number): boolean {
  return planes > 1 && layout.directory.next === 0 && contiguousPlanes(tiff, layout) > 1;
}

/** The planes of one layout by their number. */
export class StoredPlanes {
  readonly #tiff: TiffFile;
  readonly #layout: PageLayout;
  /** The directory of a plane, or `null`. */
  readonly #pageAt: (number: number) => Directory | null;
  /** How many there are, counted up to a missing plane. */
  readonly #count: (number: number) => number;

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

  /** The planes of the directories at these offsets. */
  static listed(tiff: TiffFile, layout: PageLayout, offsets: readonly number[]): StoredPlanes {
    return new StoredPlanes(tiff, layout, {
      pageAt: (number) => {
        // A file of reduced pages alone shows its first one.
        const offset = offsets[number] ?? (number === 0 ? layout.directory.offset : undefined);
        return offset === undefined ? null : tiff.directoryAt(offset);
      },
      count: () => offsets.length,
    });
  }

  /** The planes of the main chain. */
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
   * @throws {DecodeFailed} it has another layout
   */
  plane(number: number): PlaneSource {
    const directory = this.#pageAt(number);
    if (directory === null) throw missingPlane(number, this.#count(number));
    const page = planePage(directory, this.#layout, `plane ${number}`);
    return { tiff: this.#tiff, page, run: null };
  }
}

/** The planes that share one directory (`run`), or those of the main chain. */
export function stackedPlanes(
  tiff: TiffFile,
  layout: PageLayout,
  run: boolean,
): { plane(number: number): PlaneSource } {
  return run ? { plane: (number) => planeInRun(tiff, layout, number) } : StoredPlanes.inChain(tiff, layout);
}

/** @throws {PlaneNotFound} the room for samples ends before it */
function planeInRun(tiff: TiffFile, layout: PageLayout, number: number): PlaneSource {
  // A plane that begins there is incomplete, not missing.
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

/** Warns when a file holds more or fewer planes than its description declares. */
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
