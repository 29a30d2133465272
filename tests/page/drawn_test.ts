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
  traces: { isChange: true, kind: "window", percentile: 10, from: 0, to: 0.5, offset: 3, average: 5 },
  bands: [{ id: 2, name: "soma", color: "#ff0000", from: 3, to: 20 }],
  lines: [{ id: 1, from: { x: 1.5, y: 2 }, to: { x: 50, y: 19 } }],
  events: {
    trace: "2 CH1",
    title: "Mean",
    height: 1,
    prominence: 0,
    distance: 0,
    found: 2,
    length: 100,
    rows: [{ peak: 99, value: 4, note: "", isByHand: false }],
  },
  cursors: { pinned: [{ x: 99, y: 19 }], lines: 3, columns: 1 },
  kymograph: null,
};

Deno.test("what was drawn fits samples of its shape, and a line scan that goes on", () => {
  assert.deepEqual(drawnIn(JSON.parse(JSON.stringify(kept)), scan([100, 20])), kept);
  assert.deepEqual(drawnIn(kept, scan([140, 20]))?.bands, kept.bands);
  for (const other of [scan([99, 20]), scan([100, 19]), scan([100, 21]), scan([100, 20], false)]) {
    assert.equal(drawnIn(kept, other), null);
  }
  // An image has no end that grows.
  const image = { ...kept, isLineScan: false };
  assert.notEqual(drawnIn(image, scan([100, 20], false)), null);
  assert.equal(drawnIn(image, scan([140, 20], false)), null);
});

Deno.test("what is damaged or beyond the picture is left out", () => {
  for (const nothing of [null, undefined, 3, "x", [], {}, { shape: 3 }, { shape: ["100", "20"] }]) {
    assert.equal(drawnIn(nothing, scan([100, 20])), null);
    assert.equal(hasDrawn(nothing), false);
  }
  const damaged = {
    ...kept,
    traces: "x",
    bands: [null, 3, { ...kept.bands[0], to: 21 }, { ...kept.bands[0], color: "url(x)" }, kept.bands[0]],
    lines: [{ id: 1, from: { x: 1 }, to: null }],
    events: { ...kept.events, rows: [{ peak: 100, value: 1, note: "" }, { peak: 1, value: null, note: "" }] },
    cursors: { pinned: [{ x: -1, y: 0 }, { x: 0.5, y: 0 }], lines: "many", columns: null },
    kymograph: { points: [{ x: 1, y: 1 }], width: 1 },
  };
  const drawn = drawnIn(damaged, scan([100, 20]))!;
  assert.deepEqual(drawn.bands, kept.bands);
  assert.deepEqual([drawn.lines, drawn.events!.rows, drawn.kymograph], [[], [], null]);
  assert.deepEqual(drawn.cursors, { pinned: [], lines: 1, columns: 1 });
  const plain = {
    isChange: false,
    kind: "percentile",
    percentile: 10,
    from: 0,
    to: 0,
    offset: 0,
    average: 1,
  };
  assert.deepEqual(drawn.traces, plain);
});

Deno.test("whether anything was drawn", () => {
  const empty = { ...kept, bands: [], lines: [], events: null, cursors: { pinned: [] } };
  assert.equal(hasDrawn(empty), false);
  for (const name of ["bands", "lines", "events", "cursors"] as const) {
    assert.equal(hasDrawn({ ...empty, [name]: kept[name] }), true, name);
  }
});
