/** Sparks of synthetic recordings, whose truth is what made them. */
import assert from "node:assert/strict";
import { findSparks, type Spark } from "../../static/measure/sparks.js";
import { percentile } from "../../static/measure/traces.js";
import { noise } from "./noise.ts";

const [ROWS, COLUMNS] = [2000, 200];

/** Rise and decay as exponentials, with a greatest value of 1. */
function course(rise: number, decay: number) {
  const shape = (t: number) => t <= 0 ? 0 : (1 - Math.exp(-t / rise)) * Math.exp(-t / decay);
  // Where the slope is 0: exp(-t / rise) = rise / (rise + decay).
  const peak = rise * Math.log((rise + decay) / rise);
  /** Where the shape has half its height, between a place below and one above. */
  const half = (below: number, above: number): number => {
    const middle = (below + above) / 2;
    if (Math.abs(above - below) < 1e-6) return middle;
    return shape(middle) < shape(peak) / 2 ? half(middle, above) : half(below, middle);
  };
  const at = (t: number) => shape(t) / shape(peak);
  return { at, peak, duration: half(20 * decay, peak) - half(0, peak) };
}

Deno.test("sparks are found and measured at a signal-to-noise of 4", () => {
  const { uniform, normal } = noise(5);
  for (const [width, rise, decay] of [[12, 3, 14], [8, 2, 10], [16, 5, 20]] as const) {
    const { at, peak, duration } = course(rise, decay);
    const sigma = width / (2 * Math.sqrt(2 * Math.LN2));
    const truth: { line: number; column: number }[] = [];
    while (truth.length < 40) {
      const line = 60 + uniform() * (ROWS - 160);
      const column = 15 + uniform() * (COLUMNS - 30);
      const isApart = truth.every((one) =>
        Math.abs(one.line - line) > 90 || Math.abs(one.column - column) > 35
      );
      if (isApart) truth.push({ line, column });
    }
    const samples = Float32Array.from({ length: ROWS * COLUMNS }, () => 100 + 25 * normal());
    for (const { line, column } of truth) {
      for (let y = Math.ceil(line); y < Math.min(ROWS, line + 12 * decay); y += 1) {
        for (let x = 0; x < COLUMNS; x += 1) {
          samples[y * COLUMNS + x]! += 100 * at(y - line) * Math.exp(-((x - column) ** 2) / (2 * sigma ** 2));
        }
      }
    }
    const found = findSparks({ samples, shape: [ROWS, COLUMNS] });
    const isTrue = (spark: Spark) =>
      truth.some(({ line, column }) =>
        Math.abs(line + peak - spark.line) < 15 && Math.abs(column - spark.column) < width
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
