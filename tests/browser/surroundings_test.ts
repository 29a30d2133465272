/** The viewer where something is missing or small: no numbers, a phone, a server that is gone. */
import assert from "node:assert/strict";
import type { Viewer } from "./viewer.ts";
import { barsLieApart, canvasDensity, cutOff } from "./in_page.js";
import { floatTiff, SHAPE } from "./line_scan.ts";
import { assertColor, MICROMETRES, viewerSuite } from "./suite.ts";

/** CSS's hotpink. */
const PINK = [255, 105, 180];

const { test, files } = viewerSuite();

test("draws missing values, wide ranges and flat planes as described", async (viewer) => {
  const special = [-Infinity, Infinity, -1.5, NaN, 0, 0.25, 0.5, 0.75];
  await viewer.openBytes("special.tif", floatTiff(2, 4, special));
  assert.equal(await viewer.text(".note"), "3 of 8 samples are NaN or infinite, drawn hot pink");
  await viewer.page.selectOption("#source-0-lut", "viridis");
  for (const [column, expected] of [PINK, PINK, [68, 1, 84], PINK].entries()) {
    // The least sample is the first colour of viridis; NaN and infinities have a colour of their own.
    assert.deepEqual(await viewer.color(await viewer.place("source", [2, 4], 0, column)), expected);
  }
  // By hand: half of the way from -3e38 to 3e38 is 0, whose colour in gray is level 128 of 255.
  await viewer.openBytes("wide.tif", floatTiff(2, 3, [-3e38, 0, 3e38, -3e38, 0, 3e38]));
  await viewer.page.selectOption("#source-0-lut", "gray");
  for (const [column, level] of [0, 128, 255].entries()) {
    const place = await viewer.place("source", [2, 3], 0, column);
    assertColor(await viewer.color(place), [level, level, level]);
  }
  // A flat plane is drawn as the least, and says so.
  await viewer.openBytes("flat.tif", floatTiff(2, 3, Array(6).fill(4e15)));
  await viewer.page.selectOption("#source-0-lut", "viridis");
  assert.deepEqual(await viewer.color(await viewer.place("source", [2, 3], 0, 1)), [68, 1, 84]);
  assert.equal(await viewer.text(".note"), "All samples are 4000000000000000");
});

test("shows a value missing in one channel over the others", async (viewer) => {
  // Channel 0 is 0 to 7, channel 1 has gaps at 1, 4 and 6.
  const planes = [
    Float32Array.from({ length: 8 }, (_, i) => i),
    Float32Array.of(8, NaN, 4, 0, Infinity, 0, -Infinity, 8),
  ];
  await viewer.openPlain("gaps", { planes, rows: 2, columns: 4, y: MICROMETRES, x: MICROMETRES });
  for (const card of ["source-0", "source-1"]) await viewer.setRange(card, 0, 8);
  const at = async (i: number) =>
    await viewer.color(await viewer.place("source", [2, 4], Math.floor(i / 4), i % 4));
  for (const i of [1, 4, 6]) assert.deepEqual(await at(i), PINK, `sample ${i}`);
  // Green and magenta, added: 7 of 8 is level 223 of 255, 4 of 8 is 128, 2 of 8 is 64.
  assertColor(await at(7), [255, 223, 255]);
  assertColor(await at(2), [128, 64, 128]);
  // With the second channel off nothing is missing; with the first one off the gaps stay.
  await viewer.page.uncheck("#source-1-visible");
  assertColor(await at(4), [0, 128, 0]);
  await viewer.page.check("#source-1-visible");
  await viewer.page.uncheck("#source-0-visible");
  assert.deepEqual(await at(4), PINK);
  assertColor(await at(5), [0, 0, 0]);
});

for (const [width, height] of [[390, 844], [320, 568], [844, 390], [1280, 800], [2200, 1300]] as const) {
  const density = width < 400 ? 3 : 1;
  const context = {
    viewport: { width, height },
    deviceScaleFactor: density,
    hasTouch: true,
    colorScheme: "dark",
  } as const;
  test(`nothing is cut off at ${width} x ${height}`, async (viewer, page) => {
    await viewer.open(files.scan);
    await viewer.settle();
    assert.deepEqual(await page.evaluate(cutOff), []);
    assert(await page.evaluate(barsLieApart));
    const found = await page.evaluate(canvasDensity);
    assert(Math.abs(found - density) < 0.01, "one canvas pixel per screen pixel");
    for (const end of ["Home", "End"]) {
      await page.locator("#divider").press(end);
      await viewer.settle();
      assert.deepEqual(await page.evaluate(cutOff), [], `divider at ${end}`);
    }
    if (width === 390) await pinchAndCheck(viewer);
  }, { context });
}

async function pinchAndCheck(viewer: Viewer): Promise<void> {
  const { page } = viewer;
  const labels = () => viewer.labels();
  const whole = await labels();
  const { x, y } = await viewer.place("source", SHAPE, 100, 32);
  const devtools = await page.context().newCDPSession(page);
  const touch = (type: "touchStart" | "touchMove" | "touchEnd", apart: number) =>
    devtools.send("Input.dispatchTouchEvent", {
      type,
      touchPoints: type === "touchEnd" ? [] : [{ x: x - apart, y, id: 1 }, { x: x + apart, y, id: 2 }],
    });
  await touch("touchStart", 20);
  for (const apart of [30, 45, 60, 80]) await touch("touchMove", apart);
  await touch("touchEnd", 0);
  assert.notDeepEqual(await labels(), whole);
}

test("notices a server that hangs or has gone, by one request at a time", async (viewer, page) => {
  const { server } = viewer;
  await viewer.open(files.scan);
  await server.freeze(true);
  viewer.requests.length = 0;
  try {
    for (let i = 0; i < 5; i += 1) await page.evaluate('dispatchEvent(new Event("focus"))');
    await page.waitForSelector("#notice:not([hidden])");
    assert.match(await viewer.text("#notice-text"), /does not answer\. Start acq-server again/);
    assert.equal(viewer.requests.filter((request) => request.endsWith("/health")).length, 1);
  } finally {
    await server.freeze(false);
  }
  await page.click("#notice-action");
  await page.waitForSelector("#notice", { state: "hidden" });
  await server.stop();
  await page.click("#open");
  await page.waitForSelector("#notice:not([hidden])");
  assert.match(await viewer.text("#fault-words"), /^The server does not answer/);
  assert.equal(await page.locator("#fault-code").textContent(), "server_unreachable");
  assert(await page.locator("#viewer").isVisible(), "the picture stays");
  await server.resume();
  await page.click("#notice-action");
  await page.waitForSelector("#notice", { state: "hidden" });
  assert.equal(await page.locator("#fault").isVisible(), false);
  await viewer.open(files.scan);
  viewer.faults.length = 0;
}, { flags: [] });
