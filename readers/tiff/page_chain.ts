/** All pages of a file, grouped by layout in one walk through its directories. */
import { unlessDamaged } from "../errors.ts";
import { type Warning, warning } from "../warning.ts";
import type { Directory } from "./directory.ts";
import { TAG } from "./tags.ts";
import type { TiffFile } from "./tiff_file.ts";

/** A layout that pages share. */
export interface PageKind {
  /** Columns. */
  readonly width: number;
  /** Rows. */
  readonly height: number;
  /** Samples per pixel. */
  readonly samples: number;
}

/** Kinds that are distinguished, four times the scenes of a file; further ones count as one kind. */
const MAX_KINDS = 4096;

/** Kind of a damaged page. */
const DAMAGED = -1;

const REDUCED_OR_MASK = 1 | 4;

const hidden = (directory: Directory) =>
  ((directory.noteNumber(TAG.NewSubfileType) ?? 0) & REDUCED_OR_MASK) !== 0;

/** A kind with the key that identifies it. */
interface KeyedKind extends PageKind {
  readonly key: string;
}

/** The pages of one file by their number in the chain. */
export class PageChain {
  /** The layouts in order of their first pages. */
  readonly kinds: readonly PageKind[];
  /** Why the chain ended early. */
  readonly warnings: readonly Warning[];
  readonly #offsets: number[] = [];
  /** Index into `kinds`, or one of the constants above. */
  readonly #kindOf: number[] = [];
  /** Numbers of the pages marked as reduced versions or masks. */
  readonly #hidden = new Set<number>();
  /** Offsets of the pages that have a description. */
  readonly #described = new Set<number>();

  /**
   * Walks the chain, reading the directories alone.
   *
   * @param visit sees each directory while values close to it are cheap to read
   * @throws {DecodeFailed} the first one is damaged
   */
  constructor(tiff: TiffFile, visit?: (directory: Directory) => void) {
    const numbers = new Map<string, number>();
    const kinds: PageKind[] = [];
    tiff.walk((directory, page) => {
      this.#offsets.push(directory.offset);
      visit?.(directory);
      if (directory.lists(TAG.ImageDescription)) this.#described.add(directory.offset);
      const noted = page === 0 ? kindOf(directory) : unlessDamaged(() => kindOf(directory), null);
      if (noted === null) {
        this.#kindOf.push(DAMAGED);
        return;
      }
      const { key, ...kind } = noted;
      const number = numbers.get(key) ?? Math.min(numbers.size, MAX_KINDS);
      if (number === kinds.length) {
        numbers.set(key, number);
        kinds.push(kind);
      }
      this.#kindOf.push(number);
      if (hidden(directory)) this.#hidden.add(page);
    });
    this.kinds = kinds;
    const broken = tiff.brokenTail;
    this.warnings = broken === null
      ? []
      : [warning("file_damaged", `The file ends early, after ${this.length} pages: ${broken}`)];
  }

  /** How many pages there are. */
  get length(): number {
    return this.#offsets.length;
  }

  /** Offset of the directory of a page. */
  offset(page: number): number {
    return this.#offsets[page]!;
  }

  /** Offsets of the pages with a description. */
  get described(): ReadonlySet<number> {
    return this.#described;
  }

  /** Number of the kind of a page that shows its own plane; `null` for a reduced version, a mask and a damaged page. */
  shownKind(page: number): number | null {
    const kind = this.#kindOf[page] ?? DAMAGED;
    return kind >= 0 && !this.#hidden.has(page) ? kind : null;
  }

  /**
   * Numbers of the pages with planes like the first shown one. A page as large as a plane counts even when NewSubfileType calls it
   * reduced; a damaged page keeps its place.
   */
  likeFirst(): number[] {
    const pages = this.#offsets.map((_, page) => page);
    const first = pages.find((page) => this.shownKind(page) !== null);
    if (first === undefined) return [];
    const kind = this.#kindOf[first];
    return pages.filter((page) => this.#kindOf[page] === kind || this.#kindOf[page] === DAMAGED);
  }
}

/** Decides whether two pages are planes of one stack, by values that mostly stand in the directory itself. */
function kindOf(directory: Directory): KeyedKind {
  const inline = (tag: number) => directory.count(tag) <= 2 ? directory.number(tag) : directory.count(tag);
  const width = directory.number(TAG.ImageWidth) ?? NaN;
  const height = directory.number(TAG.ImageLength) ?? NaN;
  const samples = directory.number(TAG.SamplesPerPixel) ?? 1;
  const rest = [
    inline(TAG.BitsPerSample) ?? 1,
    inline(TAG.SampleFormat) ?? 1,
    directory.number(TAG.PlanarConfiguration) ?? 1,
    directory.number(TAG.PhotometricInterpretation) ?? 1,
  ];
  return { key: [width, height, samples, ...rest].join(), width, height, samples };
}

/** Offsets of the pages with planes like the first, and warnings of the chain; `visit` as in {@linkcode PageChain}. */
export function pagesLikeFirst(
  tiff: TiffFile,
  visit?: (directory: Directory) => void,
): { offsets: number[]; warnings: readonly Warning[] } {
  const chain = new PageChain(tiff, visit);
  return { offsets: chain.likeFirst().map((page) => chain.offset(page)), warnings: chain.warnings };
}
