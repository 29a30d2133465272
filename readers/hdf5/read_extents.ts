/** Places of the metadata that were read, where no samples can lie. */

/** Most extents that are kept. */
const MAX_EXTENTS = 20_000;

/** Extents of bytes in order. Those that begin at one place count as the longest of them. */
export class ReadExtents {
  readonly #starts: number[] = [];
  readonly #ends: number[] = [];
  readonly #names: string[] = [];

  /** @param what what the bytes are; an extent keeps its first name */
  add(start: number, length: number, what: string): void {
    if (length === 0) return;
    const at = this.#after(start);
    if (this.#starts[at - 1] === start) this.#ends[at - 1] = Math.max(this.#ends[at - 1]!, start + length);
    else if (this.#starts.length < MAX_EXTENTS) {
      this.#starts.splice(at, 0, start);
      this.#ends.splice(at, 0, start + length);
      this.#names.splice(at, 0, what);
    }
  }

  /** Start of an extent that overlaps a range, unless it begins at the same place under the same name; `null` without one. */
  sharedWith(start: number, length: number, what: string): number | null {
    let at = this.#after(start + length - 1) - 1;
    if (this.#starts[at] === start && this.#names[at] === what) at -= 1;
    return at >= 0 && this.#ends[at]! > start ? this.#starts[at]! : null;
  }

  /** Number of extents that begin at or before a place. */
  #after(place: number): number {
    let [from, to] = [0, this.#starts.length];
    while (from < to) {
      const middle = (from + to) >> 1;
      if (this.#starts[middle]! <= place) from = middle + 1;
      else to = middle;
    }
    return from;
  }
}
