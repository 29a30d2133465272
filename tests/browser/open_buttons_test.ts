/** The ways to open something: path, recent work, links, the sample, drops; what the server forbids is hidden; `/docs`. */
import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { dropFile, forgetStatus } from "./in_page.js";
import { serveHtml, viewerSuite } from "./suite.ts";

const SCAN = fileURLToPath(new URL("../../examples/line_scan.oir", import.meta.url));

const { test, files } = viewerSuite("--host-resolver-rules=MAP attacker.test 127.0.0.1");

test("a path, recent work, the sample and a drop; reload keeps file and view", async (viewer, page) => {
  assert.equal(await page.locator("#recent").isVisible(), false);
  // A dropped file does not replace the page.
  const wasPrevented = await page.evaluate(dropFile, { name: "cells.tif", bytes: [1] });
  assert.deepEqual(wasPrevented, [true, true]);
  assert.match(
    await viewer.text("#notice-text"),
    /^cells\.tif was not opened: .* Choose it with “Open file…”, or type its path/,
  );
  await page.click("#notice-close");
  assert.equal(await page.locator("#notice").isVisible(), false);
  // As Windows copies it.
  await viewer.enter("#path-field", ` "${SCAN}" `);
  await viewer.ended();
  assert.equal(await viewer.text("#title"), "line_scan.oir");
  assert.equal(new URL(page.url()).hash, `#path=${SCAN}`);
  // A view of one's own.
  await page.locator("#source .plot").focus();
  await page.keyboard.press("+");
  await page.selectOption("#source-0-lut", "viridis");
  await viewer.openCard("source-0");
  await viewer.enter("#source-0-Max", "777");
  const labels = () => viewer.labels();
  const seen = await labels();
  viewer.requests.length = 0;
  await viewer.reload();
  assert.deepEqual(viewer.opens, ["POST /api/v2/open"]);
  assert.deepEqual(await labels(), seen);
  assert.equal(await page.inputValue("#source-0-lut"), "viridis");
  assert.equal(await page.inputValue("#source-0-Max"), "777");
  // The list of recent work, from another place of the page; it leaves out views alone.
  await page.click("#more-ways");
  await page.locator("#path-field").waitFor();
  assert.equal(await page.locator("#recent").isVisible(), false);
  await page.keyboard.press("Escape");
  await page.click("#add-band");
  await viewer.kept();
  await page.click("#more-ways");
  await page.click(".recent");
  await page.waitForSelector("#ways-dialog", { state: "hidden" });
  await viewer.ended();
  await page.click("#more-ways");
  assert.equal(await page.locator("#recent .icon").isVisible(), false, "what is open is not removed");
  await page.evaluate(forgetStatus);
  await page.click("#sample");
  await viewer.ended();
  assert(await page.locator("#sample-mark").isVisible());
  assert.match(await viewer.text("#status"), /^Sample: /);
  assert.equal(new URL(page.url()).hash, "");
  await page.reload();
  await page.waitForSelector("#path-form:not([hidden])");
  assert(await page.locator("#empty").isVisible(), "the sample is not kept for a reload");
  page.once("dialog", (dialog) => dialog.accept());
  await page.click("#recent .icon");
  await page.waitForSelector("#recent", { state: "hidden" });
});

test("a link fills the field and waits for a click, also beside an open file", async (viewer, page) => {
  const link = `${viewer.server.baseUrl}/demo/v2/#path=${SCAN}`;
  await using site = serveHtml(`<a href="${link}">x</a>`);
  await viewer.openPath(files.image);
  viewer.requests.length = 0;
  await page.goto(`http://attacker.test:${site.addr.port}/`);
  viewer.faults.length = 0;
  await page.click("a");
  await page.waitForSelector("#path-note:not([hidden])");
  assert.equal(await page.inputValue("#path-field"), SCAN);
  // Everything that the page asks for by itself has been asked for.
  await page.waitForLoadState("networkidle");
  assert.deepEqual(viewer.opens, []);
  await page.click("#path-open");
  await viewer.ended();
  assert.deepEqual(viewer.opens, ["POST /api/v2/open"]);
  assert.equal(await viewer.text("#title"), "line_scan.oir");
  // A link names scene and time point.
  const series = SCAN.replace("line_scan.oir", "time_series.ome.tif");
  await page.goto(`${viewer.server.baseUrl}/demo/v2/#path=${series}&t=7`);
  await page.waitForSelector("#path-note:not([hidden])");
  await page.click("#path-open");
  await viewer.ended();
  assert.match(await viewer.text("#axis-t output"), /^8 \/ 12 · 3\.5/);
  assert.equal(new URL(page.url()).hash, `#path=${series}&t=7`);
});

test("--dialog-only hides paths and links, and asks for none", async (viewer, page) => {
  for (const id of ["#path-form", "#more-ways", "#recent", "#no-dialog"]) {
    assert.equal(await page.locator(id).isVisible(), false, id);
  }
  await viewer.open(SCAN);
  assert.equal(new URL(page.url()).hash, "");
  assert.deepEqual(await page.evaluate("[localStorage.length, sessionStorage.length]"), [0, 0]);
  await viewer.settle();
  assert.equal(await page.locator("#recording-steps").isVisible(), false);
  assert.equal(viewer.requests.includes("POST /api/v2/list"), false);
  await page.reload();
  await page.waitForSelector("#empty:not([hidden])");
}, { flags: ["--dialog-only"] });

test("without a display the page explains and offers the path", async (viewer, page) => {
  assert.match(
    await viewer.text("#no-dialog"),
    /no display or no program for a file dialog\. Type the path/,
  );
  assert.equal(await page.locator("#open-first").isVisible(), false);
  await viewer.openPath(SCAN);
  await page.click("#add-band");
  await viewer.kept();
  assert.equal(await page.locator("#more-ways").isVisible(), false, "one button for one thing");
  await page.click("#open");
  assert(await page.locator("#ways-dialog #path-field").isVisible(), "the button leads to the path");
  await page.locator("#ways-dialog #recent").waitFor();
}, { hasDisplay: false });

test("shows the contract without any other host and without an error", async ({ page, server }) => {
  await page.goto(`${server.baseUrl}/docs`);
  await page.getByText("/api/v2/pick-and-open").first().waitFor();
  assert.equal(await page.locator(".errors-wrapper").count(), 0);
  // A request made from the page itself.
  await page.locator("#operations-service-health .opblock-summary-control").click();
  await page.locator("#operations-service-health .execute").click();
  await page.getByText('"server_version"').first().waitFor();
});
