/** The eight orientations on the screen: samples, path, links and marks stay together, and a choice is remembered. */
import assert from "node:assert/strict";
import type { Viewer } from "./viewer.ts";
import { LINE, referenceSample, sample, SHAPE } from "./line_scan.ts";
import { assertColor, level, viewerSuite } from "./suite.ts";

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

test("samples, path and marks of both pictures stay together in all orientations", async (viewer, page) => {
  await viewer.open(files.scan);
  await viewer.setRange("source-0", 0, 2550);
  await viewer.setRange("reference-0", 0, 700);
  for (const pane of ["source", "reference"]) await page.uncheck(`#${pane}-1-visible`);
  /** The place on the path after this part of it. */
  const pathAt = (part: number): [row: number, column: number] => [
    (LINE[1] + part * (LINE[3] - LINE[1]) + 0.5) / 128,
    (LINE[0] + part * (LINE[2] - LINE[0]) + 0.5) / 128,
  ];
  for (const [i, [button, inScan]] of CLICKS.entries()) {
    const [otherButton, inReference] = UPRIGHT_CLICKS[i]!;
    if (button !== "") await page.click(`#source ${button}`);
    if (otherButton !== "") await page.click(`#reference ${otherButton}`);
    // The screen pixel may belong to the next sample: one row and one column are 17 of 2550, 1.7 levels.
    const drawn = async (pane: string, place: Place, expected: number) => {
      const [red, green] = await viewer.color(await pointOf(viewer, pane, place));
      assert(red === 0 && Math.abs(green! - expected) <= 3, `${pane}, ${i}: ${green}, not ${expected}`);
    };
    for (const [row, column] of [[100, 20], [70, 40]] as const) {
      await drawn("source", inScan(...centre(SHAPE, row, column)), level(sample(0, row, column), 0, 2550));
    }
    await drawn(
      "reference",
      inReference(...centre([128, 128], 60, 58)),
      level(referenceSample(0, 60, 58), 0, 700),
    );

    const near = async (pane: string, actual: number[], places: Place[], most: number) => {
      const { width, height } = await plotOf(viewer, pane);
      const wanted = places.flatMap(([across, down]) => [across * width, down * height]);
      actual.forEach((at, k) =>
        assert(Math.abs(at - wanted[k]!) <= most, `${pane}, ${i}: ${actual}, ${wanted}`)
      );
    };
    const pointsOf = async (selector: string) =>
      (await page.locator(selector).getAttribute("points"))!.split(/[ ,]/).map(Number);
    const path = await pointsOf('#reference polyline[stroke="#ffd84d"]');
    await near("reference", path, [inReference(...pathAt(0)), inReference(...pathAt(1))], 0.1);
    // Two thirds along the path, column 42. A column is up to 14 CSS pixels; the pointer finds 42 or a neighbour.
    const onPath = await pointOf(viewer, "reference", inReference(...pathAt(2 / 3)));
    await page.mouse.move(onPath.x, onPath.y);
    const line = await pointsOf('#source polyline[stroke="#ff7a1a"]');
    await near("source", line, [inScan(0, 42.5 / 64), inScan(1, 42.5 / 64)], 15);
    // And the other way: column 21 is a third along the path.
    const pointed = await pointOf(viewer, "source", inScan(...centre(SHAPE, 100, 21)));
    await page.mouse.move(pointed.x, pointed.y);
    const [, column] = /line (?:99|100|101), pixel (20|21|22) /.exec(await viewer.text("#source .readout"))!;
    const ring = page.locator('#reference circle[stroke="#ff7a1a"]');
    const at = await Promise.all(["cx", "cy"].map(async (name) => Number(await ring.getAttribute(name))));
    await near("reference", at, [inReference(...pathAt(Number(column) / 63))], 0.1);
  }
});

test("ticks grow upwards and to the right, and follow a turn", async (viewer, page) => {
  await viewer.open(files.scan);
  /** Numbers at the axis below, from the left, or at the left, from above. */
  const ordered = async (isBeside: boolean, along: "x" | "y") => {
    await viewer.settle();
    const labels = page.locator(
      `#source svg.labels > g text${isBeside ? "[text-anchor=end]" : ":not([text-anchor=end], [transform])"}`,
    );
    const places = await labels.evaluateAll((all) =>
      all.map((text) => ({ number: Number(text.textContent), ...text.getBoundingClientRect().toJSON() }))
    );
    return places.filter(({ number }) => number === number).sort((a, b) => a[along] - b[along])
      .map(({ number }): number => number);
  };
  // 64 columns of 0.45 um, 200 lines of 2.118 ms; 0 is the first of each.
  const [up, right] = [await ordered(true, "y"), await ordered(false, "x")];
  assert.deepEqual(up, up.toSorted((a, b) => b - a));
  assert.deepEqual(right, right.toSorted((a, b) => a - b));
  assert.deepEqual([up.at(-1), right[0]], [0, 0]);
  await page.click("#source .flip");
  assert.equal((await ordered(false, "x")).at(-1), 0);
  await page.keyboard.press("r");
  // Time ran to the left and runs upwards now.
  assert.equal((await ordered(true, "y")).at(-1), 0);
  assert.equal(await page.locator("#source svg.labels > g text[transform]").textContent(), "Time (s)");
});

test("remembers the orientation for each kind of picture", async (viewer, page) => {
  await viewer.open(files.scan);
  await page.click("#source .turn");
  await viewer.reopen(files.scan);
  await viewer.setRange("source-0", 0, 2550);
  await page.uncheck("#source-1-visible");
  const place = CLICKS[1]![1](...centre(SHAPE, 100, 20));
  const color = await viewer.color(await pointOf(viewer, "source", place));
  assert(Math.abs(color[1]! - level(sample(0, 100, 20), 0, 2550)) <= 3, `${color}`);
  await viewer.open(files.image);
  for (const c of [0, 1, 2]) await viewer.setRange(`source-${c}`, 0, 255);
  assertColor(await viewer.color(await viewer.place("source", [30, 50], 2, 3)), [3, 103, 203]);
});
