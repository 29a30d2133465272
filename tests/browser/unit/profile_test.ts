import assert from "node:assert/strict";
import { extremes, profileValues } from "../../../static/demo/v2/profile.js";

// 0 1 2
// 3 4 5
const SAMPLES = Float32Array.of(0, 1, 2, 3, 4, 5);

Deno.test("across the picture runs along the plane's rows, down along its columns", () => {
  assert.deepEqual([...profileValues(SAMPLES, [2, 3], "x", { x: 1, y: 2 })], [2, 5]);
  assert.deepEqual([...profileValues(SAMPLES, [2, 3], "y", { x: 1, y: 2 })], [3, 4, 5]);
});

Deno.test("extremes of each step reach to the first sample of the next", () => {
  const values = Float32Array.of(1, 9, 2, 3, NaN, 0, 4, 5);
  // 0 to 4 with sample 4 (NaN): 1 and 9; 4 to 8: 0 and 5.
  const { lows, highs } = extremes(values, 0, 8, 2);
  assert.deepEqual([...lows], [1, 0]);
  assert.deepEqual([...highs], [9, 5]);
});

Deno.test("a step without finite values has no extremes", () => {
  const { lows, highs } = extremes(Float32Array.of(NaN, NaN, NaN, 2, 3), 0, 4, 2);
  assert.deepEqual([...lows], [NaN, 2]);
  assert.deepEqual([...highs], [NaN, 3]);
});
