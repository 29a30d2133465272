import assert from "node:assert/strict";
import { makeTrace, PLAIN_TRACE } from "../../static/measure/light/band_trace.ts";
import { computeMean, computeRunningMean, findPercentile } from "../../static/measure/traces.ts";

// 1 2 3
// 4 5 6
// 7 . 9     (a gap)
// . . .
const SAMPLES = Float32Array.of(1, 2, 3, 4, 5, 6, 7, NaN, 9, NaN, Infinity, NaN);
const PLANE = { samples: SAMPLES, shape: [4, 3] as const };

Deno.test("a band has the mean of its finite samples for each row", () => {
  const meanOf = (from: number, to: number) => [...makeTrace(PLANE, [from, to], PLAIN_TRACE, 1).values];
  assert.deepEqual(meanOf(1, 3), [2.5, 5.5, 9, NaN]);
  assert.deepEqual(meanOf(0, 1), [1, 4, 7, NaN]);
  // Beyond the plane there is nothing.
  assert.deepEqual(meanOf(-5, 50), [2, 5, 8, NaN]);
});

/** The change of a trace, whose lines are a second long. */
function changeOf(trace: readonly number[], settings = {}) {
  const plane = { samples: Float32Array.from(trace), shape: [trace.length, 1] as const };
  return makeTrace(plane, [0, 1], { ...PLAIN_TRACE, isChange: true, ...settings }, 1);
}

Deno.test("relative change refers to a baseline", () => {
  const trace = [100, 110, NaN, 90, 200, 150];
  // (100 + 110 + 90) / 3
  const { values, baseline } = changeOf(trace, { kind: "window", from: 0, to: 4 });
  assert.equal(baseline, 100);
  [0, 0.1, NaN, -0.1, 1, 0.5].forEach((value, i) =>
    assert(Object.is(value, values[i]) || Math.abs(values[i]! - value) < 1e-12)
  );
  // A detector that gives 50 in the dark: (200 - 100) / (100 - 50)
  assert.equal(changeOf(trace, { kind: "window", from: 0, to: 4, offset: 50 }).values[4], 2);
});

Deno.test("a baseline without light gives no relative change", () => {
  for (const settings of [{ kind: "window", from: 4, to: 9 }, { kind: "percentile", percentile: 50 }]) {
    assert(changeOf([0, 0, 0, 5], settings).values.every(Number.isNaN));
  }
});

Deno.test("computes the percentiles of NumPy", () => {
  const values = Float64Array.of(3, NaN, 1, 10, 2);
  // numpy.nanpercentile([3, nan, 1, 10, 2], [0, 8, 50, 75, 100])
  assert.deepEqual([0, 8, 50, 75, 100].map((percent) => findPercentile(values, percent)), [
    1,
    1.24,
    2.5,
    4.75,
    10,
  ]);
  assert(Number.isNaN(findPercentile(Float64Array.of(NaN), 50)));
});

Deno.test("running means equal the means of their windows, shorter at the ends, also beside huge values", () => {
  const trace = Float64Array.from({ length: 101 }, (_, i) => (i * 37) % 11);
  [trace[17], trace[18], trace[60]] = [NaN, Infinity, 1e300];
  assert.equal(computeRunningMean(trace, 1), trace);
  for (const count of [2, 3, 10, 50, 51, 100, 101, 102, 5000]) {
    const means = computeRunningMean(trace, count);
    trace.forEach((_, i) => {
      const start = i - Math.floor((count - 1) / 2);
      const expected = computeMean(trace, start, start + count);
      const isNear = Math.abs(means[i]! - expected) <= 1e-12 * Math.abs(expected);
      assert(isNear || Object.is(means[i], expected), `${count} at ${i}`);
    });
  }
});
