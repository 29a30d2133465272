import assert from "node:assert/strict";
import { listTraceFacts, makeTrace, NEW_TRACE, PLAIN_TRACE } from "../../static/measure/light/band_trace.ts";
import { fitBaseline } from "../../static/measure/light/baseline.ts";
import { EVENTS } from "../../static/measure/events/mod.ts";
import { completeSettings, measureInThread } from "../../static/measure/measurement.ts";
import { driftingTrace, DRIFTS } from "../browser/measured_baselines.ts";
import { bandOf, course } from "./synthetic.ts";
import { normalNumbers, randomNumbers } from "../browser/streaks.ts";

const [SWAYING, BLEACHING] = ["falls and sways by 40 %", "bleaches to 40 %"].map((name) =>
  DRIFTS.find((one) => one.name === name)!
);

/** Greatest deviation of F₀ from the true one. */
function worst(course: Float64Array | null, truth: Float64Array): number {
  assert(course !== null);
  return Math.max(...course.map((value, line) => Math.abs(value / truth[line]! - 1)));
}

Deno.test("a moving F₀ follows a baseline that falls and sways by 40 %, below transients", () => {
  for (const noise of [0, 0.1]) {
    for (let seed = 1; seed <= 10; seed += 1) {
      const { trace, f0 } = driftingTrace({ ...SWAYING!, noise }, seed);
      const { course, by } = fitBaseline(trace, NEW_TRACE, 0.001);
      assert.equal(by.kind, "moving");
      // A tenth of 6000 lines of 1 ms.
      assert.equal(by.span, 0.6);
      assert(worst(course, f0) < 0.05, `${worst(course, f0)}`);
    }
  }
});

Deno.test("an automatic F₀ moves over eight widths of a transient, and does not follow transients", () => {
  // The tail of the second transient lifts the end of a recording that is ten times as long as the tails.
  const { at: shape, duration } = course(8, 60);
  const normal = normalNumbers(randomNumbers(12));
  const trace = Float64Array.from(
    { length: 600 },
    (_, line) => 100 + 130 * (shape(line - 120) + shape(line - 380)) + normal(),
  );
  const { course: f0, by } = fitBaseline(trace, NEW_TRACE, 1);
  assert.equal(by.kind, "moving");
  assert(by.span! > 7 * duration && by.span! < 10 * duration, `${by.span}, not 8 times ${duration}`);
  f0!.forEach((value, line) => assert(Math.abs(value - 100) < 7, `${line}: ${value}`));
});

Deno.test("an exponential F₀ fits bleaching, below transients", () => {
  for (let seed = 1; seed <= 10; seed += 1) {
    const { trace, f0 } = driftingTrace(BLEACHING!, seed);
    const { course } = fitBaseline(trace, { ...PLAIN_TRACE, kind: "exponential" }, 0.001);
    assert(worst(course, f0) < 0.03, `${worst(course, f0)}`);
  }
});

Deno.test("an automatic F₀ is constant unless the ends of the trace differ by more than its noise", () => {
  const normal = normalNumbers(randomNumbers(3));
  const noise = Float64Array.from({ length: 2000 }, () => 3 * normal());
  const trace = (fall: number) => noise.map((value, line) => 100 + value - fall * line / noise.length);
  const steady = fitBaseline(trace(0), NEW_TRACE, 0.001);
  assert.deepEqual([steady.by.kind, steady.course], ["percentile", null]);
  // The percentile of single lines lies 1.28 of their deviations below the middle.
  assert(Math.abs(steady.level - 100) < 0.4, `${steady.level}`);
  // The tenths lie 0.9 of the fall apart.
  assert.equal(fitBaseline(trace(2), NEW_TRACE, 0.001).by.kind, "percentile");
  assert.equal(fitBaseline(trace(5), NEW_TRACE, 0.001).by.kind, "moving");
});

/** Means of columns of photons, with transients of half the light to its whole, each 1 to 1.8 s after the one before. */
function photonTrace(
  { columns, photons, seed, sign = 1 }: { columns: number; photons: number; seed: number; sign?: number },
) {
  const [lines, step] = [6000, 0.004];
  const [uniform, normal] = [randomNumbers(seed), normalNumbers(randomNumbers(seed + 100))];
  const light = new Float64Array(lines).fill(1);
  const events: number[] = [];
  for (let at = 200; at < lines - 300; at += 250 + Math.round(200 * uniform())) {
    const height = 0.5 + 0.5 * uniform();
    events.push(at + 10);
    for (let i = at; i < lines; i += 1) {
      const time = (i - at) * step;
      light[i]! += 1.29 * sign * height * (1 - Math.exp(-time / 0.023)) * Math.exp(-time / 0.25);
    }
  }
  // Sums of so many photons are nearly normal.
  const counts = columns * photons;
  const values = light.map((value) => photons * (value + Math.sqrt(value / counts) * normal()));
  return { values, events, step };
}

