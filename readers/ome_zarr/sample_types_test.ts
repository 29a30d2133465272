import assert from "node:assert/strict";
import { DecodeFailed } from "../errors.ts";
import type { SampleType } from "../reader.ts";
import { fillValue, parseNumpyType } from "./sample_types.ts";

const fill = (type: SampleType, text: string) => fillValue(JSON.parse(text), type, "array");

Deno.test("reads fill values of every kind", () => {
  const values: [SampleType, string, number | null][] = [
    ["uint16", "7", 7],
    ["uint16", "null", null],
    // Integers have one zero.
    ["int32", "-0", 0],
    ["uint16", '"7"', 7],
    // 2^53 + 2^29 + 1: a double loses the 1 and then ties to even; the nearest float32 is above the tie.
    ["int64", '"9007199791611905"', 9007200328482816],
    ["float32", '"-2.5e1"', -25],
    ["bool", "true", 1],
    ["bool", "0", 0],
    ["bool", "false", 0],
    ["int64", "1e3", 1000],
    ["uint8", `"${"0".repeat(39)}7"`, 7],
    ["float32", '"NaN"', NaN],
    ["float64", '"-Infinity"', -Infinity],
    // Bits of the value, the highest byte first (Zarr 3 core, "Fill value").
    ["float32", '"0x3fc00000"', 1.5],
    ["float16", '"0x3e00"', 1.5],
    ["float64", '"0xbff8000000000000"', -1.5],
    // The nearest half-float of 0.1 is 0.0999755859375.
    ["float16", "0.1", 0.0999755859375],
    ["float64", "1e300", Infinity],
    ["int64", "-9223372036854775808", -9223372036854775808],
  ];
  for (const [type, text, expected] of values) assert.equal(fill(type, text), expected, `${type} ${text}`);
});

Deno.test("accepts the least and the largest fill value of each integer type", () => {
  for (const bits of [8, 16, 32, 64]) {
    const half = 2n ** BigInt(bits - 1);
    for (const [type, least, most] of [["int", -half, half - 1n], ["uint", 0n, 2n * half - 1n]] as const) {
      const name = `${type}${bits}` as SampleType;
      for (const value of [least, most]) {
        assert.equal(fill(name, `"${value}"`), Math.fround(Number(value)), name);
      }
      for (const value of [least - 1n, most + 1n]) {
        assert.throws(() => fill(name, `"${value}"`), DecodeFailed, name);
      }
    }
  }
});

Deno.test("rejects a fill value of another type", () => {
  const refused: [SampleType, string][] = [
    ["uint8", '"x"'],
    ["uint8", '"1.5"'],
    ["uint8", "1.5"],
    ["uint8", `"${"0".repeat(40)}7"`],
    ["bool", "2"],
    ["bool", '"1"'],
    ["float32", '"0x3fc0"'],
    ["float32", "[1]"],
    ["int64", "{}"],
    ["int64", "1e30"],
  ];
  for (const [type, text] of refused) assert.throws(() => fill(type, text), DecodeFailed, `${type} ${text}`);
});

Deno.test("reads NumPy type strings", () => {
  assert.deepEqual(parseNumpyType(">f2", "array"), { type: "float16", endian: "big" });
  assert.deepEqual(parseNumpyType("|b1", "array"), { type: "bool", endian: "little" });
  for (const dtype of ["<c8", "|O", "<U4", "|S1", "<M8[ns]", "u2", [["a", "<u2"]], null]) {
    assert.throws(() => parseNumpyType(dtype, "array"), /unknown data type/);
  }
});
