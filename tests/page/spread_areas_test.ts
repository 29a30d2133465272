/** The areas of standard errors in charts and saved plots. */
import assert from "node:assert/strict";
import { spreadAreas } from "../../static/demo/v2/measuring/spread_areas.ts";

Deno.test("areas of standard errors join values that follow each other, and a single value has a bar", () => {
  const frame = { across: (x: number) => 10 * x, up: (value: number) => 100 - value };
  const values = [
    { x: 0, value: 5, spread: 1 },
    { x: 1, value: 6, spread: 2 },
    // Neither has a standard error.
    { x: 2, value: NaN, spread: 1 },
    { x: 3, value: 7, spread: NaN },
    { x: 4, value: 8, spread: 3 },
  ];
  assert.deepEqual(spreadAreas(values, frame), [
    [[0, 94], [10, 92], [10, 96], [0, 96]],
    [[39, 89], [41, 89], [41, 95], [39, 95]],
  ]);
  assert.deepEqual(spreadAreas([], frame), []);
});
