import { deepEqual } from "node:assert/strict";
import { convertStep, UNCALIBRATED } from "./axes.ts";
import { servedLines } from "../reader.ts";
import { buildLineScan } from "./line_scan.ts";

Deno.test("takes the times of a line scan only from units of time", () => {
  deepEqual(buildLineScan(convertStep(2.5, "ms"), convertStep(2, "us")), {
    secondsPerLine: 0.0025,
    secondsPerPixel: 0.000002,
    bidirectional: null,
  });
  for (const none of [undefined, null, UNCALIBRATED, convertStep(1, "um"), convertStep(-1, "s")]) {
    deepEqual(buildLineScan(none, none), {
      secondsPerLine: null,
      secondsPerPixel: null,
      bidirectional: null,
    });
  }
});

Deno.test("reads the direction from the words of each program, in any case", () => {
  const known = (text: string) => buildLineScan(null, null, text).bidirectional;
  deepEqual(["Oneway", "Unidirectional", "one-way "].map(known), [false, false, false]);
  deepEqual(["Roundtrip", "Bidirectional", "BI-DIRECTIONAL"].map(known), [true, true, true]);
  deepEqual(["", "Random", "not bidirectional"].map(known), [null, null, null]);
});

Deno.test("serves the lines that every requested channel has", () => {
  deepEqual(servedLines([5, 5], 5), { rows: 5, filled: { start: 0, end: 5 }, warnings: [] });
  const { rows, filled, warnings } = servedLines([5, 3], 6, { start: 2, end: 5 });
  deepEqual([rows, filled], [3, { start: 2, end: 3 }]);
  deepEqual(warnings, [
    { code: "lines_missing", text: "3 of 6 lines are stored in every requested channel" },
  ]);
  deepEqual(servedLines([3], 3, { start: 4, end: 5 }).filled, { start: 3, end: 3 });
});
