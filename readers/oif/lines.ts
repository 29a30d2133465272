/** The rows of a line scan, which are lines in time: an interrupted one may have fewer in one channel than in another. */
import { DecodeFailed } from "../errors.ts";
import type { PlaneGrid } from "./plane_grid.ts";
import type { PlaneImages } from "./plane_images.ts";

/** Fewest and most rows of the first planes of all channels; those that cannot be read do not count. */
export function rowsOfChannels(grid: PlaneGrid, images: PlaneImages): { fewest: number; most: number } {
  let [fewest, most] = [Infinity, 0];
  for (let channel = 0; channel < grid.sizes.C; channel += 1) {
    const name = grid.find({ t: 0, l: 0, z: 0, channel });
    try {
      const rows = name === null ? null : images.get(name).page.height;
      if (rows === null) continue;
      fewest = Math.min(fewest, rows);
      most = Math.max(most, rows);
    } catch (error) {
      if (!(error instanceof DecodeFailed)) throw error;
    }
  }
  return { fewest, most };
}
