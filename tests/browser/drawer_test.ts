/** Results in the drawer: by keys alone from the file to the row of a window, in view, linked with picture and chart. */
import assert from "node:assert/strict";
import axe from "axe-core";
import type { Page } from "playwright-core";
import { SCAN_SHAPE } from "./measured_scan.ts";
import { viewerSuite } from "./suite.ts";
import type { Viewer } from "./viewer.ts";

const { test } = viewerSuite();

/** Least height of a line scan above charts and results, in CSS pixels. */
const LEAST_SCAN = 220;

/** More than there are stops. */
const MOST_TABS = 150;

/** Presses Tab until an element has the focus. @returns what had it before, as ids and class names */
async function tabTo(page: Page, selector: string): Promise<string[]> {
  const passed: string[] = [];
  for (let i = 0; i < MOST_TABS; i += 1) {
    await page.keyboard.press("Tab");
    const [isThere, name] = await page.evaluate(
      `[document.activeElement.matches(${JSON.stringify(selector)}),
        document.activeElement.id || document.activeElement.className]`,
    ) as [boolean, string];
    if (isThere) return passed;
    passed.push(name);
  }
  throw new Error(`Tab does not reach ${selector}: ${passed.join()}`);
}

/** Whether an element lies in the window and in all that scrolls around it. */
const isInView = (page: Page, selector: string) =>
  page.evaluate(`(() => {
    const { x, y, width, height } = document.querySelector(${
    JSON.stringify(selector)
  }).getBoundingClientRect();
    const at = document.elementFromPoint(x + Math.min(width, 40) / 2, y + Math.min(height, 16) / 2);
    return at !== null && at.closest(${JSON.stringify(selector)}) !== null;
  })()`) as Promise<boolean>;

async function press(page: Page, ...keys: string[]): Promise<void> {
  for (const key of keys) await page.keyboard.press(key);
}

const marked = (page: Page) =>
  page.locator("#drawer-velocity tbody tr").evaluateAll((rows) =>
    // deno-lint-ignore no-explicit-any
    rows.flatMap((row: any, i) => row.ariaCurrent === "true" ? [i] : [])
  );

const lines = async ({ page }: Viewer) =>
  (await page.locator(".time-fields input").evaluateAll((fields) =>
    // deno-lint-ignore no-explicit-any
    fields.map((field: any) => Number(field.value))
  )) as [number, number];

