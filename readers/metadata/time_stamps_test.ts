import { deepEqual, equal, ok } from "node:assert/strict";
import type { Acquisition, AxisLetter } from "../reader.ts";
import { computeStampedStep, MAX_TIMES, scaleStamps, withTimes } from "./time_stamps.ts";

/** Stamps of a regular series, rounded down to a clock, with a pause after some of them. */
function series(step: number, { clock = 0, jitter = 0, pause = 0, length = 400 } = {}): number[] {
  // A linear congruential generator (Numerical Recipes), so that each run has the same jitter.
  let state = 1;
  const random = () => (state = (1664525 * state + 1013904223) % 2 ** 32) / 2 ** 32 - 0.5;
  return Array.from({ length }, (_, i) => {
    const exact = i * step + (i >= 250 ? pause : 0) + 2 * jitter * random();
    return clock === 0 ? exact : Math.floor(exact / clock + 1e-9) * clock;
  });
}

const SERIES: readonly [name: string, step: number, options: Parameters<typeof series>[1]][] = [
  ["3.333 ms in whole milliseconds", 0.01 / 3, { clock: 0.001 }],
  ["2.3 ms in whole milliseconds", 0.0023, { clock: 0.001 }],
  ["0.5 ms in whole milliseconds, so that stamps repeat", 0.0005, { clock: 0.001 }],
  ["33.3 ms on a clock of 15.625 ms", 0.1 / 3, { clock: 0.015625 }],
  ["1.08 ms in tenths of milliseconds", 0.00108, { clock: 0.0001 }],
  ["10 ms with a jitter of 0.8 ms", 0.01, { jitter: 0.0008 }],
  ["100 ms with a jitter of 6 ms", 0.1, { jitter: 0.006 }],
  ["2 ms", 0.002, {}],
];

for (const [name, step, options] of SERIES) {
  Deno.test(`finds the step of stamps that are ${name}, with and without a pause`, () => {
    for (const pause of [0, 20]) {
      const found = computeStampedStep(series(step, { ...options, pause }));
      ok(Math.abs(found.step! / step - 1) < 0.01, `${found.step} s`);
      deepEqual(found.cuts.map(({ after }) => after), pause === 0 ? [] : [249]);
    }
  });
}

Deno.test("finds no step in stamps without an order, or all alike", () => {
  equal(computeStampedStep(Array.from({ length: 400 }, (_, i) => i * 167 % 400 * 0.003)).step, null);
  equal(computeStampedStep(Array(400).fill(0)).step, null);
  equal(computeStampedStep([4, 3, 2, 1]).step, null);
  for (const stamps of [[], [1], [NaN, 1], [0, Infinity]]) equal(computeStampedStep(stamps).step, null);
});

Deno.test("cuts a series where the clock starts again, and after a first stamp of 0", () => {
  const again = computeStampedStep([...series(0.002, { length: 200 }), ...series(0.002, { length: 200 })]);
  deepEqual([again.step!.toFixed(9), again.cuts.length, again.cuts[0]!.after], ["0.002000000", 1, 199]);
  const late = computeStampedStep([0, ...series(0.002).map((stamp) => 1000 + stamp)]);
  deepEqual([late.step!.toFixed(9), late.cuts], ["0.002000000", [{ after: 0, seconds: 1000 }]]);
});

Deno.test("takes a gap of a few steps in an even series for missing frames, and a clock for a clock", () => {
  const gap = computeStampedStep([0, 1, 2, 3, 4, 5, 8, 9, 10, 11, 12, 13]);
  deepEqual([gap.step, gap.cuts], [1, [{ after: 5, seconds: 3 }]]);
  const clock = computeStampedStep(series(1.4, { clock: 1 }));
  ok(Math.abs(clock.step! / 1.4 - 1) < 0.01 && clock.cuts.length === 0);
});

Deno.test("takes the step between the stamps that exist", () => {
  const stamps = series(0.5, { length: 20 });
  equal(computeStampedStep(stamps.with(7, NaN)).step, 0.5);
  equal(computeStampedStep(stamps.map((stamp, i) => i % 3 === 0 ? NaN : stamp)).step, 0.5);
});

/** Steps, times and warnings of an axis with a stated step and stamps. */
function timed(
  { name = "T", step = 1, unit = "seconds", size, stamps, isPart = false, lineScan = null }: {
    readonly name?: AxisLetter;
    readonly step?: number;
    readonly unit?: string;
    readonly size?: number;
    readonly stamps: readonly number[];
    readonly isPart?: boolean;
    readonly lineScan?: Acquisition["lineScan"];
  },
) {
  const axes = [{ name, size: size ?? stamps.length, step, unit }];
  const given = { axes, lineScan, stamps: scaleStamps(stamps, 1, isPart), warnings: [] };
  const found = withTimes(given as unknown as Acquisition);
  return {
    step: [found.axes[0]!.step, found.axes[0]!.unit],
    times: found.times ?? null,
    perLine: found.lineScan?.secondsPerLine,
    warnings: found.warnings.map(({ code, text }) => `${code}: ${text}`),
  };
}

