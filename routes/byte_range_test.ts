/** Range headers after RFC 9110, section 14.1.2, of a payload of 100 bytes. */
import { deepEqual, throws } from "node:assert/strict";
import { parseRange } from "./byte_range.ts";
import { RangeNotSatisfiable } from "./errors.ts";

Deno.test("a range of bytes, from either end, cut at the end of the payload", () => {
  const ranges: Readonly<Record<string, readonly [number, number]>> = {
    "bytes=0-0": [0, 1],
    "bytes=0-99": [0, 100],
    "bytes=0-100": [0, 100],
    "bytes=99-99": [99, 100],
    "bytes=99-": [99, 100],
    "bytes=10-": [10, 100],
    "bytes=-1": [99, 100],
    "bytes=-100": [0, 100],
    "bytes=-101": [0, 100],
    "Bytes= 5-6 ": [5, 7],
  };
  for (const [header, [start, end]] of Object.entries(ranges)) {
    deepEqual(parseRange(header, 100), { start, end }, header);
  }
});

Deno.test("a range that cannot be read means the whole payload", () => {
  for (
    const header of [
      undefined,
      "",
      "bytes=-",
      "bytes=7-6",
      "bytes=0-1,3-4",
      "lines=0-1",
      "bytes=a-b",
      "bytes=1",
    ]
  ) {
    deepEqual(parseRange(header, 100), null, header);
  }
});

Deno.test("a range outside the payload cannot be satisfied", () => {
  for (const header of ["bytes=100-", "bytes=100-100", "bytes=-0"]) {
    throws(() => parseRange(header, 100), RangeNotSatisfiable, header);
  }
  throws(() => parseRange("bytes=0-", 0), RangeNotSatisfiable);
  throws(() => parseRange("bytes=-1", 0), RangeNotSatisfiable);
});
