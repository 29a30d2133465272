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
  const length = Number((await viewer.text("#line-length")).match(/^Length ([\d.]+) µm/)![1]);
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
  assert.equal(
    about.get("Mean of"),
    `"Rectangle 1, columns ${left} to ${right - 1}, rows ${top} to ${bottom - 1}"`,
  );
  assert.equal(head![0], "Time (s)");
  rows.forEach((row, t) => {
    let sum = 0;
    for (let y = top; y < bottom; y += 1) for (let x = left; x < right; x += 1) sum += spot(x, y, t);
    const mean = sum / (bottom - top) / (right - left);
    assert(Math.abs(Number(row[1]) - mean) < 0.6, `image ${t}: ${row[1]}, not ${mean}`);
  });
  const regions = tableOf((await saved(viewer, "#csv-regions")).text);
  assert.deepEqual(regions.rows.map(([name]) => name), ["whole image", "the line", "Rectangle 1"]);
  const inRegions = (row: number, name: string) => Number(regions.rows[row]![regions.head!.indexOf(name)]);
  assert(Math.abs(inRegions(1, "Length (um)") - 27.5) < 0.5);
  assert.equal(inRegions(2, "Mean"), Number(rows[0]![1]));
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
  await page.locator("#image-back").waitFor();
  const maximum = await saved(viewer, "#tiff-save");
  assert.equal(maximum.name, "spot-max-t.tif");
  await page.click("#tool-line");
  await dragOver(viewer, "source", ...SPOT_LINE);
  await page.click("#kymograph-start");
  await page.locator("#measure-kymograph [role=status]", { hasText: `${IMAGES} of ${IMAGES}` }).waitFor();
  const kymograph = await saved(viewer, "#tiff-save");
  assert.equal(kymograph.name, "spot-kymograph.tif");
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
  assert.match(await viewer.text("#facts"), /100 ms\/line · 0\.5 µm\/px/);
});

test("images: a projection is measured, kept, undone and reported", async (viewer) => {
  const { page } = viewer;
  await opened(viewer);
  await page.click("#tool-line");
  await dragOver(viewer, "source", ...SPOT_LINE);
  const line = (await viewer.text("#line-length")).split(" · ");
  await unfold(viewer, "images");
  await page.click("#image-project");
  await page.locator("#image-back").waitFor();
  const brighter = (await viewer.text("#line-length")).split(" · ");
  assert.equal(brighter[0], line[0]);
  assert.equal(await viewer.text("#source h2"), "Maximum over time");
  const profile = tableOf((await saved(viewer, "#csv-profile")).text);
  assert.equal(profile.about.get("Projection"), "maximum over time");
  assert.equal(profile.about.has("Time point"), false);
  assert.deepEqual(profile.head, ["Position (um)", "GCaMP"]);
  // The line begins near column 4 and is sampled about once a column.
  const [first, step] = [4, Number(profile.rows[1]![0]) / 0.5];
  profile.rows.slice(1, -1).forEach(([, value], i) => {
    const x = Math.round(first + (i + 1) * step);
    const expected = Math.max(...Array.from({ length: IMAGES }, (_, t) => spot(x, SPOT_ROW, t)));
    assert(Math.abs(Number(value) - expected) < 25, `column ${x}: ${value}, not ${expected}`);
  });
  const mean = profile.rows.reduce((sum, row) => sum + Number(row[1]), 0) / profile.rows.length;
  assert(Math.abs(Number(brighter[1]!.replace("mean ", "")) - mean) < 0.1);
  const report = await saved(viewer, "#report-html");
  for (
    const words of [
      "maximum over time",
      "<h2>Profile</h2>",
      "<h2>Regions</h2>",
      "px wide, projection maximum over time.",
    ]
  ) {
    assert(report.text.includes(words), words);
  }
  const [back, bar] = [page.locator("#image-back"), page.locator("#positions")];
  await page.click("#undo");
  await bar.waitFor();
  assert.equal(await viewer.text("#source h2"), "Image");
  assert.deepEqual((await viewer.text("#line-length")).split(" · "), line);
  await page.click("#redo");
  await back.waitFor();
  await viewer.kept();
  await page.reload();
  await page.locator("#image-back:not([hidden])").waitFor({ state: "attached" });
  assert.deepEqual((await viewer.text("#line-length")).split(" · "), brighter);
  await unfold(viewer, "images");
  await back.click();
  await bar.waitFor();
});
