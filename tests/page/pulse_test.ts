import assert from "node:assert/strict";
import { summarizeVelocities } from "../../static/measure/flow/velocity_summary.ts";
import { chooseFirstWindow } from "../../static/measure/flow/window_choice.ts";
import { measuredPulses } from "../browser/measured_pulses.ts";
import { percentile } from "../browser/measured_streaks.ts";
import { streaks } from "../browser/streaks.ts";
import { measuredIn } from "./synthetic.ts";

Deno.test("measures pulsatile flow in windows of tens of milliseconds", async (t) => {
  for (const [frequency, noise] of [[2, 1], [5, 0.5], [5, 1], [10, 0.5], [10, 1]] as const) {
    await t.step(`${frequency} Hz, noise ${noise}`, () => {
      const pulses = measuredPulses({ frequency, noise, recordings: 2 });
      const { all, numbers, covered, windows, summaries } = pulses;
      // Lines of 1 ms.
      assert(windows.every((window) => window >= 20 && window <= 80), `${windows}`);
      assert(numbers.length >= 0.8 * all.length, `${numbers.length} of ${all.length}`);
      const off = numbers.map((number) => Math.abs(number.off));
      assert(percentile(off, 0.5) < 0.02, `${percentile(off, 0.5)}`);
      assert(covered >= 0.9, `${covered}`);
      assert(statedOverActual(numbers) < 3, `${statedOverActual(numbers)}`);
      for (const { median, cycle } of summaries) {
        // 1.25 s are whole cycles, or nearly so, of all but 2 Hz.
        assert(frequency === 2 || Math.abs(median / 603 - 1) < 0.03, `${median}`);
        assert(Math.abs(cycle!.cycles / (1.25 * frequency) - 1) < 0.03, `${cycle!.cycles}`);
        assert(Math.abs(cycle!.mean / 603 - 1) < 0.03, `${cycle!.mean}`);
      }
    });
  }
});

/** Of root mean squares. */
function statedOverActual(numbers: readonly { error: number; off: number }[]): number {
  const sum = (values: readonly number[]) => values.reduce((all, value) => all + value * value, 0);
  return Math.sqrt(sum(numbers.map(({ error }) => error)) / sum(numbers.map(({ off }) => off)));
}

Deno.test("measures flow that accelerates from 303 to 903 µm/s with correct errors", () => {
  const { all, numbers, covered } = measuredPulses({ frequency: Infinity, noise: 1, recordings: 2 });
  assert.equal(numbers.length, all.length);
  assert(percentile(numbers.map(({ off }) => Math.abs(off)), 0.5) < 0.005);
  assert(covered >= 0.9, `${covered}`);
  assert(statedOverActual(numbers) < 3, `${statedOverActual(numbers)}`);
});

Deno.test("gives no certain velocity for a window over whole pulses", () => {
  // 100 lines of 2 ms are two cycles of 10 Hz.
  const { all, numbers } = measuredPulses({
    frequency: 10,
    noise: 0.5,
    lineTime: 0.002,
    columns: 128,
    window: 100,
    recordings: 2,
  });
  assert(numbers.length < 0.5 * all.length, `${numbers.length} of ${all.length}`);
  assert(numbers.every(({ verdict }) => verdict === "changing"));
  assert(numbers.every(({ off, error }) => Math.abs(off) < 1 && error > 0.02));
});

Deno.test("does not classify steady flow as changing or cyclic", () => {
  const { all, numbers, summaries, windows } = measuredPulses({ frequency: 0, noise: 1, recordings: 4 });
  assert.equal(numbers.length, all.length);
  // By chance, 3 of 1000 windows.
  assert(all.filter(({ verdict }) => verdict === "changing").length <= 0.02 * all.length);
  assert(summaries.every(({ cycle }) => cycle === null));
  // The longest of those that are tried first has the least error.
  assert.deepEqual([...new Set(windows)], [80]);
});

Deno.test("a summary reports part of a cycle, and averages whole ones", () => {
  const at = (cycles: number) =>
    Array.from({ length: 40 }, (_, i) => ({
      line: 10 * i,
      verdict: "measured" as const,
      velocity: 2 + Math.sin(2 * Math.PI * cycles * i / 40),
      confidence: 1,
      error: 0.01,
    }));
  assert(summarizeVelocities(at(0.4), 10).cycle!.cycles < 1);
  assert(Number.isNaN(summarizeVelocities(at(0.4), 10).cycle!.mean));
  const { cycle, median } = summarizeVelocities(at(2.5), 10);
  assert(Math.abs(cycle!.cycles - 2.5) < 0.2);
  assert(Math.abs(cycle!.period - 160) < 12);
  // Half a cycle more above the mean raises the median.
  assert(median > 2.1 && Math.abs(cycle!.mean - 2) < 0.06, `${median}, ${cycle!.mean}`);
  assert.deepEqual(summarizeVelocities([], 10), { numbers: 0, median: NaN, cycle: null });
});

Deno.test("chooses longer windows for slow flow, and shorter ones for a short recording", () => {
  // 0.02 pixels a line: 3 pixels in 150 lines.
  const samples = streaks({ lines: 2400, columns: 64, velocity: 0.02, noise: 0.2, seed: 1 });
  const chosen = (lines: number) => {
    const plane = { samples: samples.subarray(0, lines * 64), shape: [lines, 64] as const };
    return measuredIn("velocity", plane).settings.window;
  };
  assert(chosen(2400) >= 160 && chosen(2400) <= 640, `${chosen(2400)}`);
  assert(chosen(90) <= 30);
  assert.equal(chooseFirstWindow(0.001, 2400), 40);
  assert.equal(chooseFirstWindow(0.01, 2400), 16);
  assert.equal(chooseFirstWindow(0.001, 60), 20);
});

Deno.test("corrects velocities for the time along the line", async (t) => {
  const [lines, columns] = [600, 64];
  // 6 mm/s, 0.5 µm and 7 µs per pixel, 1 ms per line: 12 pixels a line, 0.007 lines a pixel, 8.4 %.
  for (const [velocity, pixelTime] of [[12, 0.007], [-12, 0.007], [1.2, 0.01]] as const) {
    await t.step(`${velocity} pixels a line`, () => {
      const samples = streaks({ lines, columns, velocity, noise: 0.2, seed: 3, pixelTime });
      const plane = { samples, shape: [lines, columns] as const };
      for (const [time, truth] of [[pixelTime, velocity], [0, velocity / (1 - velocity * pixelTime)]]) {
        // Microseconds of a line of 1 ms.
        const { found } = measuredIn("velocity", plane, {
          method: "autocorrelation",
          window: 60,
          step: 60,
          pixelTime: 1000 * time!,
        });
        for (const one of found) {
          assert(Math.abs(one.velocity / truth! - 1) < 0.01, `${one.velocity}, not ${truth}`);
        }
      }
    });
  }
});
