import assert from "node:assert/strict";
import { makeAutocorrelation } from "../../static/measure/flow/autocorrelation.ts";
import { measureByPiv, measureByRadon } from "../../static/measure/flow/published_methods.ts";
import {
  convertVelocity,
  findResolvable,
  formatVelocityUnit,
  measureDrawnLine,
} from "../../static/measure/flow/velocity.ts";
import { summarizeVelocities } from "../../static/measure/flow/velocity_summary.ts";
import { measureWindow } from "../../static/measure/flow/window_velocity.ts";
import { measuredStreaks, percentile } from "../browser/measured_streaks.ts";
import { normalNumbers, randomNumbers, streaks } from "../browser/streaks.ts";
import { measuredIn } from "./synthetic.ts";
import published from "./measured/published.json" with { type: "json" };
import expected from "./measured/velocities.json" with { type: "json" };

/** Velocities in all windows of whole lines. */
const windowsOf = (samples: Float32Array, columns: number, window: number, settings = {}) =>
  measuredIn("velocity", { samples, shape: [samples.length / columns, columns] }, {
    method: "autocorrelation",
    window,
    step: window,
    ...settings,
  }).found;

/** Velocities in all windows of a recording of streaks. */
const measured = (window: number, columns: number, velocity: number, noise: number) =>
  windowsOf(streaks({ lines: 6 * window, columns, velocity, noise, seed: 1 }), columns, window);

Deno.test("the autocorrelation is the sum of products at each lag", () => {
  const [rows, columns] = [5, 7];
  const values = Float64Array.from({ length: rows * columns }, (_, i) => ((i * 37) % 11) - 5);
  const at = makeAutocorrelation(values, rows, columns);
  for (let lines = 0; lines < rows; lines += 1) {
    for (let pixels = 1 - columns; pixels < columns; pixels += 1) {
      let sum = 0;
      for (let row = 0; row + lines < rows; row += 1) {
        for (let column = Math.max(0, -pixels); column < columns - Math.max(0, pixels); column += 1) {
          sum += values[row * columns + column]! * values[(row + lines) * columns + column + pixels]!;
        }
      }
      assert(
        Math.abs(at(lines, pixels) - sum) < 1e-9,
        `${lines}, ${pixels}: ${at(lines, pixels)}, not ${sum}`,
      );
    }
  }
});

Deno.test("measures the velocities of another implementation's Radon transform", async (t) => {
  const degrees = (velocity: number) => Math.atan(velocity) * 180 / Math.PI;
  for (const [i, { velocity, noise, radon, samples }] of expected.cases.entries()) {
    await t.step(`${velocity} pixels a line, noise ${noise}`, () => {
      const window = [
        Float64Array.from(atob(samples), (letter) => letter.charCodeAt(0)),
        expected.size,
        expected.size,
      ] as const;
      const found = measureWindow(...window);
      assert.equal(found.verdict, "measured");
      // Its own distance from the truth is up to 1.9 %.
      assert(Math.abs(found.velocity / radon - 1) < 0.03, `${found.velocity}, by radon ${radon}`);
      assert(Math.abs(found.velocity / velocity - 1) < 0.01, `${found.velocity}, truth ${velocity}`);
      const peers = published.cases[i]!;
      // One step of a quarter of a degree: scikit-image interpolates otherwise when it turns the picture.
      const off = degrees(measureByRadon(...window)) - degrees(peers.radon);
      assert(Math.abs(off) < 0.26, `${off} degrees`);
      const piv = measureByPiv(...window);
      assert(Math.abs(piv - peers.piv) < 0.01, `${piv}, not ${peers.piv}`);
    });
  }
});

