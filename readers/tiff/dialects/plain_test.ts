import { deepEqual } from "node:assert/strict";
import type { Directory } from "../directory.ts";
import { readResolution } from "./plain.ts";
import { TAG } from "../tags.ts";

/** Pixels per unit in x and y, ResolutionUnit (2 inch, 3 centimetre, 4 millimetre, 5 micrometre), Software. */
const calibration = (x: number, y: number, unit: number | undefined, software = "") =>
  readResolution({
    number: () => unit,
    noteNumber: (tag: number) => tag === TAG.XResolution ? x : y,
    note: () => software,
  } as unknown as Directory);

Deno.test("uses resolution tags that are plausible pixel sizes", () => {
  deepEqual(calibration(40_000, 20_000, 3), { X: { step: 0.25, unit: "um" }, Y: { step: 0.5, unit: "um" } });
  // 25400 per inch is one micrometre.
  deepEqual(calibration(25_400, 25_400, 2), { X: { step: 1, unit: "um" }, Y: { step: 1, unit: "um" } });
  deepEqual(calibration(25_400, 25_400, undefined).X, { step: 1, unit: "um" });
  // 4000 per millimetre, 4 per micrometre.
  deepEqual(calibration(4000, 2000, 4), { X: { step: 0.25, unit: "um" }, Y: { step: 0.5, unit: "um" } });
  deepEqual(calibration(4, 2, 5), { X: { step: 0.25, unit: "um" }, Y: { step: 0.5, unit: "um" } });
});

Deno.test("ignores printer resolutions, resolutions without a unit, zero, and the placeholder of Olympus", () => {
  for (const dpi of [72, 96, 150, 300, 600, 1200, 4800, 9600]) deepEqual(calibration(dpi, dpi, 2), {});
  // 4800 per inch, written per centimetre.
  deepEqual(calibration(4800 / 2.54, 4800 / 2.54, 3), {});
  // Ten micrometres are one, 10.01 are not.
  deepEqual(calibration(1000, 1000, 3).X, { step: 10, unit: "um" });
  deepEqual(calibration(999, 999, 3), {});
  deepEqual(calibration(40_000, 40_000, 1), {});
  deepEqual([calibration(40_000, 1, 3), calibration(1, 40_000, 3)], [{}, {}]);
  deepEqual(calibration(0, 0, 3), {});
  deepEqual(calibration(NaN, Infinity, 3), {});
  deepEqual(calibration(10_000, 10_000, 3, "FV30S-SW /FileVersion=1.2.6.0"), {});
});
