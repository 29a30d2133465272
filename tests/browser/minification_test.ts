/** Pictures and profiles of more samples than pixels show all of them, at home, zoomed, with a pyramid and without. */
import assert from "node:assert/strict";
import type { Viewer } from "./viewer.ts";
import { chartColors, greensOf } from "./in_page.js";
import { randomNumbers } from "./streaks.ts";
import { level, MICROMETRES, viewerSuite } from "./suite.ts";

const { test } = viewerSuite();

/** Large enough that a pyramid is of use: 1.44 million samples. */
const [LINES, COLUMNS] = [30_000, 48];

const random = randomNumbers(5);

/** Uniform noise from 0 to 4095. */
const NOISE = Uint16Array.from({ length: LINES * COLUMNS }, () => 4096 * random());

/** Opens a line scan of 1 ms a line. */
function openLines(viewer: Viewer, name: string, plane: Uint16Array<ArrayBuffer>): Promise<string> {
  const y = { step: 0.001, unit: "second" };
  return viewer.openPlain(name, { planes: [plane], rows: LINES, columns: COLUMNS, y, x: MICROMETRES });
}

/** Levels (0 to 255) along the pixels of the line scan's picture that lie over a column. */
async function levelsAlong(viewer: Viewer, column: number): Promise<number[]> {
  const { x, y, width, height } = await viewer.box("#source .plot");
  const clip = { x, y: Math.floor(y + (1 - (column + 0.5) / COLUMNS) * height), width, height: 1 };
  return await viewer.page.evaluate(greensOf, [...await viewer.page.screenshot({ clip })]);
}

/** Waits until the worker has built the pyramid of the present view. */
async function waitForPyramid(viewer: Viewer): Promise<void> {
  const { page } = viewer;
  const worker = page.workers()[0] ?? await page.waitForEvent("worker");
  // Runs after the message that is being worked at.
  await worker.evaluate(() => 0);
  await viewer.settle();
  // Another view, and home again: now through the pyramid.
  await page.locator("#source .plot").focus();
  await page.keyboard.press("]");
  await viewer.settle();
  await page.keyboard.press("0");
  await page.keyboard.press("Escape");
  await viewer.settle();
}

/** What a pixel may show of its samples, and a range in which this differs from pixel to pixel. */
const STATISTICS = {
  mean: [(samples: number[]) => samples.reduce((sum, value) => sum + value) / samples.length, 1024, 3072],
  max: [(samples: number[]) => Math.max(...samples), 3600, 4096],
  min: [(samples: number[]) => Math.min(...samples), 0, 500],
} as const;

test("each pixel shows the mean, maximum or minimum of the samples under it", async (viewer, page) => {
  await openLines(viewer, "noise", NOISE);
  const column = 20;
  for (const way of ["samples", "pyramid"]) {
    if (way === "pyramid") await waitForPyramid(viewer);
    for (const [statistic, [reduce, min, max]] of Object.entries(STATISTICS)) {
      await page.selectOption("#statistic", statistic);
      await viewer.setRange("source-0", min, max);
      await viewer.settle();
      const drawn = await levelsAlong(viewer, column);
      const edge = (pixel: number) => Math.round(pixel / drawn.length * LINES);
      const apart = drawn.map((found, pixel) => {
        const lines = Array.from({ length: edge(pixel + 1) - edge(pixel) }, (_, i) => edge(pixel) + i);
        const wanted = reduce(lines.map((line) => NOISE[line * COLUMNS + column]!));
        return Math.abs(found - level(wanted, min, max));
      });
      assert(Math.max(...apart) <= 1, `${way}, ${statistic}: ${Math.max(...apart)} levels apart`);
    }
  }
  const said = `1 pixel = ${Math.round(LINES / (await levelsAlong(viewer, column)).length)} lines, min`;
  assert((await viewer.text("#source .readout")).endsWith(said));
  assert.equal(await page.locator(`#source svg.labels svg text:text-is("${said}")`).count(), 1);
  // A moving view may be coarser; at rest it is exact again.
  const plot = page.locator("#source .plot");
  const drawn = async () => (await page.screenshot({ clip: (await plot.boundingBox())! })).toString("base64");
  await page.mouse.move(5, 5);
  await viewer.settle();
  const before = await drawn();
  await viewer.hover(1 / 3, 0.5);
  for (let i = 0; i < 8; i += 1) await page.mouse.wheel(0, i < 4 ? -100 : 100);
  await plot.press("0");
  await page.mouse.move(5, 5);
  await viewer.settle();
  assert.equal(await drawn(), before);
});

test("shows events that the mean hides unless the user chose a reduction", async (viewer, page) => {
  // Noise from 0 to 799 and three lines of 2000: the mean of a pixel rises by 3 * 1600 / 34.
  const plane = Uint16Array.from({ length: LINES * COLUMNS }, (_, i) => {
    const line = Math.floor(i / COLUMNS);
    return line >= 20_000 && line < 20_003 ? 2000 : line * 7919 % 800;
  });
  const path = await openLines(viewer, "hidden", plane);
  await viewer.settle();
  assert.equal(await page.inputValue("#statistic"), "max");
  assert.equal(await page.locator("#statistic option:checked").textContent(), "maximum (auto)");
  assert.match(await viewer.text("#source .readout"), /lines, max$/);
  const range = () => viewer.text("#source-cards .range");
  const ofMaxima = await range();
  await page.selectOption("#statistic", "mean");
  assert.notEqual(await range(), ofMaxima, "an automatic range follows");
  assert.equal(await page.locator("#statistic option:checked").textContent(), "mean");
  await viewer.open(path);
  assert.equal(await page.inputValue("#statistic"), "mean");

  await page.emulateMedia({ colorScheme: "dark" });
  await page.selectOption("#along", "x");
  await viewer.settle();
  await viewer.hover(0.5, 0.5);
  await viewer.settle();
  const labels = await page.locator("#chart text").allTextContents();
  assert(labels.includes("2000"), `the band reaches the event: ${labels}`);
  // The band is the curve's colour at 0.4 over the dark ground: 0.4 · 255 + 0.6 · 27.
  const colors = await page.evaluate(chartColors);
  assert(colors.some((color: string) => color.split(",")[1] === "118"), "a band");
  assert(colors.some((color: string) => color.split(",")[1] === "255"), "a line");
});
