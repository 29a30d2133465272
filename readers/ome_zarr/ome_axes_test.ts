/** Axes of OME-Zarr 0.1 to 0.5: names, types, letters and scales. */
import { deepEqual, equal, throws } from "node:assert/strict";
import type { Warning } from "../warning.ts";
import { codesOf } from "../../tests/warning_codes.ts";
import type { ArrayLayout } from "./array_layout.ts";
import { readOmeAxes } from "./ome_image.ts";

function axesOf(
  axes: unknown,
  shape: number[],
  more: { dataset?: object; multiscale?: object; names?: (string | null)[] } = {},
) {
  const warnings: Warning[] = [];
  const array = { path: "0", shape, dimensionNames: more.names ?? null } as unknown as ArrayLayout;
  const read = readOmeAxes({ axes, ...more.multiscale }, { ...more.dataset }, array, warnings);
  return { read, warnings: codesOf(warnings), letters: read.map(({ letter }) => letter ?? "-").join("") };
}

const letters = (axes: unknown, rank: number, names?: (string | null)[]) =>
  axesOf(axes, new Array(rank).fill(4), names ? { names } : {}).letters;
const typed = (...axes: [string, string?][]) => axes.map(([name, type]) => ({ name, ...type && { type } }));

Deno.test("takes unnamed axes from OME-Zarr 0.1 or from the array", () => {
  for (const axes of [undefined, null]) {
    equal(letters(axes, 5), "TCZYX");
    equal(letters(axes, 2), "YX");
    for (const rank of [1, 3, 4, 6]) {
      throws(() => letters(axes, rank), new RegExp(`names no axes and its array has ${rank}`));
    }
  }
  equal(letters(undefined, 3, ["z", "y", "x"]), "ZYX");
  equal(letters(undefined, 5, ["x", "y", "z", "c", "t"]), "TCZYX");
  throws(() => letters(undefined, 3, ["z", null, "x"]), /names no axes/);
  throws(() => letters(undefined, 3, ["y", "x"]), /names no axes/);
});

Deno.test("requires a name for each axis of the array", () => {
  equal(letters(["c", "y", "x"], 3), "CYX");
  throws(() => letters("cyx", 3), /are not a list/);
  throws(() => letters(["c", "", "x"], 3), /axis 1 of the image has no name/);
  throws(() => letters([{ type: "space" }, "y", "x"], 3), /axis 0 of the image has no name/);
  throws(() => letters(["y", "x"], 3), /has 2 axes, its array "0" 3/);
  throws(() => letters(["t", "c", "y", "x"], 3), /has 4 axes, its array "0" 3/);
});

Deno.test("assigns letters to axes by name, then by type from the last axis", () => {
  equal(letters(["TIME", "Channel", "Z", "Y", "X"], 5), "TCZYX");
  equal(letters(typed(["a", "space"], ["b", "space"], ["d", "space"]), 3), "ZYX");
  equal(letters(typed(["a", "time"], ["b", "channel"], ["y"], ["x"]), 4), "TCYX");
  equal(letters(typed(["a", "time"], ["t", "time"], ["y"], ["x"]), 4), "-TYX");
  equal(letters(typed(["a", "other"], ["b"], ["y"], ["x"]), 4), "--YX");
  equal(letters(typed(["a", "space"], ["b", "space"], ["d", "space"], ["e", "space"]), 4), "-ZYX");
  // Rows of a line scan.
  equal(letters(typed(["t", "time"], ["x", "space"]), 2), "YX");
  equal(letters(["t", "y", "x"], 3), "TYX");
  throws(() => letters(["y", "y", "x"], 3), /the axes y, y, x repeat/);
  throws(() => letters(["y", "c"], 2), /have no rows and columns/);
  throws(() => letters(["c", "x"], 2), /have no rows and columns/);
});

Deno.test("warns about an axis whose type contradicts its name", () => {
  const warned = (...axes: [string, string?][]) => axesOf(typed(...axes), axes.map(() => 4)).warnings;
  deepEqual(warned(["t", "time"], ["c", "channel"], ["z", "space"], ["y", "time"], ["x", "space"]), []);
  deepEqual(warned(["t"], ["y"], ["x"]), []);
  deepEqual(warned(["t", "space"], ["y"], ["x"]), ["metadata_disagree"]);
  deepEqual(warned(["c", "time"], ["z", "channel"], ["y"], ["x"]).length, 2);
});

Deno.test("multiplies the scales of the dataset and of all datasets", () => {
  const scale = (...numbers: unknown[]) => ({ type: "scale", scale: numbers });
  const owner = (...coordinateTransformations: unknown[]) => ({ coordinateTransformations });
  const read = (dataset: object, multiscale: object = {}) => {
    const { read, warnings } = axesOf(["y", "x"], [4, 6], { dataset, multiscale });
    return [...read.map((axis) => axis.scale), warnings.length];
  };
  deepEqual(read({}), [null, null, 0]);
  deepEqual(read(owner(scale(2, 3))), [2, 3, 0]);
  deepEqual(read({}, owner(scale(2, 3))), [2, 3, 0]);
  deepEqual(read(owner(scale(2, 3)), owner(scale(5, 7))), [10, 21, 0]);
  deepEqual(read(owner(scale(2, 3), scale(5, 7))), [10, 21, 0]);
  deepEqual(read(owner({ type: "translation", translation: [1, 1] }, scale(2, 3))), [2, 3, 0]);
  deepEqual(read(owner(7, scale(2, 3))), [2, 3, 0]);
  for (const wrong of [scale(2), scale(2, 3, 4), scale(2, "3"), { type: "scale", scale: 2 }]) {
    deepEqual(read(owner(wrong)), [null, null, 1]);
    deepEqual(read(owner(wrong, scale(2, 3))), [2, 3, 1]);
  }
  deepEqual(read({ coordinateTransformations: scale(2, 3) }), [null, null, 0]);
});

Deno.test("reads units and sizes of axes", () => {
  const axes = [{ name: "y", type: "space", unit: "micrometer" }, { name: "x", unit: 7 }];
  deepEqual(axesOf(axes, [4, 6]).read, [
    { name: "y", unit: "micrometer", letter: "Y", size: 4, scale: null },
    { name: "x", unit: null, letter: "X", size: 6, scale: null },
  ]);
});
