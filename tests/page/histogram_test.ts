import assert from "node:assert/strict";
import fc from "fast-check";
import { chooseAutoRange, computePercentiles, countSamples } from "../../static/measure/statistics.ts";

Deno.test("percentiles interpolate between finite samples", () => {
  const samples = Float32Array.of(5, 1, NaN, 3, Infinity, -2, 8, -Infinity, 0.5, -0, 1e30, -7.25);
  const { count, min, max, percentiles } = computePercentiles(samples, [1, 25, 50, 99.5]);
  assert.equal(count, 9);
  assert.equal(min, -7.25);
  assert.equal(max, Math.fround(1e30));
  // numpy.percentile of the nine finite values; 99.5: rank 7.96, 8 + 0.96 * (1e30 - 8).
  assert(Math.abs(percentiles[0]! - -6.83) < 1e-12);
  assert.deepEqual(percentiles.slice(1, 3), [0, 1]);
  assert(Math.abs(percentiles[3]! / (0.96 * Math.fround(1e30)) - 1) < 1e-12);
});

Deno.test("percentiles agree with sorting", () => {
  const samples = fc.array(fc.float({ noDefaultInfinity: true }), { minLength: 1, maxLength: 60 });
  fc.assert(
    fc.property(samples, fc.double({ min: 0, max: 100, noNaN: true }), (values, percent) => {
      const sorted = values.filter(Number.isFinite).sort((a, b) => a - b);
      const { count, min, max, percentiles } = computePercentiles(Float32Array.from(values), [percent]);
      assert.equal(count, sorted.length);
      if (count === 0) return;
      const rank = (percent / 100) * (count - 1);
      const [low, high] = [sorted[Math.floor(rank)]!, sorted[Math.ceil(rank)]!];
      // Adding zero makes minus zero plain.
      assert.equal(min + 0, sorted[0]! + 0);
      assert.equal(max + 0, sorted.at(-1)! + 0);
      assert.equal(percentiles[0]! + 0, low + (high - low) * (rank - Math.floor(rank)) + 0);
    }),
    { numRuns: 1000, seed: 6 },
  );
});

Deno.test("ranks integers like other samples", () => {
  // numpy.percentile([0, 7, 7, 65535], [1, 50, 99.5]): ranks 0.03, 1.5 and 2.985.
  const { min, max, percentiles } = computePercentiles(Float32Array.of(7, 0, 65535, 7), [1, 50, 99.5]);
  assert.deepEqual([min, max, percentiles[1]], [0, 65535, 7]);
  assert(Math.abs(percentiles[0]! - 0.21) < 1e-9);
  assert(Math.abs(percentiles[2]! - (7 + 0.985 * 65528)) < 1e-6);
});

Deno.test("Auto never gives an empty range", () => {
  assert.deepEqual(chooseAutoRange(computePercentiles(Float32Array.of(7, 7, 7))), [7, 8]);
  assert.deepEqual(chooseAutoRange(computePercentiles(Float32Array.of(NaN, NaN))), [0, 1]);
  // 1st and 99.5th percentile of 1000 zeros and a single 9 are both 0.
  const spike = new Float32Array(1001);
  spike[500] = 9;
  assert.deepEqual(chooseAutoRange(computePercentiles(spike)), [0, 9]);
});

Deno.test("bins are half open; the last one includes the maximum", () => {
  // Four bins over 0 to 8: [0, 2) [2, 4) [4, 6) [6, 8].
  assert.deepEqual([...countSamples(Float32Array.of(0, 1.9, 2, 5, 6, 8, NaN, 9), 0, 8, 4)], [2, 1, 1, 2]);
  assert.deepEqual([...countSamples(Float32Array.of(3, 3), 3, 3, 2)], [2, 0]);
});
