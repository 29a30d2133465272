import assert from "node:assert/strict";
import { buildPyramid } from "../../static/demo/v2/picture/pyramid.js";
import { VisiblePart } from "../../static/demo/v2/picture/visible_part.js";

const [ROWS, COLUMNS] = [32_768, 8];
const HOME = { x0: 0, y0: 0, x1: ROWS, y1: COLUMNS };
/** 32 rows a pixel; columns are larger than pixels. */
const PIXELS = { x: 1024, y: 80 };

type Level = ReturnType<typeof buildPyramid>[number];
type Statistic = "mean" | "max" | "min";

/** A part over planes whose pyramids are built at once. */
async function ready(samples: Float32Array[], statistic: Statistic) {
  const channels = samples.map((plane) => ({
    samples: plane,
    isFinite: plane.every(Number.isFinite),
  }));
  const load = (plane: Level, wanted: Statistic) => Promise.resolve(buildPyramid(plane, wanted));
  const part = new VisiblePart({ plane: { shape: [ROWS, COLUMNS] }, channels }, load);
  const shown = samples.map((_, i) => i);
  part.look(HOME, PIXELS, statistic, shown);
  await new Promise((done) => setTimeout(done, 5));
  return { part, shown };
}

const ramp = (a: number) =>
  Float32Array.from({ length: ROWS * COLUMNS }, (_, i) => a + Math.floor(i / COLUMNS));

Deno.test("a pixel shows exactly its samples at rest, a nearby block while moving", async () => {
  const { part, shown } = await ready([ramp(0), ramp(100_000)], "mean");
  part.look(HOME, PIXELS, "mean", shown);
  assert.equal(part.isCoarse, false);
  assert.deepEqual(part.frame, { width: 1024, height: 8, view: { x0: 0, y0: 0, x1: 1024, y1: 8 } });
  // Rows 32 i to 32 i + 31 have the mean 32 i + 15.5.
  for (const i of [0, 1, 300, 1023]) assert.equal(part.samples(0)[i * COLUMNS], 32 * i + 15.5);
  part.look(HOME, PIXELS, "mean", shown, true);
  assert.equal(part.isCoarse, true);
  // One entry for two pixels.
  assert.equal(part.frame.width, 512);
  for (const i of [0, 1, 511]) {
    assert.equal(part.samples(0)[i * COLUMNS], 64 * i + 31.5);
    assert.equal(part.samples(1)[i * COLUMNS], 100_000 + 64 * i + 31.5);
  }
});

Deno.test("a change of range reuses the samples", async () => {
  const { part, shown } = await ready([ramp(0)], "mean");
  const first = part.samples(0);
  part.look({ ...HOME }, { ...PIXELS }, "mean", shown);
  assert.equal(part.samples(0), first);
});

Deno.test("a mean at rest ignores missing samples exactly", async () => {
  // Of each 32 rows the first 16 are missing but for row 0, which is 640; the others are 10.
  const value = (row: number) => row % 32 === 0 ? 640 : row % 32 < 16 ? NaN : 10;
  const plane = Float32Array.from({ length: ROWS * COLUMNS }, (_, i) => value(Math.floor(i / COLUMNS)));
  const { part, shown } = await ready([plane], "mean");
  part.look(HOME, PIXELS, "mean", shown);
  // (640 + 16 * 10) / 17; a mean of blocks' means would be larger.
  assert(Math.abs(part.samples(0)[7]! - 800 / 17) < 1e-5);
});

Deno.test("the maximum stays visible while the view moves", async () => {
  const plane = ramp(0).fill(1);
  plane[20_000 * COLUMNS + 3] = 9;
  const { part, shown } = await ready([plane], "max");
  part.look({ ...HOME, x0: 15_000.5, x1: 25_000.5 }, PIXELS, "max", shown, true);
  const { height, view } = part.frame;
  const at = part.samples(0).indexOf(9);
  assert.equal(height, COLUMNS);
  assert.equal(at % COLUMNS, 3);
  const place = (Math.floor(at / COLUMNS) + 0.5 - view.x0) / (view.x1 - view.x0);
  // A block is at most two pixels of 1024.
  assert(Math.abs(place - (20_000.5 - 15_000.5) / 10_000) <= 2 / 1024, `${place}`);
});
