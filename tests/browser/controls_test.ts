/** Every control of the viewer, by mouse and by keyboard. */
import assert from "node:assert/strict";
import { chartColors, focused } from "./in_page.js";
import { sample, SHAPE } from "./line_scan.ts";
import { assertColor, level, viewerSuite } from "./suite.ts";

const REFERENCE: readonly [number, number] = [128, 128];

const { test, files } = viewerSuite();

test("every control of a channel changes the picture, which takes numbers only", async (viewer, page) => {
  await viewer.open(files.scan);
  await viewer.setRange("source-0", 0, 2550);
  await viewer.setRange("source-1", 500, 3000);
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
  await page.selectOption("#source .layers", "single");
  await page.check("#source-1-visible");
  assertColor(await viewer.color(place), [magenta, 0, magenta]);
  await page.selectOption("#source .layers", "merged");
  assert.equal(await page.isChecked("#source-0-visible"), true);
  const auto = async () => {
    await page.click("#source-0-auto");
    const ends = await Promise.all(["Min", "Max"].map((end) => page.inputValue(`#source-0-${end}`)));
    // By numpy 2.4: percentile(10 * arange(200)[:, None] + 7 * arange(64), [1, 99.5]).
    assert.deepEqual(ends, ["125.99", "2344"]);
  };
  await auto();
  for (const wrong of ["abc", "1,000,000", ""]) {
    await viewer.enter("#source-0-Min", wrong);
    assert.equal(await page.getAttribute("#source-0-Min", "aria-invalid"), "true", wrong);
    assert.match(await viewer.text("#status.bad"), new RegExp(`^"${wrong}" is not a number`));
  }
  await viewer.enter("#source-0-Min", "5000");
  assert.equal(await viewer.text("#status"), "");
  assert(Number(await page.inputValue("#source-0-Max")) > 5000, "the maximum moves along");
  await auto();
  assert.equal(await page.getAttribute("#source-0-Min", "aria-invalid"), null);

  const handle = page.getByRole("slider", { name: "Maximum of CH1" }).first();
  const box = (await handle.boundingBox())!;
  await viewer.drag({ x: box.x + box.width / 2, y: box.y + 20 }, { x: box.x - 80, y: box.y + 20 });
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

test("wheel, drag, double-click and Shift zoom and pan", async (viewer, page) => {
  await viewer.open(files.scan);
  const space = () => page.locator("#source svg.labels > g text[text-anchor=end]").allTextContents();
  const [whole, wholeSpace] = [await viewer.labels(), await space()];
  const { x, y } = await viewer.place("source", SHAPE, 100, 32);
  await page.mouse.move(x, y);
  await page.mouse.wheel(0, -500);
  assert.notDeepEqual(await viewer.labels(), whole);
  // The sample under the pointer stays there.
  assert.match(await viewer.text("#source .readout"), /line (99|100|101), pixel (31|32|33) /);
  await page.mouse.dblclick(x, y);
  assert.deepEqual(await viewer.labels(), whole);
  // Along time only: the labels of space stay.
  await viewer.drag({ x, y }, { x: x + 150, y: y + 12 });
  const zoomed = await viewer.labels();
  assert.notDeepEqual(zoomed, whole);
  assert.deepEqual(await space(), wholeSpace);
  await page.keyboard.down("Shift");
  await page.mouse.down();
  await page.mouse.move(x - 100, y, { steps: 4 });
  await page.mouse.up();
  await page.keyboard.up("Shift");
  assert.notDeepEqual(await viewer.labels(), zoomed);
  await page.click("#source .home");
  assert.deepEqual(await viewer.labels(), whole);
  // Keys zoom, too: along time, across it, home and back.
  await page.locator("#source .plot").focus();
  const after = async (key: string) => {
    await page.keyboard.press(key);
    return [await viewer.labels(), await space()];
  };
  const [closer, sameSpace] = await after("+");
  assert.notDeepEqual(closer, whole);
  assert.deepEqual(sameSpace, wholeSpace);
  const narrow = await after("}");
  assert.notDeepEqual(narrow[1], wholeSpace);
  assert.deepEqual(await after("0"), [whole, wholeSpace]);
  assert.deepEqual(await after("Backspace"), narrow);
  await page.keyboard.press("0");
  // A box on the reference zooms both axes by the same factor.
  const start = await viewer.place("reference", REFERENCE, 20, 20);
  const end = await viewer.place("reference", REFERENCE, 51, 51);
  await viewer.drag(start, end);
  const middle = await viewer.place("reference", [32, 32], 16, 16);
  await page.mouse.move(middle.x, middle.y);
  assert.match(await viewer.text("#reference .readout"), /row 3[56], column 3[56] /);
  // A drag from beside a picture selects no text.
  const plot = await viewer.box("#source .plot");
  const below = { x: plot.x + plot.width / 2, y: plot.y + plot.height + 25 };
  await viewer.drag({ x: plot.x - 30, y: plot.y + 10 }, below);
  assert.equal(await page.evaluate("String(getSelection())"), "");
});

test("profile, scan path, divider and data", async (viewer, page) => {
  // Curves are darker on a light ground.
  await page.emulateMedia({ colorScheme: "dark" });
  await viewer.open(files.scan);
  await page.selectOption("#along", "x");
  await viewer.settle();
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
  await page.selectOption("#along", "x");
  const height = async () => (await viewer.box("#source")).height;
  const before = await height();
  await page.focus("#divider");
  await page.keyboard.press("ArrowDown");
  const lower = await height();
  assert(lower > before);
  const bar = await viewer.box("#divider");
  await viewer.drag({ x: bar.x + 50, y: bar.y + 5 }, { x: bar.x + 50, y: bar.y + 45 });
  assert(Math.abs(await height() - lower - 40) < 8);
  await page.click("#developers > summary");
  await page.click("#code summary");
  // The second channel is off; focusing its controls does not change the program.
  await page.focus("#source-1-lut");
  assert.match(
    await viewer.text("#snippet"),
    /"path": "[^"]*\/scan\.oir"[^]*image = opened\n[^]*not in \[0\]:/,
  );
  await page.check("#source-1-visible");
  assert.match(await viewer.text("#snippet"), /not in \[0, 1\]:/);
  await page.selectOption("#snippet-of", "reference");
  assert.match(await viewer.text("#snippet"), /image = opened\["reference"\]/);
  await page.selectOption("#language", "javascript");
  assert.match(await viewer.text("#snippet"), /await fetch/);
  await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
  await page.click("#copy");
  assert.equal(
    await page.evaluate("navigator.clipboard.readText()"),
    await page.locator("#snippet").textContent(),
  );
  const parts = { Header: "dims", "Open response": "servedDtype", Session: "totalBytes" };
  for (const [title, text] of Object.entries(parts)) {
    await page.click(`#developers > details > summary >> text="${title}"`);
    // That of the session is fetched first.
    await page.locator(`#developers details[open] >> text=${text}`).first().waitFor();
  }
});

test("reaches everything by the keyboard", async (viewer, page) => {
  viewer.server.choose(files.scan);
  await page.keyboard.press("o");
  await viewer.ended();
  const reached = new Set<string>();
  // From the picture, which has the focus after opening, to the end of the page and on from its start.
  for (let presses = 0; presses < 120; presses += 1) {
    await page.keyboard.press("Tab");
    reached.add(await page.evaluate(focused));
  }
  for (const wanted of ["open", "help", "along", "path", "source-1-lut", "source-1-more"]) {
    assert(reached.has(wanted), `${wanted} is reached: ${[...reached].join(", ")}`);
  }
  await page.locator("#source .plot").focus();
  for (const key of ["ArrowRight", "ArrowRight", "ArrowUp"]) await page.keyboard.press(key);
  // Starts in the middle, between columns 31 and 32; 31 is the lower one on the screen.
  assert.match(
    await page.locator("#announcer").innerText(),
    /^line 101, pixel 33 .*CH1 1241; CH2 2241; reference row 67, column 63$/,
  );
  for (const key of "+02splc?") await page.keyboard.press(key);
  const shown = await Promise.all(
    ["source-1-visible", "path", "source-0-log"].map((id) => page.isChecked(`#${id}`)),
  );
  assert.deepEqual(shown, [false, false, true]);
  assert.equal(await page.inputValue("#along"), "x");
  assert.equal(await page.inputValue("#source .layers"), "split");
  assert(await page.locator("#shortcuts").isVisible());
  await page.keyboard.press("Escape");
  assert.equal(await page.locator("#shortcuts").isVisible(), false);
  await viewer.open(files.image);
  await page.keyboard.press("s");
  assert.equal(await page.isChecked("#path"), false, "no path without a reference");
  assert.match(await viewer.text("#source .readout"), /^Scale bar \d+ µm$/);
});

test("twelve channels start with six, a count and a button for all", async (viewer, page) => {
  const names = Array.from({ length: 12 }, (_, c) => `Stain ${c + 1}`);
  // Sample c + 1 in the left half of channel c, 0 in the right one.
  const planes = names.map((_, c) =>
    Uint16Array.from({ length: 40 * 40 }, (_, i) => i % 40 < 20 ? c + 1 : 0)
  );
  await viewer.openPlain("twelve", { planes, rows: 40, columns: 40, names });
  assert.equal(await viewer.text("#status"), "Opened twelve.ome.zarr · channels: 6 of 12 shown");
  assert.equal(await viewer.text("#source-count"), "6 of 12 shown\nShow all");
  const shown = () => page.locator("#source-cards [id$=visible]:checked").count();
  assert.equal(await shown(), 6);
  await page.locator(".recording[aria-current]").waitFor();
  const height = (await viewer.box("#source-0-visible")).y;
  await page.click("#source-count button");
  assert.equal(await shown(), 12);
  await page.click("#source-count button");
  assert.equal(await shown(), 6);
  await page.uncheck("#source-0-visible");
  assert.equal(await viewer.text("#source-count"), "5 of 12 shown\nShow all");
  assert.equal((await viewer.box("#source-0-visible")).y, height, "nothing moves");
  // One at a time there is nothing to be said.
  await page.selectOption("#source .layers", "single");
  assert.equal((await viewer.text("#source-count")).trim(), "");
});
