/** Diameter, flux and sparks in the page: measured, edited, kept, undone, saved, and measured in many recordings. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { cells, edge, noise } from "../page/synthetic.ts";
import type { Viewer } from "./viewer.ts";
import { LINE_TIME, measuredScan, PIXEL_SIZE, SCAN_SHAPE } from "./measured_scan.ts";
import { viewerSuite } from "./suite.ts";

const { test } = viewerSuite();
const [LINES, COLUMNS] = SCAN_SHAPE;

/** A vessel of 30 columns that pulses by a tenth, 6 times; and three sparks of 8 columns on an even ground. */
function planes(): [Uint16Array<ArrayBuffer>, Uint16Array<ArrayBuffer>] {
  const { normal } = noise(9);
  const vessel = Uint16Array.from({ length: LINES * COLUMNS }, (_, i) => {
    const [line, x] = [Math.floor(i / COLUMNS), i % COLUMNS - 40];
    const half = 15 * (1 + 0.1 * Math.sin(2 * Math.PI * line / 100));
    return Math.round(1000 + 1000 * (edge(x + half, 1) - edge(x - half, 1)) + 50 * normal());
  });
  const sparks = Uint16Array.from({ length: LINES * COLUMNS }, (_, i) => {
    const [line, x] = [Math.floor(i / COLUMNS), i % COLUMNS];
    const heights = SPARKS.map(([start, column]) => {
      const t = line - start;
      return t <= 0
        ? 0
        : 2500 * (1 - Math.exp(-t / 3)) * Math.exp(-t / 14) * Math.exp(-((x - column) ** 2) / 23);
    });
    return Math.round(1000 + heights.reduce((sum, one) => sum + one) + 150 * normal());
  });
  return [vessel, sparks];
}

const SPARKS = [[100, 20], [300, 60], [450, 30]] as const;

const opened = (viewer: Viewer) => viewer.openBytes("pulse.oir", measuredScan(COLUMNS, planes()));

async function measure(viewer: Viewer, key: string): Promise<string> {
  const { page } = viewer;
  await viewer.unfold(key);
  await page.click(`#${key}-start`);
  const result = page.locator(`#drawer-${key} .result`);
  await result.filter({ hasText: /\d/ }).waitFor();
  return (await result.innerText()).replaceAll("\n", " · ");
}

