/** The planes of one file: pages grouped by layout, each with its directory; or planes in a row that share one directory. */
import { DecodeFailed, PlaneNotFound, unlessDamaged } from "../errors.ts";
import { warnIf, type Warning, warning } from "../warning.ts";
import type { Directory } from "./directory.ts";
import { MAX_SEGMENTS, nameDirectory, type PageLayout, readPage, UNCOMPRESSED } from "./page.ts";
import { countBlockBits, countRowBytes } from "./segment_table.ts";
import type { PlaneSource } from "./stack.ts";
import { TAG } from "./tags.ts";
import type { TiffFile } from "./tiff_file.ts";

/** The layout that pages have in common. */
export type PageKind = Pick<PageLayout, "width" | "height" | "samples">;

/** Largest number of kinds that are distinguished, four times the scenes of a file; all further kinds count as one. */
const MAX_KINDS = 4096;

const DAMAGED = -1;

const REDUCED_OR_MASK = 1 | 4;

/** The pages of one file by page number in the chain, grouped by layout in one walk. */
export class PageChain {
  readonly tiff: TiffFile;
  /** The layouts, in the order of their first pages. */
  readonly kinds: readonly PageKind[];
  readonly warnings: readonly Warning[];
  readonly offsets: readonly number[];
  /** For each page, the index into `kinds`, or {@linkcode DAMAGED}. */
  readonly #kindOf: number[] = [];
  /** Numbers of pages marked as reduced versions or masks. */
  readonly #hidden = new Set<number>();
  readonly #described = new Set<number>();

  /** Reads only the directories, and calls `visit` while values close to one are cheap to read. @throws {DecodeFailed} */
  constructor(tiff: TiffFile, visit?: (directory: Directory) => void) {
    this.tiff = tiff;
    const numbers = new Map<string, number>();
    const kinds: PageKind[] = [];
    const offsets: number[] = [];
    tiff.walk((directory, page) => {
      offsets.push(directory.offset);
      visit?.(directory);
      if (directory.has(TAG.ImageDescription)) this.#described.add(page);
      const found = page === 0
        ? describePageKind(directory)
        : unlessDamaged(() => describePageKind(directory), null);
      const number = found ? numbers.get(found.key) ?? Math.min(numbers.size, MAX_KINDS) : DAMAGED;
      if (found && number === kinds.length) {
        numbers.set(found.key, number);
        kinds.push(found.kind);
      }
      this.#kindOf.push(number);
      if (((directory.noteNumber(TAG.NewSubfileType) ?? 0) & REDUCED_OR_MASK) !== 0) this.#hidden.add(page);
    });
    this.kinds = kinds;
    this.offsets = offsets;
    this.warnings = warnAboutChain(tiff, offsets.length);
  }

  directory(page = 0): Directory {
    return this.tiff.directoryAt(this.offsets[page]!);
  }

  isDescribed(page: number): boolean {
    return this.#described.has(page);
  }

  /** Kind of a page that shows a plane of its own; `null` for a reduced version, a mask or a damaged page. */
  shownKind(page: number): number | null {
    const kind = this.#kindOf[page] ?? DAMAGED;
    return kind >= 0 && !this.#hidden.has(page) ? kind : null;
  }

