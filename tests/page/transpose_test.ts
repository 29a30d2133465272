import assert from "node:assert/strict";
import fc from "fast-check";
import { transpose } from "../../static/demo/v2/picture/transpose.js";

Deno.test("rows become columns", () => {
  // 1 2 3      1 4
  // 4 5 6  ->  2 5
  //            3 6
  assert.deepEqual([...transpose(Float32Array.of(1, 2, 3, 4, 5, 6), 2, 3)], [1, 4, 2, 5, 3, 6]);
});

Deno.test("every sample of every shape lands at the swapped place", () => {
  const size = fc.integer({ min: 1, max: 80 });
  fc.assert(
    fc.property(size, size, (rows, columns) => {
      const turned = transpose(Float32Array.from({ length: rows * columns }, (_, i) => i), rows, columns);
      for (let row = 0; row < rows; row += 1) {
        for (let column = 0; column < columns; column += 1) {
          if (turned[column * rows + row] !== row * columns + column) return false;
        }
      }
      return true;
    }),
    { numRuns: 1000, seed: 6 },
  );
});
