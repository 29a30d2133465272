import assert from "node:assert/strict";
import fc from "fast-check";
import { readProfile } from "../../static/demo/v2/panels/profile.ts";
import {
  computeEnvelope,
  divideIntoPixels,
  formatReduction,
  meanHidesEvents,
  reduceBlocks,
} from "../../static/demo/v2/picture/reduction.ts";

//  0  1  2  3  4
// 10 11 12 13 14
// 20 21 22 23 24
const PLANE = {
  samples: Float32Array.from({ length: 15 }, (_, i) => 10 * Math.floor(i / 5) + i % 5),
  rows: 3,
  columns: 5,
};
const edges = (...all: number[]) => Uint32Array.from(all);

Deno.test("a sample belongs to the pixel that contains its centre", () => {
  // Pixels of 2.5 samples: centres 0.5 and 1.5 lie in the first, 2.5 begins the second.
  assert.deepEqual([...divideIntoPixels(0, 5, 2, 5)], [0, 3, 5]);
  assert.deepEqual([...divideIntoPixels(0.25, 4.75, 3, 5)], [0, 2, 3, 5]);
  const span = fc.integer({ min: 1, max: 400 });
  fc.assert(
    fc.property(
      span,
      fc.integer({ min: 0, max: 1000 }),
      fc.double({ min: 1, max: 60, noNaN: true }),
      (n, low, scale) => {
        const to = low / 7 + n * scale;
        const length = Math.ceil(to);
        const found = divideIntoPixels(low / 7, to, n, length);
        for (let i = 0; i < n; i += 1) {
          assert(found[i + 1]! > found[i]!, "no pixel is empty");
          const ideal = low / 7 + (i + 1) * scale;
          assert(Math.abs(found[i + 1]! - ideal) <= 0.5 + 1e-9);
        }
      },
    ),
    { numRuns: 1000, seed: 6 },
  );
});

Deno.test("blocks have their mean, maximum and minimum", () => {
  const [rows, columns] = [edges(0, 2, 3), edges(0, 3, 5)];
  // Upper left: (0 + 1 + 2 + 10 + 11 + 12) / 6; and so on.
  assert.deepEqual([...reduceBlocks(PLANE, rows, columns, "mean")], [6, 8.5, 21, 23.5]);
  assert.deepEqual([...reduceBlocks(PLANE, rows, columns, "max")], [12, 14, 22, 24]);
  assert.deepEqual([...reduceBlocks(PLANE, rows, columns, "min")], [0, 3, 20, 23]);
});

Deno.test("NaN and infinities do not count; a block without finite samples is NaN", () => {
  const plane = { samples: Float32Array.of(NaN, 2, Infinity, 4, -Infinity, NaN), rows: 1, columns: 6 };
  for (const [statistic, value] of [["mean", 3], ["max", 4], ["min", 2]] as const) {
    const reduced = reduceBlocks(plane, edges(0, 1), edges(0, 4, 6), statistic);
    assert.deepEqual([...reduced], [value, NaN]);
  }
});

Deno.test("means of finite planes equal those of planes with gaps", () => {
  const cut = (length: number) =>
    fc.uniqueArray(fc.integer({ min: 0, max: length }), { minLength: 2, maxLength: 9 })
      .map((all) => Uint32Array.from(all.toSorted((a, b) => a - b)));
  fc.assert(
    fc.property(cut(13), cut(11), fc.integer(), (rows, columns, seed) => {
      const samples = Float32Array.from({ length: 13 * 11 }, (_, i) => (seed + i * 7919) % 4093);
      const plane = { samples, rows: 13, columns: 11 };
      const general = reduceBlocks(plane, rows, columns, "mean");
      const fast = reduceBlocks({ ...plane, isFinite: true }, rows, columns, "mean");
      fast.forEach((value, i) => assert(Math.abs(value - general[i]!) <= 1e-3, `${value}, ${general[i]}`));
    }),
    { numRuns: 500, seed: 6 },
  );
});

Deno.test("the reduction is described in lines, rows and columns", () => {
  assert.equal(formatReduction({ rows: 34.1, columns: 0.4 }, true, "mean"), "1 pixel = 34 lines, mean");
  assert.equal(
    formatReduction({ rows: 3.3, columns: 2 }, false, "max"),
    "1 pixel = 3.3 rows × 2 columns, max",
  );
  assert.equal(formatReduction({ rows: 1.047, columns: 1 }, true, "min"), "1 pixel = 1.05 lines, min");
  assert.equal(formatReduction({ rows: 9.97, columns: 1 }, true, "min"), "1 pixel = 10 lines, min");
  assert.equal(formatReduction({ rows: 1, columns: 0.2 }, true, "min"), "");
});

Deno.test("an envelope has the least, greatest and mean value of each step", () => {
  const values = Float32Array.of(1, 9, 2, 4, NaN, 0, 4, 5, NaN, NaN, Infinity, NaN);
  // (1 + 9 + 2 + 4) / 4 and (0 + 4 + 5) / 3
  assert.deepEqual(computeEnvelope(values, 0, 12, 3, ["min", "max", "mean"]).map((part) => [...part]), [
    [1, 0, NaN],
    [9, 5, NaN],
    [4, 3, NaN],
  ]);
});

Deno.test("a profile runs along the rows or the columns of the plane", () => {
  const plane = Float32Array.of(0, 1, 2, 3, 4, 5);
  assert.deepEqual([...readProfile(plane, [2, 3], "x", { x: 1, y: 2 })], [2, 5]);
  assert.deepEqual([...readProfile(plane, [2, 3], "y", { x: 1, y: 2 })], [3, 4, 5]);
});

Deno.test("detects sparse events in noise that the mean hides, and neither frequent ones nor noise alone", () => {
  // 20,000 lines of 20 columns in 200 pixels; noise from 0 to 99, events of 3 lines and 5 columns.
  const [lines, columns, pixels] = [20_000, 20, 200];
  const hides = (events: number, height: number, wide = 5) => {
    const samples = Float32Array.from({ length: lines * columns }, (_, i) => i * 7919 % 100);
    for (let event = 0; event < events; event += 1) {
      const first = Math.round((event + 0.5) * lines / events);
      for (let line = first; line < first + 3; line += 1) {
        for (let column = 5; column < 5 + wide; column += 1) samples[line * columns + column]! += height;
      }
    }
    const plane = { samples, rows: lines, columns };
    const rows = divideIntoPixels(0, lines, pixels, lines);
    const all = divideIntoPixels(0, columns, columns, columns);
    const [means, maxima] = (["mean", "max"] as const).map((by) => reduceBlocks(plane, rows, all, by));
    return meanHidesEvents(means!, maxima!, [1, 99]);
  };
  // 3 lines of 300 among 100 raise the mean of 50 by 9.
  assert.equal(hides(20, 300), true);
  assert.equal(hides(0, 300), false);
  assert.equal(hides(20, 300, 1), false, "single columns are noise");
  // They raise it by 150, above all noise.
  assert.equal(hides(20, 5000), false);
  assert.equal(hides(200, 300), false, "one in each pixel");
});
