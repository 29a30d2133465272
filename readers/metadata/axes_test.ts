import assert from "node:assert/strict";
import { buildAxes, convertStep } from "./axes.ts";

Deno.test("converts units to um and seconds", () => {
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
    assert.deepEqual(convertStep(step, unit), { step: servedStep, unit: servedUnit }, `${step} ${unit}`);
  }
});

/** Prefixes of the units that OME-Zarr names (specification 0.4, "axes"), and their powers of ten. */
const PREFIXES: Record<string, number> = {
  ...{ yocto: -24, zepto: -21, atto: -18, femto: -15, pico: -12, nano: -9, micro: -6, milli: -3, centi: -2 },
  ...{ deci: -1, "": 0, hecto: 2, kilo: 3, mega: 6, giga: 9, tera: 12, peta: 15, exa: 18, zetta: 21 },
  yotta: 24,
};

Deno.test("knows every unit of OME-Zarr", () => {
  const units: [string, number, string][] = [
    ...Object.entries(PREFIXES).flatMap(([prefix, power]): [string, number, string][] => [
      [`${prefix}meter`, Number(`1e${power + 6}`), "um"],
      [`${prefix}second`, Number(`1e${power}`), "seconds"],
    ]),
    ["angstrom", 1e-4, "um"],
    ["foot", 304800, "um"],
    ["inch", 25400, "um"],
    ["mile", 1609344000, "um"],
    ["parsec", 3.0856775814913673e22, "um"],
    ["yard", 914400, "um"],
    ["day", 86400, "seconds"],
    ["hour", 3600, "seconds"],
    ["minute", 60, "seconds"],
  ];
  for (const [unit, step, served] of units) {
    for (const written of [unit, unit[0]!.toUpperCase() + unit.slice(1)]) {
      assert.deepEqual(convertStep(1, written), { step, unit: served }, written);
    }
  }
});

Deno.test("symbols that differ only by case have different meanings", () => {
  const cases: [string, number, string][] = [
    ["mm", 1e3, "um"],
    ["MM", 1e3, "um"],
    ["Mm", 1e12, "um"],
    ["pm", 1e-6, "um"],
    ["Pm", 1e21, "um"],
    ["ms", 1e-3, "seconds"],
    ["Ms", 1e6, "seconds"],
    ["Zm", 1e27, "um"],
    ["zm", 1e-15, "um"],
    ["dam", 1e7, "um"],
    ["hs", 100, "seconds"],
    ["NM", 1e-3, "um"],
    ["M", 1e6, "um"],
    ["S", 1, "seconds"],
    // Ampere metre, gauss metre, and nothing at all.
    ["Am", 1, "Am"],
    ["gs", 1, "gs"],
    ["Hm", 1, "Hm"],
    ["xm", 1, "xm"],
  ];
  for (const [unit, step, served] of cases) {
    assert.deepEqual(convertStep(1, unit), { step, unit: served }, unit);
  }
});

Deno.test("lists axes in the served order, without those of length 1", () => {
  assert.deepEqual(
    buildAxes({ X: 5, Y: 1, Z: 1, T: 2, C: 3 }, { X: { step: 0.5, unit: "um" }, C: { step: 9, unit: "um" } }),
    [
      { name: "T", size: 2, step: 1, unit: "Pixels" },
      { name: "C", size: 3, step: 1, unit: "Pixels" },
      { name: "Y", size: 1, step: 1, unit: "Pixels" },
      { name: "X", size: 5, step: 0.5, unit: "um" },
    ],
  );
});
