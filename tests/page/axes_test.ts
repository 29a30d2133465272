import assert from "node:assert/strict";
import fc from "fast-check";
import {
  formatAt,
  formatAxisTitle,
  formatDigits,
  placeTicks,
  toPhysical,
} from "../../static/measure/axes.ts";
import { scaleBar } from "../../static/demo/v2/picture/scale_bar.ts";

Deno.test("places ticks at round values within the range, if there is room", () => {
  const rows: [low: number, high: number, most: number, labels: string][] = [
    [-0.1, 2.05, 6, "0.0 0.5 1.0 1.5 2.0"],
    [0, 100, 10, "0 10 20 30 40 50 60 70 80 90 100"],
    [0.0123, 0.0129, 4, "0.0124 0.0126 0.0128"],
    [-30, 30, 3, "-20 0 20"],
    [1e8, 1e8 + 4, 4, "100000000 100000001 100000002 100000003 100000004"],
    [1, 1, 5, ""],
    [0, 1, 0, ""],
    [NaN, 1, 5, ""],
  ];
  for (const [low, high, most, labels] of rows) {
    assert.equal(placeTicks(low, high, most).labels.join(" "), labels);
  }
});

Deno.test("bounds the number of ticks and keeps them distinct", () => {
  // Neighbouring doubles at 4e15 are 0.5 apart, at 3e16 they are 4.
  assert.deepEqual(placeTicks(4e15, 4e15 + 1, 6).values, []);
  assert.deepEqual(placeTicks(3e16, 3e16 + 4, 6).values, []);
  assert.deepEqual(placeTicks(0, 5e-324, 6).values, []);
  assert(placeTicks(-3e38, 3e38, 6).values.length > 2);
  const end = fc.double({ noNaN: true });
  fc.assert(
    fc.property(end, end, fc.integer({ min: 1, max: 40 }), (low, high, most) => {
      const { values, labels } = placeTicks(low, high, most);
      assert(values.length <= most + 1 && labels.length === values.length);
      assert(values.every((value, i) => i === 0 || value > values[i - 1]!));
    }),
    { numRuns: 1000, seed: 6 },
  );
});

Deno.test("places a sample at index times step, in the middle of its pixel", () => {
  const axis = { name: "Y", unit: "seconds", step: 0.002 };
  assert.equal(toPhysical(axis, 0.5), 0);
  assert.equal(toPhysical(axis, 500.5), 1);
});

Deno.test("titles have quantity and unit", () => {
  assert.equal(formatAxisTitle({ name: "Y", unit: "seconds" }), "Time (s)");
  assert.equal(formatAxisTitle({ name: "X", unit: "um" }), "X (µm)");
  assert.equal(formatAxisTitle({ name: "X", unit: "Pixels" }), "X (px)");
  assert.equal(formatAxisTitle({ name: "X", unit: "nanometer" }), "X (nanometer)");
});

Deno.test("numbers keep their significant digits", () => {
  assert.equal(formatAt(0.30000000000000004, 0.1), "0.3");
  assert.equal(formatAt(-0.00001, 0.1), "0.0");
  assert.equal(formatDigits(65535), "65535");
  assert.equal(formatDigits(0.1234567), "0.12346");
  assert.equal(formatDigits(1.5e-9), "1.5e-9");
  assert.equal(formatDigits(3.4028234663852886e38), "3.4028e+38");
  // Both ends of a narrow range differ.
  assert.equal(formatDigits(10000.123, 0.333), "10000.123");
  assert.equal(formatDigits(100000001.5, 2), "100000001.5");
  assert.equal(formatDigits(NaN), "NaN");
});

Deno.test("a scale bar is the longest round length in a quarter of the view", () => {
  // 128 pixels of 0.414 um are 53 um; a quarter is 13.2 um; 10 um are 24.15 pixels.
  const bar = scaleBar({ step: 0.414, unit: "um" }, 128)!;
  assert.equal(bar.label, "10 µm");
  assert.equal(bar.pixels, 10 / 0.414);
  assert.equal(scaleBar({ step: 0.01, unit: "seconds" }, 240)!.label, "0.5 s");
  assert.equal(scaleBar({ step: 1, unit: "Pixels" }, 128), null);
});
