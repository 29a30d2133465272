/** Work outlives tab and browser, changes can be undone, and nothing counts as saved that is not. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { until } from "../deadline.ts";
import { startWithProfile, Viewer } from "./browser.ts";
import { blockStorage, hasText, keptDrawn, openingEnded } from "./in_page.js";
import { ACTIVE, measuredScan, SCAN_SHAPE } from "./measured_scan.ts";
import { measuredStack, SPOT_LINE } from "./measured_stack.ts";
import { dragOver, drawBand, saved, unfold } from "./measuring_hand.ts";
import { viewerSuite } from "./suite.ts";

const { test } = viewerSuite();

/** Opens a line scan of its own. */
async function openScan(viewer: Viewer): Promise<string> {
  const path = join(viewer.server.folder, `work${crypto.randomUUID()}.oir`);
  // Files of the same content share their work.
  const mark = crypto.getRandomValues(new Uint8Array(16));
  await Deno.writeFile(path, new Uint8Array([...measuredScan(), ...mark]));
  await viewer.openPath(path);
  // The other channel has events.
  await viewer.page.uncheck("#source-0-visible");
  return path;
}

async function measureVelocities({ page }: Viewer): Promise<void> {
  await page.click("#velocity-start");
  await page.locator("#measure-velocity .result", { hasText: "With a velocity" }).waitFor();
}

async function pin(viewer: Viewer, line: number, column: number): Promise<void> {
  await viewer.page.focus("#source .plot");
  const { x, y } = await viewer.place("source", SCAN_SHAPE, line, column);
  await viewer.page.mouse.move(x, y);
  await viewer.page.keyboard.press("x");
}

async function drawLine(viewer: Viewer): Promise<void> {
  await viewer.page.click("#tool-line");
  await dragOver(viewer, "source", [0.2, 0.8], [0.4, 0.2]);
}

/** All tables that can be saved. */
async function tables(viewer: Viewer): Promise<string[]> {
  const texts = [];
  for (const name of ["traces", "velocity", "events", "lines", "cursors"]) {
    texts.push((await saved(viewer, `#csv-${name}`)).text);
  }
  return texts;
}

/** One of each. */
async function drawAll(viewer: Viewer): Promise<void> {
  for (const part of ["velocity", "events", "cursors"]) await unfold(viewer, part);
  await drawBand(viewer, ...ACTIVE);
  await drawLine(viewer);
  await viewer.page.click("#tool-zoom");
  await measureVelocities(viewer);
  await viewer.page.selectOption("#events-channel", "1");
  await viewer.page.click("#events-start");
  await viewer.page.locator("#measure-events tbody input").first().fill("whisker");
  await pin(viewer, 100, 40);
}

const state = ({ page }: Viewer) => page.locator("#kept-words").textContent();

test("work and its results come back after the tab was closed, also where the file lies elsewhere", async (viewer) => {
  const { page, server } = viewer;
  const path = await openScan(viewer);
  await drawAll(viewer);
  const before = await tables(viewer);
  assert.match(before[1]!, /\r\nMethod,[^]*measured/);
  await viewer.kept();
  assert.equal(await state(viewer), "Kept in this browser.");
  await page.close();
  const moved = path.replace("work", "moved");
  await Deno.rename(path, moved);
  const again = await Viewer.loadIn(page.context(), server);
  await again.page.locator("#recent-size", { hasText: /^1 recording, \d+ kB$/ }).waitFor();
  assert.match(
    await again.text("#recent-list"),
    /^work.*\.oir\s+\d\d:\d\d.*\s+1 band, 1 line, \d+ velocities, 2 events, 1 cursor\s+×$/,
  );
  assert(
    (await again.text("#kept-where")).includes(
      `in this browser for ${server.baseUrl}. Under another address`,
    ),
  );
  await again.openPath(moved);
  const after = await tables(again);
  // The name and the path of the file differ.
  assert((await again.text("#status")).includes(`with the work on ${path}, which has the same content`));
  const body = (text: string) => text.split("\r\n").slice(2).join("\n");
  assert.deepEqual(after.map(body), before.map(body));
  assert.deepEqual(again.faults, []);
});

