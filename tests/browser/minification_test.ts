/** Pictures and profiles of more samples than pixels show all of them, at home, zoomed, with a pyramid and without. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { writePlainStore } from "../fixtures/plain_store.ts";
import type { StubbedServer, Viewer } from "./browser.ts";
import { chartColors, greensOf } from "./in_page.js";
import { randomNumbers } from "./streaks.ts";
import { level, setRange, viewerSuite } from "./suite.ts";

const { test } = viewerSuite();

/** Large enough that a pyramid is of use: 1.44 million samples. */
const [LINES, COLUMNS] = [30_000, 48];

const random = randomNumbers(5);

/** Uniform noise from 0 to 4095. */
const NOISE = Uint16Array.from({ length: LINES * COLUMNS }, () => 4096 * random());

/** A line scan of 1 ms a line; answers the path to choose. */
async function writeScan(
  server: StubbedServer,
  name: string,
  value: (line: number, column: number) => number,
): Promise<string> {
  const store = join(server.folder, `${name}.ome.zarr`);
  const plane = Uint16Array.from(
    { length: LINES * COLUMNS },
    (_, i) => value(Math.floor(i / COLUMNS), i % COLUMNS),
  );
  const y = { step: 0.001, unit: "second" };
  await writePlainStore(store, {
    planes: [plane],
    rows: LINES,
    columns: COLUMNS,
    y,
    x: { step: 0.5, unit: "micrometer" },
  });
  return join(store, "zarr.json");
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

test("an event of three lines in 30,000 is visible at home", async (viewer) => {
  const { page } = viewer;
  const [ground, height] = [100, 900];
  const event = (line: number) => line >= 20_000 && line < 20_003;
  await viewer.open(
    await writeScan(viewer.server, "event", (line) => event(line) ? ground + height : ground),
  );
  await setRange(viewer, "source-0", 0, 1000);
  const perLevel = 1000 / 255;
  for (const way of ["samples", "pyramid"]) {
    if (way === "pyramid") await waitForPyramid(viewer);
    await page.selectOption("#statistic", "mean");
    await viewer.settle();
    const means = await levelsAlong(viewer, 40);
    const raised = means.map((level) => level * perLevel - ground).filter((rise) => rise > perLevel);
    // Each line counts in one pixel: three lines of 900 over as many lines as a pixel has.
    const perPixel = LINES / means.length;
    const sum = raised.reduce((all, rise) => all + rise, 0);
    assert(raised.length >= 1 && raised.length <= 2, `${way}: ${raised}`);
    assert(
      Math.abs(sum - 3 * height / perPixel) < 2 * perLevel + 3,
      `${way}: ${sum}, ${perPixel} lines a pixel`,
    );
    const at = means.indexOf(Math.max(...means)) / means.length;
    assert(Math.abs(at - 2 / 3) < 2 / means.length, `${way}: at ${at}`);
    await page.selectOption("#statistic", "max");
    await viewer.settle();
    const tops = (await levelsAlong(viewer, 40)).filter((level) => level === 255);
    assert(tops.length >= 1 && tops.length <= 2, `${way}: ${tops.length} pixels`);
    await page.selectOption("#statistic", "min");
    await viewer.settle();
    assert.equal(Math.max(...await levelsAlong(viewer, 40)), Math.round(ground / perLevel));
  }
  const density = LINES / (await levelsAlong(viewer, 40)).length;
  assert.match(
    await viewer.text("#source .readout"),
    new RegExp(`1 pixel = ${Math.round(density)} lines, min$`),
  );
  assert.equal(
    await page.locator("#source svg.labels svg text >> text=/^1 pixel = .* lines, min$/").count(),
    1,
  );
});

test("events that the mean hides show at home without a choice, and a choice wins", async (viewer) => {
  const { page } = viewer;
  // Noise from 0 to 799 and three lines of 2000: the mean of a pixel rises by 3 * 1600 / 34.
  const value = (line: number) => line >= 20_000 && line < 20_003 ? 2000 : line * 7919 % 800;
  await viewer.open(await writeScan(viewer.server, "hidden", value));
  await viewer.settle();
  assert.equal(await page.inputValue("#statistic"), "max");
  assert.equal(await page.locator("#statistic option:checked").textContent(), "maximum (auto)");
  assert.match(await viewer.text("#source .readout"), /lines, max$/);
  await page.selectOption("#statistic", "mean");
  assert.equal(await page.locator("#statistic option:checked").textContent(), "mean");
  await viewer.open(await writeScan(viewer.server, "hidden", value));
  assert.equal(await page.inputValue("#statistic"), "mean");
});

test("an automatic range follows the reduction, a chosen one stays", async (viewer) => {
  const { page } = viewer;
  await viewer.open(
    await writeScan(viewer.server, "auto", (line, column) => NOISE[line * COLUMNS + column]!),
  );
  await page.selectOption("#statistic", "max");
  await viewer.settle();
  // The mean has the range of the file as it opened; a typed range stays.
  const range = () => viewer.text("#source-cards .range");
  const seen = await range();
  await page.selectOption("#statistic", "mean");
  const begun = await range();
  assert.notEqual(begun, seen);
  await page.selectOption("#statistic", "max");
  assert.equal(await range(), seen);
  await setRange(viewer, "source-0", 100, 200);
  await page.selectOption("#statistic", "min");
  assert.equal(await page.inputValue("#source-0-Max"), "200");
  await page.click("#source-0-auto");
  assert(Number(await page.inputValue("#source-0-Max")) < 1000, "of the least ones");
});

/** Lines by which a pattern of this period is later at one column than at another, from its phase along the picture. */
async function delay(viewer: Viewer, columns: [number, number], period: number, visible: number) {
  const phases = [];
  for (const column of columns) {
    const levels = await levelsAlong(viewer, column);
    let [re, im] = [0, 0];
    levels.forEach((level, i) => {
      const angle = 2 * Math.PI * ((i + 0.5) / levels.length * visible) / period;
      re += level * Math.cos(angle);
      im += level * Math.sin(angle);
    });
    phases.push(Math.atan2(im, re) / (2 * Math.PI) * period);
  }
  const apart = phases[1]! - phases[0]!;
  return apart - period * Math.round(apart / period);
}

test("streaks keep their slope at home and zoomed", async (viewer) => {
  const { page } = viewer;
  // 50 lines later at each column; one streak in 2000 lines, 200 of them bright.
  const [slope, period] = [50, 2000];
  const phase = (line: number, column: number) => (line - slope * column + 10 * period) % period;
  await viewer.open(
    await writeScan(viewer.server, "streaks", (line, column) => phase(line, column) < 200 ? 1000 : 0),
  );
  await setRange(viewer, "source-0", 0, 1000);
  for (const statistic of ["mean", "max"]) {
    await page.selectOption("#statistic", statistic);
    await viewer.settle();
    const home = await delay(viewer, [20, 35], period, LINES);
    assert(Math.abs(home / 15 - slope) < 0.05 * slope, `${statistic}: ${home / 15} lines a column`);
  }
  // From a fifth to two fifths: 6000 lines, which are three periods.
  const { x, y, width, height } = await viewer.box("#source .plot");
  await viewer.drag({ x: x + 0.2 * width, y: y + height / 2 }, { x: x + 0.4 * width, y: y + height / 2 });
  await page.mouse.move(5, 5);
  await viewer.settle();
  const zoomed = await delay(viewer, [20, 35], period, 6000);
  assert(Math.abs(zoomed / 15 - slope) < 0.05 * slope, `${zoomed / 15} lines a column`);
});

test("the profile has a band from least to greatest and a mean", async (viewer) => {
  const { page } = viewer;
  // Noise from 0 to 799 and three lines of 2000.
  const value = (line: number) => line >= 20_000 && line < 20_003 ? 2000 : line * 7919 % 800;
  await viewer.open(await writeScan(viewer.server, "profile", value));
  await page.selectOption("#along", "x");
  await viewer.settle();
  const { x, y, width, height } = await viewer.box("#source .plot");
  await page.mouse.move(x + width / 2, y + height / 2);
  await viewer.settle();
  const labels = await page.locator("#chart text").allTextContents();
  assert(labels.includes("2000"), `the band reaches the event: ${labels}`);
  // The band is the curve's colour at 0.4 over black: 102 of 255.
  const colors = await page.evaluate(chartColors);
  assert(colors.some((color: string) => color.split(",")[1] === "102"), "a band");
  assert(colors.some((color: string) => color.split(",")[1] === "255"), "a line");
});

test("each pixel shows the mean of the samples centred under it, also after moving", async (viewer) => {
  const { page } = viewer;
  await viewer.open(
    await writeScan(viewer.server, "noise", (line, column) => NOISE[line * COLUMNS + column]!),
  );
  await setRange(viewer, "source-0", 1024, 3072);
  const expected = (count: number, column: number) =>
    Array.from({ length: count }, (_, pixel) => {
      const [from, to] = [pixel, pixel + 1].map((edge) => Math.round(edge / count * LINES));
      let sum = 0;
      for (let line = from!; line < to!; line += 1) sum += NOISE[line * COLUMNS + column]!;
      return level(sum / (to! - from!), 1024, 3072);
    });
  const check = async () => {
    const drawn = await levelsAlong(viewer, 20);
    const apart = expected(drawn.length, 20).map((wanted, i) => Math.abs(wanted - drawn[i]!));
    assert(Math.max(...apart) <= 1, `${Math.max(...apart)} levels apart`);
  };
  await viewer.settle();
  await check();
  await waitForPyramid(viewer);
  await check();
  // A moving view may be coarser; at rest it is exact again.
  const plot = page.locator("#source .plot");
  const drawn = async () => (await page.screenshot({ clip: (await plot.boundingBox())! })).toString("base64");
  const before = await drawn();
  const { x, y, width, height } = (await plot.boundingBox())!;
  await page.mouse.move(x + width / 3, y + height / 2);
  for (let i = 0; i < 8; i += 1) await page.mouse.wheel(0, i < 4 ? -100 : 100);
  await plot.press("0");
  await page.mouse.move(5, 5);
  await viewer.settle();
  assert.equal(await drawn(), before);
});
