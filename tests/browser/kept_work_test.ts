/** Work outlives tab and browser, changes can be undone, and nothing counts as saved that is not. */
import assert from "node:assert/strict";
import { until } from "../deadline.ts";
import { startWithProfile } from "./browser.ts";
import { Viewer } from "./viewer.ts";
import { blockStorage, keptDrawn } from "./in_page.js";
import { ACTIVE } from "./measured_scan.ts";
import { contentOf } from "./saved_table.ts";
import { viewerSuite } from "./suite.ts";
import { temporaryFolder } from "../temporary_files.ts";

const { test, files } = viewerSuite();

/** Opens the measured scan and shows the channel that has events. */
async function openActive(viewer: Viewer): Promise<string> {
  const path = await viewer.openScan();
  await viewer.page.uncheck("#source-0-visible");
  return path;
}

const drawLine = (viewer: Viewer) => viewer.draw("line", [0.2, 0.8], [0.4, 0.2]);

async function tables(viewer: Viewer): Promise<string[]> {
  const texts = [];
  for (const name of ["traces", "velocity", "events", "lines", "cursors"]) {
    texts.push(JSON.stringify(contentOf(await viewer.table(`#csv-${name}`))));
  }
  return texts;
}

async function drawAll(viewer: Viewer): Promise<void> {
  await viewer.drawBand(...ACTIVE);
  await drawLine(viewer);
  await viewer.page.click("#tool-zoom");
  // The shown channel has no streaks.
  await viewer.unfold("velocity");
  await viewer.page.selectOption("#velocity-channel", "0");
  await viewer.measureVelocities();
  await viewer.findEvents("1");
  await viewer.page.locator("#drawer-events tbody input").first().fill("whisker");
  await viewer.unfold("cursors");
  await viewer.pin(100, 40);
}

const state = ({ page }: Viewer) => page.locator("#kept-words").textContent();

test("restores work and its results after the browser was closed, also for a moved file", async ({ server }) => {
  using temporary = temporaryFolder();
  const profile = temporary.path;
  let context = await startWithProfile(profile);
  const viewer = await Viewer.loadIn(context, server);
  const path = await openActive(viewer);
  await drawAll(viewer);
  const before = await tables(viewer);
  assert.match(before[1]!, /"Method",.*"measured"/);
  await viewer.kept();
  assert.equal(await state(viewer), "Kept in this browser.");
  await context.close();
  const moved = path.replace("vessel", "moved");
  await Deno.rename(path, moved);
  context = await startWithProfile(profile);
  const again = await Viewer.loadIn(context, server);
  await again.page.locator("#recent-size", { hasText: /^1 recording, \d+ kB$/ }).waitFor();
  assert.match(
    await again.text("#recent-list"),
    /^vessel\.oir\s+\d\d:\d\d.*\s+1 band, 1 line, \d+ velocities, 2 events, 1 cursor\s+×$/,
  );
  const where = await again.text("#kept-where");
  assert(where.includes(`in this browser for ${server.baseUrl}. Under another address`));
  await again.openPath(moved);
  const status = await again.text("#status");
  assert(status.includes(`with the work on ${path}, which has the same content`));
  assert.deepEqual(await tables(again), before);
  assert.deepEqual([...viewer.faults, ...again.faults], []);
  await context.close();
});

