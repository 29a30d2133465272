/** Sparks of synthetic recordings, whose truth is what made them. */
import assert from "node:assert/strict";
import { findSparks, type Spark } from "../../static/measure/sparks.js";
import { percentile } from "../../static/measure/traces.js";
import { noise, sparks } from "./synthetic.ts";

const [ROWS, COLUMNS] = [2000, 200];

Deno.test("sparks are found and measured at a signal-to-noise of 4", () => {
  for (const [width, rise, decay] of [[12, 3, 14], [8, 2, 10], [16, 5, 20]] as const) {
    const { plane, peaks, duration } = sparks({ width, rise, decay, snr: 4, seed: 5 + width });
    const found = findSparks(plane);
    const isTrue = (spark: Spark) =>
      peaks.some(({ line, column }) =>
        Math.abs(line - spark.line) < 15 && Math.abs(column - spark.column) < width
      );
    const right = found.filter(isTrue);
    const what = `${width} columns: ${right.length} right of ${found.length}`;
    assert.ok(right.length >= 36, what);
    assert.ok(found.length - right.length <= 2, what);
    const off = (of: (spark: Spark) => number, expected: number) =>
      Math.abs(percentile(Float64Array.from(right, of), 50) / expected - 1);
    assert.ok(off((spark) => spark.width, width) < 0.1, what);
    assert.ok(off((spark) => spark.duration, duration) < 0.1, what);
    assert.ok(off((spark) => spark.amplitude, 1) < 0.1, what);
  }
});

Deno.test("noise alone and an even recording have no sparks", () => {
  const { normal } = noise(6);
  const shape = [ROWS, COLUMNS];
  const samples = Float32Array.from({ length: ROWS * COLUMNS }, () => 100 + 25 * normal());
  assert.ok(findSparks({ samples, shape }).length <= 2);
  assert.deepEqual(findSparks({ samples: new Float32Array(ROWS * COLUMNS).fill(7), shape }), []);
  assert.deepEqual(findSparks({ samples: new Float32Array(ROWS * COLUMNS), shape }), []);
});
