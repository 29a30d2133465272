/** Objects and lists as the documents give them. */
import { deepEqual, equal, throws } from "node:assert/strict";
import fc from "fast-check";
import { FrameNumbers, type Loop, type LoopKind, readLoops } from "./experiment.ts";
import type { Variant, VariantObject } from "./clx.ts";

function variant(value: unknown): Variant {
  if (Array.isArray(value)) return value.map(variant);
  if (value instanceof Uint8Array || typeof value !== "object" || value === null) return value as Variant;
  return new Map(Object.entries(value).map(([name, one]) => [name, variant(one)]));
}

const level = (eType: number, uLoopPars: unknown, ...inner: unknown[]) => ({
  eType,
  uLoopPars,
  ppNextLevelEx: inner,
});
const short = (experiment: unknown) =>
  readLoops(variant(experiment) as VariantObject)
    .map(({ kind, count, measured, nominal }) => [kind, count, measured, nominal]);

Deno.test("lists loops from the outermost to the innermost, with their steps", () => {
  const inner = level(4, { uiCount: 3, dZStep: -0.5 });
  deepEqual(short(level(1, { uiCount: 2, dPeriod: 1000, dAvgPeriodDiff: 1010 }, inner)), [
    ["T", 2, 1010, 1000],
    ["Z", 3, null, 0.5],
  ]);
  // Without a step the range counts: (4 - 1) / 2.
  deepEqual(short(level(4, { uiCount: 3, dZLow: 1, dZHigh: 4 })), [["Z", 3, null, 1.5]]);
  deepEqual(short({}), []);
});

Deno.test("counts valid positions, given as points or as coordinates by axis", () => {
  // The empty element is skipped and has no flag.
  const points = { Points: [{ dPosName: "a" }, {}, { pPosName: "b" }, { dPosX: 1 }] };
  deepEqual(short({ ...level(2, points), pItemValid: Uint8Array.of(1, 0, 7) }), [["P", 2, null, null]]);
  deepEqual(short({ ...level(2, points), pItemValid: new Uint8Array() }), [["P", 3, null, null]]);
  const names = readLoops(variant({
    ...level(2, [{ dPosX: { _00: 1, _01: 2 }, pPosName: { _00: "a", _01: "b" } }]),
    pItemValid: { _01: true, _00: false },
  }) as VariantObject).map((loop) => loop.names);
  deepEqual(names, [["b"]]);
});

Deno.test("sums valid phases", () => {
  const pPeriod = [{ uiCount: 2, dPeriod: 100 }, { uiCount: 50 }, { uiCount: 2, dPeriod: 300 }];
  deepEqual(short(level(8, { pPeriod, pPeriodValid: Uint8Array.of(1, 0, 1) })), [["T", 4, null, 200]]);
  const first = { pPeriod, pPeriodValid: { _00: true, _01: false, _02: false } };
  deepEqual(short(level(8, first)), [["T", 2, null, 100]]);
});

Deno.test("rejects unknown kinds of loops, and skips loops of less than one step", () => {
  for (const type of [3, 5, 9, 10]) {
    throws(() => short(level(type, { uiCount: 2 })), { tag: "decode_failed" });
  }
  for (const uiCount of [0, -1, 0.5, NaN, Infinity, 2 ** 60, "x"]) {
    deepEqual(short(level(1, { uiCount })), []);
  }
  deepEqual(short(level(99, { uiCount: 2 })), []);
});

const loop = (kind: LoopKind, count: number): Loop => ({
  ...{ kind, count, measured: null, nominal: null, names: [] },
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

Deno.test("merges loops of one kind into one axis", () => {
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

Deno.test("rejects loops of too many frames", () => {
  throws(() => new FrameNumbers([loop("T", 2 ** 20), loop("Z", 2 ** 11)]), /declares 2147483648 frames/);
});
