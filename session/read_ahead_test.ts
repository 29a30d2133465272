import { deepEqual } from "node:assert/strict";
import { predictPositions } from "./read_ahead.ts";

const at = (t: number, z = 0, l = 0) => ({ t, z, l });

Deno.test("reads two planes ahead after a step along one axis, in its direction", () => {
  deepEqual(predictPositions(undefined, at(3)), []);
  deepEqual(predictPositions(at(3), at(4)), [at(5), at(6)]);
  deepEqual(predictPositions(at(4), at(3)), [at(2), at(1)]);
  deepEqual(predictPositions(at(3), at(3, 1)), [at(3, 2), at(3, 3)]);
  deepEqual(predictPositions(at(3, 1), at(3, 1, 1)), [at(3, 1, 2), at(3, 1, 3)]);
});

Deno.test("reads nothing ahead after a jump, a step along two axes, or the same plane again", () => {
  for (const [last, position] of [[at(0), at(2)], [at(2), at(3, 1)], [at(3, 1), at(3, 1)]] as const) {
    deepEqual(predictPositions(last, position), []);
  }
});
