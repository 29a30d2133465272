/** Which `TiffData` of an image holds a plane, and whether they cover all planes and fit the directories of the opened file. */
import { type Warning, warning } from "../../warning.ts";
import type { TiffFile } from "../tiff_file.ts";
import type { TiffData } from "./ome_xml.ts";

/** The planes of an image by their number; where several `TiffData` name a plane, the last one counts. */
export class PlaneLookup {
  /** All of them in the order of the document. */
  readonly data: readonly TiffData[];
  /** Planes of the image. */
  readonly planes: number;
  /** Where ranges begin or end, ascending. */
  readonly #bounds: Float64Array;
  /** From one bound to the next, the index of the `TiffData` that counts; -1 without one. */
  readonly #last: Int32Array;

  /** Ignores what is named beyond the `planes` of the image. */
  constructor(data: readonly TiffData[], planes: number) {
    this.data = data;
    this.planes = planes;
    const ends = data.map(({ first, count }) => Math.min(first + count, planes));
    this.#bounds = Float64Array.from(new Set([...data.map(({ first }) => first), ...ends])).sort();
    this.#last = new Int32Array(this.#bounds.length).fill(-1);
    // From the last to the first, each takes the stretches that are still free; `free` leads past the others.
    const free = Int32Array.from({ length: this.#bounds.length + 1 }, (_, i) => i);
    const nextFree = (stretch: number) => {
      let at = stretch;
      while (free[at] !== at) at = free[at] = free[free[at]!]!;
      return at;
    };
    for (let i = data.length - 1; i >= 0; i -= 1) {
      const end = this.#stretchOf(ends[i]!);
      for (let at = nextFree(this.#stretchOf(data[i]!.first)); at < end; at = nextFree(at)) {
        this.#last[at] = i;
        free[at] = at + 1;
      }
    }
  }

  /** Index of the last bound at or before a plane, -1 before the first. */
  #stretchOf(plane: number): number {
    let low = 0;
    let high = this.#bounds.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#bounds[middle]! <= plane) low = middle + 1;
      else high = middle;
    }
    return low - 1;
  }

  /** The `TiffData` of a plane, or `undefined`. */
  find(plane: number): TiffData | undefined {
    const stretch = this.#stretchOf(plane);
    return stretch < 0 ? undefined : this.data[this.#last[stretch]!];
  }

  /** All placed planes in order, from `first` up to `end`, with the `TiffData` that counts. */
  *ranges(): Generator<{ readonly first: number; readonly end: number; readonly data: TiffData }> {
    for (let i = 0; i + 1 < this.#bounds.length; i += 1) {
      const data = this.data[this.#last[i]!];
      if (data) yield { first: this.#bounds[i]!, end: this.#bounds[i + 1]!, data };
    }
  }
}

/**
 * Warns about planes without a directory, and directories of the opened file without a plane.
 *
 * @param isOwn whether the opened file holds planes
 * @param alone whether the document has one image, so that all directories should be its planes
 */
export function directoryWarnings(
  tiff: TiffFile,
  lookup: PlaneLookup,
  isOwn: (data: TiffData) => boolean,
  alone: boolean,
): Warning[] {
  const { data, planes } = lookup;
  const warnings: Warning[] = [];
  const ranges = [...lookup.ranges()];
  const covered = ranges.reduce((sum, { first, end }) => sum + end - first, 0);
  if (data.length > 0 && covered < planes) {
    const text = `OME-XML names directories for ${covered} of the ${planes} planes that it declares`;
    warnings.push(warning("planes_missing", text));
  }
  const own = ranges.filter((range) => isOwn(range.data));
  const needed = data.length === 0
    ? planes
    : own.reduce((most, { data: one, end }) => Math.max(most, one.directory + end - one.first), 0);
  const present = tiff.countUpTo(needed + 1);
  const isWhole = alone && own.length === ranges.length &&
    data.every(({ counted, count }) => !counted && count === planes);
  if (present < needed) {
    const reason = tiff.brokenTail === null ? "" : `: ${tiff.brokenTail}`;
    const text = `OME-XML names ${needed} directories of this file, which has ${present}${reason}`;
    warnings.push(warning("planes_missing", text));
  } else if (present > needed && isWhole) {
    const text = `The file has more directories than the ${needed} planes that OME-XML declares`;
    warnings.push(warning("content_left_out", text));
  }
  return warnings;
}