test("undoes and redoes each change, by buttons and keys", async (viewer, page) => {
  await openActive(viewer);
  await viewer.unfold("velocity", "events", "cursors", "lines");
  const drawn = async () => {
    await viewer.kept();
    return await page.evaluate(keptDrawn);
  };
  const steps: Record<string, () => Promise<void>> = {
    "draws a band": () => viewer.drawBand(...ACTIVE),
    "draws another": () => viewer.drawBand(5, 12),
    "names it, letter by letter": async () => {
      await page.locator("#measure-bands .pick").first().click();
      await page.fill("#shape-name", "");
      await page.locator("#shape-name").pressSequentially("soma");
    },
    "shows changes": () => page.check("#trace-change"),
    "sets the percentile": () => viewer.enter("#baseline-percentile", "20"),
    "averages": () => viewer.enter("#trace-average", "3"),
    "draws a line": () => drawLine(viewer),
    "sets the window": () => viewer.enter("#velocity-window", "40"),
    "measures velocities": () => viewer.measureVelocities(),
    "chooses the channel of events": async () => void await page.selectOption("#events-channel", "1"),
    "sets the threshold": () => viewer.enter("#events-height", "0.7"),
    "finds events": () => page.click("#events-start"),
    "writes a note, letter by letter": () =>
      page.locator("#drawer-events tbody input").first().pressSequentially("whisker"),
    "removes an event": () => page.locator("#drawer-events tbody button").last().click(),
    "pins a cursor": () => viewer.pin(100, 40),
    "pins another": () => viewer.pin(140, 20),
    "averages cursors": () => viewer.enter("#cursor-lines", "3"),
    "clears cursors": () => page.click("#cursor-clear"),
    "removes the line": () => page.locator("#measure-lines tbody .icon").click(),
    "clears events": () => page.click("#events-clear"),
    "finds them again": () => page.click("#events-start"),
    "removes the band with its events": () => page.locator("#measure-bands li .icon").first().click(),
  };
  const states = [await drawn()];
  for (const [step, work] of Object.entries(steps)) {
    await work();
    states.push(await drawn());
    assert.notDeepEqual(states.at(-1), states.at(-2), step);
  }
  await page.click("#tool-zoom");
  const names = Object.keys(steps);
  for (let i = names.length - 1; i >= 0; i -= 1) {
    await page.click("#undo");
    assert.deepEqual(await drawn(), states[i], `undoes: ${names[i]}`);
  }
  assert(await page.locator("#undo").isDisabled());
  await page.focus("#source .plot");
  for (let i = 0; i < names.length; i += 1) {
    await page.keyboard.press("Control+Shift+Z");
    assert.deepEqual(await drawn(), states[i + 1], `redoes: ${names[i]}`);
  }
  assert(await page.locator("#redo").isDisabled());
  await page.keyboard.press("Control+Z");
  assert.deepEqual(await drawn(), states.at(-2));
});

test("one of two tabs keeps the work, and the other says so and can take over", async (viewer, page) => {
  const path = await openActive(viewer);
  await viewer.drawBand(...ACTIVE);
  await viewer.kept();
  const other = await Viewer.loadIn(page.context(), viewer.server);
  await other.openPath(path);
  await other.says("#kept-words", "Another tab keeps the work");
  assert.equal(await other.bands.count(), 1);
  await other.drawBand(5, 12);
  await page.bringToFront();
  await viewer.drawBand(30, 33);
  await viewer.drawBand(34, 36);
  await viewer.kept();
  await other.page.bringToFront();
  await other.page.click("#take-over");
  await other.says("#kept-words", "Kept in this browser");
  assert.equal(await other.bands.count(), 2);
  assert.match(await other.text("#notice-text"), /^Another tab had kept other work .* Undo shows it\.$/);
  await viewer.says("#kept-words", "Another tab keeps the work");
  await other.page.click("#undo");
  assert.equal(await other.bands.count(), 3);
  assert.deepEqual(other.faults, []);
});

