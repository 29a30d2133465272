/** Lengths, means over time, projections, kymographs and calibrated TIFF of images. */
import assert from "node:assert/strict";
import { join } from "node:path";
import {
  IMAGES,
  measuredStack,
  spot,
  SPOT_LINE,
  SPOT_ROW,
  SPOT_START,
  STACK_COLUMNS,
  STACK_ROWS,
} from "./measured_stack.ts";
import type { Page } from "playwright-core";
import { validatePath } from "../../cli/verdict.ts";
import type { Place, Viewer } from "./viewer.ts";
import { tableOf, tracesIn } from "./saved_table.ts";
import { viewerSuite } from "./suite.ts";

const { test } = viewerSuite();

test(
  "images: measures lines and rectangles in each image, keeps and undoes them",
  async (viewer, page) => {
    await viewer.openStack();
    await viewer.draw("line", ...SPOT_LINE);
    // 55 columns of 0.5 µm, drawn by hand.
    const length = Number((await viewer.text("#line-length")).match(/^Length ([\d.]+) µm/)![1]);
    assert(Math.abs(length - 27.5) < 0.5, `${length}`);
    const [top, bottom, left, right] = [SPOT_ROW - 2, SPOT_ROW + 3, 10, 30] as const;
    await viewer.draw("rectangle", [(left + 0.3) / STACK_COLUMNS, (top + 0.3) / STACK_ROWS], [
      (right - 0.3) / STACK_COLUMNS,
      (bottom - 0.3) / STACK_ROWS,
    ]);
    await viewer.unfold("images");
    await page.selectOption("#image-part", "rectangle-1");
    await page.click("#image-means");
    await page.locator("#measure-images .result", { hasText: `${IMAGES} images` }).waitFor();
    const { about, head, rows } = await viewer.table("#csv-images");
    assert.equal(
      about.get("Mean of"),
      `Rectangle 1, columns ${left} to ${right - 1}, rows ${top} to ${bottom - 1}`,
    );
    assert.equal(head[0], "Time (s)");
    rows.forEach((row, t) => {
      let sum = 0;
      for (let y = top; y < bottom; y += 1) for (let x = left; x < right; x += 1) sum += spot(x, y, t);
      const mean = sum / (bottom - top) / (right - left);
      assert(Math.abs(Number(row[1]) - mean) < 0.6, `image ${t}: ${row[1]}, not ${mean}`);
    });
    const regions = await viewer.table("#csv-regions");
    assert.deepEqual(regions.column("Region"), ["whole image", "the line", "Rectangle 1"]);
    const inRegions = (row: number, name: string) => Number(regions.column(name)[row]);
    assert(Math.abs(inRegions(1, "Length (um)") - 27.5) < 0.5);
    assert.equal(inRegions(2, "Mean"), Number(rows[0]![1]));
    const chart = page.locator("#trace-chart");
    assert(await chart.isVisible());
    await page.click("#undo");
    assert.equal(await chart.isVisible(), false);
    await page.click("#redo");
    await viewer.settle();
    await page.reload();
    await page.locator("#measure-images .result", { hasText: `${IMAGES} images` }).waitFor({
      state: "attached",
    });
  },
);

/** First columns of rectangles that the spot crosses, four columns wide and five rows high. */
const CELLS = [20, 30, 40] as const;

/** Draws the rectangles and measures their means. */
async function measureCells(viewer: Viewer, page: Page): Promise<void> {
  await viewer.openStack();
  for (const left of CELLS) {
    await viewer.draw("rectangle", [(left + 0.3) / STACK_COLUMNS, (SPOT_ROW - 1.7) / STACK_ROWS], [
      (left + 3.7) / STACK_COLUMNS,
      (SPOT_ROW + 2.7) / STACK_ROWS,
    ]);
  }
  await page.click("#image-means");
  await page.locator("#measure-images .result", { hasText: `${IMAGES} images` }).waitFor();
}

