/** The workers of the page, which run here too, against one call as in the shell. */
import assert from "node:assert/strict";
import { runBy } from "../../static/demo/v2/measuring/workers.ts";
import { completeSettings, measureInThread } from "../../static/measure/measurement.ts";
import { PLAIN_TRACE } from "../../static/measure/light/band_trace.ts";
import { VELOCITY } from "../../static/measure/flow/mod.ts";
import { streaks } from "../browser/streaks.ts";

const [lines, columns] = [1200, 48];
const samples = streaks({
  lines,
  columns,
  velocity: (line) => 1.2 * line - 25 * Math.cos(line / 40),
  noise: 0.5,
  seed: 8,
});
const plane = { samples, shape: [lines, columns] as const };
const band = {
  columns: [4, 44] as const,
  axes: [{ step: 0.001, unit: "seconds" }, { step: 0.5, unit: "um" }] as const,
  lines,
  pixelTime: 4e-6,
  isTyped: false,
  trace: PLAIN_TRACE,
};
const order = { settings: completeSettings(VELOCITY, {}, band) };

Deno.test("the page finds the same velocities as the shell, and shows them as they arrive", async () => {
  const shown: number[] = [];
  const onFound = (_: unknown, done: number, of: number) => void shown.push(done / of);
  const page = await runBy(new AbortController().signal, onFound)(VELOCITY, plane, band, order.settings);
  assert.deepEqual(page, measureInThread(VELOCITY, plane, band, order.settings));
  assert(page.found.some(({ verdict }) => verdict === "changing"));
  assert(shown[0]! > 0 && shown[0]! < 1, `${shown}`);
});

Deno.test("cancels a measurement of velocities, also while the window is chosen", async () => {
  const stop = new AbortController();
  const page = runBy(stop.signal)(VELOCITY, plane, band, order.settings);
  stop.abort();
  await assert.rejects(async () => await page, { name: "AbortError" });
});
