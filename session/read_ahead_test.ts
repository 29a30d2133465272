import { deepEqual } from "node:assert/strict";
import { Steps } from "./read_ahead.ts";

const at = (t: number, z = 0, l = 0) => ({ t, z, l });

Deno.test("two planes follow a step along one axis, in its direction", () => {
  const steps = new Steps();
  deepEqual(steps.note("s 0", at(3)), []);
  deepEqual(steps.note("s 0", at(4)), [at(5), at(6)]);
  deepEqual(steps.note("s 0", at(3)), [at(2), at(1)]);
  deepEqual(steps.note("s 0", at(3, 1)), [at(3, 2), at(3, 3)]);
  deepEqual(steps.note("s 0", at(3, 1, 1)), [at(3, 1, 2), at(3, 1, 3)]);
});

Deno.test("no plane follows a jump, a step along two axes, or the same plane again", () => {
  const steps = new Steps();
  for (const position of [at(0), at(2), at(3, 1), at(3, 1), at(2, 2)]) {
    deepEqual(steps.note("s 0", position), []);
  }
});

Deno.test("each channel of each session steps on its own, until it is forgotten", () => {
  const steps = new Steps();
  steps.note("s 0", at(0));
  deepEqual(steps.note("s 1", at(1)), []);
  deepEqual(steps.note("t 0", at(1)), []);
  deepEqual(steps.note("s 0", at(1)), [at(2), at(3)]);
  steps.forget((stream) => stream.startsWith("s "));
  deepEqual(steps.note("s 0", at(2)), []);
  deepEqual(steps.note("t 0", at(2)), [at(3), at(4)]);
});
