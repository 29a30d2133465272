import { deepEqual, throws } from "node:assert/strict";
import { DecodedBytes } from "../io/byte_source.ts";
import { readCodestreamSize } from "./legacy.ts";
import { readLegacyLoops } from "./legacy.ts";
import type { Variant, VariantObject } from "./clx.ts";

/** Reads a box with a codestream of the markers SOC and SIZ (ITU-T T.800, annex A.5.1) after some bytes. */
function sizeOf(
  change: { size?: number[]; offset?: number[]; components?: number; depth?: number },
  before: number[] = [],
) {
  const { size, offset, components, depth } = {
    size: [20, 16],
    offset: [0, 0],
    components: 1,
    depth: 7,
    ...change,
  };
  const bytes = new Uint8Array(8 + before.length + 60);
  const view = new DataView(bytes.buffer);
  view.setUint32(0, bytes.length);
  bytes.set(before, 8);
  const start = 8 + before.length;
  [0xff4f, 0xff51, 41].forEach((word, i) => view.setUint16(start + 2 * i, word));
  [...size, ...offset].forEach((word, i) => view.setUint32(start + 8 + 4 * i, word));
  view.setUint16(start + 40, components);
  view.setUint8(start + 42, depth);
  const { columns, rows, components: found, bits } = readCodestreamSize(
    new DecodedBytes(bytes, "the file"),
    0,
  );
  return [columns, rows, found, bits];
}

Deno.test("finds the size of a codestream, also after the boxes of a JP2", () => {
  deepEqual(sizeOf({}), [20, 16, 1, 8]);
  // Half a start marker is skipped.
  deepEqual(sizeOf({}, [0xff, 0x4f, 0xff, 0, 0xff, 0x4f, 0, 0x51, 0, 0, 0xff, 0x51]), [20, 16, 1, 8]);
  deepEqual(sizeOf({ size: [25, 18], offset: [5, 2], components: 3, depth: 15 }), [20, 16, 3, 16]);
  // The highest bit of the depth marks signed samples.
  deepEqual(sizeOf({ depth: 0x80 | 11 }), [20, 16, 1, 12]);
});

Deno.test("rejects unsupported codestreams", () => {
  const cases: [Parameters<typeof sizeOf>[0], RegExp][] = [
    [{ size: [0, 16] }, /is 16 x 0 x 1/],
    [{ size: [20, 2], offset: [0, 2] }, /is 0 x 20 x 1/],
    [{ size: [1 << 16, 1 << 16] }, /is 65536 x 65536 x 1/],
    [{ components: 2 }, /is 16 x 20 x 2/],
    [{ components: 4 }, /is 16 x 20 x 4/],
    [{ depth: 16 }, /samples of 17 bits/],
  ];
  for (const [change, message] of cases) throws(() => sizeOf(change), { tag: "decode_failed", message });
});

function variant(value: unknown): Variant {
  return typeof value === "object" && value !== null
    ? new Map(Object.entries(value).map(([name, one]) => [name, variant(one)]))
    : String(value);
}

const short = (experiment: unknown, description: string | null = null) =>
  readLegacyLoops(variant(experiment) as VariantObject, description)
    .map(({ kind, count, measured, nominal }) => [kind, count, measured, nominal]);
const level = (Type: number, LoopPars: unknown, NextLevelEx: unknown = {}) => ({
  Type,
  LoopPars,
  NextLevelEx,
});

Deno.test("reads numbered loops and nested loops", () => {
  const [t, z] = [level(1, { Count: 2, Period: { _0: { Count: 2, Period: 500 } } }), level(4, { Count: 3 })];
  const expected = [["T", 2, null, 500], ["Z", 3, null, null]];
  deepEqual(short({ LoopNo01: z, LoopNo00: t }), expected);
  deepEqual(short(level(1, t.LoopPars, { no_name: z })), expected);
  deepEqual(short({}), []);
});

Deno.test("takes the focus step from the description, the loop or its range", () => {
  const range = { Count: 3, ZLow: -1, ZHigh: 2 };
  deepEqual(short(level(4, { ...range, ZStep: -0.75 })), [["Z", 3, null, 0.75]]);
  // (2 - -1) / 2.
  deepEqual(short(level(4, range)), [["Z", 3, null, 1.5]]);
  const text = "Metadata:\r\nDimensions: Z(3)\r\nZ Stack Loop: 5 - Step 0.2 um\r\n";
  deepEqual(short(level(4, range), text), [["Z", 3, null, 0.2]]);
  deepEqual(short(level(4, { Count: 1, ZLow: 0, ZHigh: 2 })), [["Z", 1, null, null]]);
});

Deno.test("counts positions and time points by the description, with the step of the matching phase", () => {
  const phases = {
    Period: { _0: { Count: 9, Period: 10 }, _1: { Count: 4, Period: 20, AvgPeriodDiff: 21 }, _2: {} },
  };
  const text = "Metadata:\r\nDimensions: T'(4) x XY(2) x λ(3)\r\n";
  deepEqual(short(level(8, phases, { no_name: level(2, { Count: 7 }) }), text), [
    ["T", 4, 21, 20],
    ["P", 2, null, null],
  ]);
  deepEqual(short(level(8, phases)), [["T", 9, null, 10]]);
  // Without phases, or with empty ones alone, the loop itself has count and period.
  deepEqual(short(level(1, { Count: 4, Period: 500 })), [["T", 4, null, 500]]);
  deepEqual(short(level(1, { Count: 4, Period: { _0: {} } })), [["T", 4, null, null]]);
  deepEqual(short(level(2, { PosX: { a: 1, b: 2 } }), "Dimensions: S(5)"), [["P", 5, null, null]]);
  deepEqual(short(level(2, { PosX: { a: 1, b: 2 } })), [["P", 2, null, null]]);
});

Deno.test("skips loops of channels, and rejects unknown loops", () => {
  deepEqual(short(level(6, { Count: 2 }, { no_name: level(4, { Count: 2 }) })), [["Z", 2, null, null]]);
  for (const type of [3, 5, 7, 9, 10]) {
    throws(() => short(level(type, { Count: 2 })), { tag: "decode_failed" });
  }
  for (const Count of [0, -1, 0.5, "x"]) deepEqual(short(level(4, { Count })), []);
});
