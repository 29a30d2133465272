/** How much of a plane its tiles cover. */

/** A tile within its plane. */
export interface Tile {
  /** First column. */
  readonly x: number;
  /** First row. */
  readonly y: number;
  /** Columns. */
  readonly width: number;
  /** Rows. */
  readonly height: number;
}

/** Rows of a plane that lie under one tile at least, of tiles as wide as the plane. */
export function coveredRows(tiles: readonly Pick<Tile, "y" | "height">[], rows: number): number {
  let [covered, end] = [0, 0];
  for (const { y, height } of tiles.toSorted((a, b) => a.y - b.y)) {
    const last = Math.min(y + height, rows);
    covered += Math.max(0, last - Math.max(y, end));
    end = Math.max(end, last);
  }
  return covered;
}

/**
 * Pixels that lie under one tile at least: a sweep over the columns at which tiles begin and end, with a tree that knows
 * how many rows are covered.
 */
export function coveredPixels(tiles: readonly Tile[]): number {
  const edges = [...new Set(tiles.flatMap(({ y, height }) => [y, y + height]))].sort((a, b) => a - b);
  const rank = new Map(edges.map((edge, i) => [edge, i]));
  const rows = new CoveredRows(edges);
  const events = tiles.flatMap(({ x, y, width, height }) => {
    const [from, to] = [rank.get(y)!, rank.get(y + height)!];
    return [{ x, from, to, change: 1 }, { x: x + width, from, to, change: -1 }];
  }).sort((a, b) => a.x - b.x);
  let [covered, last] = [0, 0];
  for (const { x, from, to, change } of events) {
    covered += rows.length * (x - last);
    last = x;
    rows.change(from, to, change);
  }
  return covered;
}

/** How many rows are covered by intervals that come and go, whose ends are among `edges`. */
class CoveredRows {
  readonly #edges: readonly number[];
  readonly #count: Int32Array;
  readonly #length: Float64Array;

  constructor(edges: readonly number[]) {
    this.#edges = edges;
    this.#count = new Int32Array(4 * edges.length);
    this.#length = new Float64Array(4 * edges.length);
  }

  get length(): number {
    return this.#length[1] ?? 0;
  }

  /** Adds or removes the interval between two edges. */
  change(from: number, to: number, by: number): void {
    this.#update(1, [0, this.#edges.length - 1], { from, to, by });
  }

  #update(
    node: number,
    [low, high]: readonly [number, number],
    change: { readonly from: number; readonly to: number; readonly by: number },
  ): void {
    if (change.to <= low || high <= change.from) return;
    if (change.from <= low && high <= change.to) this.#count[node]! += change.by;
    else {
      const middle = (low + high) >> 1;
      this.#update(2 * node, [low, middle], change);
      this.#update(2 * node + 1, [middle, high], change);
    }
    this.#length[node] = this.#count[node]! > 0
      ? this.#edges[high]! - this.#edges[low]!
      : high - low > 1
      ? this.#length[2 * node]! + this.#length[2 * node + 1]!
      : 0;
  }
}
