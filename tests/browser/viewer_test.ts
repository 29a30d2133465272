/** The viewer in a real browser against the real server: what opens, what is drawn and what each control changes. */
import assert from "node:assert/strict";
import { join } from "node:path";
import type { Browser } from "playwright-core";
import { writePlainStore } from "../fixtures/plain_store.ts";
import { hasChromium, startChromium, StubbedServer, Viewer } from "./browser.ts";
import {
  chartColors,
  clipboardText,
  focused,
  forgetStatus,
  openingEnded,
  readPng,
  wasCancelled,
} from "./in_page.js";
import { LINE, lineScanFile, referenceSample, sample, SHAPE } from "./line_scan.ts";

const REFERENCE: readonly [number, number] = [128, 128];

let browser: Browser;
let server: StubbedServer;
let scan = "";
let image = "";

/** A test with a page, whose faults fail it. */
function test(name: string, work: (viewer: Viewer) => Promise<void>, options = {}): void {
  Deno.test({
    name: `viewer: ${name}`,
    ignore: !CHROMIUM,
    sanitizeOps: false,
    sanitizeResources: false,
    async fn() {
      await using viewer = await Viewer.load(browser, server, options);
      await work(viewer);
      assert.deepEqual(viewer.faults, []);
    },
  });
}

const CHROMIUM = hasChromium();

if (CHROMIUM) {
  Deno.test.beforeAll(async () => {
    browser = await startChromium();
    server = await StubbedServer.start();
    scan = join(server.folder, "scan.oir");
    await Deno.writeFile(scan, lineScanFile());
    const store = join(server.folder, "tissue.ome.zarr");
    const planes = [0, 1, 2].map((c) => Uint16Array.from({ length: 30 * 50 }, (_, i) => 100 * c + i % 50));
    const calibration = { step: 0.5, unit: "micrometer" };
    const names = ["Red", "Green", "Blue"];
    await writePlainStore(store, { planes, rows: 30, columns: 50, y: calibration, x: calibration, names });
    image = join(store, "zarr.json");
  });
  Deno.test.afterAll(async () => {
    await browser.close();
    await server[Symbol.asyncDispose]();
  });
}

const sessionStatus = async (id: string) => {
  const response = await fetch(`${server.baseUrl}/api/v2/sessions/${id}`);
  await response.body?.cancel();
  return response.status;
};

/** What green is drawn for a value, by hand: the nearest of 256 levels. */
const level = (value: number, min: number, max: number) =>
  Math.floor(255 * Math.min(1, Math.max(0, (value - min) / (max - min))) + 0.5);

function assertColor(actual: number[], expected: number[]): void {
  const isNear = actual.every((part, i) => Math.abs(part - expected[i]!) <= 1);
  assert(isNear, `drawn ${actual}, expected ${expected}`);
}

/** Types a channel's range. */
async function setRange({ page }: Viewer, card: string, min: number, max: number): Promise<void> {
  for (const [end, value] of [["Max", max], ["Min", min], ["Max", max]] as const) {
    await page.fill(`#${card}-${end}`, String(value));
    await page.keyboard.press("Enter");
  }
}

test("planes are drawn transposed, channels added and clamped", async (viewer) => {
  await viewer.open(scan);
  await setRange(viewer, "source-0", 0, 2550);
  await setRange(viewer, "source-1", 500, 3000);
  // Rows run to the right, columns down; away from the scale bars.
  for (const [row, column] of [[3, 2], [190, 3], [4, 60], [120, 30], [77, 41]] as const) {
    const green = level(sample(0, row, column), 0, 2550);
    const magenta = level(sample(1, row, column), 500, 3000);
    const place = await viewer.place("source", SHAPE, row, column);
    assertColor(await viewer.color(place), [magenta, green, magenta]);
  }
  await setRange(viewer, "reference-0", 0, 700);
  await setRange(viewer, "reference-1", 500, 1400);
  for (const [row, column] of [[5, 5], [120, 6], [30, 120], [9, 60]] as const) {
    const place = await viewer.place("reference", REFERENCE, row, column);
    const { at } = place;
    const green = level(referenceSample(0, at.row, at.column), 0, 700);
    const magenta = level(referenceSample(1, at.row, at.column), 500, 1400);
    assertColor(await viewer.color(place), [magenta, green, magenta]);
  }
});

