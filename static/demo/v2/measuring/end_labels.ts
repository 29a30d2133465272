/** Where the names of curves stand at their right ends, for charts of the page and saved plots. */

/** Least distance of names in CSS pixels, and their greatest number. */
const [LABEL, MOST] = [13, 6];

/** Least distance of the middle of a name from an edge of the plot, in CSS pixels. */
const EDGE = 7;

/**
 * Moves names apart that would touch each other, within a plot.
 *
 * @param heights at which the names would stand best; NaN for a curve without an end
 * @param plot upper edge and height, in CSS pixels as the heights
 * @returns a height for each name; null if there is no room for all
 */
export function endLabels(
  heights: readonly number[],
  { top, height }: { top: number; height: number },
): number[] | null {
  const isRoom = heights.length <= MOST && heights.length * LABEL <= height - 4;
  if (!isRoom || heights.some(Number.isNaN)) return null;
  const [least, most] = [top + EDGE, top + height - EDGE];
  const places = heights.map((at) => Math.min(most, Math.max(least, at)));
  const order = places.map((_, i) => i).toSorted((a, b) => places[a]! - places[b]!);
  for (const [k, i] of order.entries()) {
    if (k > 0) places[i] = Math.max(places[i]!, places[order[k - 1]!]! + LABEL);
  }
  // Those at the bottom push the others up.
  let lowest = most;
  for (const i of order.toReversed()) {
    places[i] = Math.min(places[i]!, lowest);
    lowest = places[i]! - LABEL;
  }
  return places;
}
