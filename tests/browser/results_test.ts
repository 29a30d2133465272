/** Results of several bands stay beside each other, and edits stay where they were made. */
import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { noise } from "../page/synthetic.ts";
import { measuredScan, SCAN_SHAPE, scanPlanes } from "./measured_scan.ts";
import { viewerSuite } from "./suite.ts";
import type { Viewer } from "./viewer.ts";

const { test } = viewerSuite();
const [LINES, COLUMNS] = SCAN_SHAPE;

/** Sparks in the middles of two bands. */
const SPARKS = [[100, 20], [300, 20], [450, 60]] as const;

function sparks(): Uint16Array<ArrayBuffer> {
  const { normal } = noise(9);
  return Uint16Array.from({ length: LINES * COLUMNS }, (_, i) => {
    const [line, x] = [Math.floor(i / COLUMNS), i % COLUMNS];
    const rise = SPARKS.reduce((sum, [start, column]) => {
      const t = line - start;
      const shape = t <= 0 ? 0 : (1 - Math.exp(-t / 3)) * Math.exp(-t / 14);
      return sum + 2500 * shape * Math.exp(-((x - column) ** 2) / 23);
    }, 0);
    return Math.round(1000 + rise + 150 * normal());
  });
}

const rowsOf = (page: Page, key: string) => page.locator(`#drawer-${key} .items`).locator("tbody tr");

/** Opens the scan with streaks and calcium, and draws bands over it. */
async function drawn(viewer: Viewer, ...bands: readonly (readonly [number, number])[]): Promise<void> {
  await viewer.openBytes("vessel.oir", measuredScan());
  for (const [from, to] of bands) await viewer.drawBand(from, to);
  await viewer.page.click("#tool-zoom");
}

async function measure(viewer: Viewer, key: string, band: { label: string }): Promise<void> {
  const { page } = viewer;
  await viewer.unfold(key);
  await page.selectOption(`#${key}-band`, band);
  await page.click(`#${key}-start`);
  await page.locator(`#${key}-start`, { hasText: "Measure" }).waitFor();
}

test("results: notes on events stay when another band is chosen, measured and left", async (viewer, page) => {
  await drawn(viewer, [30, 50], [32, 48]);
  await viewer.findEvents("1");
  const rows = rowsOf(page, "events");
  await rows.first().locator("input").fill("the first");
  await page.selectOption("#events-band", { label: "Band 2" });
  assert.equal(await rows.first().locator("input").inputValue(), "", "the note belongs to Band 1");
  await rows.last().locator("input").fill("the last of Band 2");
  await page.selectOption("#events-band", { label: "Band 1" });
  assert.equal(await rows.first().locator("input").inputValue(), "the first");
  // A quick measurement runs again when its band moves.
  await viewer.kept();
  await viewer.reload();
  await viewer.unfold("events");
  assert.equal(await rows.first().locator("input").inputValue(), "the first");
  await page.selectOption("#events-band", { label: "Band 2" });
  assert.equal(await rows.last().locator("input").inputValue(), "the last of Band 2");
  await viewer.enter("#events-average", "2");
  assert.equal(await rows.last().locator("input").inputValue(), "the last of Band 2");
});

test(
  "results: removed and added sparks stay so after measuring again, undoing and reloading",
  async (viewer, page) => {
    await viewer.openBytes("sparks.oir", measuredScan(COLUMNS, [scanPlanes()[0], sparks()]));
    await viewer.unfold("sparks");
    await page.selectOption("#sparks-channel", "1");
    await measure(viewer, "sparks", { label: "whole lines" });
    const rows = rowsOf(page, "sparks");
    await rows.nth(2).waitFor();
    await rows.nth(1).locator(".act").click();
    assert.equal(await rows.count(), 2);
    // A threshold that finds none leaves what was added by hand.
    await page.click("#undo");
    assert.equal(await rows.count(), 3);
    await page.click("#redo");
    assert.equal(await rows.count(), 2);
    await page.click("#sparks-start");
    await page.locator("#sparks-start", { hasText: "Measure" }).waitFor();
    assert.equal(await rows.count(), 2, "the removed spark does not return");
    await viewer.enter("#sparks-threshold", "900");
    await page.click("#sparks-start");
    await page.locator("#sparks-start", { hasText: "Measure" }).waitFor();
    assert.equal(await rows.count(), 0);
    const [line, column] = SPARKS[2];
    await viewer.hover((line + 6) / LINES, 1 - (column + 0.5) / COLUMNS);
    await page.locator("#sparks-add").focus();
    await page.keyboard.press("Enter");
    await rows.first().waitFor();
    const { column: added } = await viewer.table("#csv-sparks");
    assert.deepEqual(added("By hand"), ["yes"]);
    await viewer.enter("#sparks-threshold", "5");
    await page.click("#sparks-start");
    await page.locator("#sparks-start", { hasText: "Measure" }).waitFor();
    await viewer.kept();
    await viewer.reload();
    await viewer.unfold("sparks");
    const { column: kept } = await viewer.table("#csv-sparks");
    assert.deepEqual(kept("By hand"), ["", ""], "one is removed, one was found again");
  },
);