test("an image of colour is drawn in its colours and true aspect", async (viewer) => {
  await viewer.open(image);
  for (const c of [0, 1, 2]) await setRange(viewer, `source-${c}`, 0, 255);
  for (const [row, column] of [[2, 3], [25, 10], [6, 45]] as const) {
    const place = await viewer.place("source", [30, 50], row, column);
    assertColor(await viewer.color(place), [column, 100 + column, 200 + column]);
  }
  const box = (await viewer.page.locator("#source .plot").boundingBox())!;
  // 30 rows of 0.5 um across, 50 columns of 0.5 um down.
  assert(Math.abs(box.width / box.height - 30 / 50) < 0.01);
  assert.equal(await viewer.page.locator("#reference").isVisible(), false);
  assert.equal(await viewer.page.locator("#divider").isVisible(), false);
});

test("a scan longer than the largest texture is drawn without seams", async (viewer) => {
  const store = join(server.folder, "long.ome.zarr");
  const plane = Uint16Array.from({ length: 9000 * 8 }, (_, i) => Math.floor(i / 8));
  const y = { step: 0.001, unit: "second" };
  const x = { step: 0.5, unit: "micrometer" };
  await writePlainStore(store, { planes: [plane], rows: 9000, columns: 8, y, x });
  await viewer.open(join(store, "zarr.json"));
  await setRange(viewer, "source-0", 0, 9000);
  for (const row of [5, 40, 4050, 4090, 4096, 4101, 4140, 8191, 8192, 8200, 8960, 8995]) {
    const place = await viewer.place("source", [9000, 8], row, 2);
    assertColor(await viewer.color(place), [0, level(place.at.row, 0, 9000), 0]);
  }
});

test("the heading has name, pixels, steps and warnings", async (viewer) => {
  await viewer.open(scan);
  assert.equal(await viewer.text("#title"), "scan.oir");
  assert.match(
    await viewer.text("#facts"),
    /^200 × 64 pixels · step Y 0\.002118 s × X 0\.45 µm · 2 channels · uint16/,
  );
  assert.match(await viewer.text("#warnings"), /114\.0 pixels/);
  assert.match(await viewer.text("#time"), /^Session (10:00|9:5\d)$/);
  assert.match(await viewer.text("#server"), /^acq-server \d+\.\d+\.\d+ · API v2$/);
  await viewer.page.click('aside > details > summary >> text="Server"');
  assert.match(await viewer.text("#server-facts"), /\.oir/);
});

test("opening another file deletes the first session, and so does leaving", async (viewer) => {
  const first = await viewer.open(scan);
  assert.equal(await sessionStatus(first), 200);
  const second = await viewer.open(image);
  assert.notEqual(first, second);
  assert.equal(await sessionStatus(first), 404);
  assert.equal(await sessionStatus(second), 200);
  await viewer.page.goto("about:blank");
  for (let tries = 0; tries < 50 && await sessionStatus(second) === 200; tries += 1) {
    await new Promise((done) => setTimeout(done, 20));
  }
  assert.equal(await sessionStatus(second), 404);
});

test("the read-out is the sample under the cursor", async (viewer) => {
  await viewer.open(scan);
  const { x, y } = await viewer.place("source", SHAPE, 120, 33);
  await viewer.page.mouse.move(x, y);
  assert.equal(
    (await viewer.text("#source .readout")).replace(/\s+/g, " "),
    `row 120, column 33 · Y 0.2542 s, X 14.85 µm CH1 ${sample(0, 120, 33)} CH2 ${sample(1, 120, 33)}`,
  );
  const other = await viewer.place("reference", REFERENCE, 64, 10);
  await viewer.page.mouse.move(other.x, other.y);
  assert.match(
    await viewer.text("#reference .readout"),
    new RegExp(`row 64, column 10 .*\\sCH1\\s+${referenceSample(0, 64, 10)}`),
  );
});

