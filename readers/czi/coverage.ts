/** The pixels of a plane that its blocks do not fill. */
import type { StopFlag } from "../io/stop_flag.ts";
import { warnIf, type Warning } from "../warning.ts";
import { type Block, isScaled } from "./block.ts";
import type { StoredBlock } from "./subblock.ts";

/** A rectangle of a plane. */
export type Tile = Pick<Block, "x" | "y" | "width" | "height">;

/** Total length of intervals `[start, end)`, counting overlaps once. */
function unionLength(intervals: readonly (readonly [start: number, end: number])[]): number {
  let [covered, last] = [0, -Infinity];
  for (const [start, end] of intervals.toSorted((a, b) => a[0] - b[0])) {
    covered += Math.max(0, end - Math.max(start, last));
    last = Math.max(last, end);
  }
  return covered;
}

/** Number of pixels under at least one tile, by a sweep over the rows at which tiles start and end. @throws {Stopped} */
export function coveredPixels(tiles: readonly Tile[], stop: StopFlag): number {
  // The last block of a truncated line scan may have no lines.
  const waiting = tiles.filter(({ height }) => height > 0).sort((a, b) => b.y - a.y);
  const edges = [...new Set(waiting.flatMap(({ y, height }) => [y, y + height]))].sort((a, b) => a - b);
  let active: Tile[] = [];
  let covered = 0;
  edges.slice(0, -1).forEach((y, i) => {
    stop.check();
    active = active.filter((tile) => tile.y + tile.height > y);
    while (waiting.length > 0 && waiting.at(-1)!.y <= y) active.push(waiting.pop()!);
    covered += unionLength(active.map(({ x, width }) => [x, x + width])) * (edges[i + 1]! - y);
  });
  return covered;
}

/** Warns about pixels of a plane that are repeated, masked or not covered by a tile, from the blocks of each channel. */
export function coverageWarnings(
  channels: readonly (readonly StoredBlock[])[],
  { rows, columns, stop }: { readonly rows: number; readonly columns: number; readonly stop: StopFlag },
): Warning[] {
  const blocks = channels.flat();
  const shares = channels.map((own) => {
    const tiles = own.map(({ block, rows: stored }) => ({
      ...block,
      height: Math.max(0, Math.min(stored, rows - block.y)),
    }));
    return 1 - coveredPixels(tiles, stop) / (rows * columns);
  });
  const uncovered = Math.max(0, ...shares);
  const masks = blocks.filter(({ subblock }) => subblock.blobSize > 0).length;
  const scaled =
    "Pixels are stored at another sampling than that of the image, so some are repeated or left out";
  const gaps = `No tile covers ${(100 * uncovered).toPrecision(2)} % of the pixels, which are 0`;
  const masked = `${masks} tiles may have masks; the pixels that they exclude are 0`;
  return [
    ...warnIf(blocks.some(({ block }) => isScaled(block)), "samples_doubtful", scaled),
    ...warnIf(uncovered > 0, "area_uncovered", gaps),
    ...warnIf(masks > 0, "area_uncovered", masked),
  ];
}
