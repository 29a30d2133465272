/** The parts of a file that are no samples. A strip that lies over one of them has an offset that is damaged. */
import type { Directory } from "./directory.ts";
import { TAG } from "./tags.ts";

/** A part of a file, `end` excluded. */
interface Part {
  readonly start: number;
  readonly end: number;
  /** As messages name it: `the TIFF header`. */
  readonly name: string;
}

/** SubIFDs of a page that are looked at; pyramids have a dozen. */
const MAX_SUB_DIRECTORIES = 64;

/** Tags below are of TIFF itself; numbers in those of vendors may be anything. */
const FIRST_VENDOR_TAG = 32_768;

/** Header, directories of the chain and vendor structures of one file, as far as they were read. */
export class Structures {
  readonly #claims: Part[] = [];
  #starts: number[] = [];
  #ends: number[] = [];
  #ascending = true;

  /** Notes a part that has a name of its own. */
  claim(start: number, end: number, name: string): void {
    this.#claims.push({ start, end, name });
  }

  /** Notes a directory of the chain. */
  addDirectory(start: number, end: number): void {
    this.#ascending &&= start > (this.#starts.at(-1) ?? -1);
    this.#starts.push(start);
    this.#ends.push(end);
  }

  /** Name of a part that these bytes lie over, or `null`. */
  under(offset: number, length: number): string | null {
    const claim = overlapping(this.#claims, offset, length);
    if (claim !== null) return claim;
    if (!this.#ascending) this.#sort();
    let low = 0;
    let high = this.#starts.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#starts[middle]! < offset + length) low = middle + 1;
      else high = middle;
    }
    return low > 0 && this.#ends[low - 1]! > offset ? `the directory at ${this.#starts[low - 1]}` : null;
  }

  /** Start of the first part from an offset on, `Infinity` without one; directories of the chain aside. */
  nextClaim(offset: number): number {
    return this.#claims.reduce(
      (least, { start }) => start > offset ? Math.min(least, start) : least,
      Infinity,
    );
  }

  #sort(): void {
    const parts = this.#starts.map((start, i) => [start, this.#ends[i] ?? start] as const)
      .sort(([a], [b]) => a - b);
    this.#starts = parts.map(([start]) => start);
    this.#ends = parts.map(([, end]) => end);
    this.#ascending = true;
  }
}

function overlapping(parts: readonly Part[], offset: number, length: number): string | null {
  return parts.find(({ start, end }) => offset < end && start < offset + length)?.name ?? null;
}

/** A directory and the values that it refers to. */
function partsOf(directory: Directory): Part[] {
  const { offset, end } = directory;
  return [
    { start: offset, end, name: `the directory at ${offset}` },
    ...directory.valuesApart(FIRST_VENDOR_TAG),
  ];
}

/** Where samples that begin at `offset` must end: at the next part of the file, or with it. */
export function endOfSamples(
  structures: Structures,
  directory: Directory,
  offset: number,
  fileSize: number,
): number {
  const starts = partsOf(directory).map(({ start }) => start).filter((start) => start > offset);
  return Math.min(fileSize, structures.nextClaim(offset), ...starts);
}

/** Says which part of the file, or of what the directory of a page refers to, lies under some bytes. */
export function partUnder(
  structures: Structures,
  directory: Directory,
): (offset: number, length: number) => string | null {
  const own: Part[] = [
    ...partsOf(directory),
    ...directory.directoriesOf(TAG.SubIFDs, MAX_SUB_DIRECTORIES).map(({ start, end }) => ({
      start,
      end,
      name: `the directory at ${start}`,
    })),
  ];
  return (offset, length) => overlapping(own, offset, length) ?? structures.under(offset, length);
}
