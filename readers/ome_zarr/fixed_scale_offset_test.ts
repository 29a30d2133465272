import assert from "node:assert/strict";
import type { SampleType } from "../reader.ts";
import { decodeScaled } from "./fixed_scale_offset.ts";

const ARRAYS = { uint8: Uint8Array, uint16: Uint16Array, int16: Int16Array, int32: Int32Array };
const FLOATS = { float16: Float16Array, float32: Float32Array, float64: Float64Array };

/** What `numcodecs.FixedScaleOffset(offset, scale, dtype, astype).decode` gives (numcodecs 0.16, NumPy 2.4). */
const DECODED: [SampleType, SampleType, number, number, number[], number[]][] = [
  ["float32", "float32", 3, 5.5, [1, -7.25, 1e10, 0.1], [
    5.833333492279053,
    3.0833332538604736,
    3333333248,
    5.5333333015441895,
  ]],
  ["float16", "float16", 3, 5.5, [1, -7.25, 100.5, 0.1], [5.83203125, 3.083984375, 39, 5.53515625]],
  ["float32", "float64", 0.1, 5.3, [1, -7.25, 0.1], [
    15.300000190734863,
    -67.19999694824219,
    6.300000190734863,
  ]],
  ["uint8", "float32", 3, 0.7, [1, 255, 77], [1.0333333015441895, 85.69999694824219, 26.366666793823242]],
  ["int16", "float32", 0.1, -3, [-7, 32767], [-73, 327667]],
  ["uint16", "float64", 7, 0.1, [1, 65535], [0.24285714285714285, 9362.242857142857]],
  ["int32", "int16", 3, 0.5, [-7, 7, 98300], [-1, 2, 32767]],
  ["float64", "uint8", 3, 0.1, [7, 700], [2, 233]],
  ["uint16", "int64", 0.001, 1, [65535], [65535001]],
];

Deno.test("fixedscaleoffset gives what numcodecs gives", () => {
  for (const [type, targetType, scale, offset, values, expected] of DECODED) {
    const stored = new { ...ARRAYS, ...FLOATS }[type as "uint8"](values);
    const target = targetType === "int64"
      ? new BigInt64Array(values.length)
      : new { ...ARRAYS, ...FLOATS }[targetType as "uint8"](values.length);
    decodeScaled({ sampleType: type, values: stored }, { scale, offset }, {
      sampleType: targetType,
      values: target,
    });
    assert.deepEqual([...target].map(Number), expected, `${type} to ${targetType}`);
  }
  const target = new Float64Array(1);
  decodeScaled(
    { sampleType: "int64", values: BigInt64Array.of(9007199254740993n) },
    { scale: 3, offset: 1 },
    { sampleType: "float64", values: target },
  );
  assert.equal(target[0], 3002399751580331.5);
});

Deno.test("a sample that does not fit its type is an error", () => {
  const decode = (value: number) =>
    decodeScaled({ sampleType: "float64", values: [value] }, { scale: 1, offset: 0 }, {
      sampleType: "uint8",
      values: new Uint8Array(1),
    });
  decode(255.9);
  // Of n bits, two's complement: -(2 ** (n - 1)) to 2 ** (n - 1) - 1.
  for (const [sampleType, values] of [["int32", new Int32Array(1)], ["int16", new Int16Array(1)]] as const) {
    const edge = 2 ** (8 * values.BYTES_PER_ELEMENT - 1);
    const decodeInteger = (value: number) => {
      const stored = { sampleType: "float64", values: [value] } as const;
      decodeScaled(stored, { scale: 1, offset: 0 }, { sampleType, values });
      return values[0];
    };
    assert.deepEqual([-edge, edge - 1].map(decodeInteger), [-edge, edge - 1]);
    for (const value of [-edge - 1, edge]) assert.throws(() => decodeInteger(value), /sample 0 is -?\d+, no/);
  }
  for (const value of [256, -1, NaN, Infinity]) assert.throws(() => decode(value), /no uint8/);
});