test("results: one run measures all bands; chart, table and archive name them", async (viewer, page) => {
  await drawn(viewer, [0, 20], [22, 50], [52, 80]);
  await measure(viewer, "velocity", { label: "all bands" });
  const { all, column } = await viewer.table("#csv-velocity");
  assert.deepEqual(all.head.slice(5, 8), ["Band", "Channel", "Time (s)"]);
  assert.deepEqual([...new Set(column("Band"))], ["Band 1", "Band 2", "Band 3"]);
  assert.deepEqual(
    await page.locator("#velocity-chart text").allTextContents().then((texts) =>
      // Names at the ends of curves, or in a corner where they do not fit.
      texts.filter((text) => text.startsWith("Band")).sort()
    ),
    ["Band 1", "Band 2", "Band 3"],
  );
  const summary = page.getByRole("table", { name: "Summary of velocity over time" });
  assert.deepEqual(await summary.locator("th").allTextContents(), ["Band 1", "Band 2", "Band 3"]);
  // Each band keeps its result when another one is measured again.
  await measure(viewer, "velocity", { label: "Band 2" });
  assert.deepEqual([...new Set((await viewer.table("#csv-velocity")).column("Band"))].toSorted(), [
    "Band 1",
    "Band 2",
    "Band 3",
  ]);
  await page.selectOption("#velocity-band", { label: "Band 1" });
  assert.match(await viewer.text("#drawer-velocity .result"), /^Windows/);
  const before = await viewer.table("#csv-velocity");
  await page.click("#save");
  const { bytes } = await viewer.saved("#save-dialog .primary");
  await viewer.openBytes("saved.zip", bytes);
  assert.deepEqual((await viewer.table("#csv-velocity")).rows, before.rows);
});

test("results: a left out window stays left out in another window and step", async (viewer, page) => {
  await drawn(viewer, [0, 40]);
  await measure(viewer, "velocity", { label: "Band 1" });
  await page.selectOption("#velocity-chosen", "by hand");
  await viewer.enter("#velocity-window", "100");
  await viewer.enter("#velocity-step", "50");
  await measure(viewer, "velocity", { label: "Band 1" });
  const box = await viewer.box("#velocity-chart");
  await page.mouse.dblclick(box.x + box.width / 2, box.y + 40);
  await page.locator("#drawer-velocity .result", { hasText: "Left out 1" }).waitFor();
  await viewer.enter("#velocity-step", "25");
  await measure(viewer, "velocity", { label: "Band 1" });
  assert.match(await viewer.text("#drawer-velocity .result"), /Left out 1/);
});

/** Runs in the page: lets regions wait for the next recording. */
const waitFor = (carried: string) =>
  `sessionStorage.setItem("acq-server carried 2", ${JSON.stringify(carried)})`;

/** Runs in the page: what the button says once it was pressed. */
const startEvents = `(() => {
  const button = document.getElementById("events-start");
  button.click();
  return button.textContent;
})()`;

test(
  "results: events of many lines are measured in workers, while the page answers",
  async (viewer, page) => {
    // 24 equal bands of 2,500 lines, which are more than are measured at once, with an event every 250 lines.
    const [lines, columns, count] = [2500, 20, 24];
    const { normal } = noise(5);
    const plane = Uint16Array.from({ length: lines * columns }, (_, i) => {
      const t = Math.floor(i / columns) % 250 - 50;
      const rise = t <= 0 ? 0 : 900 * (1 - Math.exp(-t / 3)) * Math.exp(-t / 20);
      return Math.round(1000 + rise + 20 * normal());
    });
    const ends = [{ x: null, y: 0 }, { x: null, y: columns }];
    const regions = Array.from({ length: count }, (_, i) => (
      { id: `band-${i + 1}`, kind: "band", name: "", color: "#ff0000", ends }
    ));
    const drawn = { shape: [lines, columns], isLineScan: true, regions, cursors: { lines: 1, columns: 1 } };
    const carried = { key: "", name: "", drawn, channels: [], pixelTime: 0, step: 1, typed: null };
    await page.evaluate(waitFor(JSON.stringify(carried)));
    await viewer.openBytes("long.oir", measuredScan(columns, [plane, plane], lines));
    await viewer.unfold("events");
    await page.selectOption("#events-band", { label: "all bands" });
    assert.equal(await page.evaluate(startEvents), "Cancel", "the page answers meanwhile");
    const done = () => page.locator("#events-start", { hasText: "Measure" }).waitFor();
    await done();
    const words = async () => (await page.locator("#drawer-events .summaries").innerText()).split("\n");
    const before = await words();
    for (const row of before.slice(1)) {
      const [, ...cells] = row.split("\t");
      assert.deepEqual([cells.length, new Set(cells).size], [count, 1], "the bands are equal");
    }
    await page.locator("#events-more", { hasText: `of ${10 * count - 100}` }).waitFor();
    // A threshold above all values measures all of them again, which Undo takes back with the setting.
    await viewer.enter("#events-height", "5000");
    await done();
    await viewer.kept();
    assert.equal((await words())[1], ["Events", ...Array(count).fill("0")].join("\t"));
    await page.click("#undo");
    assert.deepEqual([await words(), await page.inputValue("#events-height")], [before, "0"]);
  },
);
