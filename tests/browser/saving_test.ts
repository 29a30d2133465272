/** Measurements are saved as documents and come back with the same numbers. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { validatePath } from "../../cli/validate/validate.ts";
import { Viewer } from "./browser.ts";
import { dragOver, drawBand, saved, unfold } from "./measuring_hand.ts";
import { viewerSuite } from "./suite.ts";

const { test } = viewerSuite();

const SCAN = new URL("../../examples/line_scan.oir", import.meta.url).pathname;

const TABLES = ["traces", "velocities", "events", "lines", "cursors"];

/** All tables, without name and path of the file, which the archive changes. */
async function tables(viewer: Viewer): Promise<string[]> {
  const texts = [];
  for (const name of TABLES) {
    const { text } = await saved(viewer, `#csv-${name}`);
    texts.push(text.split("\r\n").slice(2).join("\n"));
  }
  return texts;
}

/** Opens a copy of the example. */
async function openScan(viewer: Viewer): Promise<string> {
  const path = join(viewer.server.folder, `scan${crypto.randomUUID()}.oir`);
  await Deno.copyFile(SCAN, path);
  await viewer.openPath(path);
  return path;
}

/** One of each, with a removed event, a note and names. */
async function measureAll(viewer: Viewer): Promise<void> {
  const { page } = viewer;
  await page.uncheck("#source-0-visible");
  await drawBand(viewer, 30, 50);
  await drawBand(viewer, 5, 12);
  const names = page.locator("#measure-bands input[type=text]");
  await names.last().fill("Gefäß, außen");
  await page.locator("#measure-bands input[type=color]").last().fill("#ff0000");
  await page.check("#trace-change");
  await viewer.enter("#baseline-percentile", "12.5");
  await viewer.enter("#trace-average", "3");
  await page.click("#tool-line");
  await dragOver(viewer, "source", [0.2, 0.8], [0.41, 0.23]);
  await page.click("#tool-zoom");
  for (const part of ["velocities", "events", "cursors"]) await unfold(viewer, part);
  await page.selectOption("#velocity-band", { label: "Gefäß, außen" });
  await viewer.enter("#velocity-window", "80");
  await page.selectOption("#velocity-band", "");
  await page.click("#velocity-start");
  await page.locator("#measure-velocities .result", { hasText: "measured" }).waitFor();
  await page.click("#event-find");
  const rows = page.locator("#measure-events tbody tr");
  assert(await rows.count() > 0, "the example has events");
  await rows.first().locator("input").fill('a "note", NaN');
  if (await rows.count() > 1) await rows.last().locator("button").click();
  await page.focus("#source .plot");
  for (const place of [0.31, 0.62]) {
    const box = await viewer.box("#source .plot");
    await page.mouse.move(box.x + place * box.width, box.y + place * box.height);
    await page.keyboard.press("x");
  }
  await viewer.enter("#cursor-lines", "3");
  await page.check("#accepted");
}

/** Saves through the dialog; answers the path of the file. */
async function save(viewer: Viewer, what: "all" | "none"): Promise<string> {
  const { page, server } = viewer;
  await page.click("#save");
  await page.check(`#save-dialog input[value=${what}]`);
  const [download] = await Promise.all([
    page.waitForEvent("download"),
    page.click("#save-dialog .primary"),
  ]);
  const path = join(server.folder, `${what}${crypto.randomUUID()}.zip`);
  await download.saveAs(path);
  assert.match(download.suggestedFilename(), what === "all" ? /^scan.*\.zip$/ : /^scan.* measurements\.zip$/);
  return path;
}

/** A page in a fresh profile. */
async function fresh(viewer: Viewer): Promise<Viewer> {
  return await Viewer.load(viewer.page.context().browser()!, viewer.server);
}

test("an archive is valid and brings all numbers to a fresh profile", async (viewer) => {
  await openScan(viewer);
  await measureAll(viewer);
  const before = await tables(viewer);
  for (const text of before) assert(text.length > 100);
  const archive = await save(viewer, "all");
  const { problems, unreadable } = validatePath(archive);
  assert.deepEqual([problems, unreadable], [[], null]);
  await using other = await fresh(viewer);
  await other.openPath(archive);
  assert.deepEqual(await tables(other), before);
  assert(await other.page.isChecked("#accepted"));
  assert.deepEqual(other.faults, []);
});

test("measurements alone are restored onto the recording, and undone", async (viewer) => {
  const path = await openScan(viewer);
  await measureAll(viewer);
  const before = await tables(viewer);
  const file = await save(viewer, "none");
  assert.deepEqual(validatePath(file).problems, []);
  await using other = await fresh(viewer);
  const { page } = other;
  await other.openPath(path);
  await page.setInputFiles("#restore-file", file);
  await page.locator("#notice-text", { hasText: "Restored from" }).waitFor();
  assert.match(
    await other.text("#notice-text"),
    /: 2 bands, 1 line, \d+ velocities, \d+ events?, 2 cursors, accepted\. Undo/,
  );
  assert.deepEqual(await tables(other), before);
  await page.click("#undo");
  assert.equal(await page.locator("#measure-bands li").count(), 0);
  assert.equal(await page.isChecked("#accepted"), false);
  await page.click("#redo");
  assert.deepEqual(await tables(other), before);
  assert.deepEqual(other.faults, []);
});

test("accepting is a step that is kept", async (viewer) => {
  const { page } = viewer;
  await openScan(viewer);
  await page.check("#accepted");
  await page.click("#undo");
  assert.equal(await page.isChecked("#accepted"), false);
  await page.click("#redo");
  await viewer.reload();
  assert(await page.isChecked("#accepted"));
});
