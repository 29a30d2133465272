import assert from "node:assert/strict";
import { axesOf, calibrated } from "./axes.ts";

Deno.test("units are brought to um and seconds", () => {
  const cases: [number | null, string | null, number, string][] = [
    [0.25, "µm", 0.25, "um"],
    [0.25, "\u03bcm", 0.25, "um"],
    [2, "micron", 2, "um"],
    [2, "Micrometers", 2, "um"],
    [2, "micrometre", 2, "um"],
    [100, "nm", 0.1, "um"],
    [100, "nanometers", 0.1, "um"],
    [5, "Å", 0.0005, "um"],
    [0.5, "mm", 500, "um"],
    [1, "inch", 25400, "um"],
    [3, "m", 3e6, "um"],
    [250, "ms", 0.25, "seconds"],
    [3, "sec", 3, "seconds"],
    [3, "s", 3, "seconds"],
    [2, "minutes", 120, "seconds"],
    [7, "volt", 7, "volt"],
    [7, "°", 7, "°"],
    [7, "pixel", 1, "Pixels"],
    [7, "", 1, "Pixels"],
    [7, null, 1, "Pixels"],
    [0, "um", 1, "Pixels"],
    [-1, "um", 1, "Pixels"],
    [NaN, "um", 1, "Pixels"],
    [Infinity, "um", 1, "Pixels"],
    [null, "um", 1, "Pixels"],
    [1, "constructor", 1, "constructor"],
  ];
  for (const [step, unit, servedStep, servedUnit] of cases) {
    assert.deepEqual(calibrated(step, unit), { step: servedStep, unit: servedUnit }, `${step} ${unit}`);
  }
});

Deno.test("axes come in the served order, without those of length 1", () => {
  assert.deepEqual(
    axesOf({ X: 5, Y: 1, Z: 1, T: 2, C: 3 }, { X: { step: 0.5, unit: "um" }, C: { step: 9, unit: "um" } }),
    [
      { name: "T", size: 2, step: 1, unit: "Pixels" },
      { name: "C", size: 3, step: 1, unit: "Pixels" },
      { name: "Y", size: 1, step: 1, unit: "Pixels" },
      { name: "X", size: 5, step: 0.5, unit: "um" },
    ],
  );
});