Deno.test("measures streaks that move 3 pixels along both axes within a window to 5 %", async (t) => {
  for (const [window, columns] of [[64, 64], [128, 64], [48, 128]] as const) {
    // From 3.3 pixels in a window to a line that is crossed in 3.3 lines, both ways.
    for (const speed of [3.3 / window, 6 / window, 0.25, 1, 4, columns / 3.3]) {
      for (const velocity of [speed, -speed]) {
        await t.step(`${window} x ${columns}, ${velocity.toFixed(3)}`, () => {
          const found = measured(window, columns, velocity, 0.25);
          for (const { verdict, velocity: value, confidence } of found) {
            assert.equal(verdict, "measured");
            assert(Math.abs(value / velocity - 1) < 0.05, `${value}`);
            // By the variances: 1 / (1 + 0.25 ** 2) = 0.94.
            assert(confidence > 0.88 && confidence < 0.98, `confidence ${confidence}`);
          }
        });
      }
    }
  }
});

/** From 3.2 pixels in a window to a line that is crossed in 3.4 lines. */
const speedsOf = (
  window: number,
  columns: number,
) => [3.2 / window, 6 / window, 0.27, 1.3, 3.7, columns / 3.4];

Deno.test("measured velocities are within 5 % and their errors are calibrated", async (t) => {
  const near: boolean[] = [];
  for (const [window, columns, cells] of [[64, 64, [5, 14]], [128, 32, [8, 22]]] as const) {
    for (const noise of [0, 0.25, 0.5, 1, 2]) {
      await t.step(`${window} x ${columns}, cells of ${cells[0]} pixels, noise ${noise}`, () => {
        const found = speedsOf(window, columns).flatMap((speed) =>
          measuredStreaks({ window, columns, speed, noise, cells, recordings: 4 })
        ).filter(({ verdict }) => verdict === "measured");
        assert(found.length >= 50, `${found.length}`);
        assert(percentile(found.map(({ off }) => off), 0.95) < 0.05);
        if (noise > 0) near.push(...found.map(({ off, error }) => off < 1.96 * error));
      });
    }
  }
  // Of a normal distribution 95 % lie within 1.96 standard errors.
  const share = near.filter((isNear) => isNear).length / near.length;
  assert(share > 0.93 && share < 0.98, `${share} of ${near.length}`);
});

Deno.test("measures velocities that can be resolved", async (t) => {
  // Cramer and Rao for cells of Gaussian shape: the relative error is at least noise / (move * sqrt(steepness * samples / 12)),
  // with 1 / (2 sigma ** 2) as steepness. At noise 0.5, 6 pixels, sigma 5 / 2.3548 and 64 x 64 samples it is 1.4 %, at
  // 3.2 pixels and noise 0.25 1.3 %: 95 of 100 are within 2.6 %.
  for (const [noise, move] of [[0.25, 3.2], [0.5, 6], [0.5, 17], [0.5, 60]] as const) {
    await t.step(`${move} pixels, noise ${noise}`, () => {
      const field = { window: 64, columns: 64, cells: [5, 14] as const, recordings: 8 };
      const all = measuredStreaks({ ...field, speed: move / 64, noise });
      const shown = all.filter(({ verdict }) => verdict === "measured").length;
      assert(shown >= 0.95 * all.length, `${shown} of ${all.length}`);
    });
  }
});

Deno.test("keeps a change of velocity sharp between neighbouring windows", () => {
  const [lines, columns, window] = [640, 64, 64];
  const slow = streaks({ lines, columns, velocity: 0.4, noise: 0.3, seed: 6 });
  const fast = streaks({ lines, columns, velocity: 0.8, noise: 0.3, seed: 7 });
  const samples = slow.map((value, i) => i < 320 * columns ? value : fast[i]!);
  for (const { line, velocity } of windowsOf(samples, columns, window)) {
    assert(Math.abs(velocity / (line < 320 ? 0.4 : 0.8) - 1) < 0.05, `${velocity} at ${line}`);
  }
});

Deno.test("gives no velocity for windows that cannot resolve one", () => {
  const verdicts = (velocity: number, noise = 0.5) => {
    const found = measured(64, 64, velocity, noise);
    assert(found.every(({ velocity: value, error }) => Number.isNaN(value) && Number.isNaN(error)));
    return [...new Set(found.map(({ verdict }) => verdict))];
  };
  // What never moves is part of what stands still.
  assert.deepEqual(verdicts(0), ["unclear"]);
  assert.deepEqual(verdicts(1.5 / 64), ["too slow"]);
  assert.deepEqual(verdicts(64 / 2), ["too fast"]);
  // A streak is in one line alone.
  assert.deepEqual(verdicts(150), ["too fast"]);
  assert.deepEqual(findResolvable({ window: 64, columns: [10, 40] }), [3 / 64, 10]);
});

