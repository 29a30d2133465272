/** Drags over a picture, as a hand does. */
import type { Viewer } from "./browser.ts";

/** Fractions of the plot, from its upper left corner. */
export type Place = readonly [x: number, y: number];

/** Presses at the first place, moves through the others and lets go at the last. */
export async function dragPoints({ page }: Viewer, pane: string, places: readonly Place[]): Promise<void> {
  const box = (await page.locator(`#${pane} .plot`).boundingBox())!;
  const at = ([x, y]: Place) => [box.x + x * box.width, box.y + y * box.height] as const;
  await page.mouse.move(...at(places[0]!));
  await page.mouse.down();
  for (const place of places.slice(1)) await page.mouse.move(...at(place), { steps: 4 });
  await page.mouse.up();
}

/** A straight drag. */
export const dragOver = (viewer: Viewer, pane: string, from: Place, to: Place): Promise<void> =>
  dragPoints(viewer, pane, [from, to]);
