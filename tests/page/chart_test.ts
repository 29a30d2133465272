import assert from "node:assert/strict";
import { connectAcrossColumns, connectSamples } from "../../static/demo/v2/picture/chart.ts";

const plain = ({ bottoms, tops }: { bottoms: Float32Array; tops: Float32Array }) => ({
  bottoms: [...bottoms],
  tops: [...tops],
});

Deno.test("a line through columns meets its neighbours halfway and breaks at missing values", () => {
  assert.deepEqual(plain(connectAcrossColumns(Float32Array.of(0, 4, 2, NaN, 8, 8))), {
    // Between 0 and 4 it changes column at 2, between 4 and 2 at 3.
    bottoms: [0, 2, 2, NaN, 8, 8],
    tops: [2, 4, 3, NaN, 8, 8],
  });
});

Deno.test("a line through samples runs from centre to centre", () => {
  // Two samples of two columns each: centres at 1 and 3, so that it reaches 5 at the edge between columns 1 and 2.
  // A centre that is an edge belongs to both columns.
  assert.deepEqual(plain(connectSamples(Float32Array.of(0, 10), 0, 2, 4)), {
    bottoms: [0, 0, 5, 10],
    tops: [0, 5, 10, 10],
  });
  // Seen from sample 1 on, the line from sample 0 enters at the left edge, halfway.
  assert.deepEqual(plain(connectSamples(Float32Array.of(0, 10, 10), 1, 2, 1)), { bottoms: [5], tops: [10] });
});

Deno.test("breaks a line at NaN and infinities, and draws a sample between them as a dot", () => {
  const { bottoms, tops } = connectSamples(Float32Array.of(NaN, 3, Infinity, 1, 1), 0, 5, 5);
  assert.deepEqual([...bottoms], [NaN, 3, NaN, 1, 1]);
  assert.deepEqual([...tops], [NaN, 3, NaN, 1, 1]);
});

Deno.test("draws an isolated sample as a dot of three columns if there is room", () => {
  const { bottoms, tops } = connectSamples(Float32Array.of(7), 0, 1, 5);
  assert.deepEqual([...bottoms], [NaN, 7, 7, 7, NaN]);
  assert.deepEqual([...tops], [NaN, 7, 7, 7, NaN]);
});