/** The mean of a rectangle in an image. */
function cellMean(left: number, t: number): number {
  let sum = 0;
  for (let y = SPOT_ROW - 2; y < SPOT_ROW + 3; y += 1) {
    for (let x = left; x < left + 4; x += 1) sum += spot(x, y, t);
  }
  return sum / 20;
}

test(
  "images: traces of all regions have ΔF/F₀, events and tables, and lead to their images",
  async (viewer, page) => {
    await measureCells(viewer, page);
    assert(await page.locator("#trace-chart").isVisible());
    assert.equal(await viewer.text("#measure-bands summary"), "Traces");
    assert(!await page.locator("#measure-velocity").isVisible());
    // F₀ is the background: 20, except while the spot is near.
    await page.check("#trace-change");
    await viewer.enter("#baseline-offset", "5");
    const traces = await viewer.table("#csv-traces");
    assert.deepEqual(traces.head, ["Time (s)", "dF/F0", "F0"]);
    assert.equal(traces.about.get("Values"), "dF/F0");
    assert.equal(traces.about.get("Time per image"), "0.1 s");
    assert.equal(traces.rows.length, CELLS.length * IMAGES);
    assert.deepEqual(
      new Set(traces.column("Region")),
      new Set(["Rectangle 1", "Rectangle 2", "Rectangle 3"]),
    );
    CELLS.forEach((left, cell) => {
      for (let t = 0; t < IMAGES; t += 1) {
        const row = cell * IMAGES + t;
        const change = (cellMean(left, t) - 20) / 15;
        assert.equal(traces.column("Time point")[row], String(t + 1));
        assert(
          Math.abs(Number(traces.rows[row]![1]) - change) < 1e-9,
          `${cell}, image ${t}: ${traces.rows[row]}`,
        );
      }
    });
    await viewer.unfold("events");
    await page.selectOption("#events-band", "*");
    await page.click("#events-start");
    await page.locator("#drawer-events .items tbody tr").nth(2).waitFor();
    assert.equal(await page.locator("#drawer-events .items th").first().textContent(), "Region");
    const events = await viewer.table("#csv-events");
    assert.deepEqual(events.column("Region"), ["Rectangle 1", "Rectangle 2", "Rectangle 3"]);
    // The spot is in the middle of a rectangle half a column after its second column, between two images.
    events.column("Time (s)").forEach((time, cell) => {
      const line = CELLS[cell]! + 1.5 - SPOT_START;
      assert(Math.abs(Number(time) - line / 10) <= 0.05 + 1e-9, time);
    });
    assert.equal(events.about.get("Sought in means of (images)"), "1");
    assert.equal(
      events.about.get("Part of the images, Rectangle 2"),
      "Rectangle 2, columns 30 to 33, rows 22 to 26",
    );
    // A row leads to its image, and so does a click in the chart.
    await page.locator("#drawer-events .items tbody tr").nth(1).locator(".row-pick").click();
    await page.locator("#positions", { hasText: "20 / 40" }).waitFor();
    const box = (await page.locator("#trace-chart").boundingBox())!;
    await page.mouse.click(box.x + 0.75 * box.width, box.y + box.height / 2);
    await page.locator("#positions", { hasText: /(2[6-9]|3[0-2]) \/ 40/ }).waitFor();
  },
);

test(
  "images: a moved region has no trace until it is measured again; archives keep all",
  async (viewer, page) => {
    await measureCells(viewer, page);
    await viewer.unfold("events");
    await page.selectOption("#events-band", "*");
    await page.click("#events-start");
    const summaries = page.locator("#drawer-events .summaries th");
    await summaries.nth(2).waitFor();
    const before = await tablesNow(viewer);
    await viewer.kept();
    await page.reload();
    await summaries.nth(2).waitFor();
    assert.deepEqual(await tablesNow(viewer), before, "after loading the page again");
    await page.click("#save");
    await page.check("#save-dialog input[value=all]");
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      page.click("#save-dialog .primary"),
    ]);
    const path = join(viewer.server.folder, "cells.zip");
    await download.saveAs(path);
    const { problems, unreadable } = await validatePath(path);
    assert.deepEqual([problems, unreadable], [[], null]);
    await viewer.openPath(path);
    await summaries.nth(2).waitFor();
    assert.deepEqual(await tablesNow(viewer), before, "in the archive");
    await viewer.unfold("regions");
    await page.locator("#measure-regions .pick", { hasText: "Rectangle 3" }).click();
    await viewer.enter("#shape-start-y", "21.25");
    const status = page.locator("#measure-images .result");
    await status.filter({ hasText: "Regions have changed since: measure again" }).waitFor();
    assert.deepEqual(
      new Set((await viewer.table("#csv-traces")).column("Region")),
      new Set(["Rectangle 1", "Rectangle 2"]),
    );
    await page.click("#image-means");
    await status.filter({ hasNotText: "changed" }).waitFor();
    const [, , third] = (await viewer.table("#csv-events")).column("Time (s)");
    assert(Number(third) > Number(before.events.rows[2]![0]), "measured again at its new place");
  },
);

