/** The shared time axis of overview, line scan and profile, split channels, remembered settings and single keys. */
import assert from "node:assert/strict";
import { sample, SHAPE } from "./line_scan.ts";
import { assertColor, level, viewerSuite } from "./suite.ts";
import type { Viewer } from "./viewer.ts";

const { test, files } = viewerSuite();

/** Of 2.118 ms. */
const LINE_S = 0.002118;

/** The time of the last line: line 0 lies at 0. */
const LAST = (SHAPE[0] - 1) * LINE_S;

/** Start and end of the visible time as the fields have them, after all drawing. */
async function timeOf(viewer: Viewer): Promise<number[]> {
  await viewer.settle();
  const { page } = viewer;
  const fields = page.locator(".time-fields input");
  return [Number(await fields.nth(0).inputValue()), Number(await fields.nth(1).inputValue())];
}

function near(actual: number[], expected: number[], most: number): void {
  actual.forEach((value, i) => assert(Math.abs(value - expected[i]!) <= most, `${actual}, ${expected}`));
}

test("overview, line scan and profile share their edges beside the reference", async (viewer, page) => {
  for (const [width, height] of [[1280, 800], [1920, 1080]] as const) {
    await page.setViewportSize({ width, height });
    await viewer.open(files.scan);
    assert.equal(await page.locator("#profile").isVisible(), false, "the picture has the room");
    await page.selectOption("#along", "x");
    await page.hover("#source .plot", { position: { x: 200, y: 40 } });
    await viewer.settle();
    const plot = await viewer.box("#source .plot");
    const strip = await viewer.box(".overview");
    near([strip.x, strip.width], [plot.x, plot.width], 0.6);
    // The outline of the chart is half a pixel outside.
    const outline = await page.locator("#chart polyline").first().evaluate((line) => {
      const { left, width } = line.getBoundingClientRect();
      return [left, width];
    });
    near(outline, [plot.x, plot.width], 2);
    const [side, upper] = [await viewer.box("#reference"), await viewer.box("#source")];
    assert(
      side.x >= upper.x + upper.width && Math.abs(side.y - upper.y) < 12,
      JSON.stringify([side, upper]),
    );
    const reference = await viewer.box("#reference .plot");
    assert(reference.width >= 150, `${reference.width}`);
  }
});

test("drags, resizes, types and undoes the visible time, and moves it by keys", async (viewer, page) => {
  await viewer.open(files.scan);
  const whole = SHAPE[0] * LINE_S;
  near(await timeOf(viewer), [0, LAST], 0.0005);
  const strip = await viewer.box(".overview");
  const y = strip.y + strip.height / 2;
  // The right edge to the middle, then the whole window to the right.
  await viewer.drag({ x: strip.x + strip.width - 2, y }, { x: strip.x + strip.width / 2 - 2, y });
  near(await timeOf(viewer), [0, whole / 2], 0.01 * whole);
  await viewer.drag({ x: strip.x + strip.width / 4, y }, { x: strip.x + strip.width / 2, y });
  near(await timeOf(viewer), [whole / 4, 3 * whole / 4], 0.01 * whole);
  const slider = page.getByRole("slider", { name: "Visible time" });
  await slider.press("ArrowRight");
  // A tenth of the half that is seen.
  near(await timeOf(viewer), [0.3 * whole, 0.8 * whole], 0.01 * whole);
  await slider.press("Home");
  await viewer.settle();
  // 100 of 200 lines.
  assert.equal(await slider.getAttribute("aria-valuetext"), "0.0000 to 0.2097 s of 0.4215 s");

  const fields = page.locator(".time-fields input");
  const [from, to] = [fields.nth(0), fields.nth(1)];
  const enter = async (field: typeof from, text: string) => {
    await field.fill(text);
    await field.press("Enter");
    await viewer.settle();
  };
  await enter(from, "0.1");
  await enter(to, "0.2");
  near(await timeOf(viewer), [0.1, 0.2], 0.0005);
  // As the axis has it: its ticks at both times stand in the middle of the first and the last line.
  const plot = await viewer.box("#source .plot");
  const half = plot.width / (0.1 / LINE_S + 1) / 2;
  for (const [label, edge] of [["0.10", plot.x + half], ["0.20", plot.x + plot.width - half]] as const) {
    const tick = await viewer.box(`#source svg.labels > g text:text-is("${label}")`);
    near([tick.x + tick.width / 2], [edge], 1);
  }
  // Times beyond the recording become those in view.
  await enter(to, "5");
  near(await timeOf(viewer), [0.1, LAST], 0.0005);
  await enter(to, "0.2");
  await enter(from, "soon");
  assert.equal(await from.getAttribute("aria-invalid"), "true");
  await enter(from, "0.1");
  await from.press("ArrowUp");
  await from.press("Tab");
  near(await timeOf(viewer), [0.1 + LINE_S, 0.2 + LINE_S], 0.0005);
  // Of a field that has the focus only what was typed stays.
  await to.focus();
  const plotNow = await viewer.box("#source .plot");
  await page.mouse.move(plotNow.x + 5, plotNow.y + plotNow.height / 2);
  await page.mouse.wheel(0, -400);
  await viewer.settle();
  assert(Number(await to.inputValue()) < 0.19, await to.inputValue());
  await to.fill("0.18");
  await page.mouse.wheel(0, -400);
  await viewer.settle();
  assert.equal(await to.inputValue(), "0.18");
  await page.click("#source .home");
  near(await timeOf(viewer), [0, LAST], 0.0005);
  await page.click("#source .back");
  const [start] = await timeOf(viewer);
  assert(start! > 0.05, `${start}`);
});

