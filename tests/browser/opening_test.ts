/** Opening: facts about a file, lifetime of sessions, cancelling and errors. */
import assert from "node:assert/strict";
import { join } from "node:path";
import type { Route } from "playwright-core";
import type { Viewer } from "./viewer.ts";
import { forgetStatus, wasCancelled } from "./in_page.js";
import { viewerSuite } from "./suite.ts";

const { test, files } = viewerSuite();

async function sessionStatus(viewer: Viewer, id: string): Promise<number> {
  const response = await fetch(`${viewer.server.baseUrl}/api/v2/sessions/${id}`);
  await response.body?.cancel();
  return response.status;
}

test("the heading has name, pixels, steps and warnings, the status disappears", async (viewer, page) => {
  await page.clock.install();
  await viewer.open(files.scan);
  assert.equal(await viewer.text("#status"), "Opened scan.oir");
  assert.equal(await viewer.text("#title"), "scan.oir");
  assert.match(
    await viewer.text("#facts"),
    // 200 x 2.118 ms = 423.6 ms, 64 x 0.45 um = 28.8 um.
    /^2\.118 ms\/line · 0\.45 µm\/px · 200 lines \(424 ms\) · 64 px \(28\.8 µm\) · 2 channels · uint16/,
  );
  assert.match(await viewer.text("#warnings"), /114\.0 pixels/);
  assert.match(await viewer.text("#server"), /^acq-server \d+\.\d+\.\d+ · API v2$/);
  await page.click("#developers > summary");
  await page.click('#developers > details > summary >> text="Server"');
  assert.match(await viewer.text("#server-facts"), /\.oir/);
  await page.clock.fastForward("00:10");
  await page.locator("#status:empty").waitFor({ state: "attached" });
});

test("opening another file deletes the first session, and so does leaving", async (viewer) => {
  const first = await viewer.open(files.scan);
  assert.equal(await sessionStatus(viewer, first), 200);
  const second = await viewer.open(files.image);
  assert.notEqual(first, second);
  assert.equal(await sessionStatus(viewer, first), 404);
  assert.equal(await sessionStatus(viewer, second), 200);
  await viewer.page.goto("about:blank");
  for (let tries = 0; tries < 50 && await sessionStatus(viewer, second) === 200; tries += 1) {
    await new Promise((done) => setTimeout(done, 20));
  }
  assert.equal(await sessionStatus(viewer, second), 404);
});

test("a closed dialog and Cancel are not errors", async (viewer, page) => {
  viewer.server.cancel();
  await page.click("#open");
  await page.waitForFunction(wasCancelled);
  assert.equal(await page.locator("#status.bad").count(), 0);
  assert(await page.locator("#empty").isVisible());
  viewer.server.wait();
  await page.click("#open-first");
  await page.waitForSelector("#transfer:not([hidden])");
  await page.keyboard.press("Escape");
  await page.waitForSelector("#transfer", { state: "hidden" });
  assert.equal(await viewer.text("#status"), "Cancelled");
  assert.equal(await page.locator("#status.bad").count(), 0);
  // The dialog went with its request, so the next one is free.
  await viewer.open(files.scan);
  viewer.server.wait();
  await page.click("#open");
  await page.waitForSelector("#transfer:not([hidden])");
  await viewer.openCard("source-0");
  await page.focus("#source-0-Min");
  await page.keyboard.press("Escape");
  await page.waitForFunction(wasCancelled);
  viewer.server.cancel();
  await page.click("#open");
  await page.waitForFunction(wasCancelled);
  assert(await page.locator("#viewer").isVisible(), "the open file stays");
});

test("describes errors in plain words, with code and message under Details", async (viewer, page) => {
  const missing = join(viewer.server.folder, "missing.oir");
  const damaged = join(viewer.server.folder, "damaged.oir");
  const unknown = join(viewer.server.folder, "notes.doc");
  for (const path of [damaged, unknown]) await Deno.writeTextFile(path, "no image");
  for (
    const [path, words, code, message] of [
      [missing, /^There is no file at this path/, "path_not_found", /missing\.oir/],
      [damaged, /^The file cannot be read: it is damaged/, "decode_failed", /^Cannot read "damaged\.oir"/],
      [unknown, /^The server does not read this kind/, "unsupported_format", /^"notes/],
    ] as const
  ) {
    viewer.server.choose(path);
    await page.click("#open");
    await page.waitForSelector("#status.bad");
    await page.waitForSelector("#transfer", { state: "hidden" });
    assert.match(await viewer.text("#fault-words"), words);
    // The dialog alone knew what was chosen; the server's message has its path or name.
    assert(path.endsWith(await viewer.text("#fault-file")) && await viewer.text("#fault-file") !== "");
    assert.equal(await page.locator("#fault-code").isVisible(), false);
    await page.click("#fault summary");
    assert.equal(await viewer.text("#fault-code"), code);
    assert.match(await viewer.text("#fault-message"), message);
    const link = page.locator("#fault-manual");
    assert.equal(await link.isVisible(), path === unknown);
    if (path === unknown) assert.equal(await link.getAttribute("href"), "/README.md#what-it-reads");
    await page.evaluate(forgetStatus);
  }
  await viewer.open(files.scan);
  assert.equal(await page.locator("#fault").isVisible(), false);
  await page.click("#warnings-close");
  assert.equal(await page.locator("#warnings").isVisible(), false);
  await viewer.openPath(missing);
  assert.equal(await viewer.text("#status"), "Failed");
  await page.click("#fault-close");
  assert.equal(await page.locator("#fault").isVisible(), false);
  assert.equal(await viewer.text("#status"), "");
  assert(await page.locator("#viewer").isVisible(), "the open file stays");
  // Chromium writes failed requests to the console by itself.
  const others = viewer.faults.filter((fault) => !/status of (404|415|500)/.test(fault));
  assert.deepEqual(others, []);
  viewer.faults.length = 0;
});

test("a long opening shows file, time and bytes; cancelled it leaves no session", async (viewer, page) => {
  // Neither the opening nor the planes come before the test lets them.
  const held: Record<"open" | "data", Route[]> = { open: [], data: [] };
  await page.route("**/api/v2/open", (route) => void held.open.push(route));
  await page.route("**/data", (route) => void held.data.push(route));
  await page.fill("#path-field", files.scan);
  await page.click("#path-open");
  await viewer.says("#progress-text", "Reading scan.oir … ");
  assert.match(await viewer.text("#progress-text"), / … \d+ s$/);
  assert(await page.locator("#cancel").isVisible());
  await held.open.pop()!.continue();
  // Two channels of 200 x 64 and two of 128 x 128 samples of 4 bytes: 233,472.
  await viewer.says("#progress-text", "0.0 MB of 0.2 MB");
  const [session] = held.data[0]!.request().url().match(/(?<=sessions\/)[0-9a-f]+/)!;
  const deleted = page.waitForResponse((response) => response.request().method() === "DELETE");
  await page.click("#cancel");
  assert((await deleted).url().endsWith(session));
  assert.equal((await deleted).status(), 200);
  await page.waitForFunction(wasCancelled);
  assert.equal(await page.locator("#transfer").isVisible(), false);
  assert.equal(await page.locator("#fault").isVisible(), false);
  await page.unrouteAll({ behavior: "ignoreErrors" });
});
