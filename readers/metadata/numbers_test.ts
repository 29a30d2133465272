import { deepEqual } from "node:assert/strict";
import { leadingNumber, numberOf } from "./numbers.ts";

Deno.test("a whole text is a number, or it starts with one", () => {
  // text, what the whole of it is, what it starts with
  const cases: [string | null | undefined, number | null, number | null][] = [
    ["1.5", 1.5, 1.5],
    [" -2e-3 ", -0.002, -0.002],
    ["0.5 um", null, 0.5],
    // A decimal comma: the part before it would be a wrong value.
    ["1,5", null, 1],
    ["", null, null],
    ["  ", null, null],
    ["um", null, null],
    ["Infinity", null, null],
    [null, null, null],
    [undefined, null, null],
  ];
  deepEqual(cases.map(([text]) => [text, numberOf(text), leadingNumber(text)]), cases);
});
