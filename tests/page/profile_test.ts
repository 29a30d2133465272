import assert from "node:assert/strict";
import { envelope, profileValues } from "../../static/demo/v2/panels/profile.js";

// 0 1 2
// 3 4 5
const SAMPLES = Float32Array.of(0, 1, 2, 3, 4, 5);

Deno.test("across the picture runs along the plane's rows, down along its columns", () => {
  assert.deepEqual([...profileValues(SAMPLES, [2, 3], "x", { x: 1, y: 2 })], [2, 5]);
  assert.deepEqual([...profileValues(SAMPLES, [2, 3], "y", { x: 1, y: 2 })], [3, 4, 5]);
});

Deno.test("each step has its least, greatest and mean value", () => {
  const values = Float32Array.of(1, 9, 2, 4, NaN, 0, 4, 5);
  const { lows, highs, means } = envelope(values, 0, 8, 2);
  assert.deepEqual([...lows], [1, 0]);
  assert.deepEqual([...highs], [9, 5]);
  // (1 + 9 + 2 + 4) / 4 and (0 + 4 + 5) / 3
  assert.deepEqual([...means], [4, 3]);
});

Deno.test("a step without finite values has nothing", () => {
  const { lows, highs, means } = envelope(Float32Array.of(NaN, NaN, 2, 3), 0, 4, 2);
  for (const part of [lows, highs, means]) assert.equal(Number.isNaN(part[0]!), true);
  assert.deepEqual([lows[1], highs[1], means[1]], [2, 3, 2.5]);
});
