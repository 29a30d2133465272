import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { loadPath } from "../tests/fixtures/oir_files.ts";
import { sampleLineScan } from "./make_sample.ts";

const SAMPLE = fileURLToPath(new URL("./line_scan.oir", import.meta.url));

Deno.test("the sample is what its script makes", async () => {
  assert.deepEqual(await Deno.readFile(SAMPLE), sampleLineScan());
});

Deno.test("the sample is a line scan whose line fits its columns", async () => {
  const { summary } = await loadPath(SAMPLE);
  assert.deepEqual(summary.axes.map((a) => [a.name, a.size, a.step, a.unit]), [
    ["C", 2, 1, "Pixels"],
    ["Y", 600, 0.002118, "seconds"],
    ["X", 48, 0.45, "um"],
  ]);
  assert.deepEqual([summary.date, summary.time, summary.warnings], ["20251030", "14:54:36", []]);
  assert.deepEqual(summary.reference?.axes.map((a) => [a.size, a.step]), [[128, 0.45], [128, 0.45]]);
  assert.deepEqual(summary.reference?.lineRoi, [40, 30, 80, 55]);
});
