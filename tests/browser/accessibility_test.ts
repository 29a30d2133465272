/** Rules of axe-core on the page in all its states, in both colour schemes, and on a phone. */
import assert from "node:assert/strict";
import axe from "axe-core";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { forgetStatus } from "./in_page.js";
import { floatTiff } from "./line_scan.ts";
import { measuredScan } from "./measured_scan.ts";
import { IMAGES } from "./measured_stack.ts";
import { Viewer } from "./viewer.ts";
import { serveHtml, viewerSuite } from "./suite.ts";

const { test, files } = viewerSuite();

/** Loads axe-core into a page. */
async function prepare(page: Page): Promise<void> {
  await page.emulateMedia({ colorScheme: "light", reducedMotion: "reduce" });
  await page.evaluate(axe.source);
}

/** All rules in light colours, and the contrast in dark ones: nothing else depends on the scheme. */
async function assertNoFault(page: Page, what: string): Promise<void> {
  for (const colorScheme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme });
    const rules = colorScheme === "dark" ? '{ runOnly: ["color-contrast"] }' : "{}";
    const { violations } = await page.evaluate(`axe.run(document, ${rules})`) as axe.AxeResults;
    const found = violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)]);
    assert.deepEqual(found, [], `${what}, ${colorScheme}`);
  }
}

const PHONE = { width: 390, height: 844 };
const WINDOW = { width: 1280, height: 800 };

test("axe finds nothing in a line scan, its measurements and results", async (viewer, page) => {
  const check = (what: string) => assertNoFault(page, what);
  await prepare(page);
  await check("empty");
  await viewer.open(files.scan);
  await viewer.openCard("source-0");
  await page.click("#developers > summary");
  await page.selectOption("#source .layers", "split");
  await page.keyboard.press("p");
  // Beside the line scan lies the image.
  await page.locator(".recording[aria-current]").waitFor();
  await viewer.settle();
  await check("line scan with profile and list of recordings");

  const vessel = await viewer.openScan();
  await viewer.draw("band", [0.4, 0.4], [0.4, 0.6]);
  await viewer.draw("line", [0.4, 0.2], [0.5, 0.3]);
  await viewer.draw("track", [0.6, 0.2], [0.7, 0.4]);
  await page.keyboard.press("Enter");
  await viewer.unfold("lines", "tracks", "velocity", "events", "cursors", "export");
  await page.focus("#source .plot");
  for (const key of ["ArrowRight", "x", "Enter"]) await page.keyboard.press(key);
  await viewer.settle();
  await check("a selected cursor");
  await page.keyboard.press("Escape");
  await page.locator("#measure-bands .pick").click();
  await check("the fields of a selected band");
  await page.check("#trace-change");
  await viewer.findPeaks();
  assert.notEqual(await page.locator("#drawer-events tbody tr").count(), 0);
  await check("events");
  await viewer.measureVelocities();
  await check("velocity");
  for (const part of ["diameter", "flux", "sparks"]) {
    await viewer.unfold(part);
    if (part === "sparks") {
      await page.selectOption("#sparks-channel", "1");
      await viewer.enter("#sparks-threshold", "3");
    }
    await page.click(`#${part}-start`);
    await page.locator(`#drawer-${part} .result`, { hasText: /\d/ }).waitFor();
    await check(part);
  }
  await page.locator("#drawer-sparks .row-pick").first().click();
  await check("a picked row");
  await viewer.enter("#velocity-window", "-3");
  assert.equal(await page.getAttribute("#velocity-window", "aria-invalid"), "true");
  await check("a number that is refused");
  await viewer.kept();
  await page.click("#save");
  await check("saving");
  await page.keyboard.press("Escape");
  await page.setViewportSize(PHONE);
  await viewer.settle();
  await check("results on a phone");
  await page.setViewportSize(WINDOW);

  const report = (await viewer.saved("#report-html")).text;
  await using site = serveHtml(report);
  const printed = await page.context().newPage();
  await printed.goto(`http://127.0.0.1:${site.addr.port}/`);
  await prepare(printed);
  await assertNoFault(printed, "report");
  await printed.close();

  const other = await Viewer.loadIn(page.context(), viewer.server);
  await prepare(other.page);
  await other.page.waitForSelector("#recent-list li");
  await assertNoFault(other.page, "recent work in place of a picture");
  await other.open(vessel);
  await other.page.waitForSelector("#take-over:not([hidden])");
  await assertNoFault(other.page, "kept by another tab");
  await other.page.close();
});

