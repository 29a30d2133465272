/** Rules of axe-core on the page, empty and with a line scan or an image, in both colour schemes and sizes. */
import assert from "node:assert/strict";
import axe from "axe-core";
import { Viewer } from "./viewer.ts";
import { viewerSuite } from "./suite.ts";

const { test, files } = viewerSuite();

async function assertNoFault({ page }: Viewer, what: string): Promise<void> {
  const { violations } = await page.evaluate("axe.run()") as axe.AxeResults;
  assert.deepEqual(violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)]), [], what);
}

for (const colorScheme of ["light", "dark"] as const) {
  test(`axe finds nothing, ${colorScheme}`, async (viewer, page) => {
    await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
    await page.evaluate(axe.source);
    await assertNoFault(viewer, "empty");
    await viewer.open(files.scan);
    await viewer.openCard("source-0");
    await page.click("#developers > summary");
    await page.selectOption("#source .layers", "split");
    // Beside the line scan lies the image.
    await page.locator(".recording[aria-current]").waitFor();
    await viewer.settle();
    await assertNoFault(viewer, "line scan");
    const vessel = await viewer.openScan();
    await viewer.draw("band", [0.4, 0.4], [0.4, 0.6]);
    await viewer.draw("line", [0.4, 0.2], [0.5, 0.3]);
    await viewer.draw("track", [0.6, 0.2], [0.7, 0.4]);
    await page.keyboard.press("Enter");
    await viewer.unfold("lines", "tracks", "velocity", "events", "cursors", "export");
    await page.focus("#source .plot");
    for (const key of ["ArrowRight", "x", "Enter"]) await page.keyboard.press(key);
    await viewer.settle();
    await assertNoFault(viewer, "a selected cursor");
    await page.keyboard.press("Escape");
    await page.locator("#measure-bands .pick").click();
    await page.check("#trace-change");
    await viewer.findPeaks();
    assert.notEqual(await page.locator("#drawer-events tbody tr").count(), 0);
    await viewer.measureVelocities();
    for (const part of ["diameter", "flux", "sparks"]) {
      await viewer.unfold(part);
      if (part === "sparks") await viewer.enter("#sparks-threshold", "3");
      await page.click(`#${part}-start`);
      await page.locator(`#drawer-${part} .result`, { hasText: /\d/ }).waitFor();
    }
    await viewer.settle();
    await assertNoFault(viewer, "measured");
    await viewer.kept();
    await viewer.unfold("many");
    await page.click("#many-start");
    await page.locator("#measure-many progress").waitFor();
    await assertNoFault(viewer, "many recordings while they are measured");
    await page.locator("#many-csv").waitFor();
    await assertNoFault(viewer, "many recordings measured");
    await page.click("#more-ways");
    await page.waitForSelector("#recent-list li");
    await assertNoFault(viewer, "recent work");
    await page.keyboard.press("Escape");
    await page.click("#save");
    await assertNoFault(viewer, "saving");
    await page.keyboard.press("Escape");
    const other = await Viewer.loadIn(page.context(), viewer.server);
    await other.page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
    await other.page.evaluate(axe.source);
    await other.page.waitForSelector("#recent-list li");
    await assertNoFault(other, "recent work in place of a picture");
    await other.open(vessel);
    await other.page.waitForSelector("#take-over:not([hidden])");
    await assertNoFault(other, "kept by another tab");
    await other.page.close();
    await viewer.openStack();
    await viewer.draw("rectangle", [0.3, 0.3], [0.6, 0.6]);
    await viewer.unfold("images");
    await page.click("#image-means");
    await page.locator("#measure-images img").waitFor();
    await page.click("#image-project");
    await page.locator("#image-back").waitFor();
    await viewer.settle();
    await assertNoFault(viewer, "images of a stack");
    await viewer.open(files.scan);
    await page.setViewportSize({ width: 390, height: 844 });
    await viewer.settle();
    await assertNoFault(viewer, "line scan on a phone");
    await viewer.open(files.image);
    await assertNoFault(viewer, "image on a phone");
    await page.setViewportSize({ width: 1280, height: 800 });
    await page.click("#help");
    await assertNoFault(viewer, "shortcuts");
    await page.keyboard.press("Escape");
    viewer.server.choose(`${files.scan}.missing`);
    await page.click("#open");
    await page.waitForSelector("#fault:not([hidden])");
    await assertNoFault(viewer, "failure");
    viewer.faults.length = 0;
  });
}
