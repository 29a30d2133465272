/** Sparks and diameters of recordings whose truth is known (known_truth.ts), by default settings. */
import assert from "node:assert/strict";
import { completeSettings, listFacts } from "../../static/measure/measurement.ts";
import { MEASUREMENTS } from "../../static/measure/measurements.ts";
import { findPercentile } from "../../static/measure/traces.ts";
import {
  type Made,
  SPARK_KINDS,
  type SparkKind,
  sparkRecording,
  VESSEL_KINDS,
  vesselRecording,
} from "./known_truth.ts";
import { bandOf, measuredIn, noise } from "./synthetic.ts";

const calibrated = ({ lineTime, pixelSize }: Made) => ({
  axes: [{ step: lineTime, unit: "seconds" }, { step: pixelSize, unit: "um" }] as const,
});

const parametersOf = (key: string) => MEASUREMENTS.find((one) => one.key === key)!;

/** Finds sparks by default; counts the true ones and lists the rejected candidates. */
function sparksOf(kind: SparkKind, seed: number) {
  const made = sparkRecording(kind, seed);
  const { found, rejected = [] } = measuredIn("sparks", made.plane, {}, calibrated(made));
  const right =
    made.sparks.filter(({ line, column }) =>
      found.some((spark) =>
        Math.abs(line - spark.line) * made.lineTime < 0.03 &&
        Math.abs(column - spark.column) * made.pixelSize < 1.5
      )
    ).length;
  return { made, found, right, rejected };
}

for (const kind of ["2 photons", "8 photons", "z-lines, bleaching to 50 %", "near the ends of the line"]) {
  Deno.test(`finds the sparks of a recording with ${kind}, and no others`, () => {
    const { made, found, right } = sparksOf(SPARK_KINDS[kind]!, 3);
    assert.ok(right >= made.sparks.length - 1, `${right} of ${made.sparks.length}`);
    assert.equal(found.length - right, 0);
    assert.ok(found.every(({ timeToPeak, width }) => timeToPeak > 0 && width >= 1));
  });
}

Deno.test("finds no sparks in noise, and rejects its highest peaks as below the threshold", () => {
  for (const kind of ["no sparks, 8 photons", "no sparks, 2 photons"]) {
    const { found, rejected } = sparksOf(SPARK_KINDS[kind]!, 1);
    assert.deepEqual(found, []);
    assert.ok(rejected.every(({ reason, strength }) => reason === "below the threshold" && strength <= 6));
  }
});

Deno.test("rejects a few samples that chance lifts at once", () => {
  const { found, rejected } = sparksOf(SPARK_KINDS["no sparks, 2 photons"]!, 5);
  assert.deepEqual(found, []);
  assert.ok(rejected.some(({ reason, strength }) => reason === "too few samples" && strength > 6));
});

/** Sparks of ΔF/F₀ 2 and 12 columns on an even light with little noise, at given columns. */
function planeWith(columns: readonly number[]) {
  const [rows, width] = [600, 100];
  const samples = Float32Array.from({ length: rows * width }, (_, i) => {
    const [row, x] = [Math.floor(i / width), i % width];
    const rise = columns.reduce((sum, column, n) => {
      const time = row - 100 - 150 * n;
      const course = time < 0 ? 0 : (1 - Math.exp(-time / 4)) * Math.exp(-time / 20);
      return sum + 2 * course * Math.exp(-((x - column) ** 2) / 52);
    }, 0);
    // A fixed pattern in place of noise.
    return 100 * (1 + rise) + (i * 7919 % 13) - 6;
  });
  return { samples, shape: [rows, width] as const };
}

Deno.test("rejects a spark within half a width of the end of the line, with the reason", () => {
  const { found, rejected = [] } = measuredIn("sparks", planeWith([3, 50, 97]));
  const reasons = rejected.filter(({ strength }) => strength > 20).map(({ reason }) => reason);
  assert.deepEqual(found.map(({ column }) => Math.round(column)), [50]);
  assert.deepEqual(reasons, ["at an end of the line", "at an end of the line"]);
});

Deno.test("finds no sparks in photons beside columns without any", () => {
  for (const dark of [16, 32, 48]) {
    const { uniform } = noise(dark);
    const samples = Float32Array.from({ length: 3000 * 64 }, (_, i) => {
      if (i % 64 < dark) return 0;
      // A Poisson deviate of mean 4 (Knuth: The Art of Computer Programming, 3.4.1).
      let [count, product] = [0, uniform()];
      while (product > Math.exp(-4)) [count, product] = [count + 1, product * uniform()];
      return count;
    });
    const { found } = measuredIn("sparks", { samples, shape: [3000, 64] });
    assert.deepEqual(found, [], `${dark} columns`);
  }
});

Deno.test("finds a spark once if a column without samples parts it", () => {
  const { normal } = noise(3);
  const samples = Float32Array.from({ length: 1000 * 64 }, (_, i) => {
    const [line, x] = [Math.floor(i / 64), i % 64];
    const course = line < 300 ? Math.max(0, (line - 295) / 5) : Math.exp((300 - line) / 30);
    return x === 31 ? NaN : 100 + 8 * normal() + 200 * course * Math.exp(-((x - 30) ** 2) / 18);
  });
  const { found } = measuredIn("sparks", { samples, shape: [1000, 64] });
  assert.equal(found.length, 1);
});

