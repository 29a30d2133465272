import assert from "node:assert/strict";
import type { RandomAccessFile } from "../io/random_access.ts";
import { assemblePlane } from "./plane_chunks.ts";

// Ordering looks at no byte of the file.
const [first, second] = [{} as RandomAccessFile, {} as RandomAccessFile];
const ordered = (chunks: number[], more: number[] = []) => {
  const plane = assemblePlane([{ file: first, chunks }, { file: second, chunks: more }]);
  return {
    places: plane.ranges.map((r) => [r.file === first ? 1 : 2, r.offset]),
    bytes: plane.bytes,
    gap: plane.gap,
  };
};

Deno.test("keeps chunks in file order if their offsets repeat or overlap", () => {
  assert.deepEqual(ordered([0, 100, 10, 10, 200, 10, 0, 300, 10], [10, 50, 10]), {
    places: [[1, 100], [1, 200], [1, 300], [2, 50]],
    bytes: 40,
    gap: null,
  });
  assert.deepEqual(ordered([5, 100, 10, 0, 200, 10]), { places: [[1, 100], [1, 200]], bytes: 20, gap: null });
});

Deno.test("a plane in more than a million chunks is refused", () => {
  assert.throws(() => ordered(new Array(3_000_003).fill(0)), /cut into more than 1000000 chunks/);
});
