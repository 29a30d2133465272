import assert from "node:assert/strict";
import { unshuffleBits, unshuffleBytes } from "./shuffle.ts";

Deno.test("the byte shuffle is undone, bytes beyond whole elements stay", () => {
  const target = new Uint8Array(7);
  // Elements 0x0102, 0x0304, 0x0506 little-endian: low bytes 2 4 6, high bytes 1 3 5, then one byte more.
  unshuffleBytes(Uint8Array.of(2, 4, 6, 1, 3, 5, 9), target, 2);
  assert.deepEqual([...target], [2, 1, 4, 3, 6, 5, 9]);
});

Deno.test("the bit shuffle is undone", () => {
  // Eight uint16: element i is 1 << i, but the last is 0x8001. Plane n holds bit n of all eight, element 0 lowest.
  const elements = [1, 2, 4, 8, 16, 32, 64, 0x8001];
  const planes = new Uint8Array(16);
  for (let bit = 0; bit < 16; bit += 1) {
    elements.forEach((value, i) => planes[bit]! |= ((value >> bit) & 1) << i);
  }
  assert.deepEqual([...planes], [0x81, 2, 4, 8, 16, 32, 64, 0, 0, 0, 0, 0, 0, 0, 0, 0x80]);
  const target = new Uint8Array(16);
  unshuffleBits(planes, target, 2);
  assert.deepEqual([...new Uint16Array(target.buffer)], elements);
});

Deno.test("a block whose elements are no multiple of eight was not bit-shuffled", () => {
  const target = new Uint8Array(6);
  unshuffleBits(Uint8Array.of(1, 2, 3, 4, 5, 6), target, 2);
  assert.deepEqual([...target], [1, 2, 3, 4, 5, 6]);
});