Deno.test("keeps a stated step that agrees with the stamps, or with most of their differences", () => {
  deepEqual(timed({ stamps: [5, 6.0078125, 7, 8.0078125] }), {
    step: [1, "seconds"],
    times: [0, 1.0078125, 2, 3.0078125],
    perLine: undefined,
    warnings: [],
  });
  // The first frame is late: the mean of all differences is 1.04, their median 1.
  deepEqual(timed({ stamps: [0, 1.2, 2.2, 3.2, 4.2, 5.2] }).step, [1, "seconds"]);
  // Whole seconds over two steps: the step is known to half a second.
  deepEqual(timed({ step: 1.2, stamps: [0, 1, 3] }).step, [1.2, "seconds"]);
});

Deno.test("keeps a stated step with a warning if it and the distance of two stamps differ by a factor of 2 at most", () => {
  const { step, warnings } = timed({ step: 5, stamps: [0.441, 5.315] });
  deepEqual([step, warnings], [[5, "seconds"], [
    "metadata_disagree: The file states 5 s between time points, its time stamps show 4.874 s; 5 s counts",
  ]]);
  deepEqual(timed({ step: 5, stamps: [0, 1] }).step, [1, "seconds"]);
  deepEqual(timed({ step: 0.1, stamps: [0, 5] }).step, [5, "seconds"]);
});

Deno.test("replaces a stated step that the stamps contradict", () => {
  deepEqual(timed({ stamps: [0, 2, 4] }), {
    step: [2, "seconds"],
    times: [0, 2, 4],
    perLine: undefined,
    warnings: [
      "metadata_disagree: The file states 1 s between time points, its time stamps show 2 s; 2 s counts",
    ],
  });
  const lineScan = { secondsPerLine: 0.001, secondsPerPixel: null, bidirectional: null };
  const lines = timed({ name: "Y", step: 0.001, stamps: [0, 0.002, 0.004], lineScan });
  deepEqual([lines.step, lines.perLine], [[0.002, "seconds"], 0.002]);
  deepEqual(timed({ step: 1, unit: "Pixels", stamps: [0, 3] }).step, [3, "seconds"]);
});

Deno.test("names each pause with its place and length, and keeps the stamps as times", () => {
  const { step, times, warnings } = timed({ step: 15.25, stamps: [0, 0.5, 1, 61] });
  deepEqual([step, times], [[0.5, "seconds"], [0, 0.5, 1, 61]]);
  deepEqual(warnings, [
    "step_uneven: Time is uneven along T: 60 s after time point 3",
    "metadata_disagree: The file states 15.25 s between time points, its time stamps show 0.5 s; 0.5 s counts",
  ]);
});

Deno.test("warns about stamps that say nothing or do not fit, and serves the stated step or none", () => {
  deepEqual(timed({ stamps: [0, 0, 0] }), {
    step: [1, "seconds"],
    times: [0, 0, 0],
    perLine: undefined,
    warnings: ["metadata_disagree: The time stamps show no step; the stated 1 s counts"],
  });
  deepEqual(timed({ unit: "Pixels", stamps: [2, 1, 0] }).warnings, [
    "step_unknown: The time stamps show no step; the time between time points is unknown",
  ]);
  deepEqual(timed({ size: 3, stamps: [0, 0.5, 1, 1.5] }), {
    step: [1, "seconds"],
    times: null,
    perLine: undefined,
    warnings: ["metadata_disagree: The file has 4 time stamps for 3 time points; the stated 1 s counts"],
  });
  deepEqual(timed({ size: 4, unit: "Pixels", stamps: [0, 2, 4] }), {
    step: [2, "seconds"],
    times: null,
    perLine: undefined,
    warnings: ["metadata_disagree: The file has 3 time stamps for 4 time points"],
  });
  deepEqual(timed({ size: 4, step: 5, isPart: true, stamps: [0, 1, 2] }).step, [1, "seconds"]);
  deepEqual(timed({ stamps: [0, 1, 2, 3, 4, 5, 6, NaN, 8, 9, 10] }), {
    step: [1, "seconds"],
    times: null,
    perLine: undefined,
    warnings: ["metadata_missing: 1 of 11 time points have no time stamp"],
  });
});

Deno.test("ignores stamps of images that are neither a series nor a line scan, and serves no times beyond the limit", () => {
  deepEqual(timed({ name: "Y", step: 0.1, unit: "um", stamps: [0, 2, 4] }).step, [0.1, "um"]);
  equal(timed({ stamps: Array.from({ length: MAX_TIMES + 1 }, (_, i) => i) }).times, null);
});

Deno.test("stamps of time points with numbers give the step between neighbours, not over missing ones", () => {
  // Time points 0, 2, 5 and 6 of a series of 4 s: only the last two are neighbours.
  const numbers = [0, 2, 5, 6];
  const stamps = { seconds: numbers.map((number) => 4 * number), numbers };
  const given = {
    axes: [{ name: "T", size: 4, step: 4, unit: "seconds" }],
    stamps,
    warnings: [],
  };
  const { axes, times, warnings } = withTimes(given as unknown as Acquisition);
  equal(axes[0]!.step, 4);
  deepEqual(times, [0, 8, 20, 24]);
  deepEqual(warnings, []);
  // The same without numbers takes the gaps for the step.
  const { axes: [gapped] } = withTimes(
    { ...given, stamps: { seconds: stamps.seconds } } as unknown as Acquisition,
  );
  ok(gapped!.step > 4);
});
