import assert from "node:assert/strict";
import fc from "fast-check";
import {
  buildPyramid,
  chooseBlock,
  chooseLevel,
  makeWholeLevel,
} from "../../static/demo/v2/picture/pyramid.ts";

/** Expected entry of a level, sample by sample. */
function byHand(samples: Float32Array, columns: number, rect: number[], statistic: "mean" | "max" | "min") {
  const [top, bottom, left, right] = rect as [number, number, number, number];
  const values = [];
  for (let row = top; row < bottom; row += 1) {
    for (let column = left; column < right; column += 1) values.push(samples[row * columns + column]!);
  }
  if (statistic === "mean") return values.reduce((sum, value) => sum + value, 0) / values.length;
  return values.reduce((best, value) => statistic === "max" ? Math.max(best, value) : Math.min(best, value));
}

Deno.test("every entry of every level is the statistic of its block", () => {
  const size = fc.integer({ min: 500, max: 2200 });
  fc.assert(
    fc.property(
      size,
      fc.integer({ min: 1, max: 600 }),
      fc.constantFrom("mean", "max", "min"),
      (rows, columns, statistic) => {
        let state = rows * columns;
        const samples = Float32Array.from(
          { length: rows * columns },
          () => (state = (state * 1664525 + 1013904223) >>> 0) >>> 20,
        );
        for (const level of buildPyramid(makeWholeLevel(samples, rows, columns), statistic)) {
          assert.equal(level.samples.length, level.rows * level.columns);
          assert.equal(level.rows, Math.ceil(rows / level.rowBlock));
          assert.equal(level.columns, Math.ceil(columns / level.columnBlock));
          // The mean of a last block that is not whole is that of its entries.
          const last = statistic === "mean" ? [1, 1] : [level.rows - 1, level.columns - 1];
          for (const [y, x] of [[0, 0], last, [level.rows >> 1, level.columns >> 1]]) {
            const [top, left] = [y! * level.rowBlock, x! * level.columnBlock];
            const rect = [
              top,
              Math.min(rows, top + level.rowBlock),
              left,
              Math.min(columns, left + level.columnBlock),
            ];
            const expected = byHand(samples, columns, rect, statistic);
            const actual = level.samples[y! * level.columns + x!]!;
            assert(Math.abs(actual - expected) <= 1e-5 * 4096, `${actual}, ${expected}`);
          }
        }
      },
    ),
    { numRuns: 12, seed: 6 },
  );
});

Deno.test("a long scan of few columns shrinks only along its lines", () => {
  const levels = buildPyramid(makeWholeLevel(new Float32Array(30_000 * 24), 30_000, 24), "mean");
  // 30,000 / 4, / 16 and / 64; the next would have 118 lines.
  assert.deepEqual(levels.map(({ rows, columns }) => [rows, columns]), [[7500, 24], [1875, 24], [469, 24]]);
});

Deno.test("a block of NaN stays NaN; other blocks ignore NaN", () => {
  // Rows of one column: every fourth block is NaN altogether, the others have one NaN and three numbers.
  const samples = Float32Array.from(
    { length: 512 },
    (_, i) => i % 16 >= 12 || i % 4 === 1 ? NaN : Math.floor(i / 4) + [0, 0, 1, 5][i % 4]!,
  );
  const [level] = buildPyramid(makeWholeLevel(samples, 512, 1), "mean");
  // (0 + 1 + 5) / 3 more than the block's number.
  assert.deepEqual([...level!.samples.subarray(0, 5)], [2, 3, 4, NaN, 6]);
});

Deno.test("chooses a level with at least the requested entries per pixel", () => {
  assert.deepEqual([0.5, 7.9, 8, 31, 32, 34].map((samples) => chooseBlock(samples, 2)), [1, 1, 4, 4, 16, 16]);
  const whole = makeWholeLevel(new Float32Array(1024 * 1024), 1024, 1024);
  const levels = [whole, ...buildPyramid(whole, "max")];
  assert.equal(chooseLevel(levels, { rows: 2, columns: 2 }, 2), whole);
  const { rowBlock, columnBlock } = chooseLevel(levels, { rows: 9, columns: 1 }, 2);
  assert.deepEqual([rowBlock, columnBlock], [4, 1]);
});
