/**
 * Takes the pictures of docs/measure.md into `docs/images/`: a drawn line scan with streaks and calcium transients, and a time
 * series with a moving spot.
 *
 * usage: deno run -A --lock=deno.lock --frozen tests/browser/measure_screenshots.ts
 */
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { startChromium, StubbedServer, Viewer } from "./browser.ts";
import { measuredScan, SCAN_SHAPE } from "./measured_scan.ts";
import { measuredStack, SPOT_ROW, STACK_COLUMNS, STACK_ROWS } from "./measured_stack.ts";
import { dragOver } from "./measuring_hand.ts";

const IMAGES = join(fileURLToPath(new URL("../../", import.meta.url)), "docs", "images");

await using server = await StubbedServer.start();
const browser = await startChromium();
const scan = join(server.folder, "vessel.oir");
await Deno.writeFile(scan, measuredScan());
const stack = join(server.folder, "spot.ome.tif");
await Deno.writeFile(stack, measuredStack());

/** A page of its own with the file open; its picture is taken when `work` is done. */
async function picture(name: string, path: string, work: (viewer: Viewer) => Promise<void>): Promise<void> {
  await using viewer = await Viewer.load(browser, server, { viewport: { width: 1280, height: 900 } });
  await viewer.open(path);
  await work(viewer);
  await viewer.settle();
  // What was opened has grown meanwhile.
  await viewer.page.locator("#measure > details[open]").last().evaluate((
    part: { scrollIntoView(to: { block: string }): void },
  ) => part.scrollIntoView({ block: "end" }));
  await viewer.settle();
  await viewer.page.screenshot({ path: join(IMAGES, `measure-${name}.png`) });
  if (viewer.faults.length > 0) throw new Error(viewer.faults.join("\n"));
}

/** Opens one part of the controls and closes the others. */
async function show({ page }: Viewer, part: string): Promise<void> {
  for (const details of await page.locator("#measure > details").all()) {
    const isOpen = await details.getAttribute("open") !== null;
    const isWanted = await details.getAttribute("id") === `measure-${part}`;
    if (isOpen !== isWanted && await details.isVisible()) await details.locator("summary").click();
  }
  await page.locator("#measure").scrollIntoViewIfNeeded();
  await page.locator(`#measure-${part}`).scrollIntoViewIfNeeded();
}

/** Bands over the active columns and beside them. */
async function drawBands(viewer: Viewer): Promise<void> {
  await viewer.page.click("#tool-band");
  for (const [from, to] of [[30, 50], [5, 20]] as const) {
    await dragOver(viewer, "source", [0.3, 1 - (from + 0.5) / SCAN_SHAPE[1]], [
      0.4,
      1 - (to - 0.5) / SCAN_SHAPE[1],
    ]);
  }
}

await picture("bands", scan, async (viewer) => {
  await drawBands(viewer);
  await viewer.page.uncheck("#source-0-visible");
  await viewer.page.check("#trace-change");
  await show(viewer, "bands");
});

await picture("velocity", scan, async (viewer) => {
  const { page } = viewer;
  await page.uncheck("#source-1-visible");
  await show(viewer, "velocity");
  await page.click("#velocity-start");
  await page.locator("#measure-velocity .result", { hasText: "With a velocity" }).waitFor();
  await page.click("#tool-line");
  await dragOver(viewer, "source", [0.3, 0.9], [0.3 + 0.16, 0.9 - 0.6]);
  await page.locator("#measure-lines summary").click();
});

await picture("events", scan, async (viewer) => {
  const { page } = viewer;
  await drawBands(viewer);
  await page.uncheck("#source-0-visible");
  await page.check("#trace-change");
  await viewer.enter("#trace-average", "9");
  await show(viewer, "events");
  await page.selectOption("#events-channel", "1");
  await page.click("#events-start");
});

await picture("cursors", scan, async (viewer) => {
  const { page } = viewer;
  await show(viewer, "cursors");
  const plot = await viewer.box("#source .plot");
  for (const [x, y] of [[0.24, 0.55], [0.62, 0.3]] as const) {
    await page.mouse.move(plot.x + x * plot.width, plot.y + y * plot.height);
    await page.keyboard.press("x");
  }
});

await picture("kymograph", stack, async (viewer) => {
  const { page } = viewer;
  const at = (
    column: number,
  ): [number, number] => [(column + 0.5) / STACK_COLUMNS, (SPOT_ROW + 0.5) / STACK_ROWS];
  await page.click("#tool-line");
  await dragOver(viewer, "source", at(4), at(59));
  await show(viewer, "kymograph");
  await page.click("#kymograph-start");
  await page.locator("#measure-kymograph [role=status]", { hasText: "images" }).waitFor();
});

const day = join(server.folder, "2025-10-30");
Deno.mkdirSync(day);
for (const number of [1, 2, 3, 4]) {
  // Bytes behind the end tell recordings apart.
  Deno.writeFileSync(
    join(day, `vessel_${number}.oir`),
    new Uint8Array([...measuredScan(), ...new Uint8Array(number)]),
  );
}
await picture("many", join(day, "vessel_2.oir"), async (viewer) => {
  const { page } = viewer;
  await drawBands(viewer);
  await page.click("#tool-zoom");
  await page.uncheck("#source-0-visible");
  await page.check("#trace-change");
  await show(viewer, "many");
  await page.click("#many-start");
  await page.locator("#many-csv").waitFor();
});

await picture("save", scan, async (viewer) => {
  await drawBands(viewer);
  await show(viewer, "export");
});
await browser.close();
