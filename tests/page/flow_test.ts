/** Velocities in recordings as laboratories make them, with the settings of a new measurement. */
import assert from "node:assert/strict";
import { measureHeartRate } from "../../static/measure/heart_rate.ts";
import { completeSettings, summarizeItems } from "../../static/measure/measurement.ts";
import { summarizeVelocities } from "../../static/measure/flow/velocity_summary.ts";
import { VELOCITY } from "../../static/measure/flow/mod.ts";
import { measuredCondition, measuredKind } from "../browser/measured_conditions.ts";
import { CONDITIONS } from "../browser/streak_conditions.ts";
import { bandOf, measuredIn } from "./synthetic.ts";

/** Results of the former method, from before there was another. */
const FORMER = {
  window: 640,
  found: [
    { line: 319.5, verdict: "changing", velocity: NaN, confidence: 0.470080562244022, error: NaN },
    {
      line: 639.5,
      verdict: "measured",
      velocity: 0.7998291847827064,
      confidence: 0.48273461517661376,
      error: 0.0004379013317880145,
    },
    {
      line: 959.5,
      verdict: "measured",
      velocity: 0.79946603057297,
      confidence: 0.4731820828578474,
      error: 0.0005153565160941959,
    },
  ],
};

const measured = (name: string, seed: number, lines = 2000) =>
  measuredCondition(CONDITIONS[name]!(seed, lines));

Deno.test("a capillary at rest for 29 % of the time is at rest in as many windows", () => {
  for (const seed of [1, 2]) {
    const { found, window, quantities } = measured("at rest for 29 % of the time", seed);
    assert(window <= 160, `${window}`);
    assert(Math.abs(Number(quantities.get("Time at rest")) - 29) < 3, `${quantities.get("Time at rest")} %`);
    const standing = found.filter(({ verdict }) => verdict === "standing");
    assert(standing.length > 0 && standing.every(({ velocity, rest }) => velocity === 0 && rest === 1));
  }
});

Deno.test("gives both velocities of two opposite flows, side by side and over each other", () => {
  for (const seed of [2, 1]) {
    const { found, quantities } = measured("two opposite flows", seed, 600);
    const both = found.filter(({ verdict }) => verdict === "two velocities");
    assert(both.length >= 0.9 * found.length, `${both.length} of ${found.length}`);
    for (const { velocity, second } of both) {
      assert(Math.abs(velocity / 0.8 - 1) < 0.1, `${velocity}`);
      assert(Math.abs(second! / -0.48 - 1) < 0.1, `${second}`);
    }
    // -0.48 pixels of 0.5 µm per line of 1 ms.
    assert(Math.abs(Number(quantities.get("Median second velocity")) / -240 - 1) < 0.02);
  }
});

Deno.test("gives no wrong velocity where nothing flows and where the picture is lost", async (t) => {
  const kinds = Object.keys(CONDITIONS).filter((name) =>
    /focus|hum|breathing|wall|alone|faint|no flow/.test(name)
  );
  assert.equal(kinds.length, 9);
  for (const name of kinds) {
    await t.step(name, () => {
      const { gross, windows, lengths } = measuredKind(CONDITIONS[name]!, [3, 4], 600);
      assert.equal(gross, 0, `${gross} of ${windows}`);
      assert(Math.max(...lengths) <= 160, `${lengths}`);
    });
  }
});

Deno.test("what never moves stands still", () => {
  for (const name of ["no flow", "hum of 50 Hz on a pattern"]) {
    const { found, quantities } = measured(name, 1, 600);
    assert(found.every(({ verdict, velocity }) => verdict === "standing" && velocity === 0), name);
    assert.equal(quantities.get("Time at rest"), 100);
  }
  assert(measured("noise alone", 1, 600).found.every(({ verdict }) => verdict === "unclear"));
});

Deno.test("standard errors account for residuals that resemble each other, or say that they are indicative", () => {
  for (const name of ["noise correlated over lines", "lines that shake", "clipped samples"]) {
    const { covered, stated, indicative } = measuredKind(CONDITIONS[name]!, [1, 2], 2000);
    assert(covered > 0.9 || indicative > 0.9, `${name}: ${covered}`);
    assert(covered > 0.85 && stated > 0.8, `${name}: ${covered}, ${stated}`);
  }
});

