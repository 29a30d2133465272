import assert from "node:assert/strict";
import { computeCurveColumns } from "../../static/demo/v2/measuring/trace_curves.ts";

const curve = (values: number[], dash = "") => ({ values: Float64Array.from(values), color: "red", dash });

Deno.test("draws a column of many samples from minimum to maximum, with gaps only at missing values", () => {
  const rows: [samples: number[], bottoms: number[], tops: number[]][] = [
    // 0 1 2 3 and 9 3 2 1; the second column reaches down to the first of its own accord.
    [[0, 1, 2, 3, 9, 3, 2, 1], [0, 1], [3, 9]],
    // 0 1, then 7 8 which reaches down to 1, then 2 2 which it covers.
    [[0, 1, 7, 8, 2, 2], [0, 1, 2], [1, 8, 2]],
    [[1, 1, NaN, Infinity, 4, 4], [1, NaN, 4], [1, NaN, 4]],
  ];
  for (const [samples, ...expected] of rows) {
    const { bottoms, tops } = computeCurveColumns(
      curve(samples),
      { from: 0, to: samples.length },
      expected[0].length,
      1,
    );
    assert.deepEqual([[...bottoms], [...tops]], expected);
  }
});

Deno.test("draws fewer samples than columns as a line, at any zoom", () => {
  const values = Array.from({ length: 100 }, (_, i) => i);
  const { bottoms, tops } = computeCurveColumns(curve(values), { from: 40, to: 44 }, 8, 1);
  // The edges of the columns lie at 40, 40.5 and so on; sample i lies at i + 0.5.
  for (let x = 0; x < 8; x += 1) {
    assert(Math.abs(bottoms[x]! - (39.5 + x / 2)) < 1e-5 && Math.abs(tops[x]! - (40 + x / 2)) < 1e-5, `${x}`);
  }
});

Deno.test("draws the gaps of a broken line", () => {
  const values = Array.from({ length: 30 }, () => 1);
  const { tops } = computeCurveColumns(curve(values, "2 3"), { from: 0, to: 30 }, 30, 1);
  assert.deepEqual([...tops.slice(0, 10)], [1, 1, NaN, NaN, NaN, 1, 1, NaN, NaN, NaN]);
});
