/** Sessions that end, servers that start again and files that change: the page continues. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Viewer } from "./viewer.ts";
import { viewerSuite } from "./suite.ts";

const SERIES = fileURLToPath(new URL("../../examples/time_series.ome.tif", import.meta.url));

const { test } = viewerSuite();

/** Steps one time point on and waits for the picture. */
async function step({ page }: Viewer): Promise<void> {
  const answer = page.waitForResponse((response) => /data\?t=/.test(response.url()) && response.ok());
  await page.keyboard.press(".");
  await answer;
}

async function view(viewer: Viewer): Promise<unknown> {
  const { page } = viewer;
  return [await viewer.labels(), await page.inputValue("#source-0-Max")];
}

async function opened(viewer: Viewer, path = SERIES): Promise<unknown> {
  const { page } = viewer;
  await viewer.open(path);
  await page.locator("#source .plot").focus();
  await page.keyboard.press("+");
  await viewer.openCard("source-0");
  await viewer.enter("#source-0-Max", "777");
  await page.locator("#source .plot").focus();
  return await view(viewer);
}

test("without paths the page asks once for the file", async (viewer, page) => {
  const before = await opened(viewer);
  await new Promise((done) => setTimeout(done, 1200));
  await page.keyboard.press(".");
  await page.waitForSelector("#notice:not([hidden])");
  assert.match(await viewer.text("#notice-text"), /has closed this file/);
  assert(await page.locator("#viewer").isVisible(), "the loaded planes stay");
  await page.click("#notice-action");
  await page.waitForSelector("#notice", { state: "hidden" });
  await viewer.ended();
  assert.deepEqual(await view(viewer), before);
  viewer.faults.length = 0;
}, { flags: ["--dialog-only", "--session-ttl", "1s"] });

test("the view survives a restart of the server, and a changed file reopens", async (viewer) => {
  const { server } = viewer;
  const path = join(server.folder, "growing.ome.tif");
  await Deno.copyFile(SERIES, path);
  const before = await opened(viewer, path);
  await server.stop();
  await server.resume();
  await step(viewer);
  assert.deepEqual(await view(viewer), before);
  assert.equal(await viewer.page.locator("#fault").isVisible(), false);
  await Deno.writeFile(path, new Uint8Array(1), { append: true });
  await step(viewer);
  await viewer.ended();
  assert.match(await viewer.text("#axis-t output"), /^3 \/ 12/);
  assert.equal(await viewer.page.locator("#fault").isVisible(), false);
  assert.match(await viewer.text("#status"), /has changed and was reopened/);
  // The sliders return to the shown position after a failure.
  await server.stop();
  await viewer.page.focus("#position-t");
  await viewer.page.keyboard.press("End");
  await viewer.page.locator("#fault").waitFor();
  assert.match(await viewer.text("#axis-t output"), /^3 \/ 12/);
  assert.equal(await viewer.text("#status"), "Failed");
  // A successful step clears the failure.
  await server.resume();
  await viewer.page.keyboard.press("End");
  await viewer.page.locator("#axis-t output").filter({ hasText: /^12 / }).waitFor();
  await viewer.page.locator("#fault").waitFor({ state: "hidden" });
  assert.notEqual(await viewer.text("#status"), "Failed");
  viewer.faults.length = 0;
}, { flags: [] });