Deno.test("a window whose velocity breaks with its neighbours is unclear, and does not move the summary", () => {
  const { found, quantities } = measured("steady flow", 2);
  const samples = CONDITIONS["steady flow"]!(2, 2000).samples.slice();
  // 120 lines run four times as fast.
  const other = CONDITIONS["steady flow"]!(4, 2000).samples;
  for (let line = 900; line < 1020; line += 1) {
    samples.set(other.subarray((4 * (line - 900)) * 100, (4 * (line - 900) + 1) * 100), line * 100);
  }
  const broken = measuredCondition({ samples, velocity: () => 0.8 });
  const near = broken.found.filter(({ line }) => line > 930 && line < 990);
  assert(near.length > 0 && near.every(({ velocity }) => Number.isNaN(velocity)), JSON.stringify(near));
  const far = broken.found.filter(({ line }) => line < 800 || line > 1120);
  assert(far.every(({ verdict }) => verdict === "measured"));
  for (const name of ["Median velocity", "Mean velocity"]) {
    assert(Math.abs(Number(broken.quantities.get(name)) / Number(quantities.get(name)) - 1) < 0.01, name);
  }
  assert.equal(found.length, broken.found.length);
});

Deno.test("settings choose whether windows are compared", () => {
  const band = bandOf({ samples: new Float32Array(0), shape: [1000, 50] });
  assert.equal(completeSettings(VELOCITY, {}, band)["method"], "agreeing");
  for (const [settings, method] of [[{ window: 40 }, "agreeing"], [{ method: "radon" }, "radon"]] as const) {
    assert.equal(completeSettings(VELOCITY, settings, band)["method"], method);
  }
  const made = CONDITIONS["at rest for 29 % of the time"]!(2, 2000);
  const plane = { samples: made.samples, shape: [2000, 100] as const };
  const { found, settings } = measuredIn("velocity", plane, {
    chosen: "automatically",
    method: "autocorrelation",
  });
  assert.equal(settings.window, FORMER.window);
  assert.deepEqual(found.slice(0, 3), FORMER.found);
});

Deno.test("the pulsatility of backward flow is positive, and frequencies are in Hz and per minute", () => {
  const flow = (i: number) => -500 - 200 * Math.sin(2 * Math.PI * 5 * i * 0.02);
  const backward = Float64Array.from({ length: 250 }, (_, i) => flow(i));
  assert(Math.abs(measureHeartRate(backward, 0.02).pulsatility - 0.8) < 0.05);
  const item = (velocity: number, i: number) => ({
    line: 20 * i,
    verdict: "measured",
    velocity,
    error: 0.01,
    confidence: 1,
  });
  const band = bandOf({ samples: new Float32Array(0), shape: [5000, 50] });
  const named = (values: ArrayLike<number>) =>
    new Map(
      summarizeItems(VELOCITY, Array.from(values, item), band, { window: 20 })
        .map(({ name, unit = "", value }) => [`${name} ${unit}`, value]),
    );
  const pulse = named(backward);
  assert(Math.abs(Number(pulse.get("Heart rate of velocity Hz")) - 5) < 0.02);
  assert(Math.abs(Number(pulse.get("Heart rate of velocity 1/min")) - 300) < 1);
  assert(Math.abs(Number(pulse.get("Cycles ")) - 25) < 0.5);
  // Steadily faster flow has no rhythm.
  const faster = named(Float64Array.from({ length: 250 }, (_, i) => 300 + 2 * i));
  assert(Number.isNaN(faster.get("Heart rate of velocity Hz")));
  assert(!faster.has("Cycles "));
  assert.match(String(faster.get("Course ")), /not the mean/);
});

Deno.test("a cycle that does not repeat is not a rhythm", () => {
  const at = (velocity: (i: number) => number) =>
    summarizeVelocities(
      Array.from({ length: 60 }, (_, i) => ({
        line: 10 * i,
        verdict: "measured" as const,
        velocity: velocity(i),
        confidence: 1,
        error: 0.01,
      })),
      10,
    ).cycle;
  assert.equal(at((i) => 2 + Math.sin(i / 3))!.isRhythm, true);
  assert.equal(at((i) => i < 30 ? 2 : 1)!.isRhythm, false);
});