test(
  "drawer: keys draw a band, measure it, and pick a row whose place comes into view",
  async (viewer, page) => {
    await page.setViewportSize({ width: 1366, height: 625 });
    await viewer.openScan();
    assert.equal(await page.evaluate("document.activeElement.matches('#source .plot')"), true);
    await press(page, "b", "Enter", "Shift+ArrowUp", "Shift+ArrowUp", "Enter");
    assert.equal(await viewer.bands.count(), 1);
    assert.match(await viewer.text("#measure-bands .place"), /^1[78]\.\d–2[12]\.\d+ µm$/);
    assert.equal(await page.evaluate("document.activeElement.className"), "grip whole");
    // Another tool, and Escape, which leaves nothing.
    await press(page, "Escape", "n", "Enter", "ArrowUp", "Escape");
    await viewer.settle();
    assert.equal(await page.locator("#measure-lines tbody tr").count(), 0);

    await page.focus("#help");
    const passed = await tabTo(page, "#measure-velocity > summary");
    const order = ["plot", "tool-zoom", "add-band", "undo"].map((name) => passed.indexOf(name));
    assert(
      order.every((place) => place >= 0) && order[0]! < order[1]! && order[1]! < order[2]!,
      passed.join(),
    );
    await press(page, "Enter");
    await tabTo(page, "#velocity-start");
    await press(page, "Enter");
    const result = page.locator("#drawer-velocity .result", { hasText: "With a velocity" });
    await result.waitFor();
    for (const [width, height] of [[1366, 625], [1280, 800]] as const) {
      await page.setViewportSize({ width, height });
      await viewer.settle();
      const plot = await viewer.box("#source .plot");
      assert(plot.height >= LEAST_SCAN, `${plot.height} at ${width} × ${height}`);
      for (const part of ["#source .plot", "#velocity-chart", "#chart-axis", "#drawer-velocity .result"]) {
        assert(await isInView(page, part), `${part} at ${width} × ${height}`);
      }
      const ticks = await page.locator("#velocity-chart text").filter({ hasText: /^\d+$/ }).count();
      assert(ticks >= 3, `${ticks} ticks`);
    }

    // On a phone, the page scrolls to the results.
    await page.setViewportSize({ width: 390, height: 844 });
    await page.locator("#velocity-start").press("Enter");
    await page.locator("#velocity-start", { hasText: "Measure" }).waitFor();
    await viewer.settle();
    await viewer.settle();
    for (const part of ["#velocity-chart", "#drawer-velocity .result"]) {
      assert(await isInView(page, part), `${part} on a phone`);
    }
    await page.setViewportSize({ width: 1280, height: 800 });
    await viewer.settle();

    // Only the first lines are in view; the last window lies beyond them.
    await page.locator("#source .plot").focus();
    await press(page, "Home", "]", "]", "]");
    await viewer.enter(".time-fields input:nth-of-type(1)", "0");
    await tabTo(page, "#drawer-velocity .row-pick");
    await page.locator("#drawer-velocity .row-pick").last().focus();
    const [, before] = await lines(viewer);
    await press(page, "Enter");
    await viewer.settle();
    const rows = await page.locator("#drawer-velocity tbody tr").count();
    assert.deepEqual(await marked(page), [rows - 1]);
    const [from, to] = await lines(viewer);
    const time = Number(await page.locator("#drawer-velocity .row-pick").last().innerText());
    assert(from <= time && time <= to && to > before, `${time} in ${from} to ${to}`);
    const marks = page.locator('#source polyline[stroke="#ffffff"][stroke-width="2"]');
    assert.equal(await marks.count(), 1);
    assert.equal(await page.locator('#velocity-chart circle[stroke="var(--accent)"]').count(), 1);

    // Back: a click in the chart marks the row of the nearest value.
    await page.locator("#source .plot").focus();
    await press(page, "Home");
    await viewer.settle();
    const [plot, chart] = [await viewer.box("#source .plot"), await viewer.box("#velocity-chart")];
    const third = Number(await page.locator("#drawer-velocity .row-pick").nth(2).innerText());
    const [, end] = await lines(viewer);
    await page.mouse.click(plot.x + plot.width * third / end, chart.y + chart.height / 2);
    assert.deepEqual(await marked(page), [2]);
    await page.evaluate(axe.source);
    const { violations } = await page.evaluate("axe.run()") as axe.AxeResults;
    assert.deepEqual(violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)]), []);

    // The height of the drawer is remembered.
    const height = async () => (await viewer.box("#drawer")).height;
    const divider = page.locator("#drawer-divider");
    await page.setViewportSize({ width: 1280, height: 1000 });
    await viewer.settle();
    const low = await height();
    await divider.press("PageUp");
    await viewer.settle();
    const high = await height();
    assert(high > low + 40, `${low} to ${high}`);
    const now = await divider.getAttribute("aria-valuenow");
    await viewer.reload();
    assert.equal(await divider.getAttribute("aria-valuenow"), now);
    assert(Math.abs(await height() - high) < 1);
  },
);

test(
  "drawer: buttons add regions, whose numbers have the focus, and a press on a spark marks its row",
  async (viewer, page) => {
    await viewer.openScan();
    for (const count of [1, 2]) {
      await page.click("#add-band");
      assert.equal(await page.evaluate("document.activeElement.id"), "shape-from-y");
      assert.equal(await viewer.bands.count(), count);
    }
    const places = await page.locator("#measure-bands .place").allInnerTexts();
    assert.equal(new Set(places).size, 2, places.join());
    await page.click("#add-line");
    assert.equal(await page.evaluate("document.activeElement.id"), "shape-start-x");
    await page.keyboard.press("Escape");
    await page.keyboard.press("Escape");
    await viewer.unfold("sparks");
    await page.selectOption("#sparks-channel", "1");
    await viewer.enter("#sparks-threshold", "3");
    await page.click("#sparks-start");
    const row = page.locator("#drawer-sparks tbody tr").first();
    await row.waitFor();
    const column = async (name: string) => (await viewer.table("#csv-sparks")).column(name).map(Number);
    const [line, position] = [(await column("Time (s)"))[0]!, (await column("Position (um)"))[0]!];
    const [lineTime, pixel] = [0.002118, 0.45];
    const outline = await viewer.place("source", SCAN_SHAPE, line / lineTime, position / pixel);
    const box = await page.locator('#source polyline[stroke="#ffeb3b"]').first().boundingBox();
    await page.mouse.click(outline.x, box!.y + box!.height - 1);
    await viewer.settle();
    assert.equal(await row.getAttribute("aria-current"), "true");
    await viewer.openStack();
    await page.click("#add-rectangle");
    assert.equal(await page.evaluate("document.activeElement.id"), "shape-start-y");
    assert.equal(await page.locator("#measure-regions tbody tr").count(), 1);
    // Keys draw the line, too.
    await page.focus("#source .plot");
    await press(page, "Escape", "n", "Enter", "Shift+ArrowRight", "Enter");
    assert.equal(await page.locator("#kymograph-start").isEnabled(), true);
  },
);
