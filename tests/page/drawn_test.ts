import assert from "node:assert/strict";
import { fitDrawn, summarizeDrawn, withoutResults } from "../../static/demo/v2/drawing/drawn.ts";

/** A line scan or an image of this shape. */
const scan = (
  shape: [number, number],
  isLineScan = true,
) => ({ group: { plane: { shape } }, isLineScan } as never);

/** Drawings as JSON, of which a test needs only some fields. */
type Json = ReturnType<typeof JSON.parse>;

const kept: Json = {
  shape: [100, 20],
  isLineScan: true,
  regions: [
    {
      id: "band-2",
      kind: "band",
      name: "soma",
      color: "#ff0000",
      ends: [{ x: null, y: 3 }, { x: null, y: 20 }],
    },
    { id: "line-1", kind: "line", name: "", color: "#ffffff", ends: [{ x: 1.5, y: 2 }, { x: 50, y: 19 }] },
    { id: "cursor-a", kind: "cursor", name: "", color: "#ffd54a", ends: [{ x: 99.5, y: 19.5 }] },
  ],
  measurements: {
    events: { results: [{ columns: [3, 20], of: {}, found: [{ line: 99, value: 4 }] }], edits: [] },
  },
  cursors: { lines: 3, columns: 1 },
};

Deno.test("accepts drawings for samples of their shape, and for a line scan that has grown", () => {
  assert.deepEqual(fitDrawn(JSON.parse(JSON.stringify(kept)), scan([100, 20])), kept);
  assert.deepEqual(fitDrawn(kept, scan([140, 20])), { ...kept, shape: [140, 20] });
  assert.equal(fitDrawn(null, scan([100, 20])), null);
  for (const other of [scan([99, 20]), scan([100, 19]), scan([100, 21]), scan([100, 20], false)]) {
    assert.equal(fitDrawn(kept, other), null);
  }
  // An image has no end that grows.
  const image = { ...kept, isLineScan: false };
  assert.notEqual(fitDrawn(image, scan([100, 20], false)), null);
  assert.equal(fitDrawn(image, scan([140, 20], false)), null);
});

Deno.test("describes what was drawn and measured, also in a kymograph", () => {
  const empty = { ...kept, regions: [], measurements: {} };
  for (const nothing of [null, undefined, empty]) assert.equal(summarizeDrawn(nothing), "");
  assert.equal(summarizeDrawn(kept), "1 band, 1 line, 1 event, 1 cursor");
  const measurements: Json = {
    velocity: { results: [{ columns: [0, 9], of: {}, found: [{ line: 1 }, { line: 2 }] }], edits: [] },
  };
  assert.equal(summarizeDrawn({ ...empty, measurements }), "2 velocities");
  const of = { band: "", channel: "0" };
  const edits = [{ of, place: "t1", line: 5, isRemoved: true }, {
    of,
    place: "t2",
    line: 9,
    isRemoved: true,
  }];
  const removed: Json = {
    events: {
      results: [{ columns: [0, 9], of, found: [{ line: 1 }, { line: 5 }, { line: 9 }] }],
      edits,
      place: "t2",
    },
  };
  assert.equal(
    summarizeDrawn({ ...empty, measurements: removed }),
    "2 events",
    "edits of another time do not count",
  );
  const [band, line, cursor] = kept.regions;
  const tracks = [{ ...line, kind: "track" }, { ...line, kind: "track" }];
  assert.equal(
    summarizeDrawn({ ...empty, regions: [...tracks, { ...line, kind: "segment" }] }),
    "2 tracks, 1 region",
  );
  const kymograph: Json = { look: { drawn: { ...kept, regions: [band, cursor] } } };
  const path = { ...line, id: "kymograph-line", kind: "path" };
  assert.equal(
    summarizeDrawn({ ...empty, regions: [path], kymograph }),
    "kymograph, 1 band, 1 event, 1 cursor",
  );
});

Deno.test("drops results with their samples, and keeps settings", () => {
  const results = [{ found: [{ line: 3 }], about: [["Window", 50]] }];
  const velocity = { band: "2", settings: { window: 50 }, results, edits: [{ line: 3, note: "a" }] };
  const measurements: Json = { velocity };
  const without = { velocity: { ...velocity, results: [], edits: [] } };
  const kymograph: Json = { isMade: true, look: { statistic: "max", drawn: { ...kept, measurements } } };
  assert.equal(withoutResults(null), null);
  assert.deepEqual(withoutResults({ ...kept, measurements, kymograph }), {
    ...kept,
    measurements: without,
    kymograph: {
      isMade: true,
      look: { statistic: "max", drawn: { ...kept, measurements: without, kymograph: undefined } },
    },
  });
});