  /**
   * Numbers of the pages with planes like the first shown one. A page of a plane's size counts even if NewSubfileType marks it as
   * reduced; a damaged page keeps its place.
   */
  likeFirst(): number[] {
    const pages = this.offsets.map((_, page) => page);
    const first = pages.find((page) => this.shownKind(page) !== null);
    if (first === undefined) return [];
    const kind = this.#kindOf[first];
    return pages.filter((page) => this.#kindOf[page] === kind || this.#kindOf[page] === DAMAGED);
  }
}

/** Kind of a page, which decides whether pages are planes of one stack, from values that are mostly in the directory itself. */
function describePageKind(directory: Directory): { readonly key: string; readonly kind: PageKind } {
  const inline = (tag: number) => directory.count(tag) <= 2 ? directory.number(tag) : directory.count(tag);
  const width = directory.number(TAG.ImageWidth) ?? NaN;
  const height = directory.number(TAG.ImageLength) ?? NaN;
  const samples = directory.number(TAG.SamplesPerPixel) ?? 1;
  const [bits, format] = [inline(TAG.BitsPerSample) ?? 1, inline(TAG.SampleFormat) ?? 1];
  const planar = directory.number(TAG.PlanarConfiguration) ?? 1;
  const photometric = directory.number(TAG.PhotometricInterpretation) ?? 1;
  const key = [width, height, samples, bits, format, planar, photometric].join();
  return { key, kind: { width, height, samples } };
}

/** Warns about a chain that is broken after `pages` pages. */
export const warnAboutChain = ({ brokenTail }: TiffFile, pages: number): Warning[] =>
  warnIf(brokenTail !== null, "file_damaged", `The file ends early, after ${pages} pages: ${brokenTail}`);

/** Whether the planes of two pages have the same size and samples. */
export function hasSameLayout(a: PageLayout, b: PageLayout): boolean {
  return a.width === b.width && a.height === b.height && a.samples === b.samples && a.kind === b.kind &&
    a.bits.every((bits, i) => bits === b.bits[i]);
}

/** Layout in messages: `12 x 8 x 1 of 16 bits`. */
export const describeLayout = ({ width, height, samples, bits }: PageLayout): string =>
  `${width} x ${height} x ${samples} of ${new Set(bits).values().toArray().join(", ")} bits`;

/** The page of a plane. @throws {PlaneNotFound | DecodeFailed} the chain ends before its directory; it has another layout */
export function findPlanePage(directory: Directory | null, layout: PageLayout, what: string): PageLayout {
  if (directory === null) {
    throw new PlaneNotFound(`${what} is missing: the chain of directories ends before it`);
  }
  const page = readPage(directory);
  if (!hasSameLayout(page, layout)) {
    throw new DecodeFailed(
      `${what} in ${nameDirectory(directory)} is ${describeLayout(page)}, unlike the first plane`,
    );
  }
  return page;
}

/** Bytes of an uncompressed plane. In planar pages, its samples follow one another with these bytes each. */
function countPlaneBytes(layout: PageLayout) {
  const { width, height, planar, samples } = layout;
  const bytes = (sample: number) => countRowBytes(width, countBlockBits(layout, sample)) * height;
  const parts = Array.from({ length: planar ? samples : 1 }, (_, sample) => bytes(sample));
  return { whole: parts.reduce((sum, part) => sum + part, 0), parts };
}

/** Number of planes that fit in a row from a page's first strip on; 1 if it is compressed or tiled, or its strips scattered. */
export function countContiguous(tiff: TiffFile, layout: PageLayout): number {
  if (layout.tiled || layout.compression !== UNCOMPRESSED) return 1;
  const last = layout.directory.numbers(TAG.StripOffsets, MAX_SEGMENTS).at(-1) ?? 0;
  const { whole } = countPlaneBytes(layout);
  const { first, end } = measureRoom(tiff, layout);
  if (last < first || last >= first + whole || first >= tiff.file.size) return 1;
  return Math.max(1, Math.floor((end - first) / whole));
}

/** Offset of the first plane of a directory, and the latest end of its planes: the next part of the file. */
function measureRoom({ file }: TiffFile, { directory }: PageLayout) {
  const first = directory.number(TAG.StripOffsets) ?? 0;
  // An offset of 0 stands for a plane that is not stored.
  return { first, end: first === 0 ? 0 : Math.min(file.size, directory.firstPartAfter(first)) };
}

/** Finds a plane by its number. @throws {PlaneNotFound | DecodeFailed} missing; damaged or of another layout */
export type PlaneFinder = (number: number) => PlaneSource;

/** The planes whose directories are at these offsets. */
export function listPlanesAt(tiff: TiffFile, layout: PageLayout, offsets: readonly number[]): PlaneFinder {
  return (number) => {
    // A file with only reduced pages shows the first of them.
    const offset = offsets[number] ?? (number === 0 ? layout.directory.offset : undefined);
    if (offset === undefined) throw reportMissing(number, offsets.length);
    return { tiff, page: findPlanePage(tiff.directoryAt(offset), layout, `plane ${number}`) };
  };
}

/** Uncompressed planes that follow one another and share one directory. */
export function listPlanesInRun(tiff: TiffFile, layout: PageLayout): PlaneFinder {
  const { first, end } = measureRoom(tiff, layout);
  const { whole, parts } = countPlaneBytes(layout);
  const lengths = Float64Array.from(parts);
  // A plane that begins before `end` is incomplete, not missing.
  const stored = Math.ceil((end - first) / whole);
  const page = { ...layout, segmentHeight: layout.height, down: 1 };
  return (number) => {
    if (number === 0) return { tiff, page: layout };
    if (number >= stored) throw reportMissing(number, stored);
    if (layout.tiled || layout.compression !== UNCOMPRESSED) {
      throw new DecodeFailed("several planes with one directory are stored in tiles or compressed");
    }
    let next = first + number * whole;
    const offsets = lengths.map((length) => (next += length) - length);
    return { tiff, page, strips: { offsets, lengths } };
  };
}

const reportMissing = (number: number, stored: number): PlaneNotFound =>
  new PlaneNotFound(`plane ${number} is missing: the file holds ${stored} planes, ${number + 1} are needed`);

/**
 * Number of planes of a file, of which a description declares `planes`: the pages of the main chain, counted up to one more, or if
 * that has one directory and a second plane fits, the planes in a row.
 */
export function countStoredPlanes(tiff: TiffFile, layout: PageLayout, planes: number): number {
  const fitting = runOf(tiff, layout, planes);
  return fitting > 1 ? fitting : tiff.countUpTo(planes + 1);
}

const runOf = (tiff: TiffFile, layout: PageLayout, planes: number) =>
  planes > 1 && layout.directory.next === 0 ? countContiguous(tiff, layout) : 1;

/** The planes that a description declares, as {@linkcode countStoredPlanes} counts them. Warns if the file holds more or fewer. */
export function countDeclaredPlanes(
  tiff: TiffFile,
  layout: PageLayout,
  planes: number,
): { readonly plane: PlaneFinder; readonly warnings: Warning[] } {
  const present = countStoredPlanes(tiff, layout, planes);
  if (runOf(tiff, layout, planes) > 1) {
    return {
      plane: listPlanesInRun(tiff, layout),
      warnings: warnAboutPlaneCount("The description", planes, present),
    };
  }
  const inChain = (number: number): PlaneSource => {
    const directory = tiff.directory(number);
    if (directory === null) throw reportMissing(number, tiff.countUpTo(number));
    return { tiff, page: findPlanePage(directory, layout, `plane ${number}`) };
  };
  return {
    plane: inChain,
    warnings: warnAboutPlaneCount("The description", planes, present, explainEnd(tiff)),
  };
}

/** Why a chain ended early, as the end of a sentence; else `""`. */
export const explainEnd = ({ brokenTail }: TiffFile): string => brokenTail === null ? "" : `: ${brokenTail}`;

/** Warns if `source` declares more or fewer planes than are `present`. The number of surplus planes is not stated. */
export function warnAboutPlaneCount(source: string, planes: number, present: number, reason = ""): Warning[] {
  if (present === planes) return [];
  const found = present > planes ? "more" : present === 1 ? "one" : String(present);
  const declared = planes === 1 ? "one plane" : `${planes} planes`;
  const code = present > planes ? "content_left_out" : "planes_missing";
  return [warning(code, `${source} declares ${declared}, but the file holds ${found}${reason}`)];
}