test("the cursor is linked along a slanted path, both ways", async (viewer) => {
  const { page } = viewer;
  await viewer.open(scan);
  const size = (await page.locator("#reference .plot").boundingBox())!;
  for (const column of [0, 21, 63]) {
    const { x, y } = await viewer.place("source", SHAPE, 50, column);
    await page.mouse.move(x, y);
    const ring = page.locator('#reference circle[stroke="#ff7a1a"]');
    const [cx, cy] = await Promise.all(
      ["cx", "cy"].map(async (name) => Number(await ring.getAttribute(name))),
    );
    // Column 0 is the start of the line and column 63 its end; drawn swapped, at the centre of the pixel.
    const pathX = LINE[0] + (LINE[2] - LINE[0]) * column / 63;
    const pathY = LINE[1] + (LINE[3] - LINE[1]) * column / 63;
    assert(Math.abs(cx! - ((pathY + 0.5) / 128) * size.width) < 0.1, `ring across at ${cx}`);
    assert(Math.abs(cy! - ((pathX + 0.5) / 128) * size.height) < 0.1, `ring down at ${cy}`);
  }
  // Two thirds of the way, column 42: x = 100 - 70 * 2 / 3, y = 20 + 60 = 80.
  const onPath = await viewer.place("reference", REFERENCE, 80, 100 - 140 / 3);
  await page.mouse.move(onPath.x, onPath.y);
  const line = page.locator('#source polyline[stroke="#ff7a1a"]');
  const height = (await page.locator("#source .plot").boundingBox())!.height;
  const at = Number((await line.getAttribute("points"))!.split(/[ ,]/)[1]);
  assert(Math.abs(at / height * 64 - 42.5) <= 1, `row marked at ${at} of ${height}`);
  const away = await viewer.place("reference", REFERENCE, 10, 10);
  await page.mouse.move(away.x, away.y);
  assert.equal(await line.count(), 0);
});

test("every control of a channel changes the picture", async (viewer) => {
  const { page } = viewer;
  await viewer.open(scan);
  await setRange(viewer, "source-0", 0, 2550);
  await setRange(viewer, "source-1", 500, 3000);
  const place = await viewer.place("source", SHAPE, 100, 20);
  const green = level(sample(0, 100, 20), 0, 2550);
  const magenta = level(sample(1, 100, 20), 500, 3000);
  await page.uncheck("#source-1-visible");
  assertColor(await viewer.color(place), [0, green, 0]);
  await page.selectOption("#source-0-lut", "gray");
  assertColor(await viewer.color(place), [green, green, green]);
  await page.selectOption("#source-0-lut", "hot");
  assert.notDeepEqual(await viewer.color(place), [green, green, green]);
  await page.check("#source-1-visible");
  await page.locator("#source .composite").uncheck();
  await page.check("#source-1-visible");
  assertColor(await viewer.color(place), [magenta, 0, magenta]);
  await page.locator("#source .composite").check();
  assert.equal(await page.isChecked("#source-0-visible"), true);
  await page.click("#source-0-auto");
  // 1st and 99.5th percentile of 10 r + 7 c over 200 x 64 samples (numpy.percentile).
  assert.deepEqual(await Promise.all(["Min", "Max"].map((end) => page.inputValue(`#source-0-${end}`))), AUTO);
});

/** By numpy 2.4: percentile(10 * arange(200)[:, None] + 7 * arange(64), [1, 99.5]). */
const AUTO = ["125.99", "2344"];

test("a range that is none is refused and said so", async (viewer) => {
  const { page } = viewer;
  await viewer.open(scan);
  const before = await page.inputValue("#source-0-Min");
  for (const wrong of ["abc", "1e9", ""]) {
    await page.fill("#source-0-Min", wrong);
    await page.keyboard.press("Enter");
    assert.equal(await page.getAttribute("#source-0-Min", "aria-invalid"), "true", wrong);
  }
  await page.click("#source-0-auto");
  assert.equal(await page.inputValue("#source-0-Min"), before);
  assert.equal(await page.getAttribute("#source-0-Min", "aria-invalid"), null);
});

test("histogram handles are dragged and moved by keys, and Log changes the bars", async (viewer) => {
  const { page } = viewer;
  await viewer.open(scan);
  const handle = page.getByRole("slider", { name: "Maximum of CH1" }).first();
  const box = (await handle.boundingBox())!;
  await page.mouse.move(box.x + box.width / 2, box.y + 20);
  await page.mouse.down();
  await page.mouse.move(box.x - 80, box.y + 20);
  await page.mouse.up();
  const dragged = Number(await page.inputValue("#source-0-Max"));
  assert(dragged < 2000, `${dragged}`);
  await handle.press("ArrowRight");
  // A hundredth of 0 to 2431.
  assert(Math.abs(Number(await page.inputValue("#source-0-Max")) - dragged - 24.31) < 0.1);
  await handle.press("End");
  assert.equal(Number(await page.inputValue("#source-0-Max")), 10 * 199 + 7 * 63);
  const bars = page.locator("#source-cards path.bars").first();
  const linear = await bars.getAttribute("d");
  await page.check("#source-0-log");
  assert.notEqual(await bars.getAttribute("d"), linear);
});

