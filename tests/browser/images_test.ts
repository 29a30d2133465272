/** Lengths, means over time, projections and calibrated TIFF of images. */
import assert from "node:assert/strict";
import { join } from "node:path";
import type { Viewer } from "./browser.ts";
import {
  IMAGES,
  measuredStack,
  spot,
  SPOT_LINE,
  SPOT_ROW,
  STACK_COLUMNS,
  STACK_ROWS,
} from "./measured_stack.ts";
import { dragOver, saved, tableOf, unfold } from "./measuring_hand.ts";
import { viewerSuite } from "./suite.ts";

const { test } = viewerSuite();

async function opened(viewer: Viewer): Promise<void> {
  const path = join(viewer.server.folder, "spot.ome.tif");
  await Deno.writeFile(path, measuredStack());
  await viewer.open(path);
}

test("images: a line has a length, and a rectangle its mean in each image, kept and undone", async (viewer) => {
  const { page } = viewer;
  await opened(viewer);
  await page.click("#tool-line");
  await dragOver(viewer, "source", ...SPOT_LINE);
  // 55 columns of 0.5 µm, drawn by hand.
  const length = Number((await viewer.text("#line-length")).match(/^Length ([\d.]+) µm$/)![1]);
  assert(Math.abs(length - 27.5) < 0.5, `${length}`);
  await page.click("#tool-rectangle");
  const [top, bottom, left, right] = [SPOT_ROW - 2, SPOT_ROW + 3, 10, 30] as const;
  await dragOver(
    viewer,
    "source",
    [(left + 0.3) / STACK_COLUMNS, (top + 0.3) / STACK_ROWS],
    [(right - 0.3) / STACK_COLUMNS, (bottom - 0.3) / STACK_ROWS],
  );
  await unfold(viewer, "images");
  await page.selectOption("#image-part", "rectangle-1");
  await page.click("#image-means");
  await page.locator("#measure-images .result", { hasText: `${IMAGES} images` }).waitFor();
  const { about, head, rows } = tableOf((await saved(viewer, "#csv-images")).text);
  assert.equal(about.get("Mean of"), "Rectangle 1");
  assert.equal(head![0], "Time (s)");
  rows.forEach((row, t) => {
    let sum = 0;
    for (let y = top; y < bottom; y += 1) for (let x = left; x < right; x += 1) sum += spot(x, y, t);
    const mean = sum / (bottom - top) / (right - left);
    assert(Math.abs(Number(row[1]) - mean) < 0.6, `image ${t}: ${row[1]}, not ${mean}`);
  });
  const plot = page.locator("#measure-images img");
  assert(await plot.isVisible());
  await page.click("#undo");
  assert.equal(await plot.isVisible(), false);
  await page.click("#redo");
  await viewer.settle();
  await page.reload();
  await page.locator("#measure-images .result", { hasText: `${IMAGES} images` }).waitFor({
    state: "attached",
  });
});

test("images: projections and kymographs are saved as TIFF that opens with its calibration", async (viewer) => {
  const { page, server } = viewer;
  await opened(viewer);
  await unfold(viewer, "images");
  await page.click("#image-project");
  await page.locator("#measure-images canvas").waitFor();
  const maximum = await saved(viewer, "#image-tiff");
  assert.equal(maximum.name, "spot-maximum-t.tif");
  await page.click("#tool-line");
  await dragOver(viewer, "source", ...SPOT_LINE);
  await page.click("#kymograph-start");
  await page.locator("#measure-kymograph [role=status]", { hasText: `${IMAGES} of ${IMAGES}` }).waitFor();
  const kymograph = await saved(viewer, "#tiff-save");
  for (const { name, bytes } of [maximum, kymograph]) Deno.writeFileSync(join(server.folder, name), bytes);
  await viewer.open(join(server.folder, maximum.name));
  assert.match(await viewer.text("#facts"), /0\.5 µm\/px/);
  // The spot runs through columns: all of its row is bright.
  const place = await viewer.place("source", [STACK_ROWS, STACK_COLUMNS], SPOT_ROW, 30);
  await page.mouse.move(place.x, place.y);
  const read = Number((await viewer.text("#source .readout b")).replace(",", ""));
  const expected = Math.max(...Array.from({ length: IMAGES }, (_, t) => spot(30, SPOT_ROW, t)));
  assert(Math.abs(read - expected) < 2, `${read}, not ${expected}`);
  await viewer.open(join(server.folder, kymograph.name));
  assert.equal(await viewer.text("#source h2"), "Line scan");
  assert.match(await viewer.text("#facts"), /0\.1 s\/line · 0\.5 µm\/px/);
});
