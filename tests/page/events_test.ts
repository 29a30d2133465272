import assert from "node:assert/strict";
import { NEW_TRACE, PLAIN_TRACE } from "../../static/measure/light/band_trace.ts";
import { EVENTS } from "../../static/measure/events/mod.ts";
import {
  computeNoiseThreshold,
  findEvents,
  findHighestNear,
  findPeaks,
  measureEvents,
  proposeThreshold,
} from "../../static/measure/events/events.ts";
import { completeSettings } from "../../static/measure/measurement.ts";
import { computeRunningMean } from "../../static/measure/traces.ts";
import { driftingTrace, DRIFTS, eventsIn, measuredDrift } from "../browser/measured_baselines.ts";
import { measuredTransients, spread } from "../browser/measured_events.ts";
import { normalNumbers, randomNumbers } from "../browser/streaks.ts";
import { course } from "./synthetic.ts";
import expected from "./measured/events.json" with { type: "json" };

Deno.test("finds the peaks and prominences of scipy.signal", async (t) => {
  for (const { name, trace, limits, peaks, prominence } of expected.cases) {
    await t.step(name, () => {
      const values = Float64Array.from(trace);
      assert(peaks.length > 0);
      assert.deepEqual(findPeaks(values, limits), peaks);
      measureEvents(values, peaks).forEach((event, i) => {
        assert(Math.abs(event.prominence - prominence[i]!) < 1e-9, `${event.peak}: ${event.prominence}`);
      });
    });
  }
});

Deno.test("measures a triangle as geometry does", () => {
  // Up by 1 a sample from 0 at index 40 to 10 at index 50, down by 0.5 a sample to 0 at index 70.
  const trace = Float64Array.from({ length: 110 }, (_, i) => Math.max(0, i <= 50 ? i - 40 : (70 - i) / 2));
  const [event] = findEvents(trace, { height: 5 });
  assert.deepEqual([event!.peak, event!.prominence, event!.baseline, event!.deviation], [50, 10, 0, 0]);
  // No transient has straight sides. Samples are measured on means over 3 of them, for the half width of 15.
  assert.equal(event!.by, "samples");
  for (
    const [name, value, truth] of [
      ["amplitude", event!.amplitude, 10],
      // Half of it from 45 to 60; 10 to 90 % from 41 to 49; 1/e of 10 is reached 2 (10 - 10 / e) later.
      ["duration", event!.duration, 15],
      ["rise", event!.rise, 8],
      ["decay", event!.decay, 2 * (10 - 10 / Math.E)],
      ["area", event!.area, 30 * 10 / 2],
    ] as const
  ) assert(Math.abs(value / truth - 1) < 0.06, `${name} ${value}, not ${truth}`);
  assert(Math.abs(event!.onset - 40) < 1, `${event!.onset}`);
});

Deno.test("measures a transient without noise exactly", () => {
  const { at: shape } = course(8, 40);
  const trace = Float64Array.from({ length: 400 }, (_, i) => 100 + 50 * shape(i - 150.25));
  const [event, ...more] = findEvents(trace, { height: 120 });
  assert.deepEqual(more, []);
  assert.equal(event!.by, "fitted");
  assert.equal(event!.overlap, "");
  // The highest sample lies at most half a line from the top.
  assert(Math.abs(event!.amplitude - 50) < 0.05, `${event!.amplitude}`);
  assert(Math.abs(event!.baseline - 100) < 1e-6);
  assert(Math.abs(event!.onset - 150.25) < 0.8, `${event!.onset}`);
  const area = trace.reduce((sum, value) => sum + value - 100, 0);
  assert(Math.abs(event!.area / area - 1) < 0.01, `${event!.area}, not ${area}`);
});

Deno.test("photon noise neither raises amplitudes nor splits events", async (t) => {
  for (const [rise, decay] of [[3, 12], [8, 40], [30, 200]] as const) {
    for (const signal of [20, 10, 5]) {
      await t.step(`${rise}, ${decay}, signal to noise ${signal}`, () => {
        const { missed, extra, amplitude, prominence } = measuredTransients({
          rise,
          decay,
          signal,
          traces: 40,
        });
        assert.deepEqual([missed, extra], [0, 0]);
        const { mean } = spread(amplitude);
        assert(Math.abs(mean) < 0.02, `${mean}`);
        // The highest of many noisy samples above the lowest ones.
        assert(spread(prominence).mean > 0.1);
      });
    }
  }
});