/** Cells of the tables of traces and events, without the name of the file. */
async function tablesNow(viewer: Viewer) {
  const cells = async (name: string) => {
    const { head, rows } = tableOf((await viewer.saved(`#csv-${name}`)).text);
    return { head, rows };
  };
  return { traces: await cells("traces"), events: await cells("events") };
}

test("images: saves projections and kymographs as calibrated TIFF", async (viewer, page) => {
  await viewer.openStack();
  await viewer.unfold("images");
  await page.click("#image-project");
  await page.locator("#image-back").waitFor();
  const maximum = await viewer.saved("#tiff-save");
  assert.equal(maximum.name, "spot-max-t.tif");
  await viewer.draw("line", ...SPOT_LINE);
  await viewer.makeKymograph();
  const kymograph = await viewer.saved("#tiff-save");
  assert.equal(kymograph.name, "spot-kymograph.tif");
  for (const { name, bytes } of [maximum, kymograph]) {
    Deno.writeFileSync(
      join(viewer.server.folder, name),
      bytes,
    );
  }
  await viewer.open(join(viewer.server.folder, maximum.name));
  assert.match(await viewer.text("#facts"), /0\.5 µm\/px/);
  // The spot runs through columns: all of its row is bright.
  const place = await viewer.place("source", [STACK_ROWS, STACK_COLUMNS], SPOT_ROW, 30);
  await page.mouse.move(place.x, place.y);
  const read = Number((await viewer.text("#source .readout b")).replace(",", ""));
  const expected = Math.max(...Array.from({ length: IMAGES }, (_, t) => spot(30, SPOT_ROW, t)));
  assert(Math.abs(read - expected) < 2, `${read}, not ${expected}`);
  await viewer.open(join(viewer.server.folder, kymograph.name));
  assert.match(await viewer.text("#facts"), /100 ms\/line · 0\.5 µm\/px/);
});

