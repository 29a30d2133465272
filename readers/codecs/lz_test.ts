import assert from "node:assert/strict";
import { DecodeFailed } from "../errors.ts";
import { decodeBloscLz, decodeLz4 } from "./lz.ts";

type Decode = (source: Uint8Array, target: Uint8Array) => void;

function decoded(decode: Decode, length: number, ...bytes: number[]): number[] {
  const target = new Uint8Array(length);
  decode(Uint8Array.from(bytes), target);
  return [...target];
}

Deno.test("LZ4: literals, a match that overlaps itself, last literals", () => {
  // Token 0x31: 3 literals, match of 1 + 4 at distance 3; token 0x10: 1 literal.
  assert.deepEqual(decoded(decodeLz4, 9, 0x31, 1, 2, 3, 3, 0, 0x10, 9), [1, 2, 3, 1, 2, 3, 1, 2, 9]);
  // 15 + 2 literals, then none.
  const run = Array.from({ length: 17 }, (_, i) => i);
  assert.deepEqual(decoded(decodeLz4, 17, 0xf0, 2, ...run), run);
});

Deno.test("BloscLZ: literals, a near match, a run", () => {
  // 0x02: 3 literals; 0x20 | 0: match of 3 at distance 1 + low byte 2; then 0x00: 1 literal.
  assert.deepEqual(decoded(decodeBloscLz, 7, 2, 1, 2, 3, 0x20, 2, 0, 9), [1, 2, 3, 1, 2, 3, 9]);
  // Length field 7 takes bytes to add: 6 + 4 + 3 samples at distance 1.
  assert.deepEqual(decoded(decodeBloscLz, 15, 0, 5, 0xe0, 4, 0, 0, 9), [...new Array(14).fill(5), 9]);
});

const REFUSED: [string, Decode, number, number[]][] = [
  ["LZ4 literals beyond the end", decodeLz4, 9, [0x90, 1]],
  ["LZ4 literals beyond the target", decodeLz4, 1, [0x20, 1, 2]],
  ["LZ4 length cut off", decodeLz4, 300, [0xf0, 255]],
  ["LZ4 distance before the start", decodeLz4, 9, [0x10, 1, 2, 0, 0x10, 9]],
  ["LZ4 distance of zero", decodeLz4, 9, [0x10, 1, 0, 0, 0x10, 9]],
  ["LZ4 match beyond the target", decodeLz4, 4, [0x10, 1, 1, 0, 0x10, 9]],
  ["LZ4 that is too short", decodeLz4, 9, [0x10, 1]],
  ["nothing for LZ4", decodeLz4, 9, []],
  ["BloscLZ literals beyond the end", decodeBloscLz, 9, [5, 1]],
  ["BloscLZ distance before the start", decodeBloscLz, 9, [0, 1, 0x20, 2, 0, 9]],
  ["BloscLZ match cut off", decodeBloscLz, 9, [0, 1, 0xe0]],
  ["BloscLZ that is too short", decodeBloscLz, 9, [0, 1]],
  ["nothing for BloscLZ", decodeBloscLz, 9, []],
];

for (const [name, decode, length, bytes] of REFUSED) {
  Deno.test(`refused: ${name}`, () => {
    assert.throws(() => decoded(decode, length, ...bytes), DecodeFailed);
  });
}
