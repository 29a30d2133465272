/**
 * Writes the tables of sparks and diameters by default settings in docs/measure-accuracy.md: recordings of known truth
 * (known_truth.ts), ten seeds a kind, beside IOCBIO Sparks and acqstore (measured/known_truth_peers.py). Ten seeds take
 * the peers about an hour.
 *
 * usage: deno run -A tests/page/known_truth_table.ts PYTHON [FOLDER_OF_DIAMETER_CORE] [SEEDS]
 */
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { findPercentile } from "../../static/measure/traces.ts";
import {
  type Made,
  SPARK_KINDS,
  type SparkRecording,
  sparkRecording,
  VESSEL_KINDS,
  type VesselRecording,
  vesselRecording,
} from "./known_truth.ts";
import { measuredIn } from "./synthetic.ts";

const [python = "python3", core = "", seeds = "10"] = Deno.args;
const METHODS = ["half-maximum", "gradient"] as const;

/** What another program finds in a recording; null without the program. */
// deno-lint-ignore no-explicit-any
type Peer = any;

const script = fileURLToPath(new URL("measured/known_truth_peers.py", import.meta.url));

async function peerOf(kind: string, { plane, lineTime, pixelSize }: Made, isDark: boolean): Promise<Peer> {
  const folder = Deno.makeTempDirSync();
  try {
    Deno.writeFileSync(join(folder, "0.f32"), new Uint8Array(Float32Array.from(plane.samples).buffer));
    const list = [{ file: "0.f32", kind, shape: plane.shape, lineTime, pixelSize, isDark }];
    Deno.writeTextFileSync(join(folder, "list.json"), JSON.stringify(list));
    const args = [script, folder, ...core === "" ? [] : [core]];
    const { stdout } = await new Deno.Command(python, { args, stderr: "inherit" }).output();
    return JSON.parse(new TextDecoder().decode(stdout))[0];
  } finally {
    Deno.removeSync(folder, { recursive: true });
  }
}

const median = (values: readonly number[]) => findPercentile(Float64Array.from(values), 50);

/** Median, least and greatest number. */
const interval = (values: readonly number[], digits = 0) => {
  if (values.length === 0) return "none";
  const [low, high] = [Math.min(...values), Math.max(...values)];
  return `${median(values).toFixed(digits)} (${low.toFixed(digits)} to ${high.toFixed(digits)})`;
};

/** Counts the sparks that were found, and the false ones. */
function counted(
  found: readonly (readonly [number, number])[],
  { sparks, lineTime, pixelSize }: SparkRecording,
) {
  const left = [...sparks];
  for (const [line, column] of found) {
    const at = left.findIndex((one) =>
      Math.abs(one.line - line) * lineTime < 0.03 && Math.abs(one.column - column) * pixelSize < 1.5
    );
    if (at >= 0) left.splice(at, 1);
  }
  const right = sparks.length - left.length;
  return { right, wrong: found.length - right };
}

const calibrated = ({ lineTime, pixelSize }: Made) => ({
  axes: [{ step: lineTime, unit: "seconds" }, { step: pixelSize, unit: "um" }] as const,
});

/** Median and 95th percentile of the errors in percent. @param truth mean diameter of lines from a place */
function errors(
  found: readonly { first: number; lines: number; diameter: number }[],
  { diameter }: VesselRecording,
) {
  const off = found.filter((one) => Number.isFinite(one.diameter)).map(({ first, lines, diameter: one }) =>
    100 * (one / (diameter.slice(first, first + lines).reduce((a, b) => a + b) / lines) - 1)
  );
  return {
    middle: median(off),
    far: findPercentile(Float64Array.from(off, Math.abs), 95),
    count: off.length,
  };
}

console.log("| sparks | found | false | IOCBIO Sparks: found | false |\n| --- | --- | --- | --- | --- |");
for (const [name, kind] of Object.entries(SPARK_KINDS)) {
  const [own, peer] = [[], []] as { right: number; wrong: number }[][] as [
    { right: number; wrong: number }[],
    { right: number; wrong: number }[],
  ];
  for (let seed = 0; seed < Number(seeds); seed += 1) {
    const made = sparkRecording(kind, seed);
    const { found } = measuredIn("sparks", made.plane, {}, calibrated(made));
    own.push(counted(found.map(({ line, column }) => [line, column]), made));
    const other = await peerOf("sparks", made, false);
    if (other !== null) peer.push(counted(other, made));
  }
  const words = [own, peer].map((all) =>
    `${interval(all.map(({ right }) => right))} | ${interval(all.map(({ wrong }) => wrong))}`
  );
  console.log(`| ${name}, of ${kind.count} | ${words.join(" | ")} |`);
}

console.log(
  "\n| diameter | median error (%) | 95th percentile (%) | acqstore: median error (%) | 95th percentile (%) |" +
    "\n| --- | --- | --- | --- | --- |",
);
for (const [name, kind] of Object.entries(VESSEL_KINDS)) {
  for (const method of METHODS) {
    const [own, peer]: [ReturnType<typeof errors>[], ReturnType<typeof errors>[]] = [[], []];
    for (let seed = 0; seed < Number(seeds); seed += 1) {
      const made = vesselRecording(kind, seed);
      const { found } = measuredIn("diameter", made.plane, { method }, calibrated(made));
      own.push(
        errors(found.map(({ line, diameter }) => ({ first: line - 4.5, lines: 10, diameter })), made),
      );
      const other = await peerOf("vessel", made, kind.lumen < kind.outside);
      if (other === null) continue;
      const rows = (other[method] as (number | null)[]).map((diameter, first) => ({
        first,
        lines: 1,
        diameter: diameter ?? NaN,
      }));
      const off = errors(rows, made);
      if (off.count > 0) peer.push(off);
    }
    const words = [own, peer].map((all) =>
      `${interval(all.map(({ middle }) => middle), 2)} | ${interval(all.map(({ far }) => far), 1)}`
    );
    console.log(`| ${name}, ${method} | ${words.join(" | ")} |`);
  }
}
