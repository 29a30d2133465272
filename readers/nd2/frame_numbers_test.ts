import { deepEqual, equal, throws } from "node:assert/strict";
import fc from "fast-check";
import type { Loop, LoopKind } from "./experiment.ts";
import { FrameNumbers } from "./frame_numbers.ts";

const loop = (kind: LoopKind, count: number): Loop => ({
  kind,
  count,
  measured: null,
  nominal: null,
  names: [],
});

Deno.test("outer loops vary slowest", () => {
  // Two positions, three time points and four focus planes: (p * 3 + t) * 4 + z.
  const inside = new FrameNumbers([loop("P", 2), loop("T", 3), loop("Z", 4)]);
  equal(inside.at({ t: 2, z: 1 }, 1), (1 * 3 + 2) * 4 + 1);
  equal(inside.sceneOf(23), 1);
  const outside = new FrameNumbers([loop("T", 3), loop("Z", 4), loop("P", 2)]);
  equal(outside.at({ t: 2, z: 1 }, 1), (2 * 4 + 1) * 2 + 1);
  deepEqual([0, 1, 2, 3].map((frame) => outside.sceneOf(frame)), [0, 1, 0, 1]);
  equal(new FrameNumbers([]).at({ t: 0, z: 0 }, 0), 0);
  // Steps of a custom loop are not asked for.
  equal(new FrameNumbers([loop("U", 5), loop("Z", 4)]).at({ t: 0, z: 3 }, 0), 3);
});

Deno.test("loops of one kind run over one axis together", () => {
  const twice = new FrameNumbers([loop("T", 2), loop("Z", 2), loop("T", 3)]);
  deepEqual([twice.size("T"), twice.loop("T"), twice.loop("Z")?.count], [6, null, 2]);
  // Time point 4 of 6 is the second of the outer loop and the second of the inner: (1 * 2 + 1) * 3 + 1.
  equal(twice.at({ t: 4, z: 1 }, 0), 10);
});

Deno.test("each frame has one position", () => {
  const loops = fc.array(
    fc.record({ kind: fc.constantFrom<LoopKind>("T", "P", "Z"), count: fc.integer({ min: 1, max: 5 }) }),
    { maxLength: 5 },
  );
  fc.assert(
    fc.property(loops, (listed) => {
      const numbers = new FrameNumbers(listed.map(({ kind, count }) => loop(kind, count)));
      const found: number[] = [];
      for (let p = 0; p < numbers.size("P"); p += 1) {
        for (let t = 0; t < numbers.size("T"); t += 1) {
          for (let z = 0; z < numbers.size("Z"); z += 1) {
            const number = numbers.at({ t, z }, p);
            equal(numbers.sceneOf(number), p);
            found.push(number);
          }
        }
      }
      deepEqual(found.sort((a, b) => a - b), Array.from({ length: numbers.count }, (_, i) => i));
    }),
    { numRuns: 1000, seed: 2 },
  );
});

Deno.test("loops that promise more frames than any file has are refused", () => {
  throws(() => new FrameNumbers([loop("T", 2 ** 20), loop("Z", 2 ** 11)]), /2147483648 frames/);
});