test("axe finds nothing in many recordings, recent work and errors", async (viewer, page) => {
  const check = (what: string) => assertNoFault(page, what);
  await prepare(page);
  const folder = join(viewer.server.folder, "many");
  const at = (number: number) => join(folder, `scan_${number}.oir`);
  Deno.mkdirSync(folder);
  const bytes = measuredScan();
  // More than need no search; the last one is cut.
  for (let number = 1; number <= 10; number += 1) {
    Deno.writeFileSync(at(number), number === 10 ? bytes.subarray(0, 9000) : bytes);
    Deno.writeFileSync(at(number), new Uint8Array(number), { append: true });
  }
  await viewer.openPath(at(1));
  await viewer.drawBand(30, 50);
  await page.check("#many-events");
  await page.uncheck("#many-velocity");
  await page.click("#many-start");
  await page.locator("#measure-many progress").waitFor();
  await check("many recordings while they are measured");
  await page.locator("#many-csv").waitFor();
  assert.match(await viewer.text("#measure-many"), /9 of 10 measured · 1 failed/);
  await page.uncheck("#many-events");
  await page.click("#many-start");
  await page.locator("#measure-many .result", { hasText: "Choose what is measured" }).waitFor();
  await check("many recordings, compared in a plot, and nothing chosen");
  await page.click("#use-next");
  await page.locator("#notice:not([hidden])").waitFor();
  await check("a notice with an action");
  await page.click("#more-ways");
  await page.locator("#recent-search").fill("scan_");
  await page.waitForSelector("#recent-list li");
  await check("recent work with a search");
  await page.locator("#recent-search").fill("nothing of that name");
  await check("a search without a result");
  await page.click("#ways-dialog button:text-is('Close')");
  await page.setViewportSize(PHONE);
  await viewer.settle();
  await check("compared recordings on a phone");
  await page.setViewportSize(WINDOW);
  await page.click("#help");
  await check("shortcuts");
  await page.keyboard.press("Escape");
  viewer.server.wait();
  await page.click("#open");
  await page.locator("#cancel").waitFor();
  await check("waiting for the dialog");
  await page.click("#cancel");
  await viewer.ended();
  viewer.server.choose(at(10));
  await page.click("#open");
  await page.waitForSelector("#fault:not([hidden])");
  await page.click("#fault-details > summary");
  await check("a damaged file");
  await page.click("#fault-close");
  const link = await page.context().newPage();
  await link.goto(`${viewer.server.baseUrl}/demo/v2/#path=${at(2)}`);
  await prepare(link);
  await link.waitForSelector("#path-note:not([hidden])");
  await assertNoFault(link, "the path of a link");
  viewer.faults.length = 0;
});

test("axe finds nothing in images, projections, kymographs and typed line scans", async (viewer, page) => {
  const check = (what: string) => assertNoFault(page, what);
  await prepare(page);
  await viewer.openStack();
  await check("a series");
  await viewer.draw("rectangle", [0.3, 0.3], [0.6, 0.6]);
  await viewer.draw("line", [0.2, 0.5], [0.8, 0.5]);
  await viewer.unfold("images", "regions", "kymograph", "export");
  await page.click("#image-means");
  await page.locator("#measure-images .result", { hasText: `${IMAGES} images` }).waitFor();
  await page.check("#trace-change");
  await viewer.findPeaks();
  await viewer.settle();
  await check("traces of image regions with events");
  await page.click("#image-project");
  await page.locator("#image-back").waitFor();
  await viewer.settle();
  await check("a projection");
  await page.click("#image-back");
  await viewer.makeKymograph();
  await viewer.settle();
  await check("a kymograph");
  await viewer.openBytes(
    "special.tif",
    floatTiff(2, 4, [-Infinity, Infinity, -1.5, NaN, 0, 0.25, 0.5, 0.75]),
  );
  await viewer.unfold("typed");
  await page.click("#typed-treat");
  await check("missing samples, and a number that is missing");
  await viewer.treatAsLineScan();
  await page.locator("#source h2", { hasText: "Line scan" }).waitFor();
  await check("a typed line scan");
  await page.click("#sample-mark, #more-ways");
  await page.evaluate(forgetStatus);
  await page.click("#sample");
  await viewer.ended();
  await check("the sample");
  await page.setViewportSize(PHONE);
  await viewer.open(files.scan);
  await viewer.settle();
  await check("line scan on a phone");
  await viewer.open(files.image);
  await check("image on a phone");
});

test("axe finds nothing where there is no display, and no server", async (viewer, page) => {
  await prepare(page);
  await assertNoFault(page, "no dialog");
  await viewer.openPath(files.scan);
  await page.locator("#warnings, #viewer").first().waitFor();
  await viewer.server.stop();
  await page.evaluate('dispatchEvent(new Event("focus"))');
  await page.waitForSelector("#notice:not([hidden])");
  await assertNoFault(page, "the server is gone");
  viewer.faults.length = 0;
}, { hasDisplay: false });