test("split channels lie below each other, each in its colour over the same time", async (viewer, page) => {
  await viewer.open(files.scan);
  await viewer.setRange("source-0", 0, 2550);
  await viewer.setRange("source-1", 500, 3500);
  await page.selectOption("#source .layers", "split");
  await page.mouse.move(5, 5);
  await viewer.settle();
  const { x, y, width, height } = await viewer.box("#source .plot");
  for (const channel of [0, 1]) {
    for (const [row, column] of [[100, 40], [30, 33]] as const) {
      const at = {
        x: x + (row + 0.5) / SHAPE[0] * width,
        y: y + (channel + 1 - (column + 0.5) / SHAPE[1]) * height / 2,
      };
      const value = channel === 0
        ? level(sample(0, row, column), 0, 2550)
        : level(sample(1, row, column), 500, 3500);
      const color = await viewer.color(at);
      // A screen pixel may belong to a neighbour: a row and a column are 17 of 2550.
      const expected = channel === 0 ? [0, value, 0] : [value, 0, value];
      color.forEach((part, i) => assert(Math.abs(part - expected[i]!) <= 4, `${color}, ${expected}`));
    }
  }
  // The cursor reads the same place in both bands.
  for (const channel of [0, 1]) {
    await page.mouse.move(x + width * 100.5 / SHAPE[0], y + (channel + 1 - 20.5 / SHAPE[1]) * height / 2);
    assert.match(await viewer.text("#source .readout"), /line (99|100|101), pixel (19|20|21)/);
  }
});

test("gamma changes the picture, and the settings of a name are remembered", async (viewer, page) => {
  await viewer.open(files.scan);
  await viewer.setRange("source-0", 0, 2550);
  await page.uncheck("#source-1-visible");
  await page.fill("#source-0-gamma", "-1");
  await page.selectOption("#source-0-lut", "gray");
  // Half of the way up: 0.5 to the power of a half is 0.707, level 180 of 255.
  const place = await viewer.place("source", SHAPE, 122, 8);
  const part = sample(0, place.at.row, place.at.column) / 2550;
  const expected = Math.round(255 * Math.sqrt(level(255 * part, 0, 255) / 255));
  assertColor(await viewer.color(place), [expected, expected, expected]);
  await viewer.reopen(files.scan);
  assert.equal(await page.inputValue("#source-0-lut"), "gray");
  assert.equal(await page.inputValue("#source-0-gamma"), "-1");
  assert.equal(await page.getAttribute("#source-0-more", "aria-expanded"), "true");
  assert.equal(await page.getAttribute("#source-1-more", "aria-expanded"), "false");
});

test("switches single keys off", async (viewer, page) => {
  await viewer.open(files.scan);
  await page.keyboard.press("2");
  assert.equal(await page.isChecked("#source-1-visible"), false);
  await page.click("#help");
  await page.uncheck("#single-keys");
  await page.keyboard.press("Escape");
  await page.keyboard.press("2");
  assert.equal(await page.isChecked("#source-1-visible"), false);
  await viewer.reopen(files.scan);
  const before = await page.isChecked("#source-1-visible");
  await page.keyboard.press("2");
  assert.equal(await page.isChecked("#source-1-visible"), before);
});

/** Least height of a line scan in CSS pixels, whatever is shown beside it. */
const LEAST_SCAN = 220;

test(
  "a line scan keeps its height beside a profile, and results stay above the foot",
  async (viewer, page) => {
    await viewer.openScan();
    for (const [width, height] of [[1280, 800], [1366, 625]] as const) {
      await page.setViewportSize({ width, height });
      await page.selectOption("#along", "x");
      await viewer.settle();
      assert((await viewer.box("#source .plot")).height >= LEAST_SCAN, `profile at ${width} × ${height}`);
    }
    await viewer.drawBand(0, 40);
    await viewer.measureVelocities();
    await page.selectOption("#along", "");
    await viewer.settle();
    assert((await viewer.box("#source .plot")).height >= LEAST_SCAN);
    const foot = (await viewer.box("footer")).y;
    const row = await viewer.box("#drawer-velocity tbody tr");
    assert(row.y + row.height <= foot, "the first row is in view without scrolling");
  },
);

test("tables of drawings are no wider than their column", async (viewer, page) => {
  await viewer.openScan();
  await viewer.draw("line", [0.4, 0.2], [0.9, 0.9]);
  await viewer.draw("track", [0.6, 0.2], [0.7, 0.4]);
  await page.keyboard.press("Enter");
  await viewer.unfold("lines", "tracks");
  const isWider = "document.querySelector('aside').scrollWidth > document.querySelector('aside').clientWidth";
  assert.equal(await page.evaluate(isWider), false);
});
