/** Axes of OME-Zarr 0.1 to 0.5: names, types, letters and scales. */
import { deepEqual, equal, throws } from "node:assert/strict";
import type { Warning } from "../warning.ts";
import { codesOf } from "../../tests/warning_codes.ts";
import type { ArrayLayout } from "./array_layout.ts";
import { omeAxes } from "./ome_image.ts";

function axesOf(
  axes: unknown,
  shape: number[],
  more: { dataset?: object; multiscale?: object; names?: (string | null)[] } = {},
) {
  const warnings: Warning[] = [];
  const array = { path: "0", shape, dimensionNames: more.names ?? null } as unknown as ArrayLayout;
  const read = omeAxes({ axes, ...more.multiscale }, { ...more.dataset }, array, warnings);
  return { read, warnings: codesOf(warnings), letters: read.map(({ letter }) => letter ?? "-").join("") };
}

const letters = (axes: unknown, rank: number, names?: (string | null)[]) =>
  axesOf(axes, new Array(rank).fill(4), names ? { names } : {}).letters;

Deno.test("axes without names are those of OME-Zarr 0.1, or of the array", () => {
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

Deno.test("scales of the dataset and of all datasets are multiplied", () => {
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
