/** Diameter, heart rate, flux and sparks of synthetic recordings, whose truth is what made them. */
import assert from "node:assert/strict";
import { measureHeartRate } from "../../static/measure/heart_rate.ts";
import type { Spark } from "../../static/measure/sparks/sparks.ts";
import { findPercentile } from "../../static/measure/traces.ts";
import { cells, measuredIn, noise, pulse, sparks, vessel } from "./synthetic.ts";

Deno.test("measures the diameter within a tenth of a column in the median, down to a signal-to-noise of 5", () => {
  for (const method of ["half-maximum", "gradient"]) {
    for (const [diameter, blur] of [[15, 0.8], [15, 1.5], [30, 0.8], [30, 1.5]] as const) {
      for (const snr of [5, 20]) {
        const { plane, truth } = vessel({ diameter, blur, snr });
        const found = measuredIn("diameter", plane, { method }).found;
        const off = found.map((one) =>
          one.diameter - truth.slice(one.line - 4.5, one.line + 5.5).reduce((a, b) => a + b) / 10
        );
        const what = `${method}, ${diameter} columns, blur ${blur}, signal-to-noise ${snr}`;
        assert.equal(found.filter(({ verdict }) => verdict === "clear").length, found.length, what);
        assert.ok(Math.abs(findPercentile(Float64Array.from(off), 50)) < 0.1, what);
        assert.ok(
          Math.abs(found[0]!.left + found[0]!.right - 64) < 2,
          "the middle of the vessel is at column 32",
        );
      }
    }
  }
});

Deno.test("gives no diameter for unclear data, with the reason", () => {
  const { plane } = vessel({ diameter: 20, blur: 1, snr: 20 });
  const verdicts = (from = plane, part = {}) =>
    measuredIn("diameter", from, {}, part).found.map(({ verdict, diameter }) =>
      `${verdict} ${Number.isNaN(diameter)}`
    );
  assert.deepEqual([...new Set(verdicts(plane, { columns: [30, 64] }))], ["cut true"]);
  const { normal } = noise(3);
  const dark = { ...plane, samples: plane.samples.map(() => 100 + normal()) };
  const clear = verdicts(dark).filter((words) => words !== "faint true").length;
  assert.ok(clear <= 1, `${clear} of 100 means of noise have a lumen`);
  const isLumen = (x: number) => x >= 10 && x < 14 || x >= 40 && x < 45;
  const two = { ...plane, samples: plane.samples.map((_, i) => isLumen(i % 64) ? 200 : 100) };
  assert.deepEqual([...new Set(verdicts(two))], ["divided true"]);
});

Deno.test("measures the heart rate within 2 % from five beats on, with gaps and drift", () => {
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
      const found = measureHeartRate(trace, step);
      assert.equal(found.verdict, "clear");
      assert.ok(Math.abs(found.frequency / frequency - 1) < 0.02, `${found.frequency} for ${frequency}`);
    }
  }
});

Deno.test("gives no heart rate for noise and for two beats", () => {
  const { normal } = noise(5);
  const clear =
    Array.from({ length: 100 }, () => measureHeartRate(Float64Array.from({ length: 250 }, normal), 0.02))
      .filter(({ verdict }) => verdict === "clear").length;
  assert.ok(clear <= 1, `${clear} of 100`);
  const short = Float64Array.from({ length: 100 }, (_, i) => Math.sin(2 * Math.PI * 3 * i / 100));
  assert.equal(measureHeartRate(short, 0.01).verdict, "short");
});

const CELLS = { lines: 1200, columns: 64 };

Deno.test("measures the flux within 5 % up to 70 % of the line covered", () => {
  for (const [velocity, pulse] of [[-1.2, 0], [3, 0], [0.8, 0.4]] as const) {
    for (const coverage of [0.3, 0.7]) {
      const { plane, passed } = cells({ ...CELLS, velocity, pulse, length: 10, coverage, snr: 4, seed: 3 });
      const found = measuredIn("flux", plane).found.filter(({ verdict }) => verdict === "counted");
      const what = `${velocity} columns a line, ${100 * coverage} % covered`;
      assert.ok(found.length >= 4, `${what}: ${found.length} of 6 counted`);
      const counted = found.reduce((sum, one) => sum + one.cells, 0);
      const truth = found.flatMap(({ line }) => passed.filter((at) => Math.abs(at - line) < 100)).length;
      assert.ok(Math.abs(counted / truth - 1) < 0.05, `${what}: ${counted} of ${truth}`);
      assert.ok(found.every(({ flux, cells }) => flux === cells / 200));
    }
  }
});

Deno.test("counts bright cells like dark ones", () => {
  const { plane, passed } = cells({ ...CELLS, velocity: 1, length: 10, coverage: 0.4, snr: 5, seed: 2 });
  const samples = plane.samples.map((value) => 300 - value);
  const { found } = measuredIn("flux", { ...plane, samples }, { cells: "bright", window: 1200 });
  assert.ok(Math.abs(found[0]!.cells / passed.length - 1) < 0.05);
});

Deno.test("gives no flux for data that cannot be counted, with the reason", () => {
  const { normal } = noise(4);
  const samples = Float32Array.from({ length: 1200 * 64 }, () => 100 + normal());
  const blank = measuredIn("flux", { samples, shape: [1200, 64] }).found;
  assert.deepEqual([...new Set(blank.map(({ verdict }) => verdict))], ["no velocity"]);
  assert.ok(blank.every(({ cells, flux }) => Number.isNaN(cells) && Number.isNaN(flux)));
  const { plane } = cells({ ...CELLS, velocity: 1, length: 10, coverage: 0.9, snr: 5, seed: 1 });
  const crowded = measuredIn("flux", plane).found;
  assert.ok(crowded.filter(({ verdict }) => verdict === "crowded").length >= 4);
});

Deno.test("finds and measures sparks at a signal-to-noise of 4", () => {
  for (const [width, rise, decay] of [[12, 3, 14], [8, 2, 10], [16, 5, 20]] as const) {
    const { plane, peaks, duration } = sparks({ width, rise, decay, snr: 4, seed: 5 + width });
    const { found } = measuredIn("sparks", plane);
    const isTrue = (spark: Spark) =>
      peaks.some(({ line, column }) =>
        Math.abs(line - spark.line) < 15 && Math.abs(column - spark.column) < width
      );
    const right = found.filter(isTrue);
    const what = `${width} columns: ${right.length} right of ${found.length}`;
    assert.ok(right.length >= 36, what);
    assert.ok(found.length - right.length <= 2, what);
    const off = (of: (spark: Spark) => number, expected: number) =>
      Math.abs(findPercentile(Float64Array.from(right, of), 50) / expected - 1);
    assert.ok(off((spark) => spark.width, width) < 0.1, what);
    assert.ok(off((spark) => spark.duration, duration) < 0.1, what);
    assert.ok(off((spark) => spark.amplitude, 1) < 0.1, what);
  }
});

Deno.test("finds no sparks in noise alone and in an even recording", () => {
  const { normal } = noise(6);
  const shape = [2000, 200] as const;
  const count = (value: () => number) => {
    const samples = Float32Array.from({ length: 2000 * 200 }, value);
    return measuredIn("sparks", { samples, shape }).found.length;
  };
  assert.ok(count(() => 100 + 25 * normal()) <= 2);
  assert.deepEqual([count(() => 7), count(() => 0)], [0, 0]);
});
