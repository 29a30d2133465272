/** Drawing and read-out: samples at their places, scale bars, linked cursors, the saved picture. */
import assert from "node:assert/strict";
import { cutOff, greensOf, isSeenWhole, readPng } from "./in_page.js";
import { lineScanFile, referenceSample, sample, SHAPE } from "./line_scan.ts";
import { assertColor, level, MICROMETRES, viewerSuite } from "./suite.ts";

const REFERENCE: readonly [number, number] = [128, 128];

const { test, files } = viewerSuite();

test("draws a colour image upright in its colours and true aspect", async (viewer) => {
  await viewer.open(files.image);
  for (const c of [0, 1, 2]) await viewer.setRange(`source-${c}`, 0, 255);
  for (const [row, column] of [[2, 3], [25, 10], [6, 45]] as const) {
    const place = await viewer.place("source", [30, 50], row, column);
    assertColor(await viewer.color(place), [column, 100 + column, 200 + column]);
  }
  const box = await viewer.box("#source .plot");
  // 50 columns of 0.5 um across, 30 rows of 0.5 um down.
  assert(Math.abs(box.width / box.height - 50 / 30) < 0.01);
  assert.equal(await viewer.page.locator("#reference").isVisible(), false);
  assert.equal(await viewer.page.locator("#divider").isVisible(), false);
});

test("truncates long channel names with a title, and never reads them as markup", async (viewer, page) => {
  const planes = [0, 1].map(() => Uint16Array.from({ length: 40 }, (_, i) => i));
  const names = ["long ".repeat(60).trim(), "<img src=x onerror=alert(1)>"];
  const shape = { rows: 5, columns: 8, y: MICROMETRES, x: MICROMETRES };
  await viewer.openPlain("named", { planes, ...shape, names });
  assert.deepEqual(await page.evaluate(cutOff), []);
  assert.equal(await page.getAttribute("#source-cards .switch", "title"), `Show ${names[0]}`);
  assert.equal(await page.locator("#source-cards .name").nth(1).textContent(), names[1]);
  assert.equal(await page.locator("aside img[src=x]").count(), 0);
  // The values of four channels with long names are seen, too.
  const long = ["Alexa Fluor 488", "Alexa Fluor 568", "Alexa Fluor 647", "Hoechst 33342 stain"];
  const many = long.map(() => planes[0]!);
  await viewer.openPlain("four", { planes: many, ...shape, names: long });
  await page.locator("#source .plot").hover();
  await viewer.settle();
  assert.equal(await page.evaluate(isSeenWhole, "#source .readout"), true);
});

test("a long reference keeps its aspect, and zooms along its length", async (viewer, page) => {
  await viewer.openBytes("strip.oir", lineScanFile(1280));
  const aspect = async () => {
    const { width, height } = await viewer.box("#reference .plot");
    // 1280 rows run down, 128 columns across.
    return height / width;
  };
  // The strip is some 20 whole pixels wide.
  assert(Math.abs(await aspect() - 10) < 0.5, `${await aspect()}`);
  await page.locator("#reference .plot").focus();
  for (let i = 0; i < 4; i += 1) await page.keyboard.press("+");
  await viewer.settle();
  // 1.5 times closer until at most 6 : 1 is left, then both ways: 10, 6.67, 4.44, 4.44, 4.44.
  assert(Math.abs(await aspect() - 40 / 9) < 0.1, `${await aspect()}`);
  await page.keyboard.press("0");
  await viewer.settle();
  assert(Math.abs(await aspect() - 10) < 0.5);
});

