/** Images of files that do not say that they are line scans. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { writePlainStack, writePlainStore } from "../fixtures/plain_store.ts";
import { openingEnded } from "./in_page.js";
import { saved, tableOf, unfold } from "./measuring_hand.ts";
import { streaks } from "./streaks.ts";
import { viewerSuite } from "./suite.ts";

const { test } = viewerSuite();

const [LINES, COLUMNS] = [600, 80];

/** Streaks whose time runs to the right. */
function turnedStreaks(): Uint16Array<ArrayBuffer> {
  const samples = streaks({ lines: LINES, columns: COLUMNS, velocity: 0.8, noise: 0.3, seed: 5 });
  return Uint16Array.from(
    { length: samples.length },
    (_, i) => Math.round(10 * samples[(i % LINES) * COLUMNS + Math.floor(i / LINES)]!),
  );
}

test("an image is measured as the line scan that was typed, and every table says so", async (viewer) => {
  const { page, server } = viewer;
  const path = join(server.folder, "kymograph.ome.zarr");
  writePlainStore(path, { planes: [turnedStreaks()], rows: COLUMNS, columns: LINES });
  await viewer.open(path);
  const heading = page.locator("#source h2").first();
  assert.equal(await heading.textContent(), "Image");
  assert(!await page.locator("#measure-velocities").isVisible());
  await unfold(viewer, "typed");
  await page.selectOption("#typed-time", "columns");
  await viewer.enter("#typed-line", "2");
  await viewer.enter("#typed-pixel", "0.5");
  await page.click("#typed-treat");
  const measured = async () => {
    assert.equal(await heading.textContent(), "Line scan");
    await page.locator("#measure-velocities").waitFor();
    await unfold(viewer, "velocities");
    await page.click("#velocity-start");
    await page.locator("#measure-velocities .result", { hasText: "measured" }).waitFor();
    const { rows, about } = tableOf((await saved(viewer, "#csv-velocities")).text);
    assert.equal(about.get("Calibration"), "typed");
    assert.equal(about.get("Time per line"), "0.002 s");
    assert.equal(about.get("Window chosen"), "automatically");
    // 0.8 px of 0.5 µm in 2 ms.
    for (const [, velocity] of rows) assert(Math.abs(Number(velocity) / 200 - 1) < 0.03, velocity);
  };
  await measured();
  await page.reload();
  await page.waitForFunction(openingEnded);
  await measured();
  assert.equal(await page.inputValue("#typed-line"), "2");
  await unfold(viewer, "typed");
  await page.click("#typed-back");
  assert.equal(await heading.textContent(), "Image");
  assert(!await page.locator("#measure-velocities").isVisible());
  assert(!await page.locator("#typed-back").isVisible());
});

test("series are not offered as a line scan", async (viewer) => {
  const path = join(viewer.server.folder, "stack.ome.zarr");
  const plane = new Uint16Array(30 * 20);
  writePlainStack(path, { planes: [plane, plane], rows: 30, columns: 20 });
  await viewer.open(path);
  assert(!await viewer.page.locator("#measure-typed").isVisible());
});
