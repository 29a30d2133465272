import assert from "node:assert/strict";
import { profileValues, thinned } from "../../../static/demo/v2/profile.js";

// 0 1 2
// 3 4 5
const SAMPLES = Float32Array.of(0, 1, 2, 3, 4, 5);

Deno.test("across the picture runs along the plane's rows, down along its columns", () => {
  assert.deepEqual([...profileValues(SAMPLES, [2, 3], "x", { x: 1, y: 2 })], [2, 5]);
  assert.deepEqual([...profileValues(SAMPLES, [2, 3], "y", { x: 1, y: 2 })], [3, 4, 5]);
});

Deno.test("thinning keeps the extremes of each step in their order", () => {
  const values = Float32Array.of(1, 9, 2, 3, NaN, 0, 4, 5);
  assert.deepEqual(thinned(values, 0, 8, 2), [[0, 1], [1, 9], [5, 0], [7, 5]]);
});

Deno.test("with room every sample is a point and NaN is none", () => {
  assert.deepEqual(thinned(Float32Array.of(1, NaN, 3), 0, 3, 100), [[0, 1], [2, 3]]);
  assert.deepEqual(thinned(Float32Array.of(1, 2, 3, 4), 1.5, 2.5, 100), [[1, 2], [2, 3]]);
});
