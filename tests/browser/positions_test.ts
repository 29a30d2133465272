/** Time, focus and scenes: sliders, keys, play and the list of scenes. */
import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { grayLayout, tiffBytes } from "../fixtures/tiff_writer.ts";
import { assertColor, level, viewerSuite } from "./suite.ts";

const SERIES = fileURLToPath(new URL("../../examples/time_series.ome.tif", import.meta.url));

const { test } = viewerSuite();

/** An ImageJ hyperstack of 4 frames of 3 slices of 8 x 8: frame t, slice z is 100 t + 10 z everywhere but for its first pixel. */
const hyperstack = (): Uint8Array =>
  tiffBytes(
    grayLayout(8, 8, 16),
    (x, y, _s, page) => BigInt(x + y === 0 ? 500 : 100 * Math.floor(page / 3) + 10 * (page % 3)),
    12,
    [[270, 2, "ImageJ=1.53t\nimages=12\nslices=3\nframes=4\nhyperstack=true\n"]],
  );

test("sliders and keys step through time and focus, and contrast stays", async (viewer, page) => {
  await viewer.openBytes("stack.tif", hyperstack());
  await viewer.setRange("source-0", 0, 400);
  const gray = async (value: number) => {
    const part = level(value, 0, 400);
    assertColor(await viewer.color(await viewer.place("source", [8, 8], 2, 5)), [part, part, part]);
  };
  const shows = async (t: number, z: number) => {
    await viewer.says("#source .readout", `CH1 ${100 * t + 10 * z}`);
    await gray(100 * t + 10 * z);
    assert.match(await viewer.text("#axis-t output"), new RegExp(`^${t + 1} / 4`));
    assert.match(await viewer.text("#axis-z output"), new RegExp(`^${z + 1} / 3`));
  };
  await page.locator("#source .plot").focus();
  await page.keyboard.press("ArrowRight");
  await shows(0, 0);
  await page.keyboard.press(".");
  await shows(1, 0);
  await page.keyboard.press("PageUp");
  await shows(1, 1);
  await page.keyboard.press(",");
  await shows(0, 1);
  await page.fill("#position-t", "3");
  await shows(3, 1);
  await page.fill("#position-z", "2");
  await shows(3, 2);
  // It was the last one.
  await page.keyboard.press(".");
  await shows(3, 2);
  assert.equal(await page.inputValue("#source-0-Max"), "400");
  assert.equal(await page.locator("#axis-l").isVisible(), false);
  assert.equal(await page.locator("#scene-choice").isVisible(), false);
});

test("plays in a loop at a valid rate, pauses, and opens scenes", async (viewer, page) => {
  await viewer.open(SERIES);
  for (
    const [typed, isBad] of [["-3", true], ["", true], ["99999", true], ["12.5", false], [
      "12,5",
      false,
    ]] as const
  ) {
    await viewer.enter("#rate", typed);
    assert.equal(await page.getAttribute("#rate", "aria-invalid"), isBad ? "true" : null, typed);
  }
  assert.equal(await page.locator("#player .typed-note").textContent(), "= 12.5");
  await page.fill("#position-t", "10");
  await page.click("#play");
  assert.equal(await page.getAttribute("#play", "aria-pressed"), "true");
  await viewer.says("#axis-t output", "2 / 12");
  await page.click("#play");
  assert.equal(await page.getAttribute("#play", "aria-pressed"), "false");
  // Scenes have names and sizes and open through the session.
  assert.deepEqual(await page.locator("#scene option").allTextContents(), [
    "cells · 64 × 48 · 12 time points",
    "overview · 64 × 48",
  ]);
  viewer.requests.length = 0;
  await page.selectOption("#scene", "1");
  await page.waitForSelector("#axis-t", { state: "hidden" });
  await viewer.ended();
  assert.match(viewer.opens.join(), /^POST \/api\/v2\/sessions\/[0-9a-f]{32}\/open$/);
  assert.match(await viewer.text("#facts"), /^64 × 48 px/);
  assert.match(new URL(page.url()).hash, /&scene=1$/);
});
