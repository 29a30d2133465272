/** Events above an F₀ that moves: the page, "Measure all" and the shell modules give the same numbers. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { NEW_TRACE } from "../../static/measure/light/band_trace.ts";
import { driftingScan, driftingTrace, DRIFTS, eventsIn } from "./measured_baselines.ts";
import { viewerSuite } from "./suite.ts";

const { test } = viewerSuite();

const SWAYING = DRIFTS[1]!;

test("measures events on a baseline that sways, in one recording and in all", async (viewer, page) => {
  const folder = join(viewer.server.folder, "swaying");
  Deno.mkdirSync(folder);
  const traces = [1, 2].map((seed) => driftingTrace(SWAYING, seed).trace);
  const paths = traces.map((trace, i) => {
    const path = join(folder, `swaying_${i + 1}.tif`);
    Deno.writeFileSync(path, driftingScan(trace));
    return path;
  });
  await viewer.openPath(paths[0]!);
  // All four columns.
  await viewer.draw("band", [0.4, 0.01], [0.45, 0.99]);
  await page.click("#tool-zoom");
  assert.equal(await page.inputValue("#baseline-kind"), "automatic");
  await viewer.findEvents();
  const expected = traces.map((trace) => eventsIn(trace, NEW_TRACE).found);
  const { about, rows, column } = await viewer.table("#csv-events");
  assert.equal(about.get("Baseline F0"), "moving percentile 10 over 0.6 s (automatic)");
  assert.equal(about.get("Threshold chosen"), "by noise");
  assert.equal(rows.length, 12);
  assert.deepEqual(column("Amplitude").map(Number), expected[0]!.map(({ amplitude }) => amplitude));
  assert.deepEqual(column("Baseline").map(Number), expected[0]!.map(({ baseline }) => baseline));
  const saved = await viewer.table("#csv-traces");
  assert.equal(saved.about.get("Baseline F0"), "moving percentile 10 over 0.6 s (automatic)");
  assert.equal(saved.about.get("Method of F0 of Band 1"), "moving percentile 10 over 0.6 s");
  assert.equal(new Set(saved.column("F0")).size > 1, true);
  await viewer.unfold("many");
  // Whole lines would be measured, too.
  await page.uncheck("#many-velocity");
  await page.click("#many-start");
  await page.locator("#many-csv").waitFor();
  const all = await viewer.table("#many-csv");
  assert.deepEqual(all.column("Events"), ["12", "12"]);
  for (const [i, found] of expected.entries()) {
    const mean = found.reduce((sum, { amplitude }) => sum + amplitude, 0) / found.length;
    assert(Math.abs(Number(all.column("Mean amplitude")[i]) / mean - 1) < 1e-9);
  }
  assert.deepEqual(all.column("Baseline F0 of events"), [
    "moving percentile 10 over 0.6 s (automatic)",
    "moving percentile 10 over 0.6 s (automatic)",
  ]);
  // A constant F₀ finds fewer.
  await page.selectOption("#baseline-kind", "percentile");
  await page.selectOption("#events-chosen", "automatically");
  assert((await viewer.table("#csv-events")).rows.length < 12);
});