test("measurements: shows, keeps and saves a diameter and its heart rate", async (viewer, page) => {
  await opened(viewer);
  const words = await measure(viewer, "diameter");
  assert.match(words, /Clear 60.*Pulse of diameter clear/);
  const { about, head, rows } = await viewer.table("#csv-diameter");
  assert.deepEqual(head, ["Time (s)", "Diameter (um)", "Left edge (um)", "Right edge (um)", "Verdict"]);
  assert.equal(about.get("Method"), "full width at half maximum (Drew et al. 2010)");
  // A beat has 100 lines.
  assert(Math.abs(Number(about.get("Heart rate of diameter (Hz)")) * 100 * LINE_TIME - 1) < 0.02);
  const diameters = rows.map((row) => Number(row[1]) / PIXEL_SIZE);
  assert(Math.abs(diameters.reduce((sum, one) => sum + one) / 60 - 30) < 0.1);
  // The middle of 10 lines.
  assert(Math.abs(Number(rows[0]![0]) - 4.5 * LINE_TIME) < 1e-9);
  const chart = page.locator("#diameter-chart");
  assert(await chart.isVisible());
  const html = await viewer.saved("#report-html");
  assert.equal(html.name, "pulse-report.html");
  // The picture, the reference with the path, the chart, results, methods and version.
  assert.equal(html.text.match(/<img src="data:image\/png;base64,/g)!.length, 2);
  assert.match(html.text, /<dt>Median diameter \(µm\)<\/dt><dd>13\./);
  assert.match(
    html.text,
    /<h2>Methods<\/h2>\s*<p>The recording was measured on \d+ \w+ \d{4} with acq-server \d.*half maximum/,
  );
  assert(html.text.includes("<circle "));
  const svg = (await viewer.saved("#report-svg")).text;
  const fault = await page.evaluate((text) => {
    // deno-lint-ignore no-explicit-any
    const { DOMParser } = globalThis as any;
    return new DOMParser().parseFromString(text, "image/svg+xml").querySelector("parsererror")
      ?.textContent ??
      "";
  }, svg);
  assert.equal(fault, "");
  assert.equal(svg.match(/<image /g)!.length, 2);
  await page.click("#undo");
  assert.equal(await chart.isVisible(), false);
  await page.click("#redo");
  assert(await chart.isVisible());
  const box = await viewer.box("#diameter-chart");
  await page.mouse.dblclick(box.x + box.width / 2, box.y + 40);
  await page.locator("#drawer-diameter .result", { hasText: "Left out 1" }).waitFor();
  await viewer.settle();
  await page.reload();
  await page.locator("#drawer-diameter .result", { hasText: "Left out 1" }).waitFor({ state: "attached" });
});

test("measurements: finds and outlines sparks, which can be removed and added", async (viewer, page) => {
  await opened(viewer);
  await viewer.unfold("sparks");
  await page.selectOption("#sparks-channel", "1");
  assert.match(await measure(viewer, "sparks"), /^Sparks 3 ·/);
  const rows = page.locator("#drawer-sparks tbody tr");
  assert.equal(await rows.count(), 3);
  const outlines = page.locator('#source polyline[stroke="#ffeb3b"]');
  assert.equal(await outlines.count(), 3);
  await rows.nth(1).locator(".act").click();
  assert.equal(await rows.count(), 2);
  const [line, column] = SPARKS[1];
  await viewer.hover((line + 6) / LINES, 1 - (column + 0.5) / COLUMNS);
  await page.locator("#sparks-add").focus();
  await page.keyboard.press("Enter");
  await rows.nth(2).waitFor();
  const { rows: sparks, column: columnOf } = await viewer.table("#csv-sparks");
  // What was found and removed is taken back.
  assert.deepEqual(sparks.map((row) => row.at(-1)), ["", "", ""]);
  for (const [i, [, column]] of SPARKS.entries()) {
    assert(Math.abs(Number(columnOf("Position (um)")[i]) / PIXEL_SIZE - column) < 0.5);
    // exp(-x² / 23) has a half width of 3.99 columns.
    assert(Math.abs(Number(columnOf("FWHM (um)")[i]) / PIXEL_SIZE - 7.98) < 1);
  }
});

test("measurements: measures the flux of cells in all recordings of a folder", async (viewer, page) => {
  const folder = join(viewer.server.folder, "flow");
  Deno.mkdirSync(folder);
  const { plane, passed } = cells({
    lines: LINES,
    columns: COLUMNS,
    velocity: 1,
    length: 10,
    coverage: 0.5,
    snr: 10,
    seed: 3,
  });
  const samples = Uint16Array.from(plane.samples, (value) => Math.round(10 * value));
  for (const name of ["a", "b"]) {
    await Deno.writeFile(join(folder, `${name}.oir`), measuredScan(COLUMNS, [samples, planes()[1]]));
  }
  await viewer.open(join(folder, "a.oir"));
  await viewer.unfold("flux");
  await viewer.enter("#flux-window", String(LINES));
  const words = await measure(viewer, "flux");
  const flux = Number(/Mean flux ([\d.]+)/.exec(words)![1]);
  assert(Math.abs(flux / (passed.length / (LINES * LINE_TIME)) - 1) < 0.05, words);
  await viewer.unfold("many");
  for (const name of ["velocity", "events"]) await page.uncheck(`#many-${name}`);
  for (const name of ["diameter", "flux", "sparks"]) await page.check(`#many-${name}`);
  await page.click("#many-start");
  await page.locator("#measure-many .result", { hasText: "2 of 2 measured" }).waitFor();
  const { head, rows } = await viewer.table("#many-csv");
  const at = head.findIndex((name) => name.startsWith("Mean flux"));
  const [first, second] = rows.map((row) => Number(row[at])) as [number, number];
  assert(rows.length === 2 && first === second && Math.abs(first - flux) < 0.01);
  assert(head.includes("Sparks") && head.some((name) => name.startsWith("Median diameter")));
});
