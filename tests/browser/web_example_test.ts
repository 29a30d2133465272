/** The page of `examples/web/`: pictures and error messages. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Page } from "playwright-core";
import { startChromium, StubbedServer } from "./browser.ts";
import { chooseInExample, openExample } from "./example_page.ts";
import { drawnPixel } from "./in_page.js";
import { browserTest } from "./remote_page.ts";
import { LINE, lineScanFile, referenceSample, sample, SHAPE } from "./line_scan.ts";

/** Grey of a value where the 1st percentile of all is black and the 99.5th is white. */
function grey(all: readonly number[], value: number): number {
  const sorted = all.toSorted((a, b) => a - b);
  const at = (part: number) => sorted[Math.floor(part * (sorted.length - 1))]!;
  const [low, high] = [at(0.01), at(0.995)];
  return Math.round(Math.min(255, Math.max(0, 255 * (value - low) / (high - low))));
}

const values = (rows: number, columns: number, of: (row: number, column: number) => number) =>
  Array.from({ length: rows * columns }, (_, i) => of(Math.floor(i / columns), i % columns));

/** Runs the page shown in docs/use-from/web.md. */
async function checkLines(page: Page, server: StubbedServer): Promise<void> {
  const text = Deno.readTextFileSync(new URL("../../docs/use-from/web.md", import.meta.url));
  const [, lines] = /^```html\n(.*?)^```/ms.exec(text)!;
  const file = join(server.folder, "lines.html");
  Deno.writeTextFileSync(file, lines!.replaceAll("http://127.0.0.1:8767", server.baseUrl));
  await page.goto(pathToFileURL(file).href);
  const [rows, columns] = SHAPE;
  await page.getByText(`scan.oir: ${rows} x ${columns}, the first sample is ${sample(0, 0, 0)}`).waitFor();
}

browserTest("the example page draws channels and reference and explains failures", "chromium", async () => {
  await using server = await StubbedServer.start();
  const scan = join(server.folder, "scan.oir");
  await Deno.writeFile(scan, lineScanFile());
  await using browser = await startChromium();
  const page = await openExample(browser, server);
  await chooseInExample(page, server, scan);
  assert.equal(await page.locator("#said").innerText(), "scan.oir");
  const titles = await page.locator("figure").allInnerTexts();
  const names = titles.map((title) => title.trim().split(":")[0]);
  assert.deepEqual(names, ["CH1", "CH2", "Reference CH1", "Reference CH2"]);
  const all = values(...SHAPE, (row, column) => sample(1, row, column));
  for (const [row, column] of [[100, 20], [0, 0], [199, 63]] as const) {
    const level = grey(all, sample(1, row, column));
    const drawn = await page.evaluate(drawnPixel, { picture: 1, x: column, y: row });
    assert.deepEqual(drawn, [level, level, level, 255], `${row}, ${column}`);
  }
  const reference = values(128, 128, (row, column) => referenceSample(0, row, column));
  const level = grey(reference, referenceSample(0, 5, 40));
  const drawn = await page.evaluate(drawnPixel, { picture: 2, x: 40, y: 5 });
  assert.deepEqual(drawn, [level, level, level, 255]);
  // The path of the laser over the reference: cyan has no red, half way along the line, where the reference is not black.
  const [x, y] = [Math.round((LINE[0] + LINE[2]) / 2), Math.round((LINE[1] + LINE[3]) / 2)];
  const [red, green] = await page.evaluate(drawnPixel, { picture: 2, x, y }) as [number, number];
  assert(green - red > 60, `${red}, ${green}`);
  // The lines of docs/use-from/web.md, as a page of their own.
  server.choose(scan);
  await checkLines(await browser.newPage(), server);
  // A closed dialog, and no server.
  server.cancel();
  await page.locator("#open").click();
  await page.getByText("cancelled: ").waitFor();
  await server.stop();
  await page.reload();
  await page.locator("#open").click();
  await page.getByText("Does acq-server run?").waitFor();
});
