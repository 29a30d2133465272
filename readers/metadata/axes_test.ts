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

/** The units that OME-Zarr names (specification 0.4, "axes"), in micrometres and in seconds. */
const NGFF: [string, number][] = [
  ["angstrom", 1e-4],
  ["attometer", 1e-12],
  ["centimeter", 1e4],
  ["decimeter", 1e5],
  ["exameter", 1e24],
  ["femtometer", 1e-9],
  ["foot", 304800],
  ["gigameter", 1e15],
  ["hectometer", 1e8],
  ["inch", 25400],
  ["kilometer", 1e9],
  ["megameter", 1e12],
  ["meter", 1e6],
  ["micrometer", 1],
  ["mile", 1609344000],
  ["millimeter", 1e3],
  ["nanometer", 1e-3],
  ["parsec", 3.0856775814913673e22],
  ["petameter", 1e21],
  ["picometer", 1e-6],
  ["terameter", 1e18],
  ["yard", 914400],
  ["yoctometer", 1e-18],
  ["yottameter", 1e30],
  ["zeptometer", 1e-15],
  ["zettameter", 1e27],
  ["attosecond", 1e-18],
  ["centisecond", 1e-2],
  ["day", 86400],
  ["decisecond", 1e-1],
  ["exasecond", 1e18],
  ["femtosecond", 1e-15],
  ["gigasecond", 1e9],
  ["hectosecond", 1e2],
  ["hour", 3600],
  ["kilosecond", 1e3],
  ["megasecond", 1e6],
  ["microsecond", 1e-6],
  ["millisecond", 1e-3],
  ["minute", 60],
  ["nanosecond", 1e-9],
  ["petasecond", 1e15],
  ["picosecond", 1e-12],
  ["second", 1],
  ["terasecond", 1e12],
  ["yoctosecond", 1e-24],
  ["yottasecond", 1e24],
  ["zeptosecond", 1e-21],
  ["zettasecond", 1e21],
];

Deno.test("every unit of OME-Zarr is known", () => {
  for (const [index, [unit, factor]] of NGFF.entries()) {
    const served = index < NGFF.findIndex(([name]) => name === "attosecond") ? "um" : "seconds";
    for (const written of [unit, unit[0]!.toUpperCase() + unit.slice(1)]) {
      assert.deepEqual(calibrated(1, written), { step: factor, unit: served }, written);
    }
  }
});

Deno.test("symbols that differ by case alone are told apart", () => {
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
    assert.deepEqual(calibrated(1, unit), { step, unit: served }, unit);
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
