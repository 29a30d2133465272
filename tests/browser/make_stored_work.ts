/**
 * Makes `tests/fixtures/page/`: what the page kept and saved when the keys of its documents were settled, which every later page must
 * open. Run it only where `VERSION` of `saving/documents.ts` changes; never to make a test pass.
 *
 * - `kept.json`: cookies aside, all that the browser stores for the page after work on `examples/line_scan.oir`, on the time
 *   series that `measured_stack.ts` draws, and on a kymograph of it (a storage state of Playwright, with the database)
 * - `scan.zip`, `kymograph.zip`: archives of both with all images
 * - `scan_measurements.zip`, `kymograph_measurements.zip`: measurement files
 * - `scan.json`, `kymograph.json`: the tables that the page saved of both, by name
 *
 * usage: deno run -A tests/browser/make_stored_work.ts && deno fmt tests/fixtures/page
 */
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { startChromium, StubbedServer } from "./browser.ts";
import { storedFiles, tablesOf, type Work, WORKS } from "./stored_work.ts";
import { SPOT_LINE } from "./measured_stack.ts";
import { Viewer } from "./viewer.ts";

const FOLDER = fileURLToPath(new URL("../fixtures/page/", import.meta.url));

/** One of each, with names, a note, a removed event and settings that are not those of a new page. */
async function measureScan(viewer: Viewer): Promise<void> {
  const { page } = viewer;
  await page.uncheck("#source-0-visible");
  await viewer.drawBand(30, 50);
  await viewer.drawBand(5, 12);
  await page.fill("#shape-name", "Gefäß, außen");
  await page.fill("#shape-color", "#ff0000");
  await page.check("#trace-change");
  await viewer.enter("#baseline-percentile", "12.5");
  await viewer.enter("#trace-average", "3");
  await viewer.draw("line", [0.2, 0.8], [0.41, 0.23]);
  await page.click("#tool-zoom");
  await viewer.unfold("velocity", "cursors");
  await page.selectOption("#velocity-band", "");
  await page.selectOption("#velocity-channel", "0");
  await viewer.enter("#velocity-window", "80");
  await viewer.measureVelocities();
  await viewer.unfold("events");
  await page.selectOption("#events-channel", "0");
  await viewer.findPeaks();
  const rows = page.locator("#drawer-events tbody tr");
  await rows.first().locator("input").fill('a "note", NaN');
  await page.focus("#source .plot");
  for (const place of [0.31, 0.62]) {
    await viewer.hover(place, place);
    await page.keyboard.press("x");
  }
  await viewer.enter("#cursor-lines", "3");
  await page.check("#accepted");
  await viewer.setRange("source-1", 150, 900);
}

async function measureKymograph(viewer: Viewer): Promise<void> {
  await viewer.draw("line", ...SPOT_LINE);
  await viewer.makeKymograph();
  await viewer.draw("band", [0.4, 0.4], [0.4, 0.6]);
  await viewer.draw("line", [0.2, 0.8], [0.41, 0.23]);
}

const MEASURE: Record<Work, (viewer: Viewer) => Promise<void>> = {
  scan: measureScan,
  kymograph: measureKymograph,
};

async function save({ page }: Viewer, what: "all" | "none", path: string): Promise<void> {
  await page.click("#save");
  await page.check(`#save-dialog input[value=${what}]`);
  const [download] = await Promise.all([
    page.waitForEvent("download"),
    page.click("#save-dialog .primary"),
  ]);
  await download.saveAs(path);
}

await Deno.mkdir(FOLDER, { recursive: true });
await using server = await StubbedServer.start();
const browser = await startChromium();
const files = storedFiles(server.folder);
await using viewer = await Viewer.load(browser, server);
for (const work of WORKS) {
  await viewer.openPath(files[work]);
  await MEASURE[work](viewer);
  const tables = await tablesOf(viewer, work);
  Deno.writeTextFileSync(join(FOLDER, `${work}.json`), JSON.stringify(tables));
  await save(viewer, "all", join(FOLDER, `${work}.zip`));
  await save(viewer, "none", join(FOLDER, `${work}_measurements.zip`));
  await viewer.kept();
}
const stored = await viewer.page.context().storageState({ indexedDB: true });
const text = JSON.stringify(stored).replaceAll(server.baseUrl, "ORIGIN").replaceAll(server.folder, "FOLDER");
Deno.writeTextFileSync(join(FOLDER, "kept.json"), text);
if (viewer.faults.length > 0) throw new Error(viewer.faults.join("\n"));
await browser.close();
