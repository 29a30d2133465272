/** Drags over a picture, and saves files of the page. */
import type { Viewer } from "./browser.ts";
import { SCAN_SHAPE } from "./measured_scan.ts";

/** Fractions of the plot, from its upper left corner. */
export type Place = readonly [x: number, y: number];

/** Presses at the first place, moves through the others and lets go at the last. */
export async function dragPoints(viewer: Viewer, pane: string, places: readonly Place[]): Promise<void> {
  const { mouse } = viewer.page;
  const box = await viewer.box(`#${pane} .plot`);
  const at = ([x, y]: Place) => [box.x + x * box.width, box.y + y * box.height] as const;
  await mouse.move(...at(places[0]!));
  await mouse.down();
  for (const place of places.slice(1)) await mouse.move(...at(place), { steps: 4 });
  await mouse.up();
}

/** A straight drag. */
export const dragOver = (viewer: Viewer, pane: string, from: Place, to: Place): Promise<void> =>
  dragPoints(viewer, pane, [from, to]);

/** Draws a band over columns `from` to `to` of the measured scan, end excluded; column 0 is at the bottom. */
export async function drawBand(viewer: Viewer, from: number, to: number): Promise<void> {
  const columns = SCAN_SHAPE[1];
  await viewer.page.click("#tool-band");
  await dragOver(viewer, "source", [0.4, 1 - (from + 0.4) / columns], [0.45, 1 - (to - 0.4) / columns]);
}

/** Opens a part of the measuring controls. */
export async function unfold(viewer: Viewer, part: string): Promise<void> {
  const details = viewer.page.locator(`#measure-${part}`);
  if (await details.getAttribute("open") === null) await details.locator("summary").click();
}

/** File saved by a button. */
export async function saved(
  viewer: Viewer,
  button: string,
): Promise<{ name: string; text: string; bytes: Uint8Array }> {
  await unfold(viewer, "export");
  const [download] = await Promise.all([viewer.page.waitForEvent("download"), viewer.page.click(button)]);
  const bytes = await Deno.readFile((await download.path())!);
  return { name: download.suggestedFilename(), text: new TextDecoder().decode(bytes), bytes };
}

/** Parts of a saved table: settings, head and rows. */
export function tableOf(text: string) {
  const [above, below] = text.replace("\ufeff", "").split("\r\n\r\n");
  const [head, ...rows] = below!.trimEnd().split("\r\n").map((line) => line.split(","));
  return {
    about: new Map(above!.split("\r\n").map((line) => line.split(/,(.*)/) as [string, string])),
    head,
    rows,
  };
}