test("the read-out is the sample under the cursor, with its place on the path", async (viewer, page) => {
  await viewer.open(files.scan);
  const { x, y } = await viewer.place("source", SHAPE, 120, 33);
  await page.mouse.move(x, y);
  assert.equal(
    (await viewer.text("#source .readout")).replace(/\s+/g, " "),
    `line 120, pixel 33 · 0.2542 s, 14.85 µm CH1 ${sample(0, 120, 33)} CH2 ${sample(1, 120, 33)} ` +
      // 33 of 63 steps from (100, 20) to (30, 110): x = 63.3, y = 67.1.
      "→ reference row 67, column 63",
  );
  const other = await viewer.place("reference", REFERENCE, 64, 10);
  await page.mouse.move(other.x, other.y);
  assert.match(
    await viewer.text("#reference .readout"),
    new RegExp(`row 64, column 10 .*\\sCH1\\s+${referenceSample(0, 64, 10)}`),
  );
  // Two thirds of the way, column 42: x = 100 - 70 * 2 / 3, y = 20 + 60 = 80.
  const onPath = await viewer.place("reference", REFERENCE, 80, 100 - 140 / 3);
  await page.mouse.move(onPath.x, onPath.y);
  const line = page.locator('#source polyline[stroke="#ff7a1a"]');
  assert.equal(await line.count(), 1);
  assert.match(await viewer.text("#reference .readout"), /→ line scan column 4[123]$/);
  // Zoomed to the first columns, the mark is an arrow at the upper edge that says where.
  await page.locator("#source .plot").press("Escape");
  const [top, end] = [
    await viewer.place("source", SHAPE, 100, 1),
    await viewer.place("source", SHAPE, 101, 20),
  ];
  await viewer.drag(top, end);
  await page.mouse.move(onPath.x, onPath.y);
  await viewer.settle();
  const column = (await viewer.text("#reference .readout")).match(/scan (column \d+)/)![1]!;
  assert.equal(await page.locator(`#source svg.labels svg text >> text="${column}"`).count(), 1);
  await page.locator("#source .home").click();
  await page.mouse.move(onPath.x, onPath.y);
  await viewer.settle();
  assert.equal(await page.locator("#source svg.labels svg text >> text=column").count(), 0);
  const away = await viewer.place("reference", REFERENCE, 10, 10);
  await page.mouse.move(away.x, away.y);
  assert.equal(await line.count(), 0);
});

test("the saved picture equals the view", async (viewer, page) => {
  await viewer.open(files.scan);
  await viewer.setRange("source-0", 0, 2550);
  await page.uncheck("#source-1-visible");
  await page.mouse.move(5, 5);
  const { name, bytes } = await viewer.saved("#source .save");
  assert.equal(name, "scan-source.png");
  const stage = await viewer.box("#source .stage");
  const { x, y } = await viewer.place("source", SHAPE, 100, 20);
  const at = { x: Math.floor(x - stage.x), y: Math.floor(y - stage.y) };
  const saved = await page.evaluate(readPng, { bytes: [...bytes], ...at });
  assert.equal(saved.width, Math.round(stage.width));
  assertColor(saved.color, [0, level(sample(0, 100, 20), 0, 2550), 0]);
});

test("scale bars hide few pixels and can be switched off permanently", async (viewer, page) => {
  await viewer.openPath(files.scan);
  const scale = () => viewer.text("#source .readout");
  const greens = async () => {
    await page.mouse.move(2, 2);
    await viewer.settle();
    const plot = await viewer.box("#source .plot");
    const clip = { x: plot.x + plot.width - 110, y: plot.y + plot.height - 90, width: 110, height: 90 };
    return await page.evaluate(greensOf, [...await page.screenshot({ clip })]);
  };
  const shown = await greens();
  assert.match(await scale(), /^Scale bar .* s × .* µm/);
  await page.click("#scale-bars");
  const hidden = await greens();
  // Two bars, two labels of some letters and their edges, not a box of 90 x 80.
  const changed = shown.filter((green, i) => green !== hidden[i]).length / shown.length;
  assert(changed > 0.02 && changed < 0.25, `${changed}`);
  assert.doesNotMatch(await viewer.text("#reference .readout"), /Scale bar/);
  await viewer.reload();
  assert.equal(await page.getAttribute("#scale-bars", "aria-pressed"), "false");
  assert.doesNotMatch(await scale(), /Scale bar/);
});
