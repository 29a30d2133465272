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

// Triples are: place in the plane, place in the file, length.
Deno.test("orders chunks by their offset in the plane", () => {
  assert.deepEqual(ordered([10, 500, 10, 0, 900, 10], [20, 100, 5]), {
    places: [[1, 900], [1, 500], [2, 100]],
    bytes: 25,
    gap: null,
  });
});

Deno.test("drops chunks after a gap", () => {
  assert.deepEqual(ordered([0, 100, 10, 20, 200, 10, 30, 300, 10]), {
    places: [[1, 100]],
    bytes: 10,
    gap: { from: 10, to: 20, after: 20 },
  });
  assert.deepEqual(ordered([5, 100, 10]), { places: [], bytes: 0, gap: { from: 0, to: 5, after: 10 } });
});

Deno.test("keeps chunks in file order if their offsets repeat or overlap", () => {
  assert.deepEqual(ordered([0, 100, 10, 10, 200, 10, 0, 300, 10], [10, 50, 10]), {
    places: [[1, 100], [1, 200], [1, 300], [2, 50]],
    bytes: 40,
    gap: null,
  });
  assert.deepEqual(ordered([5, 100, 10, 0, 200, 10]), { places: [[1, 100], [1, 200]], bytes: 20, gap: null });
});

Deno.test("ignores a chunk without stored bytes", () => {
  assert.deepEqual(ordered([0, 100, 10, 10, 200, 0]), { places: [[1, 100]], bytes: 10, gap: null });
  assert.deepEqual(ordered([]), { places: [], bytes: 0, gap: null });
});

Deno.test("a plane in more than a million chunks is refused", () => {
  assert.throws(() => ordered(new Array(3_000_003).fill(0)), /cut into more than 1000000 chunks/);
});