Deno.test("a constant F₀ does not depend on the width of a band, or on how many lines are averaged", () => {
  for (const columns of [3, 10, 50]) {
    for (const photons of [4, 20]) {
      const off: number[] = [];
      for (let seed = 1; seed <= 10; seed += 1) {
        const { values, step } = photonTrace({ columns, photons, seed });
        off.push(fitBaseline(values, NEW_TRACE, step).level / photons - 1);
      }
      const mean = off.reduce((sum, one) => sum + one, 0) / off.length;
      assert(Math.abs(mean) < 0.025, `${columns} columns, ${photons} photons: ${off}`);
    }
  }
  const { values, step, events } = photonTrace({ columns: 10, photons: 20, seed: 3 });
  const plane = { samples: Float32Array.from(values), shape: [values.length, 1] as const };
  const measured = [1, 3, 10, 20].map((average) => {
    const trace = { ...NEW_TRACE, isChange: true, average };
    const band = bandOf(plane, { axes: [{ step, unit: "seconds" }, { step: 1, unit: "um" }], trace });
    const { found } = measureInThread(EVENTS, plane, band, completeSettings(EVENTS, {}, band));
    return [makeTrace(plane, [0, 1], trace, step).baseline, found];
  });
  for (const one of measured) assert.deepEqual(one, measured[0]);
  assert.equal((measured[0]![1] as unknown[]).length, events.length);
});

Deno.test("says that the light mostly falls, in the summary and the facts of events", () => {
  for (const [sign, isFalling] of [[-0.5, true], [1, false], [0, false]] as const) {
    for (let seed = 1; seed <= 10; seed += 1) {
      const { values, step } = photonTrace({ columns: 10, photons: 4, seed, sign });
      const plane = { samples: Float32Array.from(values), shape: [values.length, 1] as const };
      const band = bandOf(plane, { axes: [{ step, unit: "seconds" }, { step: 1, unit: "um" }] });
      const { found, settings } = measureInThread(EVENTS, plane, band, completeSettings(EVENTS, {}, band));
      const words = "mostly falls; only rises are events";
      const summary = EVENTS.summary(found as never, band, settings as never);
      assert.equal(summary.some(({ value }) => value === words), isFalling, `${sign}, seed ${seed}`);
      assert.equal(
        JSON.stringify(EVENTS.facts!(settings as never, { axes: band.axes, noun: "band" } as never)).includes(
          words,
        ),
        isFalling,
      );
    }
  }
});

Deno.test("the means of F₀ are shorter than fast transients", () => {
  const step = 0.001;
  // Ten spikes a second of 20 ms: means over 0.24 s would hold two of them.
  const values = Float64Array.from({ length: 5000 }, (_, i) => 100 + 80 * Number(i % 100 < 20));
  const { level, by } = fitBaseline(values, PLAIN_TRACE, step);
  assert.equal(level, 100);
  assert(by.span! > 0.001 && by.span! <= 0.024, `${by.span}`);
});

Deno.test("short and empty traces have a constant F₀", () => {
  for (const kind of ["automatic", "moving", "exponential"] as const) {
    for (const values of [[], [NaN, NaN], [3, 2, 1]]) {
      const { course, by } = fitBaseline(Float64Array.from(values), { ...PLAIN_TRACE, kind }, 1);
      assert.deepEqual([course, by.kind], [null, "percentile"]);
    }
  }
});

Deno.test("a moving F₀ passes over missing values", () => {
  const trace = Float64Array.from({ length: 1000 }, (_, i) => i >= 400 && i < 600 ? NaN : 200 - i / 10);
  const { course } = fitBaseline(trace, { ...PLAIN_TRACE, kind: "moving" }, 1);
  course!.forEach((value, i) => assert(Math.abs(value - (200 - i / 10)) < 0.5, `${i}: ${value}`));
});

Deno.test("the change of each line refers to F₀ at this line", () => {
  const plane = {
    samples: Float32Array.from({ length: 1000 }, (_, i) => 200 - i / 10),
    shape: [1000, 1] as const,
  };
  const { values, baseline, f0 } = makeTrace(plane, [0, 1], { ...NEW_TRACE, isChange: true }, 1);
  assert.equal(f0.by.kind, "moving");
  assert(values.every((value) => Math.abs(value) < 0.005));
  assert(Math.abs(baseline - 150) < 1);
});

Deno.test("tables name the method of F₀ that ran", () => {
  const time = { unit: "seconds" };
  const named = (settings: Partial<typeof NEW_TRACE>, by?: Partial<typeof NEW_TRACE>) =>
    new Map(
      listTraceFacts({ ...NEW_TRACE, isChange: true, ...settings }, time, {
        ...NEW_TRACE,
        ...settings,
        ...by,
      }),
    )
      .get("Baseline F0");
  assert.equal(named({}, { kind: "moving", span: 0.6 }), "moving percentile 10 over 0.6 s (automatic)");
  assert.equal(named({}, { kind: "percentile" }), "percentile 10 (automatic)");
  assert.equal(named({ kind: "percentile", percentile: 20 }), "percentile 20");
  assert.equal(named({ kind: "exponential" }), "exponential");
  assert.equal(named({ kind: "window", from: 0, to: 2 }), "mean from 0 to 2 s");
  // Events of means depend on F₀ only if it changes.
  assert.equal(named({ isChange: false, kind: "percentile" }), undefined);
  assert.equal(named({ isChange: false, kind: "moving", span: 2 }), "moving percentile 10 over 2 s");
});
