import assert from "node:assert/strict";
import { VisiblePart } from "../../static/demo/v2/picture/visible_part.js";

const [ROWS, COLUMNS] = [32_768, 8];
const HOME = { x0: 0, y0: 0, x1: ROWS, y1: COLUMNS };
/** 32 rows a pixel; columns are larger than pixels. */
const PIXELS = { x: 1024, y: 80 };

function partOf(valueOf: (row: number) => number) {
  const samples = Float32Array.from({ length: ROWS * COLUMNS }, (_, i) => valueOf(Math.floor(i / COLUMNS)));
  const part = new VisiblePart({ plane: { shape: [ROWS, COLUMNS] }, channels: [{ samples }] });
  part.look(HOME, PIXELS, "mean");
  return part;
}

Deno.test("a pixel shows exactly its samples; a change of range reuses them", () => {
  const part = partOf((row) => row);
  assert.deepEqual(part.frame, { width: 1024, height: 8, view: { x0: 0, y0: 0, x1: 1024, y1: 8 } });
  // Rows 32 i to 32 i + 31 have the mean 32 i + 15.5.
  for (const i of [0, 1, 300, 1023]) assert.equal(part.samples(0)[i * COLUMNS], 32 * i + 15.5);
  const first = part.samples(0);
  part.look({ ...HOME }, { ...PIXELS }, "mean");
  assert.equal(part.samples(0), first);
});

Deno.test("a mean ignores missing samples exactly", () => {
  // Of each 32 rows the first 16 are missing but for row 0, which is 640; the others are 10.
  const part = partOf((row) => row % 32 === 0 ? 640 : row % 32 < 16 ? NaN : 10);
  // (640 + 16 * 10) / 17; a mean of blocks' means would be larger.
  assert(Math.abs(part.samples(0)[7]! - 800 / 17) < 1e-5);
});
