import assert from "node:assert/strict";
import { ChannelGroup } from "../../static/demo/v2/picture/channel_group.ts";
import { ORIENTATIONS } from "../../static/demo/v2/picture/orientation.ts";
import { PlanePainter } from "../../static/demo/v2/picture/plane_painter.ts";
import { buildPyramid } from "../../static/demo/v2/picture/pyramid.ts";

/** 32 rows a pixel; columns are as large as pixels. */
const [ROWS, COLUMNS, PIXELS] = [32_768, 8, 1024];

type Level = Parameters<typeof buildPyramid>[0];
type Statistic = Parameters<typeof buildPyramid>[1];

/** Paints planes whose pyramids are built at once; the canvas has an entry of the home view per pixel. */
function paintingOf(statistic: Statistic, ...planes: Float32Array[]) {
  const image = { width: PIXELS, height: COLUMNS, data: new Uint8ClampedArray(4 * PIXELS * COLUMNS) };
  const context = { createImageData: () => image, putImageData: () => {} };
  const canvas = { width: PIXELS, height: COLUMNS, getContext: () => context };
  const painter = new PlanePainter(canvas as never, () => {});
  // deno-lint-ignore no-explicit-any
  const plane: any = { shape: [ROWS, COLUMNS] };
  const channels = planes.map((samples, index) => ({ index, name: `CH${index}`, samples }));
  const group = new ChannelGroup({ plane, channels });
  painter.statistic = statistic;
  painter.load(group, (plane: Level, wanted: Statistic) => Promise.resolve(buildPyramid(plane, wanted)));
  const area = { left: 0, top: 0, width: PIXELS, height: COLUMNS };
  const paint = (x0 = 0, x1 = ROWS) =>
    painter.paint({ x0, x1, y0: 0, y1: COLUMNS }, ORIENTATIONS[0]!, [area]);
  const atHome = () => painter.atHome(group.channels[0]!, ORIENTATIONS[0]!, area);
  /** Shows the home view once, and moves twice, which is a movement. */
  const move = async () => {
    paint();
    await new Promise((done) => setTimeout(done, 5));
    painter.move();
    painter.move();
  };
  return { painter, group, paint, atHome, move, image };
}

Deno.test("a pixel at rest has the exact mean without missing samples, computed once", () => {
  // Of each 32 rows the first 16 are missing but for row 0, which is 640; the others are 10.
  const value = (row: number) => row % 32 === 0 ? 640 : row % 32 < 16 ? NaN : 10;
  const plane = Float32Array.from({ length: ROWS * COLUMNS }, (_, i) => value(Math.floor(i / COLUMNS)));
  const { paint, atHome } = paintingOf("mean", plane);
  const samples = atHome();
  // (640 + 16 * 10) / 17; a mean of blocks' means would be larger.
  assert(samples.every((sample) => Math.abs(sample - 800 / 17) < 1e-5));
  paint();
  assert.equal(atHome(), samples);
});

Deno.test("a bright sample stays at its place while the view moves, of any shown channel", async () => {
  const dark = new Float32Array(ROWS * COLUMNS).fill(1);
  const event = dark.slice();
  event[20_000 * COLUMNS + 3] = 9;
  const { painter, group, paint, move, image } = paintingOf("max", dark, event);
  group.toggle(0, false);
  group.channels[1]!.setRange(1, 9);
  await move();
  paint(15_000.5, 25_000.5);
  assert(painter.isCoarse);
  const lit = Array.from({ length: PIXELS * COLUMNS }, (_, i) => i).filter((i) => image.data[4 * i] === 255);
  for (const i of lit) {
    assert.equal(Math.floor(i / PIXELS), 3);
    // A block is at most two pixels of 1024.
    assert(Math.abs((i % PIXELS + 0.5) / PIXELS - (20_000.5 - 15_000.5) / 10_000) <= 2 / PIXELS, `${i}`);
  }
  assert(lit.length > 0);
  await new Promise((done) => setTimeout(done, 200));
  paint();
  assert.equal(painter.isCoarse, false);
});
