/** Images of files that do not say that they are line scans. */
import { Buffer } from "node:buffer";
import assert from "node:assert/strict";
import { streaks } from "./streaks.ts";
import { grayLayout, tiffBytes } from "../fixtures/tiff_writer.ts";
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

test("measures an image as a line scan by typed values or those of a text", async (viewer, page) => {
  await viewer.openPlain("kymograph", { planes: [turnedStreaks()], rows: COLUMNS, columns: LINES });
  const heading = page.locator("#source h2").first();
  assert.equal(await heading.textContent(), "Image");
  assert.match((await page.locator("#tools-why").textContent())!, /Treat as line scan/);
  assert(await page.locator("#tool-band").isDisabled());
  assert(!await page.locator("#measure-velocity").isVisible());
  const first = page.locator("#measure > *").first();
  assert.equal(await first.getAttribute("id"), "measure-typed");
  await viewer.unfold("typed");
  assert.deepEqual([await page.inputValue("#typed-line"), await page.inputValue("#typed-pixel")], ["", ""]);
  await page.click("#typed-treat");
  await page.locator("#measure-typed .hint", { hasText: "Time per line must be a number above 0" }).waitFor();
  assert.equal(await heading.textContent(), "Image");
  await viewer.treatAsLineScan("columns");
  await page.locator("#source svg text", { hasText: "calibration typed" }).waitFor();
  const measured = async () => {
    await page.locator("#source h2", { hasText: "Line scan" }).waitFor();
    assert.equal(await page.locator("#tools-why").isVisible(), false);
    await viewer.measureVelocities();
    const { about, rows } = await viewer.table("#csv-velocity");
    assert.equal(about.get("Window chosen"), "automatically");
    return { about, rows };
  };
  for (const act of [() => {}, () => page.reload()]) {
    await act();
    await viewer.ended();
    const { about, rows } = await measured();
    assert.deepEqual([about.get("Calibration"), about.get("Time per line")], ["typed", "0.002 s"]);
    // 0.8 px of 0.5 µm in 2 ms.
    for (const [, velocity] of rows) assert(Math.abs(Number(velocity) / 200 - 1) < 0.03, velocity);
  }
  assert.equal(await page.inputValue("#typed-line"), "2");
  await page.locator("#source svg text", { hasText: "calibration typed" }).waitFor();
  await viewer.unfold("typed");
  await page.click("#typed-back");
  assert.equal(await heading.textContent(), "Image");
  assert(!await page.locator("#measure-velocity").isVisible());
  assert(!await page.locator("#typed-back").isVisible());
  assert.equal(await page.locator("#source svg text", { hasText: "calibration typed" }).count(), 0);
  assert.equal(await page.inputValue("#typed-line"), "2", "the same file keeps its numbers");
  await viewer.openPlain("other", { planes: [turnedStreaks()], rows: COLUMNS, columns: LINES });
  assert.equal(await page.inputValue("#typed-line"), "");

  const text = '"X Dimension"\t"0.5 [um/pixel]"\n2 ms/line\n3 us/pixel';
  const file = { name: "scan.txt", mimeType: "text/plain", buffer: Buffer.from(text) };
  await page.setInputFiles("#typed-file", file);
  await page.locator("#measure-typed .hint", { hasText: "2 ms per line, 0.5 µm per pixel, 3 µs per pixel" })
    .waitFor();
  await page.click("#typed-treat");
  await page.waitForFunction(() => location.hash.includes("line-scan=columns,0.002,0.5,0.000003"));
  // A link of somebody else is newer than what this browser keeps.
  const link = page.url().replace("0.002", "0.004");
  await page.goto("about:blank");
  await page.goto(link);
  const { about } = await measured();
  assert.equal(await page.inputValue("#velocity-pixelTime"), "3");
  assert.equal(about.get("Time per line"), "0.004 s");
  assert.equal(about.get("Calibration"), "typed, from scan.txt");
  assert.equal(about.get("Time along the line"), "corrected for 3 us per pixel (typed)");
});

test("proposes the frame interval of ImageJ as the time per line", async (viewer, page) => {
  // As _Reslice_ writes a kymograph: one image with the interval of the frames that it was made of.
  const text = "ImageJ=1.54f\nimages=1\nunit=um\nfinterval=0.0025\n";
  const bytes = tiffBytes(grayLayout(40, 60, 16), (x, y) => BigInt(x + y), 1, [[270, 2, text]]);
  await viewer.openBytes("resliced.tif", bytes);
  await viewer.unfold("typed");
  await page.locator("#measure-typed .hint", { hasText: "The file states 2.5 ms between frames" }).waitFor();
  assert.deepEqual([await page.inputValue("#typed-line"), await page.inputValue("#typed-pixel")], [
    "2.5",
    "",
  ]);
  await page.fill("#typed-pixel", "0.25");
  await page.click("#typed-treat");
  await page.locator("#source h2", { hasText: "Line scan" }).waitFor();
  // A file that states none leaves the field empty.
  await viewer.openBytes("other.tif", tiffBytes(grayLayout(40, 60, 16), () => 1n, 1));
  assert.equal(await page.inputValue("#typed-line"), "");
});