Deno.test("finds long sparks in the middle of a recording, whose noise exceeds their top", () => {
  for (const decay of [30, 50]) {
    const { normal } = noise(5);
    const [rows, width, count] = [2400, 60, 10];
    const samples = Float32Array.from({ length: rows * width }, (_, i) => {
      const [row, x] = [Math.floor(i / width), i % width];
      const rise = Array.from({ length: count }, (_, n) => row - 120 - 230 * n).reduce(
        (sum, time) => sum + (time < 0 ? 0 : 1.5 * (1 - Math.exp(-time / 2)) * Math.exp(-time / decay)),
        0,
      );
      return 100 * (1 + rise * Math.exp(-((x - 30) ** 2) / 40)) + 8 * normal();
    });
    const { found } = measuredIn("sparks", { samples, shape: [rows, width] });
    assert.equal(found.length, count, `decay ${decay}`);
  }
});

Deno.test("refuses more sparks than a person can edit before it measures them", () => {
  const { normal } = noise(8);
  // A bump in every 24 lines and 12 columns, 5625 in all.
  const [rows, width] = [1800, 900];
  const samples = Float32Array.from({ length: rows * width }, (_, i) => {
    const [line, x] = [Math.floor(i / width) % 24 - 12, i % width % 12 - 6];
    return 100 + 40 * Math.exp(-line * line / 18 - x * x / 5) + normal();
  });
  assert.throws(
    () => measuredIn("sparks", { samples, shape: [rows, width] }, { threshold: 1, rest: "median" }),
    /^RangeError: \d{4} sparks are more than 5000: raise the threshold$/,
  );
});

Deno.test("rejects the spike of a detector as narrower than a column", () => {
  const { normal } = noise(3);
  const plane = { ...planeWith([]), samples: planeWith([]).samples.map(() => 100 + 5 * normal()) };
  plane.samples[300 * 100 + 40] = 3000;
  const { found, rejected = [] } = measuredIn("sparks", plane);
  assert.deepEqual(found, []);
  const at = rejected.find(({ line, column }) => Math.abs(line - 300) < 5 && Math.abs(column - 40) < 5);
  assert.equal(at?.reason, "narrower than a column");
});

for (const kind of Object.keys(VESSEL_KINDS)) {
  Deno.test(`measures the diameter within 2 % in the median and 5 % in 95 of 100: ${kind}`, () => {
    const made = vesselRecording(VESSEL_KINDS[kind]!, 1);
    for (const method of ["half-maximum", "gradient"]) {
      const { found } = measuredIn("diameter", made.plane, { method }, calibrated(made));
      const clear = found.filter(({ verdict }) => verdict === "clear");
      assert.ok(clear.length > 0.9 * found.length, `${method}: ${clear.length} of ${found.length} are clear`);
      const off = Float64Array.from(clear, ({ line, diameter }) => {
        const truth = made.diameter.slice(line - 4.5, line + 5.5).reduce((a, b) => a + b) / 10;
        return diameter / truth - 1;
      });
      assert.ok(Math.abs(findPercentile(off, 50)) < 0.02, `${method}: ${findPercentile(off, 50)}`);
      assert.ok(findPercentile(off.map(Math.abs), 95) < 0.05, method);
      assert.ok(clear.every(({ left, right, diameter }) => Math.abs(right - left - diameter) < 1e-9));
    }
  });
}

/** A bright vessel from column 20 to 40 of 64 with a jump of its right edge. */
function steady(edgeAt: (row: number) => number, inside = 200, outside = 100) {
  const samples = Float32Array.from({ length: 600 * 64 }, (_, i) => {
    const x = i % 64;
    return (x >= 20 && x < edgeAt(Math.floor(i / 64)) ? inside : outside) + i * 7919 % 13;
  });
  return { samples, shape: [600, 64] as const };
}

Deno.test("calls an edge that jumps unclear, and gives it no diameter", () => {
  const { found } = measuredIn("diameter", steady((row) => row >= 300 && row < 310 ? 44 : 40));
  const unclear = found.filter(({ verdict }) => verdict !== "clear");
  assert.deepEqual(unclear.map(({ line, verdict }) => [line, verdict]), [[304.5, "unclear"]]);
  assert.ok(Number.isNaN(unclear[0]!.diameter) && unclear[0]!.right - unclear[0]!.left > 23);
});

Deno.test("says that a lumen is not what the settings say", () => {
  const verdicts = (plane: ReturnType<typeof steady>, lumen: string) => [
    ...new Set(measuredIn("diameter", plane, { lumen }).found.map(({ verdict }) => verdict)),
  ];
  const [bright, dark] = [steady(() => 40), steady(() => 40, 100, 200)];
  assert.deepEqual(verdicts(dark, "bright"), ["dark lumen"]);
  assert.deepEqual(verdicts(bright, "dark"), ["bright lumen"]);
  assert.deepEqual(verdicts(dark, "automatic"), ["clear"]);
});

Deno.test("cites the lumen that was taken, the median and its lines", () => {
  const plane = steady(() => 40);
  const { settings } = measuredIn("diameter", plane);
  const facts = new Map(listFacts(parametersOf("diameter"), settings, bandOf(plane)));
  assert.equal(facts.get("Lumen"), "bright (automatic)");
  assert.equal(facts.get("Median of (lines)"), 10);
});

Deno.test("gives a setting that is missing its default, whatever else is set", () => {
  const band = bandOf(steady(() => 40));
  const of = (key: string, settings: Record<string, unknown>) =>
    completeSettings(parametersOf(key), settings, band);
  assert.deepEqual(of("sparks", { threshold: 5 }), { threshold: 5, offset: 0, rest: "running" });
  const { lumen, average } = of("diameter", { method: "gradient", window: 10, step: 10 });
  assert.deepEqual([lumen, average], ["automatic", "median"]);
  assert.equal(of("velocity", { window: 40 })["method"], "agreeing");
  assert.equal(of("events", { distance: 1 })["chosen"], "by noise");
  assert.equal(of("events", { height: 1 })["chosen"], "by hand");
});
