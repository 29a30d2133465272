/**
 * Takes the pictures that the documentation shows, into `docs/images/`: the example line scan, a scan of Prairie View, the
 * page of `examples/web/`, and for docs/measure.md a drawn line scan with streaks and calcium transients and a time series
 * with a moving spot. Pictures of a measurement in the
 * sample are joined into the moving one of README.md.
 *
 * usage: deno run -A tests/browser/screenshots.ts
 */
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { chooseInExample, openExample } from "./example_page.ts";
import { startChromium, StubbedServer } from "./browser.ts";
import { type Frame, joinFrames } from "./moving_picture.ts";
import { Viewer } from "./viewer.ts";
import { measuredScan } from "./measured_scan.ts";
import { measuredStack, SPOT_LINE, STACK_COLUMNS } from "./measured_stack.ts";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const IMAGES = join(ROOT, "docs", "images");
const LINE_SCAN = join(ROOT, "examples", "line_scan.oir");
const PRAIRIE = "LineScan-03142018-1454-2042";

await Deno.mkdir(IMAGES, { recursive: true });
await using server = await StubbedServer.start();
const browser = await startChromium();
await using viewer = await Viewer.load(browser, server, { viewport: { width: 1280, height: 800 } });

await viewer.open(LINE_SCAN);
await viewer.hover(0.415, 0.47);
await viewer.settle();
await viewer.page.screenshot({ path: join(IMAGES, "line-scan.png") });

await filmMeasurement();

await viewer.open(join(ROOT, "tests", "fixtures", "prairie", PRAIRIE, `${PRAIRIE}.xml`));
const middle = await viewer.place("source", [40, 33], 20, 16);
await viewer.page.mouse.move(middle.x, middle.y);
await viewer.settle();
await viewer.page.screenshot({ path: join(IMAGES, "prairie.png") });

/** The moving picture of README.md: a band with its trace, then velocities with their errors. It plays three times. */
async function filmMeasurement(): Promise<void> {
  const [width, height, scale] = [1280, 800, 0.75];
  await using viewer = await Viewer.load(browser, server, { viewport: { width, height } });
  const { page } = viewer;
  const devtools = await page.context().newCDPSession(page);
  const frames: Frame[] = [];
  const film = async (duration: number) => {
    await viewer.settle();
    const clip = { x: 0, y: 0, width, height, scale };
    const { data } = await devtools.send("Page.captureScreenshot", { format: "webp", quality: 60, clip });
    frames.push({ still: Uint8Array.fromBase64(data), duration });
  };
  await viewer.open(LINE_SCAN);
  await film(1200);
  await page.click("#tool-band");
  const box = await viewer.box("#source .plot");
  const [x, top, bottom] = [box.x + 0.4 * box.width, box.y + 0.74 * box.height, box.y + 0.93 * box.height];
  await page.mouse.move(x, bottom);
  await page.mouse.down();
  for (const part of [0.3, 0.6, 1]) {
    await page.mouse.move(x, bottom + part * (top - bottom));
    await film(250);
  }
  await page.mouse.up();
  await film(800);
  await page.check("#trace-change");
  await film(1500);
  await show(viewer, "velocity");
  await film(800);
  await page.selectOption("#velocity-band", "");
  await viewer.measureVelocities();
  await film(1200);
  const places = [0.3, 0.38, 0.46, 0.54, 0.62];
  for (const place of places) {
    await viewer.hover(place, 0.4);
    await film(place === places.at(-1) ? 2500 : 500);
  }
  const bytes = joinFrames(frames, [width * scale, height * scale], 3);
  await Deno.writeFile(join(IMAGES, "line-scan.webp"), bytes);
  if (viewer.faults.length > 0) throw new Error(viewer.faults.join("\n"));
}

// Pictures of docs/measure.md

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

async function show({ page }: Viewer, part: string): Promise<void> {
  for (const details of await page.locator("#measure > details").all()) {
    const isOpen = await details.getAttribute("open") !== null;
    const isWanted = await details.getAttribute("id") === `measure-${part}`;
    if (isOpen !== isWanted && await details.isVisible()) await details.locator(":scope > summary").click();
  }
  await page.locator("#measure").scrollIntoViewIfNeeded();
  await page.locator(`#measure-${part}`).scrollIntoViewIfNeeded();
}

/** Bands over the active columns and beside them. */
async function drawBands(viewer: Viewer): Promise<void> {
  await viewer.drawBand(30, 50);
  await viewer.drawBand(5, 20);
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
  await viewer.measureVelocities();
  await viewer.draw("line", [0.3, 0.9], [0.3 + 0.16, 0.9 - 0.6]);
  await page.locator("#measure-lines summary").click();
});

await picture("events", scan, async (viewer) => {
  const { page } = viewer;
  await drawBands(viewer);
  await page.uncheck("#source-0-visible");
  await page.check("#trace-change");
  await viewer.enter("#trace-average", "9");
  await show(viewer, "events");
  await viewer.findEvents("1");
});

await picture("cursors", scan, async (viewer) => {
  const { page } = viewer;
  await show(viewer, "cursors");
  for (const [x, y] of [[0.24, 0.55], [0.62, 0.3]] as const) {
    await viewer.hover(x, y);
    await page.keyboard.press("x");
  }
});

await picture("images", stack, async (viewer) => {
  const { page } = viewer;
  for (const column of [20, 30, 40]) {
    await viewer.draw("rectangle", [column / STACK_COLUMNS, 0.44], [(column + 4) / STACK_COLUMNS, 0.58]);
  }
  await page.click("#image-means");
  await page.locator("#measure-images .result", { hasText: "images" }).waitFor();
  await page.check("#trace-change");
  await show(viewer, "events");
  await page.selectOption("#events-band", "*");
  await page.click("#events-start");
  await page.locator("#drawer-events .items tbody tr").first().waitFor();
});

await picture("kymograph", stack, async (viewer) => {
  await viewer.draw("line", ...SPOT_LINE);
  await show(viewer, "kymograph");
  await viewer.makeKymograph();
});

const day = join(server.folder, "2025-10-30");
Deno.mkdirSync(day);
for (const number of [1, 2, 3, 4]) {
  const path = join(day, `vessel_${number}.oir`);
  Deno.writeFileSync(path, measuredScan());
  // Bytes after the end make recordings differ.
  Deno.writeFileSync(path, new Uint8Array(number), { append: true });
}
await picture("many", join(day, "vessel_2.oir"), async (viewer) => {
  const { page } = viewer;
  await drawBands(viewer);
  await page.click("#tool-zoom");
  await page.uncheck("#source-0-visible");
  await page.check("#trace-change");
  await show(viewer, "events");
  await page.selectOption("#events-channel", "1");
  await show(viewer, "many");
  await page.click("#many-start");
  await page.locator("#many-csv").waitFor();
});

await picture("save", scan, async (viewer) => {
  await drawBands(viewer);
  await show(viewer, "export");
});

const example = await openExample(browser, server);
await chooseInExample(example, server, LINE_SCAN);
await example.screenshot({ path: join(IMAGES, "use-from-web.png") });
await browser.close();
