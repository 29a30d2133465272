import { deepEqual, equal } from "node:assert/strict";
import {
  countIn,
  flagsOf,
  itemsOf,
  numberIn,
  positiveIn,
  textIn,
  unwrapped,
  type Variant,
} from "./variant.ts";

const of = (value: Variant) => new Map([["a", value]]);

Deno.test("numbers are finite and never text", () => {
  deepEqual([1.5, -2, true, false].map((value) => numberIn(of(value), "a")), [1.5, -2, 1, 0]);
  for (const value of [NaN, Infinity, "5", "", [1], Uint8Array.of(1)]) equal(numberIn(of(value), "a"), null);
  equal(numberIn(of(1), "b"), null);
  deepEqual([0, -1, 0.5].map((value) => positiveIn(of(value), "a")), [null, null, 0.5]);
  deepEqual([3, 0, -1, 1.5, 2 ** 60].map((value) => countIn(of(value), "a")), [3, 0, 0, 0, 0]);
  deepEqual(["x", " ", "", 3].map((value) => textIn(of(value), "a")), ["x", null, null, null]);
});

Deno.test("flags are bytes, lists or numbered objects", () => {
  deepEqual(flagsOf(Uint8Array.of(0, 1, 116)), [false, true, true]);
  deepEqual(flagsOf([true, 0, "0", "1", ""]), [true, false, false, true, false]);
  const numbered = new Map(["_100", "_02", "_20", "_10"].map((name) => [name, name === "_20"]));
  deepEqual(flagsOf(numbered), [false, false, true, false]);
  deepEqual([flagsOf(undefined), flagsOf(""), flagsOf(3)], [[], [], []]);
});

Deno.test("a single value is not a list", () => {
  deepEqual([itemsOf(of("x")), itemsOf([1]), itemsOf(Uint8Array.of(2)), itemsOf("x")], [["x"], [1], [2], []]);
});

Deno.test("unwrapping keeps an only value", () => {
  const document = new Map<string, Variant>([["a", 1], ["b", 2]]);
  for (const name of ["SLxExperiment", "no_name", "variant", "i0000000000", ""]) {
    deepEqual(unwrapped(new Map([[name, document]])), document, name);
  }
  deepEqual(unwrapped([new Map([["no_name", document]])]), document);
  const only = new Map([["sPicturePlanes", document]]);
  deepEqual(unwrapped(only), only);
  deepEqual(unwrapped(new Map([["no_name", 3]])), new Map([["no_name", 3]]));
  for (const value of [Uint8Array.of(1), "x", undefined]) equal(unwrapped(value).size, 0);
});