test("wheel, drag, double-click and Shift zoom and pan", async (viewer) => {
  const { page } = viewer;
  await viewer.open(scan);
  const labels = () => page.locator("#source svg.labels > g text").allTextContents();
  const whole = await labels();
  const { x, y } = await viewer.place("source", SHAPE, 100, 32);
  await page.mouse.move(x, y);
  await page.mouse.wheel(0, -500);
  await viewer.settle();
  assert.notDeepEqual(await labels(), whole);
  // The sample under the pointer stays there.
  assert.match(await viewer.text("#source .readout"), /row (99|100|101), column (31|32|33) /);
  await page.mouse.dblclick(x, y);
  await viewer.settle();
  assert.deepEqual(await labels(), whole);
  // Along time only: the labels of space stay.
  await page.mouse.move(x, y);
  await page.mouse.down();
  await page.mouse.move(x + 150, y + 12, { steps: 4 });
  await page.mouse.up();
  await viewer.settle();
  const zoomed = await labels();
  assert.notDeepEqual(zoomed, whole);
  assert(zoomed.includes("25") && zoomed.includes("0"), "space is still whole");
  await page.keyboard.down("Shift");
  await page.mouse.down();
  await page.mouse.move(x - 100, y, { steps: 4 });
  await page.mouse.up();
  await page.keyboard.up("Shift");
  await viewer.settle();
  assert.notDeepEqual(await labels(), zoomed);
  await page.click("#source .home");
  await viewer.settle();
  assert.deepEqual(await labels(), whole);
  // A box on the reference zooms both axes by the same factor.
  const start = await viewer.place("reference", REFERENCE, 20, 20);
  const end = await viewer.place("reference", REFERENCE, 51, 51);
  await page.mouse.move(start.x, start.y);
  await page.mouse.down();
  await page.mouse.move(end.x, end.y, { steps: 4 });
  await page.mouse.up();
  const middle = await viewer.place("reference", [32, 32], 16, 16);
  await page.mouse.move(middle.x, middle.y);
  assert.match(await viewer.text("#reference .readout"), /row 3[56], column 3[56] /);
});

test("profile, scan path, divider and data", async (viewer) => {
  const { page } = viewer;
  await viewer.open(scan);
  const { x, y } = await viewer.place("source", SHAPE, 120, 33);
  await page.mouse.move(x, y);
  await viewer.settle();
  const time = await page.locator("#chart").innerHTML();
  const curves = await page.evaluate(chartColors);
  assert(curves.includes("0,255,0") && curves.includes("255,0,255"), curves.join(" "));
  await page.uncheck("#source-1-visible");
  await viewer.settle();
  assert(!(await page.evaluate(chartColors)).includes("255,0,255"));
  await page.selectOption("#along", "y");
  await viewer.settle();
  assert.notEqual(await page.locator("#chart").innerHTML(), time);
  await page.selectOption("#along", "");
  assert.equal(await page.locator("#profile").isVisible(), false);
  const paths = page.locator('#reference polyline[stroke="#ffd84d"]');
  assert.equal(await paths.count(), 1);
  await page.uncheck("#path");
  assert.equal(await paths.count(), 0);
  const height = async () => (await page.locator("#source").boundingBox())!.height;
  const before = await height();
  await page.focus("#divider");
  await page.keyboard.press("ArrowDown");
  const lower = await height();
  assert(lower > before);
  const bar = (await page.locator("#divider").boundingBox())!;
  await page.mouse.move(bar.x + 50, bar.y + 5);
  await page.mouse.down();
  await page.mouse.move(bar.x + 50, bar.y - 95);
  await page.mouse.up();
  assert(Math.abs(lower - await height() - 100) < 12);
  await page.click("#code summary");
  assert.match(await viewer.text("#snippet"), /channels\/0\/data[^]*reshape\(200, 64\)/);
  await page.focus("#source-1-lut");
  assert.match(await viewer.text("#snippet"), /channels\/1\/data/);
  await page.selectOption("#language", "javascript");
  assert.match(await viewer.text("#snippet"), /await fetch/);
  await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
  await page.click("#copy");
  assert.equal(
    await page.evaluate(clipboardText),
    await page.locator("#snippet").textContent(),
  );
  for (
    const [title, text] of [["Header", "dims"], ["Open response", "servedDtype"], ["Session", "totalBytes"]]
  ) {
    await page.click(`aside > details > summary >> text="${title}"`);
    assert(await page.locator(`aside details[open] >> text=${text}`).first().isVisible(), title);
  }
});

