/**
 * The viewer in headless Chromium, with WebGL2 in software and without: time from the last byte to the picture and per
 * change of the look-up table, against drawing one plane with `putImageData` in the same page; frame times while
 * zooming a long line scan. Nothing where Chromium is missing.
 */
import { join } from "node:path";
import { hasChromium, startChromium, StubbedServer, Viewer } from "../tests/browser/browser.ts";
import { writePlainStore } from "../tests/fixtures/plain_store.ts";
import type { BenchRow } from "./report.ts";
import { installClock, pictureTime, timeLutChange, timePutImageData, zoomFrames } from "./viewer_in_page.js";

const ROUNDS = 5;
const FRAMES = 240;

/** Runs the benchmark. */
export async function run(): Promise<BenchRow[]> {
  if (!hasChromium()) return [];
  await using server = await StubbedServer.start();
  const square = await writeNoise(join(server.folder, "square.ome.zarr"), 2048, 2048, "micrometer");
  const scan = await writeNoise(join(server.folder, "scan.ome.zarr"), 10_000, 512, "second");
  const rows: BenchRow[] = [];
  for (const webgl of [true, false]) {
    const browser = await startChromium(webgl);
    try {
      await using viewer = await Viewer.load(browser, server);
      rows.push(
        ...await measure(viewer, webgl ? "viewer, WebGL2 in software" : "viewer, canvas 2D", square, scan),
      );
    } finally {
      await browser.close();
    }
  }
  return rows;
}

async function measure(viewer: Viewer, group: string, square: string, scan: string): Promise<BenchRow[]> {
  const { page } = viewer;
  await page.evaluate(installClock);
  const pictures: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    await viewer.open(square);
    pictures.push(await page.evaluate(pictureTime));
  }
  const put = Math.min(...await page.evaluate(timePutImageData, ROUNDS));
  const lut = Math.min(...await page.evaluate(timeLutChange, ROUNDS));
  const picture = Math.min(...pictures);
  await viewer.open(scan);
  const frames: number[] = (await page.evaluate(zoomFrames, FRAMES)).sort((a: number, b: number) => a - b);
  const share = (limit: number) => frames.filter((time) => time > limit).length / frames.length;
  return [
    { group, name: "draw one plane of 2048 x 2048 with putImageData", milliseconds: put, ratios: {} },
    {
      group,
      name: "last byte to picture, 2 x 2048 x 2048",
      milliseconds: picture,
      ratios: { "to putImageData": picture / put },
    },
    { group, name: "change of look-up table", milliseconds: lut, ratios: { "to putImageData": lut / put } },
    {
      group,
      name: "median frame zooming 2 x 512 x 10000",
      milliseconds: frames[frames.length >> 1]!,
      ratios: { "of frames over 50 ms": share(50), "of frames over 200 ms": share(200) },
    },
  ];
}

/** Two channels of noise; answers the path to choose. */
async function writeNoise(path: string, rows: number, columns: number, unit: string): Promise<string> {
  // Linear congruential numbers of 32 bits; the upper 12 are the sample.
  let state = 6;
  const plane = () =>
    Uint16Array.from({ length: rows * columns }, () => (state = (state * 1664525 + 1013904223) >>> 0) >>> 20);
  const x = { step: 0.2, unit: "micrometer" };
  await writePlainStore(path, { planes: [plane(), plane()], rows, columns, y: { step: 0.2, unit }, x });
  return join(path, "zarr.json");
}
