import { throws } from "node:assert/strict";
import { PositionOutOfRange } from "./errors.ts";
import type { Axis } from "./reader.ts";
import { requirePosition, requireScene } from "./request_bounds.ts";

const AXES: readonly Axis[] = [
  { name: "T", size: 3, step: 1, unit: "seconds" },
  { name: "Y", size: 8, step: 1, unit: "um" },
  { name: "X", size: 8, step: 1, unit: "um" },
];

Deno.test("an index that its axis does not have is refused; an axis that is left out has the size 1", () => {
  requirePosition("a.tif", AXES, { t: 2, z: 0, l: 0 });
  for (const [letter, size] of [["t", 3], ["z", 1], ["l", 1]] as const) {
    for (const index of [size, size + 7, -1, 0.5, NaN]) {
      const position = { t: 0, z: 0, l: 0, [letter]: index };
      throws(() => requirePosition("a.tif", AXES, position), PositionOutOfRange, `${letter} ${index}`);
    }
  }
  throws(() => requirePosition("a.tif", AXES, { t: 0, z: 1, l: 0 }), {
    message: `Index 1 along Z does not exist: "a.tif" has size 1 along Z`,
  });
});

Deno.test("a scene that the file does not have is refused", () => {
  requireScene("a.tif", 1, 0);
  for (const scene of [1, -1, 0.5]) {
    throws(() => requireScene("a.tif", 1, scene), {
      tag: "SceneOutOfRange",
      message: `Scene ${scene} does not exist: "a.tif" has only scene 0`,
    });
  }
});
