import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { loadPath } from "../tests/fixtures/oir_files.ts";
import { loadHere } from "../tests/load_here.ts";
import { sampleLineScan } from "./make_sample.ts";
import { sampleStack } from "./make_stack.ts";

const SAMPLE = fileURLToPath(new URL("./line_scan.oir", import.meta.url));
const STACK = fileURLToPath(new URL("./time_series.ome.tif", import.meta.url));

Deno.test("the sample is what its script makes", async () => {
  assert.deepEqual(await Deno.readFile(SAMPLE), sampleLineScan());
});

Deno.test("the stack is what its script makes: twelve time points and an overview", async () => {
  assert.deepEqual(await Deno.readFile(STACK), sampleStack());
  const { summary } = await loadHere(STACK);
  assert.deepEqual(summary.axes.map((a) => [a.name, a.size, a.step, a.unit]), [
    ["T", 12, 0.5, "seconds"],
    ["Y", 48, 0.5, "um"],
    ["X", 64, 0.5, "um"],
  ]);
  assert.deepEqual(summary.scenes.map(({ name }) => name), ["cells", "overview"]);
  assert.deepEqual(summary.channels.map(({ name, color }) => [name, color]), [["GCaMP", "#00ff00"]]);
  assert.deepEqual(summary.warnings, []);
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
