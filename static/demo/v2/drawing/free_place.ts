/** Where a region is drawn that no drag has placed: in view, beside those that are there. */
import { type Region, selectBands, selectKinds } from "./region.ts";
import type { View } from "../picture/orientation.ts";
import type { PicturePoint } from "../picture/placed_view.ts";

/** What a button draws. */
export type Added = "band" | "line" | "rectangle";

/** Shift of each further region, as a fraction of the view, and after how many the first place follows again. */
const [SHIFT, ROUND] = [0.06, 5];

/**
 * Two opposite corners of a drag that would draw the region.
 *
 * @param view in pixels of the picture
 * @param isLineScan x counts lines of a line scan, else rows of an image
 */
export function freePlace(
  kind: Added,
  { x0, x1, y0, y1 }: View,
  regions: readonly Region[],
  isLineScan: boolean,
): [from: PicturePoint, to: PicturePoint] {
  const at = (x: number, y: number) => ({ x: x0 + x * (x1 - x0), y: y0 + y * (y1 - y0) });
  if (kind === "band") {
    const [low, high] = findWidestGap(regions, y0, y1);
    const third = (high - low) / 3;
    return [{ x: x0, y: low + third }, { x: x0, y: high - third }];
  }
  // The line over an image replaces the former one.
  if (kind === "line" && !isLineScan) return [at(0.5, 0.1), at(0.5, 0.9)];
  const shift = (selectKinds(regions, kind).length % ROUND) * SHIFT;
  return [at(0.35 + shift, 0.35 + shift), at(0.6 + shift, 0.6 + shift)];
}

/** The widest range of columns in view without a band, or the view if bands cover it. */
function findWidestGap(regions: readonly Region[], y0: number, y1: number): [number, number] {
  const bands = selectBands(regions).toSorted((a, b) => a.from - b.from);
  let [place, best] = [y0, [y0, y0]];
  for (const { from, to } of [...bands, { from: y1, to: y1 }]) {
    const end = Math.min(from, y1);
    if (end - place > best[1]! - best[0]!) best = [place, end];
    place = Math.max(place, to);
  }
  return best[1]! - best[0]! < 3 ? [y0, y1] : best as [number, number];
}
