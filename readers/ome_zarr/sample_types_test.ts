import assert from "node:assert/strict";
import { DecodeFailed } from "../errors.ts";
import type { SampleType } from "../reader.ts";
import { fillValue, numpyType } from "./sample_types.ts";

const fill = (type: SampleType, text: string) => {
  const document = `{"fill_value": ${text}}`;
  return fillValue(JSON.parse(document).fill_value, type, document, "array");
};

Deno.test("fill values of every kind", () => {
  const values: [SampleType, string, number | null][] = [
    ["uint16", "7", 7],
    ["uint16", "null", null],
    // Integers have one zero.
    ["int32", "-0", 0],
    ["uint16", '"7"', 7],
    ["int64", '"9007199791611905"', 9007200328482816],
    ["float32", '"-2.5e1"', -25],
    ["bool", "true", 1],
    ["bool", "0", 0],
    ["float32", '"NaN"', NaN],
    ["float64", '"-Infinity"', -Infinity],
    // Bits of the value, the highest byte first (Zarr 3 core, "Fill value").
    ["float32", '"0x3fc00000"', 1.5],
    ["float16", '"0x3e00"', 1.5],
    ["float64", '"0xbff8000000000000"', -1.5],
    // The nearest half-float of 0.1 is 0.0999755859375.
    ["float16", "0.1", 0.0999755859375],
    ["float64", "1e300", Infinity],
    // 2^53 + 2^29 + 1: a double loses the 1 and then ties to even; the nearest float32 is above the tie.
    ["int64", "9007199791611905", 9007200328482816],
    ["uint64", "18446744073709551615", 18446744073709551616],
    ["int64", "-9223372036854775808", -9223372036854775808],
  ];
  for (const [type, text, expected] of values) assert.equal(fill(type, text), expected, `${type} ${text}`);
});

Deno.test("the fill value is that of the array, not one of its attributes", () => {
  const inside = '"attributes": {"fill_value": 99, "text": "\\"fill_value\\": 98", "": {"fill_value": 97}}';
  // 2^53 + 2^29 + 1, as above.
  const own = '"fill_value" : 9007199791611905';
  for (const text of [`{${inside}, ${own}}`, `{${own}, ${inside}}`, `{"fill_value": 3, ${own}, ${inside}}`]) {
    const { fill_value: value } = JSON.parse(text);
    assert.equal(fillValue(value, "int64", text, "array"), 9007200328482816, text);
  }
});

Deno.test("the least and the largest fill value of each integer type", () => {
  for (const bits of [8, 16, 32, 64]) {
    const half = 2n ** BigInt(bits - 1);
    for (const [type, least, most] of [["int", -half, half - 1n], ["uint", 0n, 2n * half - 1n]] as const) {
      const name = `${type}${bits}` as SampleType;
      for (const value of [least, most]) {
        assert.equal(fill(name, `${value}`), Math.fround(Number(value)), name);
        assert.equal(fill(name, `"${value}"`), Math.fround(Number(value)), name);
      }
      for (const value of [least - 1n, most + 1n]) {
        assert.throws(() => fill(name, `${value}`), DecodeFailed, name);
        assert.throws(() => fill(name, `"${value}"`), DecodeFailed, name);
      }
    }
  }
  assert.equal(fill("bool", "1"), 1);
  assert.equal(fill("bool", "false"), 0);
  // A number that is written in another way is what it rounds to.
  assert.equal(fill("int64", "1e3"), 1000);
  assert.equal(fill("uint8", `"${"0".repeat(39)}7"`), 7);
  assert.throws(() => fill("uint8", `"${"0".repeat(40)}7"`), DecodeFailed);
});

Deno.test("a fill value of another type is refused", () => {
  const refused: [SampleType, string][] = [
    ["uint8", '"x"'],
    ["uint8", '"1.5"'],
    ["uint8", "1.5"],
    ["uint8", "256"],
    ["uint16", "-1"],
    ["int8", "-129"],
    ["bool", "2"],
    ["float32", '"0x3fc0"'],
    ["float32", "[1]"],
    ["int64", "{}"],
    ["int64", "9223372036854775808"],
    ["int64", "1e30"],
    ["uint64", "-1"],
    ["uint64", "18446744073709551616"],
  ];
  for (const [type, text] of refused) assert.throws(() => fill(type, text), DecodeFailed, `${type} ${text}`);
});

Deno.test("NumPy type strings", () => {
  assert.deepEqual(numpyType(">f2", "array"), { type: "float16", endian: "big" });
  assert.deepEqual(numpyType("|b1", "array"), { type: "bool", endian: "little" });
  for (const dtype of ["<c8", "|O", "<U4", "|S1", "<M8[ns]", "u2", [["a", "<u2"]], null]) {
    assert.throws(() => numpyType(dtype, "array"), /unknown data type/);
  }
});
