import assert from "node:assert/strict";
import { drawnIn, hasDrawn } from "../../static/demo/v2/measuring/drawn.js";

/** A line scan or an image of this shape. */
const scan = (
  shape: [number, number],
  isLineScan = true,
) => ({ group: { plane: { shape } }, isLineScan } as never);

const kept = {
  shape: [100, 20],
  isLineScan: true,
  bands: [{ id: 2, name: "soma", color: "#ff0000", from: 3, to: 20 }],
  lines: [{ id: 1, from: { x: 1.5, y: 2 }, to: { x: 50, y: 19 } }],
  events: { trace: "2 CH1", rows: [{ peak: 99, value: 4, note: "", isByHand: false }] },
  cursors: { pinned: [{ x: 99, y: 19 }], lines: 3, columns: 1 },
};

Deno.test("drawings fit samples of their shape, and a line scan that has grown", () => {
  assert.deepEqual(drawnIn(JSON.parse(JSON.stringify(kept)), scan([100, 20])), kept);
  assert.deepEqual(drawnIn(kept, scan([140, 20])), { ...kept, shape: [140, 20] });
  assert.equal(drawnIn(null, scan([100, 20])), null);
  for (const other of [scan([99, 20]), scan([100, 19]), scan([100, 21]), scan([100, 20], false)]) {
    assert.equal(drawnIn(kept, other), null);
  }
  // An image has no end that grows.
  const image = { ...kept, isLineScan: false };
  assert.notEqual(drawnIn(image, scan([100, 20], false)), null);
  assert.equal(drawnIn(image, scan([140, 20], false)), null);
});

Deno.test("hasDrawn finds each kind of drawing", () => {
  const empty = { ...kept, bands: [], lines: [], events: null, cursors: { pinned: [] } };
  for (const nothing of [null, undefined, 3, {}, empty]) assert.equal(hasDrawn(nothing), false);
  for (const name of ["bands", "lines", "events", "cursors"] as const) {
    assert.equal(hasDrawn({ ...empty, [name]: kept[name] }), true, name);
  }
});