test("each change is undone and redone, by buttons and keys", async (viewer) => {
  const { page } = viewer;
  await openScan(viewer);
  for (const part of ["velocity", "events", "cursors"]) await unfold(viewer, part);
  const drawn = async () => {
    await viewer.kept();
    return await page.evaluate(keptDrawn);
  };
  const pickBand = (place: number) => page.locator("#measure-bands .pick").nth(place).click();
  const steps: Record<string, () => Promise<void>> = {
    "draws a band": () => drawBand(viewer, ...ACTIVE),
    "draws another": () => drawBand(viewer, 5, 12),
    "names it, letter by letter": async () => {
      await pickBand(0);
      await page.fill("#shape-name", "");
      await page.locator("#shape-name").pressSequentially("soma");
    },
    "names the other": async () => {
      await pickBand(1);
      await page.fill("#shape-name", "quiet");
    },
    "colours it": () => page.fill("#shape-color", "#ff0000"),
    "shows changes": () => page.check("#trace-change"),
    "sets the percentile": () => viewer.enter("#baseline-percentile", "20"),
    "averages": () => viewer.enter("#trace-average", "3"),
    "draws a line": () => drawLine(viewer),
    "sets the window": () => viewer.enter("#velocity-window", "40"),
    "measures velocities": () => measureVelocities(viewer),
    "chooses the channel of events": async () => void await page.selectOption("#events-channel", "1"),
    "sets the threshold": () => viewer.enter("#events-height", "0.7"),
    "finds events": () => page.click("#events-start"),
    "writes a note": () => page.locator("#measure-events tbody input").first().fill("whisker"),
    "removes an event": () => page.locator("#measure-events tbody button").last().click(),
    "pins a cursor": () => pin(viewer, 100, 40),
    "pins another": () => pin(viewer, 140, 20),
    "averages cursors": () => viewer.enter("#cursor-lines", "3"),
    "clears cursors": () => page.click("#cursor-clear"),
    "removes the line": () => page.locator("#measure-lines tbody .icon").click(),
    "clears events": () => page.click("#events-clear"),
    "finds them again": () => page.click("#events-start"),
    "removes the band with its events": () => page.locator("#measure-bands li .icon").first().click(),
  };
  await unfold(viewer, "lines");
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

test("the line of a kymograph is undone and redone", async (viewer) => {
  const { page, server } = viewer;
  const path = join(server.folder, "spot.ome.tif");
  await Deno.writeFile(path, measuredStack());
  await viewer.openPath(path);
  const line = page.locator('#source polyline[stroke="#ffeb3b"]');
  await page.click("#tool-line");
  await dragOver(viewer, "source", ...SPOT_LINE);
  await viewer.enter("#kymograph-width", "5");
  await page.click("#undo");
  assert.equal(await page.inputValue("#kymograph-width"), "1");
  await page.click("#undo");
  await viewer.settle();
  assert.equal(await line.count(), 0);
  assert(await page.locator("#kymograph-start").isDisabled());
  await page.click("#redo");
  await viewer.settle();
  assert.notEqual(await line.count(), 0);
  assert(await page.locator("#kymograph-start").isEnabled());
});

test("of two tabs one keeps the work, and the other says so and can take over", async (viewer) => {
  const { page, server } = viewer;
  const path = await openScan(viewer);
  await drawBand(viewer, ...ACTIVE);
  await viewer.kept();
  const other = await Viewer.loadIn(page.context(), server);
  await other.openPath(path);
  await other.page.waitForFunction(hasText, { selector: "#kept-words", text: "Another tab keeps the work" });
  assert.equal(await other.page.locator("#measure-bands li").count(), 1);
  await drawBand(other, 5, 12);
  await page.bringToFront();
  await drawBand(viewer, 30, 33);
  await drawBand(viewer, 34, 36);
  await viewer.kept();
  await other.page.bringToFront();
  await other.page.click("#take-over");
  await other.page.waitForFunction(hasText, { selector: "#kept-words", text: "Kept in this browser" });
  assert.equal(await other.page.locator("#measure-bands li").count(), 2);
  assert.match(await other.text("#notice-text"), /^Another tab had kept other work .* Undo shows it\.$/);
  await page.waitForFunction(hasText, { selector: "#kept-words", text: "Another tab keeps the work" });
  await other.page.click("#undo");
  assert.equal(await other.page.locator("#measure-bands li").count(), 3);
  assert.deepEqual(other.faults, []);
});

test("full storage is told, and what waits is saved once there is room", async (viewer) => {
  const { page, server } = viewer;
  const origin = server.baseUrl;
  const devtools = await page.context().newCDPSession(page);
  // Chromium remembers for a while how much room there was, so there is none from the start.
  await devtools.send("Storage.overrideQuotaForOrigin", { origin, quotaSize: 1 });
  await openScan(viewer);
  await drawBand(viewer, ...ACTIVE);
  await page.waitForFunction(hasText, { selector: "#kept-words", text: "Not saved: the browser gives" });
  // Leaving the recording asks first.
  const asked: string[] = [];
  page.once("dialog", (dialog) => {
    asked.push(dialog.message());
    dialog.dismiss();
  });
  await page.click("#more-ways");
  await page.click("#sample");
  assert.deepEqual(asked, ["What you measured is not saved. Leave it?"]);
  assert.equal(await page.locator("#measure-bands li").count(), 1);
  // So does closing the tab.
  const closing = page.waitForEvent("dialog");
  await page.close({ runBeforeUnload: true });
  const dialog = await closing;
  assert.equal(dialog.type(), "beforeunload");
  await dialog.dismiss();
  await devtools.send("Storage.overrideQuotaForOrigin", { origin });
  await drawBand(viewer, 5, 12);
  await page.waitForFunction(hasText, { selector: "#kept-words", text: "Kept in this browser" });
  assert.equal((await page.evaluate(keptDrawn)).bands.length, 2);
});

test("blocked storage is told, and the page measures without it", async (viewer) => {
  const { page } = viewer;
  await page.addInitScript(blockStorage);
  await page.reload();
  await openScan(viewer);
  await page.waitForFunction(hasText, { selector: "#kept-words", text: "lets this page store nothing" });
  await drawBand(viewer, ...ACTIVE);
  assert.equal(await page.locator("#measure-bands li").count(), 1);
  assert.equal(await page.locator("#recent").isVisible(), false);
});

test("work is kept again when the storage is emptied", async (viewer) => {
  const { page, server } = viewer;
  await openScan(viewer);
  await drawBand(viewer, ...ACTIVE);
  await viewer.kept();
  const devtools = await page.context().newCDPSession(page);
  await devtools.send("Storage.clearDataForOrigin", { origin: server.baseUrl, storageTypes: "indexeddb" });
  await page.waitForFunction(hasText, { selector: "#notice-text", text: "The browser has removed all work" });
  await page.waitForFunction(hasText, { selector: "#kept-words", text: "Kept in this browser" });
  await until(async () => (await page.evaluate(keptDrawn))?.bands.length === 1, "the work to be kept again");
});

test("the same path with another content shows the work with a note", async (viewer) => {
  const { page } = viewer;
  const path = await openScan(viewer);
  await drawBand(viewer, ...ACTIVE);
  await unfold(viewer, "velocity");
  await measureVelocities(viewer);
  await viewer.kept();
  await page.click("#more-ways");
  await page.click("#sample");
  await page.waitForFunction(openingEnded);
  assert.equal(await state(viewer), "Work on the sample is not kept.");
  await Deno.writeFile(path, new Uint8Array(1), { append: true });
  await page.click("#more-ways");
  await viewer.openPath(path);
  assert.match(await viewer.text("#notice-text"), /^The content of this file has changed since /);
  assert.equal(await page.locator("#measure-bands li").count(), 1);
  assert.equal(await page.locator("#measure-velocity .result").textContent(), "");
  // The earlier work stays in the list until it is removed.
  await page.click("#more-ways");
  await page.locator("#recent-list li").nth(1).waitFor();
  page.once("dialog", (dialog) => dialog.accept());
  await page.click("#recent-list li:nth-child(2) .icon");
  await page.locator("#recent-list li").nth(1).waitFor({ state: "detached" });
  assert.equal(await page.locator("#recent-list li").count(), 1);
});

test("work comes back after the browser was closed", async ({ server }) => {
  const profile = await Deno.makeTempDir({ prefix: "profile_" });
  try {
    let context = await startWithProfile(profile);
    let viewer = await Viewer.loadIn(context, server);
    await openScan(viewer);
    await drawBand(viewer, ...ACTIVE);
    await viewer.kept();
    await context.close();
    context = await startWithProfile(profile);
    viewer = await Viewer.loadIn(context, server);
    await viewer.page.click(".recent");
    await viewer.page.waitForFunction(openingEnded);
    assert.equal(await viewer.page.locator("#measure-bands li").count(), 1);
    assert.deepEqual(viewer.faults, []);
    await context.close();
  } finally {
    await Deno.remove(profile, { recursive: true });
  }
});
