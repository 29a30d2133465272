/**
 * The viewer in headless Chromium, which draws in software: time from the last byte to the picture and per change of the
 * look-up table, against drawing one plane with `putImageData` in the same page; time from the key to the picture while a
 * stack is stepped through; frame times while long line scans are zoomed, panned and dragged over. Nothing where Chromium is
 * missing.
 */
import { join } from "node:path";
import { hasChromium, startChromium, StubbedServer, Viewer } from "../tests/browser/browser.ts";
import { writePlainStore } from "../tests/fixtures/plain_store.ts";
import type { BenchRow } from "./report.ts";
import { writeImageJ } from "./stack_files.ts";
import {
  installClock,
  motionFrames,
  pictureTime,
  stepTimes,
  timeLutChange,
  timePutImageData,
} from "./viewer_in_page.js";

const ROUNDS = 5;
const FRAMES = 240;
const STACK_PLANES = 200;
const GROUP = "viewer, drawn in software";

/** Runs the benchmark. */
export async function run(): Promise<BenchRow[]> {
  if (!hasChromium()) return [];
  await using server = await StubbedServer.start();
  const square = await writeNoise(join(server.folder, "square.ome.zarr"), 2048, 2048, "micrometer");
  const scans = {
    "2 x 512 x 10000": await writeNoise(join(server.folder, "scan.ome.zarr"), 10_000, 512, "second"),
    "2 x 24 x 30000": await writeNoise(join(server.folder, "long.ome.zarr"), 30_000, 24, "second"),
  };
  const browser = await startChromium();
  try {
    await using viewer = await Viewer.load(browser, server);
    const rows = await measurePicture(viewer, square);
    for (const side of [512, 2048]) rows.push(await measureSteps(viewer, side));
    for (const [name, path] of Object.entries(scans)) rows.push(...await measureMotion(viewer, name, path));
    return rows;
  } finally {
    await browser.close();
  }
}

async function measurePicture(viewer: Viewer, square: string): Promise<BenchRow[]> {
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
  const row = (name: string, milliseconds: number) => ({
    group: GROUP,
    name,
    milliseconds,
    ratios: { "to putImageData": milliseconds / put },
  });
  return [
    { group: GROUP, name: "draw one plane of 2048 x 2048 with putImageData", milliseconds: put, ratios: {} },
    row("last byte to picture, 2 x 2048 x 2048", picture),
    row("change of look-up table, 2 x 2048 x 2048", lut),
  ];
}

/** Each key is pressed as soon as the picture of the one before is drawn. */
async function measureSteps(viewer: Viewer, side: number): Promise<BenchRow> {
  const path = join(viewer.server.folder, `${side}.tif`);
  writeImageJ(path, { planes: STACK_PLANES, side });
  await viewer.open(path);
  await viewer.settle();
  const steps = await viewer.page.evaluate(stepTimes, STACK_PLANES - 1);
  await Deno.remove(path);
  return {
    group: GROUP,
    name: `95 % of steps at most, key to picture, ${STACK_PLANES} x ${side} x ${side}`,
    milliseconds: quantile(steps, 0.95),
    ratios: { "ms median step": quantile(steps, 0.5) },
  };
}

async function measureMotion(viewer: Viewer, name: string, path: string): Promise<BenchRow[]> {
  await viewer.open(path);
  const rows: BenchRow[] = [];
  for (const motion of ["zoom", "pan", "drag"]) {
    const { frames, work } = await viewer.page.evaluate(motionFrames, { motion, count: FRAMES });
    rows.push({
      group: GROUP,
      name: `95 % of frames at most, ${motion}, ${name}`,
      milliseconds: quantile(frames, 0.95),
      ratios: {
        "ms median frame": quantile(frames, 0.5),
        "ms median of work in a frame": quantile(work, 0.5),
      },
    });
  }
  return rows;
}

const quantile = (times: number[], part: number): number =>
  times.toSorted((a, b) => a - b)[Math.floor(part * (times.length - 1))]!;

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
