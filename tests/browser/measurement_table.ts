/**
 * Writes the table of docs/measure-accuracy.md: diameter, heart rate, flux and sparks of synthetic recordings, beside SciPy.
 *
 * usage: deno run -A tests/browser/measurement_table.ts PYTHON
 */
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { measureHeartRate } from "../../static/measure/heart_rate.ts";
import { findPercentile } from "../../static/measure/traces.ts";
import { cells, measuredIn, pulse, sparks, vessel } from "../page/synthetic.ts";

// deno-lint-ignore no-explicit-any
type Found = any;
interface Case {
  readonly words: string;
  readonly kind: string;
  readonly samples: Float32Array;
  readonly shape?: readonly number[];
  readonly step?: number;
  readonly own: () => string;
  readonly peer: (found: Found) => string;
}

const median = (values: readonly number[]) => findPercentile(Float64Array.from(values), 50);
const percent = (value: number) => `${(100 * value).toFixed(1)} %`;
const cases: Case[] = [];

for (const [diameter, blur, snr] of [[15, 0.8, 5], [30, 1.5, 5], [30, 1.5, 20]] as const) {
  const { plane, truth } = vessel({ diameter, blur, snr });
  const off = (found: readonly number[]) => {
    const differences = found.map((one, i) =>
      one - truth.slice(10 * i, 10 * i + 10).reduce((a, b) => a + b) / 10
    );
    return `${median(differences).toFixed(2)}, ${median(differences.map(Math.abs)).toFixed(2)} columns`;
  };
  const own = () =>
    (["half-maximum", "gradient"] as const).map((method) =>
      off(measuredIn("diameter", plane, { method }).found.map((one) => one.diameter))
    ).join("; ");
  const words = `diameter of ${diameter} columns, blur ${blur}, signal-to-noise ${snr}`;
  cases.push({ words, kind: "diameter", ...plane, own, peer: off });
}
for (const [duration, frequency, share] of [[1.2, 5, 0.3], [5, 5, 1], [5, 1.2, 0.5]] as const) {
  const traces = Array.from(
    { length: 10 },
    (_, i) => pulse({ step: 0.02, duration, frequency, share, seed: 20 + i }),
  );
  for (const trace of traces) {
    const rate = (value: number | null) => value === null ? "none" : String(value / frequency - 1);
    const words = `heart rate of ${frequency} Hz, ${
      duration * frequency
    } beats, noise ${share} of the amplitude`;
    const own = () => rate(measureHeartRate(trace, 0.02).frequency);
    cases.push({ words, kind: "heart", samples: Float32Array.from(trace), step: 0.02, own, peer: rate });
  }
}
for (const coverage of [0.3, 0.5, 0.7]) {
  for (const [velocity, pulsing] of [[0.8, 0.4], [-1.2, 0], [3, 0]] as const) {
    const made = cells({
      lines: 2000,
      columns: 64,
      velocity,
      pulse: pulsing,
      length: 10,
      coverage,
      snr: 5,
      seed: 3,
    });
    const { length } = made.passed;
    const own = () => {
      const found = measuredIn("flux", made.plane).found.filter(({ verdict }) => verdict === "counted");
      const truth = found.flatMap(({ line }) => made.passed.filter((at) => Math.abs(at - line) < 100)).length;
      return String(found.reduce((sum, one) => sum + one.cells, 0) / truth - 1);
    };
    const words = `flux, ${100 * coverage} % covered`;
    cases.push({ words, kind: "flux", ...made.plane, own, peer: (count) => String(count / length - 1) });
  }
}
for (const [width, rise, decay] of [[8, 2, 10], [12, 3, 14], [16, 5, 20]] as const) {
  const { plane, peaks, duration } = sparks({ width, rise, decay, snr: 4, seed: 5 + width });
  const told = (found: readonly (readonly number[])[]) => {
    const isOf = (spark: readonly number[], { line, column }: { line: number; column: number }) =>
      Math.abs(line - spark[0]!) < 15 && Math.abs(column - spark[1]!) < width;
    const right = found.filter((spark) => peaks.some((peak) => isOf(spark, peak)));
    const hit = peaks.filter((peak) => found.some((spark) => isOf(spark, peak)));
    const off = (i: number, truth: number) => percent(median(right.map((spark) => spark[i]!)) / truth - 1);
    return `${percent(hit.length / peaks.length)}, ${percent(1 - right.length / found.length)}, ${
      off(2, width)
    }, ${off(3, duration)}`;
  };
  const own = () =>
    told(measuredIn("sparks", plane).found.map((one) => [one.line, one.column, one.width, one.duration]));
  cases.push({
    words: `sparks of ${width} columns, signal-to-noise 4`,
    kind: "sparks",
    ...plane,
    own,
    peer: told,
  });
}

const folder = Deno.makeTempDirSync();
const list = cases.map(({ kind, shape, step, samples }, i) => {
  Deno.writeFileSync(join(folder, `${i}.f32`), new Uint8Array(samples.slice().buffer));
  return { file: `${i}.f32`, kind, shape, step };
});
Deno.writeTextFileSync(join(folder, "list.json"), JSON.stringify(list));
const script = fileURLToPath(new URL("../page/measured/measurement_peers.py", import.meta.url));
const [python = "python3"] = Deno.args;
const { stdout } = await new Deno.Command(python, { args: [script, folder], stderr: "inherit" }).output();
const peers: Found[] = JSON.parse(new TextDecoder().decode(stdout));
Deno.removeSync(folder, { recursive: true });

/** Several recordings of one row: median and greatest error. */
function joined(texts: readonly string[]): string {
  if (texts.length === 1) return texts[0]!;
  const numbers = texts.map(Number).filter(Number.isFinite).map(Math.abs);
  const missing = texts.length - numbers.length;
  const rest = missing === 0 ? "" : `; ${missing} of ${texts.length} without`;
  return numbers.length === 0
    ? "none"
    : `${percent(median(numbers))}, ${percent(Math.max(...numbers))}${rest}`;
}
console.log("| recording | here | SciPy |\n| --- | --- | --- |");
for (const words of new Set(cases.map((one) => one.words))) {
  const rows = cases.flatMap((one, i) =>
    one.words === words ? [[one.own(), one.peer(peers[i])] as const] : []
  );
  console.log(`| ${words} | ${joined(rows.map(([own]) => own))} | ${joined(rows.map(([, peer]) => peer))} |`);
}