Deno.test("gives no velocity for noise, a constant and missing samples", () => {
  const normal = normalNumbers(randomNumbers(3));
  for (let i = 0; i < 20; i += 1) {
    const noise = Float64Array.from({ length: 64 * 48 }, normal);
    assert.equal(measureWindow(noise, 64, 48).verdict, "unclear");
  }
  // A slow detector mixes neighbours, and flicker is the same along a line: neither is a streak.
  for (let i = 0; i < 5; i += 1) {
    const noise = Float64Array.from({ length: 64 * 48 + 1 }, normal);
    const mixed = noise.slice(1).map((value, at) => value + noise[at]!);
    assert.equal(measureWindow(mixed, 64, 48).verdict, "unclear");
    const flicker = Float64Array.from({ length: 64 }, normal);
    const flickering = noise.slice(1).map((value, at) => value + flicker[Math.floor(at / 48)]!);
    assert.equal(measureWindow(flickering, 64, 48).verdict, "unclear");
  }
  assert.equal(measureWindow(new Float64Array(64 * 48).fill(7), 64, 48).verdict, "unclear");
  assert.equal(measureWindow(new Float64Array(64 * 48).fill(NaN), 64, 48).verdict, "unclear");
});

Deno.test("measures velocities with a tenth of the samples missing", () => {
  const [lines, columns] = [640, 64];
  const samples = streaks({ lines, columns, velocity: 0.5, noise: 0.3, seed: 5 });
  const random = randomNumbers(8);
  const holed = samples.map((value) => random() < 0.1 ? [NaN, Infinity][Math.floor(2 * random())]! : value);
  for (const { velocity } of windowsOf(holed, columns, 64)) {
    assert(Math.abs(velocity / 0.5 - 1) < 0.02, `${velocity}`);
  }
});

Deno.test("does not take the stationary part for a streak", () => {
  const [lines, columns] = [1280, 64];
  const samples = streaks({ lines, columns, velocity: -0.8, noise: 0.5, seed: 9 });
  // A bright wall, three times as high as the streaks are deep.
  const walled = samples.map((value, i) => value + (i % columns < 20 ? 60 : 0));
  for (const { velocity } of windowsOf(walled, columns, 64)) {
    assert(Math.abs(velocity / -0.8 - 1) < 0.03, `${velocity}`);
  }
});

Deno.test("gives no velocity for flicker", () => {
  const [lines, columns] = [600, 80];
  const normal = normalNumbers(randomNumbers(2));
  // Transients in columns 30 to 49: up with 8 lines, down with 60.
  const light = (line: number) =>
    [120, 380].reduce((sum, start) => {
      const t = line - start;
      return t <= 0 ? sum : sum + 200 * (1 - Math.exp(-t / 8)) * Math.exp(-t / 60);
    }, 100);
  for (const active of [[30, 50], [0, 80]] as const) {
    const samples = Float32Array.from({ length: lines * columns }, (_, i) => {
      const [line, column] = [Math.floor(i / columns), i % columns];
      return (column >= active[0] && column < active[1] ? light(line) : 100) + 3 * normal();
    });
    for (const window of [40, 120]) {
      const found = windowsOf(samples, columns, window, { step: 20 });
      assert(found.every(({ verdict }) => verdict !== "measured"), `window ${window}`);
    }
  }
});

Deno.test("windows advance by the step and use only the band", () => {
  const shape = [300, 80] as const;
  const samples = new Float32Array(300 * 80);
  const left = streaks({ lines: 300, columns: 40, velocity: 1, noise: 0.2, seed: 1 });
  const right = streaks({ lines: 300, columns: 40, velocity: -2, noise: 0.2, seed: 2 });
  for (let row = 0; row < 300; row += 1) {
    samples.set(left.subarray(row * 40, row * 40 + 40), row * 80);
    samples.set(right.subarray(row * 40, row * 40 + 40), row * 80 + 40);
  }
  const at = (window: number, part = {}) =>
    measuredIn("velocity", { samples, shape }, { window, step: 50 }, part).found;
  const found = at(100, { columns: [40, 80] });
  // Lines 0 to 99 have their middle at 49.5.
  assert.deepEqual(found.map(({ line }) => line), [49.5, 99.5, 149.5, 199.5, 249.5]);
  for (const { velocity } of found) assert(Math.abs(velocity / -2 - 1) < 0.01, `${velocity}`);
  assert.deepEqual(at(301), []);
});

