/** Drawings outlive a changed file, and stay off other samples. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { writePlainStack } from "../fixtures/plain_store.ts";
import { ACTIVE, measuredScan, SCAN_SHAPE, scanPlanes } from "./measured_scan.ts";
import { IMAGES, SPOT_LINE, SPOT_ROW, STACK_COLUMNS, STACK_ROWS } from "./measured_stack.ts";
import { viewerSuite } from "./suite.ts";

const { test } = viewerSuite();
const [LINES, COLUMNS] = SCAN_SHAPE;

test("keeps drawings off samples of another shape, with a notice", async (viewer, page) => {
  const path = await viewer.openScan();
  await viewer.drawBand(...ACTIVE);
  await Deno.writeFile(path, measuredScan(COLUMNS - 2));
  await viewer.reload();
  assert.match(await viewer.text("#notice-text"), /^The file has changed in size/);
  assert.equal(await viewer.bands.count(), 0);
  await page.click("#notice-close");
  assert.equal(await page.locator("#notice").isVisible(), false);
  await viewer.reload();
  assert.equal(await page.locator("#notice").isVisible(), false, "the notice appears once");
});

test("keeps bands and drops velocities when the file changes", async (viewer, page) => {
  const store = join(viewer.server.folder, "focus.ome.zarr");
  // Two focus planes: the line scan as it is, and twice as bright.
  const [streaks] = scanPlanes();
  const planes = [streaks, streaks.map((value) => 2 * value)];
  const axes = { y: { step: 0.002118, unit: "second" }, x: { step: 0.45, unit: "micrometer" } };
  await writePlainStack(store, { planes, rows: LINES, columns: COLUMNS, ...axes });
  await viewer.openPath(join(store, "zarr.json"));
  assert.equal(await viewer.text("#source h2"), "Line scan");
  await viewer.drawBand(...ACTIVE);
  await viewer.measureVelocities();
  await viewer.settle();
  assert(await page.locator("#velocity-chart").isVisible());
  const mean = async () => Number((await viewer.table("#csv-traces")).column("Mean").at(-1));
  const before = await mean();
  // The second plane becomes four times as bright.
  const chunk = new Uint8Array(streaks.map((value) => 4 * value).buffer);
  await Deno.writeFile(join(store, "0", "c", "1", "0", "0"), chunk);
  await Deno.writeTextFile(join(store, "0", "zarr.json"), "\n", { append: true });
  await page.focus("#source .plot");
  await page.keyboard.press("PageUp");
  await viewer.says("#status", "has changed and was reopened");
  assert.match(await viewer.text("#axis-z output"), /^2 \/ 2/);
  await viewer.settle();
  assert.equal(await viewer.bands.count(), 1);
  assert(await page.locator("#trace-chart").isVisible());
  assert(Math.abs(await mean() / before - 4) < 1e-6);
  assert.equal(await page.locator("#velocity-chart").isVisible(), false);
  assert.equal(await page.locator("#drawer-velocity .result").textContent(), "");
  viewer.faults.length = 0;
});

const made = { hasText: `${IMAGES} of ${IMAGES} images` };

test("rebuilds a kymograph after a change of its file and after a reload", async (viewer, page) => {
  const path = await viewer.openStack();
  await viewer.draw("line", ...SPOT_LINE);
  await Deno.writeFile(path, new Uint8Array(1), { append: true });
  await viewer.makeKymograph();
  await viewer.ended();
  assert.equal(await page.locator("#positions").isVisible(), false);
  await viewer.draw("band", [0.4, 0.4], [0.4, 0.6]);
  const { text } = await viewer.saved("#csv-traces");
  await viewer.reload();
  await page.locator("#measure-kymograph [role=status]", made).waitFor();
  await viewer.settle();
  assert.equal(await viewer.text("#source h2"), "Line scan");
  assert.equal((await viewer.saved("#csv-traces")).text, text);
  await page.click("#kymograph-back");
  assert.equal(await viewer.text("#source h2"), "Image");
  // Its line is still there.
  assert(await page.locator('#source polyline[stroke="#ffeb3b"]').count() > 0);
  assert.equal(await viewer.text("#kymograph-start"), "Make kymograph");
  assert(await page.locator("#kymograph-start").isEnabled());
  viewer.faults.length = 0;
});

test("shows a step that is requested while a changed file reopens", async (viewer, page) => {
  const path = await viewer.openStack();
  await Deno.writeFile(path, new Uint8Array(1), { append: true });
  // The planes of the file that is opened again wait for the next key.
  let letGo = () => {};
  const pressed = new Promise<void>((done) => letGo = done);
  viewer.requests.length = 0;
  await page.route("**/data*", async (route) => {
    if (viewer.opens.length > 0) await pressed;
    await route.continue().catch(() => {});
  });
  await page.focus("#source .plot");
  await page.keyboard.press(".");
  await page.locator("#open:disabled").waitFor();
  await page.keyboard.press(".");
  await page.keyboard.press(".");
  letGo();
  await viewer.ended();
  // The spot of image 3 is at column 15 of row 24: 220.
  const { x, y } = await viewer.place("source", [STACK_ROWS, STACK_COLUMNS], SPOT_ROW, 15);
  await page.mouse.move(x, y);
  await viewer.says("#source .readout", "220");
  await viewer.settle();
  assert.match(await viewer.text("#axis-t output"), /^4 \/ /);
  viewer.faults.length = 0;
});
