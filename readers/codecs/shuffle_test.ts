import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { shuffledBytes, unshuffleBits, unshuffleBytes } from "./shuffle.ts";

const WIDTHS = [1, 2, 3, 4, 5, 8, 16, 255];
/** Elements around the lengths of vectors, and more than are joined at once. */
const COUNTS = [0, 1, 7, 8, 15, 16, 17, 33, 128, 136, 1000, 40_000];

/** Bytes that differ from those near them and from those a power of two away. */
const someBytes = (length: number) => Uint8Array.from({ length }, (_, i) => i * 167 + (i >> 7) * 59);

/** Shuffled bytes where any may lie, at an odd place, and where they are joined. */
function* placed(shuffled: Uint8Array): Generator<Uint8Array> {
  const odd = new Uint8Array(shuffled.length + 1).subarray(1);
  for (const place of [odd, shuffledBytes(shuffled.length)]) {
    place.set(shuffled);
    yield place;
  }
}

Deno.test("undoes the byte shuffle of elements of each width", () => {
  for (const width of WIDTHS) {
    for (const count of COUNTS.filter((n) => n * width < 500_000)) {
      const plain = someBytes(count * width + (width >> 1));
      const shuffled = plain.slice();
      for (let i = 0; i < count * width; i += 1) {
        shuffled[(i % width) * count + Math.floor(i / width)] = plain[i]!;
      }
      for (const source of placed(shuffled)) {
        const target = new Uint8Array(plain.length);
        unshuffleBytes(source, target, width);
        assert.equal(Buffer.compare(target, plain), 0, `${count} of ${width}`);
      }
    }
  }
});

Deno.test("undoes the bit shuffle of elements of each width", () => {
  for (const width of WIDTHS) {
    for (const count of COUNTS.filter((n) => n % 8 === 0 && n * width < 200_000)) {
      const plain = someBytes(count * width + (width >> 1));
      const shuffled = plain.slice().fill(0, 0, count * width);
      for (let bit = 0; bit < 8 * count * width; bit += 1) {
        const [element, place] = [Math.floor(bit / (8 * width)), bit % (8 * width)];
        const to = place * count + element;
        shuffled[to >> 3]! |= (plain[bit >> 3]! >> (bit & 7) & 1) << (to & 7);
      }
      for (const source of placed(shuffled)) {
        const target = new Uint8Array(plain.length);
        unshuffleBits(source, target, width);
        assert.equal(Buffer.compare(target, plain), 0, `${count} of ${width}`);
      }
    }
  }
});

Deno.test("skips the bit shuffle for a block whose number of elements is not a multiple of eight", () => {
  const target = new Uint8Array(6);
  unshuffleBits(Uint8Array.of(1, 2, 3, 4, 5, 6), target, 2);
  assert.deepEqual([...target], [1, 2, 3, 4, 5, 6]);
});