test("reports full storage, and saves what waits once there is room", async (viewer, page) => {
  const origin = viewer.server.baseUrl;
  const devtools = await page.context().newCDPSession(page);
  // Chromium remembers the free space for a while, so the storage is full from the start.
  await devtools.send("Storage.overrideQuotaForOrigin", { origin, quotaSize: 1 });
  await openActive(viewer);
  await viewer.drawBand(...ACTIVE);
  await viewer.says("#kept-words", "Not saved: the browser gives");
  // Leaving the recording asks first.
  const asked: string[] = [];
  for (const buttons of [["#recording-previous"], ["#more-ways", "#sample"]]) {
    page.once("dialog", (dialog) => {
      asked.push(dialog.message());
      dialog.dismiss();
    });
    for (const button of buttons) await page.click(button);
  }
  assert.deepEqual(asked, Array(2).fill("What you measured is not saved. Leave it?"));
  assert.equal(await viewer.bands.count(), 1);
  // So does closing the tab.
  const closing = page.waitForEvent("dialog");
  await page.close({ runBeforeUnload: true });
  const dialog = await closing;
  assert.equal(dialog.type(), "beforeunload");
  await dialog.dismiss();
  await devtools.send("Storage.overrideQuotaForOrigin", { origin });
  await viewer.drawBand(5, 12);
  await viewer.says("#kept-words", "Kept in this browser");
  assert.equal((await page.evaluate(keptDrawn)).regions.length, 2);
});

test("reports blocked storage, and measures without it", async (viewer, page) => {
  await page.addInitScript(blockStorage);
  await page.reload();
  await openActive(viewer);
  await viewer.says("#kept-words", "lets this page store nothing");
  await viewer.drawBand(...ACTIVE);
  assert.equal(await viewer.bands.count(), 1);
  assert.equal(await page.locator("#recent").isVisible(), false);
});

test("keeps work again after the storage is emptied", async (viewer, page) => {
  await openActive(viewer);
  await viewer.drawBand(...ACTIVE);
  await viewer.kept();
  const devtools = await page.context().newCDPSession(page);
  await devtools.send("Storage.clearDataForOrigin", {
    origin: viewer.server.baseUrl,
    storageTypes: "indexeddb",
  });
  await viewer.says("#notice-text", "The browser has removed all work");
  await viewer.says("#kept-words", "Kept in this browser");
  await until(
    async () => (await page.evaluate(keptDrawn))?.regions.length === 1,
    "the work to be kept again",
  );
});

test("shows work with a note if the same path has other content", async (viewer, page) => {
  const path = await openActive(viewer);
  await viewer.drawBand(...ACTIVE);
  await viewer.measureVelocities();
  await viewer.kept();
  await page.click("#more-ways");
  await page.click("#sample");
  await viewer.ended();
  assert.equal(
    await state(viewer),
    "Work on the sample is not kept, saved or restored. Open a file for that.",
  );
  assert(await page.isDisabled("#save"));
  assert.match((await page.getAttribute("#restore", "title"))!, /^The sample of the page is no file\. Open /);
  await Deno.writeFile(path, new Uint8Array(1), { append: true });
  await viewer.openPath(path);
  assert.equal(await page.getAttribute("#save", "title"), "Save recording and measurements");
  assert.match(await viewer.text("#notice-text"), /^The content of this file has changed since /);
  assert.equal(await viewer.bands.count(), 1);
  assert.equal(await page.locator("#drawer-velocity .result").textContent(), "");
  // The earlier work stays in the list until it is removed.
  await page.click("#more-ways");
  await page.locator("#recent-list li").nth(1).waitFor();
  page.once("dialog", (dialog) => dialog.accept());
  await page.click("#recent-list li:nth-child(2) .icon");
  await page.locator("#recent-list li").nth(1).waitFor({ state: "detached" });
  assert.equal(await page.locator("#recent-list li").count(), 1);
});

test("a browser without locks works, and says that nothing is kept", async (viewer, page) => {
  await page.addInitScript("Object.defineProperty(Navigator.prototype, 'locks', { value: undefined })");
  await page.reload();
  await viewer.openPath(files.scan);
  await page.locator("#kept.bad #kept-words", { hasText: "lacks the locks" }).waitFor();
  assert.equal(await page.locator("#take-over").isVisible(), false);
  await viewer.draw("band", [0.4, 0.3], [0.45, 0.6]);
  assert.equal(await viewer.bands.count(), 1);
  await viewer.settle();
  assert.match((await page.locator("#kept-words").textContent())!, /lacks the locks/);
});
