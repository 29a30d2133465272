/** The ways to open something: path, recent work, links, the sample, drops; what the server forbids is hidden; `/docs`. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { writePlainStore } from "../fixtures/plain_store.ts";
import type { Viewer } from "./browser.ts";
import { dropFile, forgetStatus, openingEnded } from "./in_page.js";
import { openCard, viewerSuite } from "./suite.ts";

const SCAN = fileURLToPath(new URL("../../examples/line_scan.oir", import.meta.url));

const { test } = viewerSuite("--host-resolver-rules=MAP attacker.test 127.0.0.1");

/** Requests to the API that open something, since the page was loaded. */
function opensOf({ page }: Viewer): string[] {
  const opens: string[] = [];
  page.on("request", (request) => {
    const { pathname } = new URL(request.url());
    if (/open$/.test(pathname)) opens.push(pathname);
  });
  return opens;
}

async function ended({ page }: Viewer): Promise<void> {
  await page.waitForFunction(openingEnded);
}

test("a path, recent work and the sample; reload keeps file and view", async (viewer) => {
  const { page } = viewer;
  assert.equal(await page.locator("#recent").isVisible(), false);
  // As Windows copies it.
  await viewer.enter("#path-field", ` "${SCAN}" `);
  await ended(viewer);
  assert.equal(await viewer.text("#title"), "line_scan.oir");
  assert.equal(new URL(page.url()).hash, `#path=${SCAN}`);
  // A view of one's own.
  await page.locator("#source .plot").focus();
  await page.keyboard.press("+");
  await page.selectOption("#source-0-lut", "viridis");
  await openCard(viewer, "source-0");
  await viewer.enter("#source-0-Max", "777");
  const labels = () => viewer.labels();
  const seen = await labels();
  const opens = opensOf(viewer);
  await viewer.reload();
  assert.deepEqual(opens, ["/api/v2/open"]);
  assert.deepEqual(await labels(), seen);
  assert.equal(await page.inputValue("#source-0-lut"), "viridis");
  assert.equal(await page.inputValue("#source-0-Max"), "777");
  // The list of recent work, from another place of the page.
  await page.click("#more-ways");
  await page.click(".recent");
  await page.waitForSelector("#ways-dialog", { state: "hidden" });
  await ended(viewer);
  await page.click("#more-ways");
  assert.equal(await page.locator("#recent .icon").isVisible(), false, "what is open is not removed");
  await page.evaluate(forgetStatus);
  await page.click("#sample");
  await ended(viewer);
  assert(await page.locator("#sample-mark").isVisible());
  assert.match(await viewer.text("#status"), /^Sample: /);
  assert.equal(new URL(page.url()).hash, "");
  await page.reload();
  await page.waitForSelector("#path-form:not([hidden])");
  assert(await page.locator("#empty").isVisible(), "the sample is not kept for a reload");
  // A view alone goes without a question.
  await page.click("#recent .icon");
  await page.waitForSelector("#recent", { state: "hidden" });
});

test("a link fills the field and waits for a click, also in a tab that has another file open", async (viewer) => {
  const { page, server } = viewer;
  const other = join(server.folder, "other.ome.zarr");
  const step = { step: 0.5, unit: "micrometer" };
  await writePlainStore(other, { planes: [new Uint16Array(6)], rows: 2, columns: 3, y: step, x: step });
  const link = `${server.baseUrl}/demo/v2/#path=${SCAN}`;
  const site = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen: () => {} },
    () => new Response(`<a href="${link}">x</a>`, { headers: { "Content-Type": "text/html" } }),
  );
  try {
    await viewer.openPath(other);
    const opens = opensOf(viewer);
    await page.goto(`http://attacker.test:${site.addr.port}/`);
    viewer.faults.length = 0;
    await page.click("a");
    await page.waitForSelector("#path-note:not([hidden])");
    assert.equal(await page.inputValue("#path-field"), SCAN);
    // Everything that the page asks for by itself has been asked for.
    await page.waitForLoadState("networkidle");
    assert.deepEqual(opens, []);
    await page.click("#path-open");
    await ended(viewer);
    assert.deepEqual(opens, ["/api/v2/open"]);
    assert.equal(await viewer.text("#title"), "line_scan.oir");
  } finally {
    await site.shutdown();
  }
});

test("a link names scene and time point", async (viewer) => {
  const { server } = viewer;
  const { page } = viewer;
  const series = SCAN.replace("line_scan.oir", "time_series.ome.tif");
  await page.goto(`${server.baseUrl}/demo/v2/#path=${series}&t=7`);
  await page.waitForSelector("#path-note:not([hidden])");
  await page.click("#path-open");
  await ended(viewer);
  assert.match(await viewer.text("#axis-t output"), /^8 \/ 12 · 3\.5/);
  assert.equal(new URL(page.url()).hash, `#path=${series}&t=7`);
});

test("--dialog-only hides paths and links, and asks for none", async (viewer) => {
  const { page } = viewer;
  const asked: string[] = [];
  page.on("request", (request) => asked.push(new URL(request.url()).pathname));
  for (const id of ["#path-form", "#more-ways", "#recent", "#no-dialog"]) {
    assert.equal(await page.locator(id).isVisible(), false, id);
  }
  await viewer.open(SCAN);
  assert.equal(new URL(page.url()).hash, "");
  assert.deepEqual(await page.evaluate("[localStorage.length, sessionStorage.length]"), [0, 0]);
  await viewer.settle();
  assert.equal(await page.locator("#recording-steps").isVisible(), false);
  assert.equal(asked.includes("/api/v2/list"), false);
  await page.reload();
  await page.waitForSelector("#empty:not([hidden])");
}, { flags: ["--dialog-only"] });

test("without a display the page explains and offers the path", async (viewer) => {
  const { page } = viewer;
  assert.match(
    await viewer.text("#no-dialog"),
    /no display or no program for a file dialog\. Type the path/,
  );
  assert.equal(await page.locator("#open-first").isVisible(), false);
  await viewer.openPath(SCAN);
  assert.equal(await page.locator("#more-ways").isVisible(), false, "one button for one thing");
  await page.click("#open");
  assert(await page.locator("#ways-dialog #path-field").isVisible(), "the button leads to the path");
  await page.locator("#ways-dialog #recent").waitFor();
}, { hasDisplay: false });

test("a dropped file does not replace the page, which explains what to do", async (viewer) => {
  const wasPrevented = await viewer.page.evaluate(dropFile, { name: "cells.tif", bytes: [1] });
  assert.deepEqual(wasPrevented, [true, true]);
  assert.match(
    await viewer.text("#notice-text"),
    /^cells\.tif was not opened: .* Choose it with “Open file…”, or type its path/,
  );
  await viewer.page.click("#notice-close");
  assert.equal(await viewer.page.locator("#notice").isVisible(), false);
  viewer.faults.length = 0;
});

test("the contract is shown without any other host and without an error", async ({ page, server }) => {
  await page.goto(`${server.baseUrl}/docs`);
  await page.getByText("/api/v2/pick-and-open").first().waitFor();
  assert.equal(await page.locator(".errors-wrapper").count(), 0);
  // A request made from the page itself.
  await page.locator("#operations-service-health .opblock-summary-control").click();
  await page.locator("#operations-service-health .execute").click();
  await page.getByText('"server_version"').first().waitFor();
});
