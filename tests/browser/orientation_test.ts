/** The eight orientations on the screen: samples, path, links and marks stay together, and a choice is remembered. */
import assert from "node:assert/strict";
import type { Viewer } from "./browser.ts";
import { serverIsKnown } from "./in_page.js";
import { LINE, referenceSample, sample, SHAPE } from "./line_scan.ts";
import { assertColor, level, setRange, viewerSuite } from "./suite.ts";

const { test, files } = viewerSuite();

type Place = readonly [across: number, down: number];

/**
 * Where a sample at these parts of all rows and columns lies after each click, worked out on paper: a turn to the right
 * brings (across, down) to (1 - down, across), a flip to (1 - across, down).
 */
const CLICKS: readonly (readonly ["" | ".turn" | ".flip", (row: number, column: number) => Place])[] = [
  ["", (row, column) => [row, 1 - column]],
  [".turn", (row, column) => [column, row]],
  [".turn", (row, column) => [1 - row, column]],
  [".turn", (row, column) => [1 - column, 1 - row]],
  [".flip", (row, column) => [column, 1 - row]],
  [".turn", (row, column) => [row, column]],
  [".turn", (row, column) => [1 - column, row]],
  [".turn", (row, column) => [1 - row, 1 - column]],
];

/** The same for a picture that begins upright. */
const UPRIGHT_CLICKS: typeof CLICKS = [
  ["", (row, column) => [column, row]],
  ...CLICKS.slice(2, 4),
  [".turn", (row, column) => [row, 1 - column]],
  [".flip", (row, column) => [1 - row, 1 - column]],
  [".turn", (row, column) => [column, 1 - row]],
  [".turn", (row, column) => [row, column]],
  [".turn", (row, column) => [1 - column, row]],
];

/** Where a plot lies once it is drawn, scrolled into view. */
async function plotOf(viewer: Viewer, pane: string) {
  const plot = viewer.page.locator(`#${pane} .plot`);
  await viewer.settle();
  await plot.scrollIntoViewIfNeeded();
  return (await plot.boundingBox())!;
}

/** A point of the page, the middle of a screen pixel. */
async function pointOf(viewer: Viewer, pane: string, [across, down]: Place) {
  const { x, y, width, height } = await plotOf(viewer, pane);
  return { x: Math.floor(x + across * width) + 0.5, y: Math.floor(y + down * height) + 0.5 };
}

/** Where the centre of a sample lies, in parts. */
const centre = (shape: readonly [number, number], row: number, column: number): [number, number] => [
  (row + 0.5) / shape[0],
  (column + 0.5) / shape[1],
];

test("a line scan is placed correctly in all orientations, with the mark of a linked column", async (viewer) => {
  const { page } = viewer;
  await viewer.open(files.scan);
  await setRange(viewer, "source-0", 0, 2550);
  await page.uncheck("#source-1-visible");
  for (const [button, placed] of CLICKS) {
    if (button !== "") await page.click(`#source ${button}`);
    for (const [row, column] of [[100, 20], [70, 40]] as const) {
      const place = placed(...centre(SHAPE, row, column));
      const color = await viewer.color(await pointOf(viewer, "source", place));
      // The screen pixel may belong to the next sample: one row and one column are 17 of 2550, 1.7 levels.
      const expected = level(sample(0, row, column), 0, 2550);
      assert(color[0] === 0 && Math.abs(color[1]! - expected) <= 3, `${placed}: ${color}, ${expected}`);
    }
    // Two thirds along the path, column 42; the reference lies upright.
    const onPath = await pointOf(viewer, "reference", [(100 - 140 / 3 + 0.5) / 128, 80.5 / 128]);
    await page.mouse.move(onPath.x, onPath.y);
    const line = await page.locator('#source polyline[stroke="#ff7a1a"]').getAttribute("points");
    const numbers = line!.split(/[ ,]/).map(Number);
    const plot = await plotOf(viewer, "source");
    const ends = [placed(0, 42.5 / 64), placed(1, 42.5 / 64)].flatMap(([across, down]) => [
      across * plot.width,
      down * plot.height,
    ]);
    // A column is up to 14 CSS pixels; the pointer finds 42 or a neighbour.
    numbers.forEach((at, i) => assert(Math.abs(at - ends[i]!) <= 15, `${placed}: ${line}, ${ends}`));
    // And the other way: pointing at a column reads it.
    const pointed = await pointOf(viewer, "source", placed(...centre(SHAPE, 100, 20)));
    await page.mouse.move(pointed.x, pointed.y);
    assert.match(await viewer.text("#source .readout"), /line (99|100|101), pixel (19|20|21) /);
  }
});