test("the saved picture is what is seen", async (viewer) => {
  const { page } = viewer;
  await viewer.open(scan);
  await setRange(viewer, "source-0", 0, 2550);
  await page.uncheck("#source-1-visible");
  await page.mouse.move(5, 5);
  const [download] = await Promise.all([page.waitForEvent("download"), page.click("#source .save")]);
  assert.equal(download.suggestedFilename(), "scan-source.png");
  const bytes = await Deno.readFile((await download.path())!);
  const stage = (await page.locator("#source .stage").boundingBox())!;
  const { x, y } = await viewer.place("source", SHAPE, 100, 20);
  const at = { x: Math.floor(x - stage.x), y: Math.floor(y - stage.y) };
  const saved = await page.evaluate(readPng, { bytes: [...bytes], ...at });
  assert.equal(saved.width, Math.round(stage.width));
  assertColor(saved.color, [0, level(sample(0, 100, 20), 0, 2550), 0]);
});

test("a dialog that is closed, and Cancel, are no errors", async (viewer) => {
  const { page } = viewer;
  server.cancel();
  await page.click("#open");
  await page.waitForFunction(wasCancelled);
  assert.equal(await page.locator("#status.bad").count(), 0);
  assert(await page.locator("#empty").isVisible());
  server.wait();
  await page.click("#open-first");
  await page.waitForSelector("#transfer:not([hidden])");
  await page.keyboard.press("Escape");
  await page.waitForSelector("#transfer", { state: "hidden" });
  assert.equal(await viewer.text("#status"), "Cancelled");
  assert.equal(await page.locator("#status.bad").count(), 0);
  // The dialog went with its request, so the next one is free.
  await viewer.open(scan);
  server.cancel();
  await page.click("#open");
  await page.waitForFunction(wasCancelled);
  assert(await page.locator("#viewer").isVisible(), "what was open stays");
});

test("errors are shown as code and message", async (viewer) => {
  const { page } = viewer;
  const damaged = join(server.folder, "damaged.oir");
  await Deno.writeTextFile(damaged, "no image");
  for (
    const [path, status] of [
      [join(server.folder, "missing.oir"), /^path_not_found: .*missing\.oir/],
      [damaged, /^decode_failed: Cannot read "damaged\.oir"/],
    ] as const
  ) {
    server.choose(path);
    await page.click("#open");
    await page.waitForSelector("#status.bad");
    await page.waitForSelector("#transfer", { state: "hidden" });
    assert.match(await viewer.text("#status"), status);
    await page.evaluate(forgetStatus);
  }
  // Chromium writes failed requests to the console by itself.
  const others = viewer.faults.filter((fault) => !/status of (404|500)/.test(fault));
  assert.deepEqual(others, []);
  viewer.faults.length = 0;
});

test("everything is reached by the keyboard", async (viewer) => {
  const { page } = viewer;
  server.choose(scan);
  await page.keyboard.press("o");
  await page.waitForFunction(openingEnded);
  const reached = new Set<string>();
  for (let presses = 0; presses < 60; presses += 1) {
    await page.keyboard.press("Tab");
    reached.add(await page.evaluate(focused));
  }
  for (const wanted of ["open", "help", "along", "divider", "path", "source-1-lut", "Minimum of CH2"]) {
    assert(reached.has(wanted), `${wanted} is reached: ${[...reached].join(", ")}`);
  }
  await page.locator("#source .plot").focus();
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("ArrowDown");
  // From the middle, row 100 and column 32.
  assert.match(await page.locator("#announcer").innerText(), /^row 101, column 33 .*CH1 1241; CH2 2241$/);
  await page.keyboard.press("+");
  await page.keyboard.press("0");
  await page.keyboard.press("2");
  assert.equal(await page.isChecked("#source-1-visible"), false);
  await page.keyboard.press("s");
  assert.equal(await page.isChecked("#path"), false);
  await page.keyboard.press("p");
  assert.equal(await page.inputValue("#along"), "y");
  await page.keyboard.press("l");
  assert.equal(await page.isChecked("#source-0-log"), true);
  await page.keyboard.press("c");
  assert.equal(await page.isChecked("#source .composite"), false);
  await page.keyboard.press("?");
  assert(await page.locator("#shortcuts").isVisible());
  await page.keyboard.press("Escape");
  assert.equal(await page.locator("#shortcuts").isVisible(), false);
});
