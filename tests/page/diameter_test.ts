/** Diameter and heart rate on synthetic recordings, whose truth is what made them. */
import assert from "node:assert/strict";
import { type DiameterMethod, diameterOverTime } from "../../static/measure/diameter.js";
import { heartRate } from "../../static/measure/heart_rate.js";
import { percentile } from "../../static/measure/traces.js";
import { noise, pulse, vessel } from "./synthetic.ts";

const METHODS: readonly DiameterMethod[] = ["half-maximum", "gradient"];

Deno.test("the diameter is within a tenth of a column in the median, down to a signal-to-noise of 5", () => {
  for (const method of METHODS) {
    for (const [diameter, blur] of [[15, 0.8], [15, 1.5], [30, 0.8], [30, 1.5]] as const) {
      for (const snr of [5, 20]) {
        const { plane, truth } = vessel({ diameter, blur, snr });
        const found = diameterOverTime(plane, { method, window: 10 });
        const off = found.map((one) =>
          one.diameter - truth.slice(one.line - 4.5, one.line + 5.5).reduce((a, b) => a + b) / 10
        );
        const what = `${method}, ${diameter} columns, blur ${blur}, signal-to-noise ${snr}`;
        assert.equal(found.filter(({ verdict }) => verdict === "clear").length, found.length, what);
        assert.ok(Math.abs(percentile(Float64Array.from(off), 50)) < 0.1, what);
        assert.ok(
          Math.abs(found[0]!.left + found[0]!.right - 64) < 2,
          "the middle of the vessel is at column 32",
        );
      }
    }
  }
});

Deno.test("what is unclear has no diameter and says why", () => {
  const { plane } = vessel({ diameter: 20, blur: 1, snr: 20 });
  const verdicts = (columns: readonly [number, number], from = plane) =>
    new Set(
      diameterOverTime(from, { columns }).map(({ verdict, diameter }) =>
        `${verdict} ${Number.isNaN(diameter)}`
      ),
    );
  assert.deepEqual([...verdicts([30, 64])], ["cut true"]);
  const { normal } = noise(3);
  const dark = { samples: Float32Array.from(plane.samples, () => 100 + normal()), shape: plane.shape };
  const faint = diameterOverTime(dark).filter(({ verdict }) => verdict !== "faint").length;
  assert.ok(faint <= 1, `${faint} of 100 means of noise have a lumen`);
  const two = {
    samples: Float32Array.from(
      plane.samples,
      (_, i) => [10, 11, 12, 13, 40, 41, 42, 43, 44].includes(i % 64) ? 200 : 100,
    ),
    shape: plane.shape,
  };
  assert.deepEqual([...verdicts([0, 64], two)], ["divided true"]);
});

Deno.test("the heart rate is within 2 % from five beats on, with gaps and drift", () => {
  for (
    const [step, duration, frequency, share] of [[0.02, 1.2, 5, 0.3], [0.02, 5, 5, 1], [
      0.01,
      10,
      1.2,
      1,
    ]] as const
  ) {
    for (let round = 0; round < 10; round += 1) {
      const trace = pulse({ step, duration, frequency, share, seed: 11 + round });
      const found = heartRate(trace, step);
      assert.equal(found.verdict, "clear");
      assert.ok(Math.abs(found.frequency / frequency - 1) < 0.02, `${found.frequency} for ${frequency}`);
    }
  }
});

Deno.test("noise has no heart rate, and two beats are short", () => {
  const { normal } = noise(5);
  const clear = Array.from({ length: 100 }, () => heartRate(Float64Array.from({ length: 250 }, normal), 0.02))
    .filter(({ verdict }) => verdict === "clear").length;
  assert.ok(clear <= 1, `${clear} of 100`);
  const short = Float64Array.from({ length: 100 }, (_, i) => Math.sin(2 * Math.PI * 3 * i / 100));
  assert.equal(heartRate(short, 0.01).verdict, "short");
});