Deno.test("the onset is two standard deviations above the baseline", () => {
  const { at: shape } = course(30, 200);
  const normal = normalNumbers(randomNumbers(5));
  const [start, noise] = [300, 0.05];
  const trace = Float64Array.from({ length: 900 }, (_, i) => shape(i - start) + noise * normal());
  const [event] = findEvents(trace, { height: 0.6, prominence: 0.3 });
  assert(Math.abs(event!.deviation / noise - 1) < 0.15, `${event!.deviation}`);
  let crossing = start;
  while (shape(crossing - start) < 2 * noise) crossing += 0.01;
  assert(Math.abs(event!.onset - crossing) < 3, `${event!.onset}, not ${crossing}`);
});

Deno.test("separates overlapping transients", async (t) => {
  for (
    const [gap, signal, most] of [[80, 10, 0.02], [80, 5, 0.02], [50, 20, 0.02], [50, 10, 0.02]] as const
  ) {
    await t.step(`${gap} lines apart, signal to noise ${signal}`, () => {
      const { missed, extra, amplitude } = measuredTransients({
        rise: 5,
        decay: 40,
        signal,
        gap,
        traces: 20,
      });
      assert.deepEqual([missed, extra], [0, 0]);
      const { mean } = spread(amplitude);
      assert(Math.abs(mean) < most, `${mean}`);
    });
  }
  const { at: shape } = course(5, 40);
  const trace = Float64Array.from({ length: 500 }, (_, i) => shape(i - 200) + 0.8 * shape(i - 250));
  assert.deepEqual(findEvents(trace, { height: 0.5 }).map(({ overlap }) => overlap), [
    "separated",
    "separated",
  ]);
  // Triangles side by side have no fit.
  const saw = Float64Array.from(
    { length: 200 },
    (_, i) => i < 50 || i > 150 ? 0 : 33 - Math.abs(25 - (i % 50)),
  );
  const [first, second] = findEvents(saw, { height: 20, prominence: 5 });
  assert.deepEqual([first!.overlap, second!.overlap], ["overlaps", "overlaps"]);
});

Deno.test("ends the surroundings of a peak at missing values", () => {
  const trace = Float64Array.of(0, NaN, 3, 4, 3, 2, NaN, 9, 8);
  const [event, ...more] = findEvents(trace, { height: 1 });
  assert.deepEqual(more, []);
  // The valley before 4 is 3, beside the gap, not 0 beyond it; 9 follows a gap.
  assert.deepEqual([event!.peak, event!.prominence], [3, 1]);
  // One sample is not a baseline.
  assert(Number.isNaN(event!.baseline) && Number.isNaN(event!.amplitude));
  assert.deepEqual(findEvents(new Float64Array(20).fill(NaN), { height: -1 }), []);
  assert.deepEqual(findEvents(new Float64Array(0), { height: -1 }), []);
});

Deno.test("searches a huge trace of noise before the deadline", () => {
  const normal = normalNumbers(randomNumbers(1));
  findEvents(computeRunningMean(Float64Array.from({ length: 100_000 }, normal), 3), { height: 1 });
});

Deno.test("moves an event added by hand to the highest sample nearby", () => {
  const trace = Float64Array.of(0, 1, 5, 2, NaN, 7, 0);
  assert.equal(findHighestNear(trace, 1, 1), 2);
  assert.equal(findHighestNear(trace, 3, 2), 5);
  assert.equal(findHighestNear(trace, -4, 1), 1);
  const [event] = measureEvents(trace, [0]);
  assert.equal(event!.prominence, 0);
  assert(Number.isNaN(event!.amplitude));
});