test("a reference is placed correctly in all orientations, with its path and the ring of a column", async (viewer) => {
  const { page } = viewer;
  await viewer.open(files.scan);
  await setRange(viewer, "reference-0", 0, 700);
  await page.uncheck("#reference-1-visible");
  const [x, y] = [LINE[0] + (LINE[2] - LINE[0]) / 3, LINE[1] + (LINE[3] - LINE[1]) / 3];
  for (const [button, placed] of UPRIGHT_CLICKS) {
    if (button !== "") await page.click(`#reference ${button}`);
    const place = placed(...centre([128, 128], 60, 58));
    const color = await viewer.color(await pointOf(viewer, "reference", place));
    const expected = level(referenceSample(0, 60, 58), 0, 700);
    assert(Math.abs(color[1]! - expected) <= 3, `${placed}: ${color}, ${expected}`);
    const plot = await plotOf(viewer, "reference");
    const near = (actual: number[], part: Place) => {
      const wanted = [part[0] * plot.width, part[1] * plot.height];
      actual.forEach((at, i) => assert(Math.abs(at - wanted[i]!) < 0.1, `${placed}: ${actual}, ${wanted}`));
    };
    const path = await page.locator('#reference polyline[stroke="#ffd84d"]').getAttribute("points");
    const points = path!.split(/[ ,]/).map(Number);
    near(points.slice(0, 2), placed((LINE[1] + 0.5) / 128, (LINE[0] + 0.5) / 128));
    near(points.slice(2), placed((LINE[3] + 0.5) / 128, (LINE[2] + 0.5) / 128));
    const column = await viewer.place("source", SHAPE, 50, 21);
    await page.mouse.move(column.x, column.y);
    const ring = page.locator('#reference circle[stroke="#ff7a1a"]');
    const at = await Promise.all(["cx", "cy"].map(async (name) => Number(await ring.getAttribute(name))));
    near(at, placed((y + 0.5) / 128, (x + 0.5) / 128));
  }
});

test("ticks grow upwards and to the right, and follow a turn", async (viewer) => {
  const { page } = viewer;
  await viewer.open(files.scan);
  /** Labels that are numbers, at the left and below. */
  const labels = async () => {
    await viewer.settle();
    return page.locator("#source svg.labels > g text:not([transform])").evaluateAll((all) =>
      all.map((text) => {
        const { x, y } = text.getBoundingClientRect();
        return {
          number: Number(text.textContent),
          x,
          y,
          isBeside: text.getAttribute("text-anchor") === "end",
        };
      }).filter(({ number }) => number === number)
    );
  };
  const ordered = async (isBeside: boolean, along: "x" | "y") =>
    (await labels()).filter((label) => label.isBeside === isBeside).sort((a, b) => a[along] - b[along])
      .map(({ number }) => number);
  // 64 columns of 0.45 um, 200 lines of 2.118 ms; 0 is the first of each.
  const up = await ordered(true, "y");
  assert.deepEqual(up, [...up].sort((a, b) => b - a));
  assert.equal(up.at(-1), 0);
  const right = await ordered(false, "x");
  assert.equal(right[0], 0);
  assert.deepEqual(right, [...right].sort((a, b) => a - b));
  await page.click("#source .flip");
  assert.equal((await ordered(false, "x")).at(-1), 0);
  await page.keyboard.press("r");
  // Time ran to the left and runs upwards now.
  assert.equal((await ordered(true, "y")).at(-1), 0);
  assert.equal(await page.locator("#source svg.labels > g text[transform]").textContent(), "Time (s)");
});

test("orientations are remembered for each kind of picture", async (viewer) => {
  const { page } = viewer;
  await viewer.open(files.scan);
  await page.click("#source .turn");
  await page.reload();
  await page.waitForFunction(serverIsKnown);
  await viewer.open(files.scan);
  await setRange(viewer, "source-0", 0, 2550);
  await page.uncheck("#source-1-visible");
  const place = CLICKS[1]![1](...centre(SHAPE, 100, 20));
  const color = await viewer.color(await pointOf(viewer, "source", place));
  assert(Math.abs(color[1]! - level(sample(0, 100, 20), 0, 2550)) <= 3, `${color}`);
  await viewer.open(files.image);
  for (const c of [0, 1, 2]) await setRange(viewer, `source-${c}`, 0, 255);
  assertColor(await viewer.color(await viewer.place("source", [30, 50], 2, 3)), [3, 103, 203]);
});
