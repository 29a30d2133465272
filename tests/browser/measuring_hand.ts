/** What a user's hand does to measure: opens a recording, draws, measures, saves, and reads the tables. */
import { connect, type Server } from "../../static/client/v2/acq-client.js";
import type { Viewer } from "./browser.ts";
import { measuredScan, SCAN_SHAPE } from "./measured_scan.ts";
import { IMAGES, measuredStack } from "./measured_stack.ts";

/** Fractions of the plot, from its upper left corner. */
export type Place = readonly [x: number, y: number];

/** Opens the measured scan, which other tests of the server change. */
export const openScan = (viewer: Viewer): Promise<string> => viewer.openBytes("vessel.oir", measuredScan());

export const openStack = (viewer: Viewer): Promise<string> =>
  viewer.openBytes("spot.ome.tif", measuredStack());

/** Presses at the first place, moves through the others and lets go at the last. */
export async function drag(viewer: Viewer, pane: string, ...places: readonly Place[]): Promise<void> {
  const { mouse } = viewer.page;
  const box = await viewer.box(`#${pane} .plot`);
  const at = ([x, y]: Place) => [box.x + x * box.width, box.y + y * box.height] as const;
  await mouse.move(...at(places[0]!));
  await mouse.down();
  for (const place of places.slice(1)) await mouse.move(...at(place), { steps: 4 });
  await mouse.up();
}

export async function draw(viewer: Viewer, tool: string, ...places: readonly Place[]): Promise<void> {
  await viewer.page.click(`#tool-${tool}`);
  await drag(viewer, "source", ...places);
}

/** Draws a band over columns `from` to `to` of the measured scan, end excluded; column 0 is at the bottom. */
export function drawBand(viewer: Viewer, from: number, to: number): Promise<void> {
  const columns = SCAN_SHAPE[1];
  return draw(viewer, "band", [0.4, 1 - (from + 0.4) / columns], [0.45, 1 - (to - 0.4) / columns]);
}

export async function unfold(viewer: Viewer, ...parts: string[]): Promise<void> {
  for (const part of parts) {
    const details = viewer.page.locator(`#measure-${part}`);
    if (await details.getAttribute("open") === null) await details.locator("summary").click();
  }
}

/** Measures velocities over time and waits for the end. */
export async function measureVelocities(viewer: Viewer, found = "With a velocity"): Promise<void> {
  await unfold(viewer, "velocity");
  await viewer.page.click("#velocity-start");
  await viewer.page.locator("#measure-velocity .result", { hasText: found }).waitFor();
}

/** Finds events in the first channel, or in this one. */
export async function findEvents(viewer: Viewer, channel?: string): Promise<void> {
  await unfold(viewer, "events");
  if (channel !== undefined) await viewer.page.selectOption("#events-channel", channel);
  await viewer.page.click("#events-start");
}

/** Treats an image as a line scan of 2 ms a line and 0.5 µm a pixel. */
export async function treatAsLineScan(viewer: Viewer, time = "rows"): Promise<void> {
  await unfold(viewer, "typed");
  await viewer.page.selectOption("#typed-time", time);
  await viewer.enter("#typed-line", "2");
  await viewer.enter("#typed-pixel", "0.5");
  await viewer.page.click("#typed-treat");
}

/** Exports recordings into an archive and opens it. */
export async function openArchive(
  viewer: Viewer,
  name: string,
  members: Parameters<Server["export"]>[0],
): Promise<void> {
  const server = await connect(viewer.server.baseUrl);
  const { url } = await server.export(members);
  const archive = await fetch(url);
  await viewer.openBytes(`${name}.zip`, await archive.bytes());
}

export async function makeKymograph({ page }: Viewer): Promise<void> {
  await page.click("#kymograph-start");
  await page.locator("#measure-kymograph [role=status]", { hasText: `${IMAGES} of ${IMAGES} images` })
    .waitFor();
  await page.locator("#source h2", { hasText: "Line scan" }).waitFor();
  await page.locator("#kymograph-start", { hasText: "Make kymograph" }).waitFor();
}

export async function pin(viewer: Viewer, line: number, column: number): Promise<void> {
  // In a field letters are no shortcuts.
  await viewer.page.focus("#source .plot");
  const { x, y } = await viewer.place("source", SCAN_SHAPE, line, column);
  await viewer.page.mouse.move(x, y);
  await viewer.page.keyboard.press("x");
}

export const bandsOf = ({ page }: Viewer) => page.locator("#measure-bands li");

/** What a button below "Export" saves. */
export async function saved(viewer: Viewer, button: string): ReturnType<Viewer["saved"]> {
  await unfold(viewer, "export");
  return await viewer.saved(button);
}

/** Cells of a line of a table, quoted ones too. */
const cellsOf = (line: string) =>
  [...line.matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^,]*))/g)].map(([, quoted, plain]) =>
    quoted?.replaceAll('""', '"') ?? plain!
  );

/** Parts of a saved table: settings, head and rows, and the cells of a column. */
export function tableOf(text: string) {
  const [above, below] = text.replace("\ufeff", "").split("\r\n\r\n");
  const [head, ...rows] = below!.trimEnd().split("\r\n").map(cellsOf);
  return {
    about: new Map(above!.split("\r\n").map((line) => cellsOf(line) as [string, string])),
    head: head!,
    rows,
    column: (name: string) => rows.map((row) => row[head!.indexOf(name)]!),
  };
}

export const table = async (viewer: Viewer, button: string) => tableOf((await saved(viewer, button)).text);
