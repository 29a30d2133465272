import assert from "node:assert/strict";
import fc from "fast-check";
import { DisplayChannel } from "../../static/demo/v2/picture/channel.ts";
import { parseTypedNumber } from "../../static/demo/v2/controls/number_input.ts";
import { chooseDrawableRange } from "../../static/measure/statistics.ts";

const channel = (...samples: number[]) =>
  new DisplayChannel({ index: 0, name: "CH1", samples: Float32Array.of(...samples) }, 0, 1);

Deno.test("a typed end moves the other end if they would cross", () => {
  const one = channel(0, 100);
  one.setRange(10, 30);
  one.setEnd(0, 50);
  assert.deepEqual(one.range, [50, 70]);
  one.setEnd(1, 20);
  assert.deepEqual(one.range, [0, 20]);
  one.setEnd(0, 5);
  assert.deepEqual(one.range, [5, 20]);
});

Deno.test("a flat plane has a range with distinct float32 ends", () => {
  assert.deepEqual(channel(7, 7).range, [7, 8]);
  // Neighbouring float32 are 2^28 apart at 4e15 (52 bits, 24 of them kept).
  const [min, max] = channel(4e15, 4e15).range;
  assert(Math.fround(min) < Math.fround(max) && max < 4e15 + 2 ** 31);
});

Deno.test("every range can be drawn", () => {
  assert.deepEqual(chooseDrawableRange(0.1, 0.2), [0.1, 0.2]);
  const end = fc.oneof(
    fc.double({ noNaN: true }),
    fc.float({ noNaN: true }),
    fc.constantFrom(3.4028234663852886e38, 0),
  );
  fc.assert(
    fc.property(end, end, (a, b) => {
      for (const [low, high] of [chooseDrawableRange(a, b), chooseDrawableRange(a, a)]) {
        const [min, max] = [Math.fround(low), Math.fround(high)];
        assert(Number.isFinite(min) && Number.isFinite(max) && min < max, `${low} ${high}`);
      }
    }),
    { numRuns: 1000, seed: 6 },
  );
});

Deno.test("parses numbers strictly", () => {
  const points = { "12": 12, " -0.5 ": -0.5, ".5": 0.5, "5.": 5, "1e3": 1000, "\u22125": -5 };
  const commas = { "2,5": 2.5, "0,25": 0.25, "1,000": 1, "-3,75": -3.75, " 1,5e-2\n": 0.015 };
  for (const [texts, hasComma] of [[points, false], [commas, true]] as const) {
    for (const [text, value] of Object.entries(texts)) {
      assert.deepEqual(parseTypedNumber(text), { value, hasComma, fault: null });
    }
  }
  for (const text of ["", "abc", "0x10", "1e999", "Infinity", "1 000"]) {
    assert.equal(parseTypedNumber(text).fault, `"${text}" is not a number`);
  }
  for (const text of ["1,000,000", "1,000.5", "1.000,5", ",5", "5,", "2,5 ms"]) {
    assert.match(
      parseTypedNumber(text).fault!,
      new RegExp(`^"${text}" is not a number: write one decimal sign`),
    );
  }
  assert.equal(parseTypedNumber("0,5", { min: 1 }).fault, '"0,5" is below 1');
  assert.equal(parseTypedNumber("7,5", { max: 7 }).fault, '"7,5" is above 7');
  assert.equal(parseTypedNumber("7,5", { isWhole: true }).fault, '"7,5" is not a whole number');
});
