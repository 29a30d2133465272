/** The workers of the page, which run here too, against one call as in the shell. */
import assert from "node:assert/strict";
import { measureVelocities } from "../../static/demo/v2/measuring/velocities.js";
import { type VelocityAt, velocityOverTime } from "../../static/measure/velocity.js";
import { chosenWindow } from "../../static/measure/window_choice.js";
import { streaks } from "../browser/streaks.ts";

const [lines, columns] = [1200, 48];
const samples = streaks({
  lines,
  columns,
  velocity: (line) => 1.2 * line - 25 * Math.cos(line / 40),
  noise: 0.5,
  seed: 8,
});
const plane = { samples, shape: [lines, columns] };
const what = { columns: [4, 44] as const, pixelTime: 0.004 };

Deno.test("the page has the same velocities as the shell, and shows them while they are found", async () => {
  const window = chosenWindow(plane, what, 0.001);
  const step = Math.floor(window / 2);
  const shown: number[] = [];
  const onFound = (found: VelocityAt[], of: number) => void shown.push(found.length / of);
  const wanted = { ...what, window: null, step: 1, lineTime: 0.001 };
  const page = await measureVelocities(plane, wanted, { signal: new AbortController().signal, onFound });
  assert.deepEqual([page.window, page.step], [window, step]);
  assert.deepEqual(page.found, velocityOverTime(plane, { ...what, window, step }));
  assert(page.found.some(({ verdict }) => verdict === "changing"));
  assert(shown[0]! > 0 && shown[0]! < 1, `${shown}`);
});

Deno.test("measuring velocities can be cancelled, also while the window is chosen", async () => {
  const stop = new AbortController();
  const wanted = { ...what, window: null, step: 1, lineTime: 0.001 };
  const measured = measureVelocities(plane, wanted, { signal: stop.signal, onFound: () => {} });
  stop.abort();
  await assert.rejects(measured, { name: "AbortError" });
});