Deno.test("finds all events on baselines that drift, with their amplitudes, and none in noise", async (t) => {
  for (const drift of DRIFTS) {
    for (const isChange of [false, true]) {
      await t.step(`${drift.name}, noise ${drift.noise}${isChange ? ", ΔF/F₀" : ""}`, () => {
        const { missed, extra, amplitudes, between } = measuredDrift(drift, { ...NEW_TRACE, isChange });
        assert.deepEqual([missed, extra], [0, 0]);
        // Noise alone makes about one peak in a trace.
        assert(between <= 10, `${between}`);
        if (drift.count === 0) return;
        // A constant percentile lies below the middle of the noise, by 6 % at most here.
        const most = isChange && drift.name.startsWith("steady") ? 0.065 : 0.01;
        const { mean } = spread(amplitudes);
        assert(Math.abs(mean) < most, `${mean}`);
      });
    }
  }
});

Deno.test("states values and baselines of the trace itself where F₀ moves", () => {
  const { trace, f0, events } = driftingTrace(DRIFTS[0]!, 1);
  const { found } = eventsIn(trace, NEW_TRACE);
  for (const [i, event] of found.entries()) {
    assert.equal(event.value, Math.fround(trace[event.line]!));
    assert(Math.abs(event.baseline / f0[Math.round(events[i]!.start)]! - 1) < 0.03);
  }
});

Deno.test("counts the peaks between three standard deviations and the threshold", () => {
  const { trace } = driftingTrace({ ...DRIFTS.at(-1)!, count: 8, noise: 0.05 }, 1);
  const automatic = eventsIn(trace, NEW_TRACE);
  assert.deepEqual([automatic.found.length, automatic.settings.between! <= 1], [8, true]);
  // All transients rise to 150.
  const byHand = eventsIn(trace, NEW_TRACE, { chosen: "by hand", height: 200 });
  assert.deepEqual([byHand.found.length, byHand.settings.between! >= 8], [0, true]);
});

Deno.test("a threshold by noise lies above the noise, however high the baseline", () => {
  const { trace, events } = driftingTrace({ ...DRIFTS.at(-1)!, count: 8, noise: 0.05 }, 1);
  const { found } = eventsIn(trace.map((value) => value + 50_000), NEW_TRACE);
  assert.equal(found.length, events.length);
});

Deno.test("finds events that follow each other before the trace returns to its baseline", () => {
  const { at: shape } = course(5, 100);
  const normal = normalNumbers(randomNumbers(4));
  const starts = [120, 200, 290, 360, 450, 530];
  const trace = Float64Array.from(
    { length: 600 },
    (_, line) => 400 + starts.reduce((sum, start) => sum + 300 * shape(line - start), 0) + 10 * normal(),
  );
  const { found } = eventsIn(trace, NEW_TRACE);
  assert.equal(found.length, starts.length);
  found.forEach(({ line }, i) => assert(Math.abs(line - starts[i]! - 15) < 12, `${line}`));
});

Deno.test("a threshold by noise needs values", () => {
  for (const values of [[], [NaN, NaN], [NaN, 1, NaN]]) {
    assert.deepEqual(
      findEvents(Float64Array.from(values), computeNoiseThreshold(Float64Array.from(values))),
      [],
    );
  }
});

Deno.test("settings choose the threshold, by default by noise", () => {
  const { trace } = driftingTrace({ ...DRIFTS[0]!, noise: 0.05 }, 1);
  const chosen = (settings: Record<string, unknown>) =>
    completeSettings(EVENTS, settings, {
      columns: [0, 1],
      axes: [{ step: 1, unit: "seconds" }, { step: 1, unit: "um" }],
      lines: trace.length,
      pixelTime: 0,
      isTyped: false,
      trace: PLAIN_TRACE,
    })["chosen"];
  assert.equal(chosen({}), "by noise");
  assert.equal(chosen({ distance: 0.1 }), "by noise");
  assert.equal(chosen({ height: 120 }), "by hand");
  assert.equal(chosen({ chosen: "automatically", height: 0, prominence: 0, distance: 0 }), "automatically");
  const kept = { chosen: "automatically", height: 0, prominence: 0, distance: 0 };
  const single = Float64Array.from(Float32Array.from(trace));
  const { height, prominence } = proposeThreshold(single);
  const threshold = { height: Number(height.toPrecision(3)), prominence: Number(prominence.toPrecision(2)) };
  const before = findEvents(single, threshold);
  assert(before.length > 0 && before.length < 12);
  const { found } = eventsIn(trace, PLAIN_TRACE, kept);
  assert.deepEqual(found.map(({ line: peak, ...event }) => ({ peak, ...event })), before);
});
