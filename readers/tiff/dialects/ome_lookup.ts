/** Which `TiffData` of an image holds a plane: where several do, the last one. */
import type { TiffData } from "./ome_xml.ts";

/** A range of planes, `end` excluded, whose place one `TiffData` gives. */
export interface PlaneRange {
  /** First plane in the dimension order. */
  readonly first: number;
  /** Plane behind the last. */
  readonly end: number;
  /** The last that names these planes. */
  readonly data: TiffData;
}

/** The planes of an image by their number, found in a time that hardly grows with the number of `TiffData`. */
export class PlaneLookup {
  /** What each plane's place was found from, in the order of the document. */
  readonly data: readonly TiffData[];
  /** Bounds of the stretches in which the last `TiffData` is the same or changes; ascending. */
  readonly #bounds: Float64Array;
  /** Per stretch from one bound to the next the index of its last `TiffData`, -1 without one. */
  readonly #last: Int32Array;

  /** `planes` are those that the image declares; what is named beyond them is nobody's. */
  constructor(data: readonly TiffData[], planes: number) {
    this.data = data;
    const ends = data.map(({ first, count }) => Math.min(first + count, planes));
    this.#bounds = Float64Array.from(new Set([...data.map(({ first }) => first), ...ends])).sort();
    this.#last = new Int32Array(this.#bounds.length).fill(-1);
    // From the last to the first, each takes the stretches that none has taken: `free` leads past those that are.
    const free = Int32Array.from({ length: this.#bounds.length + 1 }, (_, i) => i);
    const nextFree = (stretch: number) => {
      let at = stretch;
      while (free[at] !== at) {
        free[at] = free[free[at]!]!;
        at = free[at]!;
      }
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

  /** The last `TiffData` that names a plane, or `undefined`. */
  find(plane: number): TiffData | undefined {
    const stretch = this.#stretchOf(plane);
    return stretch < 0 ? undefined : this.data[this.#last[stretch]!];
  }

  /** All planes whose place is given, in their order. */
  *ranges(): Generator<PlaneRange> {
    for (let i = 0; i + 1 < this.#bounds.length; i += 1) {
      const data = this.data[this.#last[i]!];
      if (data) yield { first: this.#bounds[i]!, end: this.#bounds[i + 1]!, data };
    }
  }
}
