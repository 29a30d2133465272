/** Scale bars over the pictures: they hide little, and can be switched off. */
import assert from "node:assert/strict";
import { greensOf } from "./in_page.js";
import { viewerSuite } from "./suite.ts";

const { test, files } = viewerSuite();

test("scale bars hide few pixels and can be switched off permanently", async (viewer) => {
  const { page } = viewer;
  await viewer.openPath(files.scan);
  await page.mouse.move(2, 2);
  const greens = async () => {
    await viewer.settle();
    const plot = await viewer.box("#source .plot");
    const clip = { x: plot.x + plot.width - 110, y: plot.y + plot.height - 90, width: 110, height: 90 };
    return await page.evaluate(greensOf, [...await page.screenshot({ clip })]);
  };
  const scale = () => page.locator("#source .readout").innerText();
  assert.match(await scale(), /^Scale bar .* s × .* µm/);
  const shown = await greens();
  await page.click("#scale-bars");
  assert.equal(await page.getAttribute("#scale-bars", "aria-pressed"), "false");
  await page.mouse.move(2, 2);
  const hidden = await greens();
  const changed = shown.filter((green, i) => green !== hidden[i]).length / shown.length;
  // Two bars, two labels of some letters and their edges, not a box of 90 x 80.
  assert(changed > 0.02 && changed < 0.25, `${changed}`);
  assert.doesNotMatch(await scale(), /Scale bar/);
  assert.doesNotMatch(await page.locator("#reference .readout").innerText(), /Scale bar/);
  await viewer.reload();
  assert.equal(await page.getAttribute("#scale-bars", "aria-pressed"), "false");
  assert.doesNotMatch(await scale(), /Scale bar/);
  await page.click("#scale-bars");
  await viewer.settle();
  assert.match(await scale(), /Scale bar/);
});