test("images: measures, keeps, undoes and reports a projection", async (viewer, page) => {
  await viewer.openStack();
  await viewer.draw("line", ...SPOT_LINE);
  const line = (await viewer.text("#line-length")).split(" · ");
  await viewer.unfold("images");
  await page.click("#image-project");
  await page.locator("#image-back").waitFor();
  const brighter = (await viewer.text("#line-length")).split(" · ");
  assert.equal(brighter[0], line[0]);
  assert.equal(await viewer.text("#source h2"), "Maximum over time");
  const profile = await viewer.table("#csv-profile");
  assert.equal(profile.about.get("Projection"), "maximum over time");
  assert.equal(profile.about.has("Time point"), false);
  assert.deepEqual(profile.head, ["Position (um)", "Value"]);
  assert.deepEqual(new Set(profile.column("Channel")), new Set(["GCaMP"]));
  const mean = profile.rows.reduce((sum, row) => sum + Number(row[1]), 0) / profile.rows.length;
  assert(Math.abs(Number(brighter[1]!.replace("mean ", "")) - mean) < 0.1);
  const report = await viewer.saved("#report-html");
  for (
    const words of [
      "maximum over time",
      "<h2>Profile</h2>",
      "<h2>Regions</h2>",
      "It was measured along the line, 27.5 µm long, 1 px wide.",
      "The projection was the maximum over time.",
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
  await viewer.unfold("images");
  await back.click();
  await bar.waitFor();
});

test("images: a line over time becomes a kymograph that is measured and left", async (viewer, page) => {
  await viewer.openStack();
  assert(await page.locator("#tool-band").isDisabled());
  assert(!await page.locator("#measure-bands").isVisible());
  assert(!await page.locator("#measure-typed").isVisible(), "a series is not offered as a line scan");
  await viewer.draw("line", ...SPOT_LINE);
  await viewer.enter("#kymograph-width", "5");
  await page.click("#undo");
  assert.equal(await page.inputValue("#kymograph-width"), "1");
  const line = page.locator('#source polyline[stroke="#ffeb3b"]');
  for (const [button, isDrawn] of [["#undo", false], ["#redo", true]] as const) {
    await page.click(button);
    await viewer.settle();
    assert.equal(await line.count() > 0, isDrawn);
    assert.equal(await page.locator("#kymograph-start").isEnabled(), isDrawn);
  }
  await viewer.makeKymograph();
  assert(await page.locator("#reference").isVisible());
  assert(!await page.locator("#positions").isVisible());
  // Its samples are those of the images: read one under the cursor, the spot in image 20 at column 32.
  const place = await viewer.place("source", [IMAGES, 56], 20, SPOT_START + 20 - 4);
  await page.mouse.move(place.x, place.y);
  const read = Number((await viewer.text("#source .readout b")).replace(",", ""));
  const expected = spot(4 + place.at.column, SPOT_ROW, place.at.row);
  // The line was drawn by hand: half a pixel off, the spot is a tenth darker.
  assert(Math.abs(read - expected) < 25, `${read}, not ${expected}`);
  assert(await page.locator('#reference polyline[stroke="#ffd84d"]').count() > 0);
  // The spot moves by one pixel an image: 0.5 µm in 0.1 s.
  await viewer.unfold("lines");
  const at = (t: number): Place => [(t + 0.5) / IMAGES, 1 - (SPOT_START + t - 4 + 0.5) / 56];
  await viewer.draw("line", at(5), at(35));
  const drawn = await viewer.text("#measure-lines .drawn");
  assert(Math.abs(Number(/velocity ([\d.]+) µm\/s/.exec(drawn)![1]) - 5) < 0.2, drawn);
  await page.click("#kymograph-back");
  assert.equal(await viewer.text("#source h2"), "Image");
  assert(await page.locator("#positions").isVisible());
  assert(!await page.locator("#reference").isVisible());
  // Freehand, with a width, there and back.
  await page.check("#kymograph-freehand");
  await viewer.draw("line", [0.2, 0.3], [0.5, 0.5], [0.8, 0.3]);
  await page.fill("#kymograph-width", "3");
  await viewer.makeKymograph();
});

test("images: a kymograph without times counts frames, its tables have the line", async (viewer, page) => {
  await viewer.openBytes("untimed.ome.tif", measuredStack({ isTimed: false }));
  // A slider takes no letters: they are the page's.
  await page.focus("#position-t");
  await page.keyboard.press("n");
  assert.equal(await page.getAttribute("#tool-line", "aria-pressed"), "true");
  // From edge to edge: from the middle of the first sample to that of the last, and nothing is missing.
  await viewer.draw("line", [0, 0.5], [1, 0.5]);
  await viewer.makeKymograph();
  assert.equal(await page.locator("#source-cards .notes").textContent(), "");
  await viewer.draw("band", [0.4, 0.4], [0.4, 0.6]);
  const saved = await viewer.table("#csv-traces");
  const [{ about }, { head, rows }] = [saved, tracesIn(saved)];
  assert.match(about.get("Line over the images, x y (um)")!, /^0 [\d.]+; 31\.5 [\d.]+$/);
  assert.equal(about.get("Width of the line (px)"), "1");
  assert.deepEqual(head, ["Time (frames)", "Band 1"]);
  assert.deepEqual([rows[0]![0], rows.at(-1)![0]], ["0", String(IMAGES - 1)]);
});