Deno.test("finds the cycles of a long recording before the deadline", () => {
  // 50,000 windows of 20 lines, every 10 lines; a cycle takes 400 lines.
  const found = Array.from({ length: 50_000 }, (_, i) => ({
    line: 10 * i + 9.5,
    velocity: 2 + Math.sin(2 * Math.PI * 10 * i / 400),
    verdict: "measured" as const,
    confidence: 1,
    error: 0.001,
  }));
  const { cycle } = summarizeVelocities(found, 20);
  assert(Math.abs(cycle!.period / 400 - 1) < 0.02, `${cycle!.period}`);
  assert(Math.abs(cycle!.mean / 2 - 1) < 0.01, `${cycle!.mean}`);
});

Deno.test("rejects invalid windows", () => {
  const plane = { samples: new Float32Array(100 * 20), shape: [100, 20] as const };
  for (const [window, step] of [[5, 1], [20, 0], [20.5, 1]] as const) {
    assert.throws(() => measuredIn("velocity", plane, { window, step }), RangeError);
  }
  for (const columns of [[0, 21], [-1, 10], [3, 8]] as const) {
    assert.throws(() => measuredIn("velocity", plane, { window: 20, step: 1 }, { columns }), RangeError);
  }
  // Longer than a line, in microseconds.
  for (const pixelTime of [-1, 51, NaN]) {
    assert.throws(() => measuredIn("velocity", plane, { window: 60, pixelTime }), RangeError);
  }
});

Deno.test("measures time, distance and signed velocity with unit of a drawn line", () => {
  const axes = [{ step: 0.002, unit: "seconds" }, { step: 0.5, unit: "um" }] as const;
  // 100 lines of 2 ms are 0.2 s; 40 columns of 0.5 um are 20 um: 100 um/s.
  const up = measureDrawnLine({ x: 10, y: 5 }, { x: 110, y: 45 }, axes);
  assert.deepEqual(up, { duration: 0.2, distance: 20, velocity: 100 });
  // It does not matter from which end it is drawn.
  assert.deepEqual(measureDrawnLine({ x: 110, y: 45 }, { x: 10, y: 5 }, axes), up);
  assert.equal(measureDrawnLine({ x: 10, y: 45 }, { x: 110, y: 5 }, axes).velocity, -100);
  assert.equal(measureDrawnLine({ x: 10, y: 5 }, { x: 10, y: 45 }, axes).velocity, Infinity);
  assert.equal(formatVelocityUnit(axes), "um/s");
  assert.equal(formatVelocityUnit([{ step: 1, unit: "Pixels" }, { step: 1, unit: "Pixels" }]), "px/line");
  // 0.4 px/line x 0.5 um/px / 0.002 s/line
  assert.equal(convertVelocity(0.4, axes), 100);
});

Deno.test("published methods measure windows of lines and have no error", () => {
  const samples = streaks({ lines: 400, columns: 80, velocity: -1.5, noise: 0.3, seed: 2 });
  for (const method of ["radon", "piv"]) {
    for (const { velocity, error, confidence, verdict } of windowsOf(samples, 80, 100, { method })) {
      assert(Math.abs(velocity / -1.5 - 1) < 0.05, `${method}: ${velocity}`);
      assert.equal(verdict, "measured");
      assert(Number.isNaN(error) && Number.isNaN(confidence));
    }
    const even = windowsOf(new Float32Array(400 * 80).fill(3), 80, 100, { method });
    assert(even.every(({ verdict }) => verdict === "unclear"));
  }
  assert.throws(() => windowsOf(samples, 80, 100, { method: "other" }), /no method other/);
});
