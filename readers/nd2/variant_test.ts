import { deepEqual } from "node:assert/strict";
import { flagsOf } from "./variant.ts";

Deno.test("flags are bytes, lists or numbered objects", () => {
  deepEqual(flagsOf(Uint8Array.of(0, 1, 116)), [false, true, true]);
  deepEqual(flagsOf([true, 0, "0", "1", ""]), [true, false, false, true, false]);
  const numbered = new Map(["_100", "_02", "_20", "_10"].map((name) => [name, name === "_20"]));
  deepEqual(flagsOf(numbered), [false, false, true, false]);
  deepEqual([flagsOf(undefined), flagsOf(""), flagsOf(3)], [[], [], []]);
});
