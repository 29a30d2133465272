/** Means of regions of images as line scans. */
import assert from "node:assert/strict";
import { listImageParts } from "../../static/measure/image_parts.ts";
import {
  describeUnevenness,
  makeTracedScan,
  selectPartsToTrace,
  selectTracedRegions,
  withTraces,
} from "../../static/measure/image_traces.ts";

const PARTS = listImageParts({
  regions: [
    { id: "cell-1", name: "Cell", type: "rectangle", start: [2, 1], stop: [4, 5] },
    { id: "cell-2", type: "rectangle", start: [6, 1], stop: [8, 5] },
  ],
});
const AXES = [{ step: 0.5, unit: "um" }, { step: 0.5, unit: "um" }] as const;
const [, CELL, OTHER] = PARTS;

Deno.test("takes the regions as columns and the images as lines", () => {
  assert.deepEqual(selectPartsToTrace(PARTS), [CELL, OTHER]);
  assert.deepEqual(selectPartsToTrace(PARTS.slice(0, 1)), PARTS.slice(0, 1));
  const measured = [
    { id: "cell-1", place: CELL!.place, means: [[1, 2, null], [10, 20, 30]] },
    { id: "cell-2", place: OTHER!.place, means: [[4, 5, 6], [40, 50, 60]] },
  ];
  const { shape, axes: [time], channels, noun } = makeTracedScan(measured, ["a", "b"], {
    name: "T",
    step: 0.1,
    unit: "seconds",
  });
  assert.deepEqual([shape, time.step, noun], [[3, 2], 0.1, "region"]);
  assert.deepEqual(channels.map(({ name, samples }) => [name, ...samples]), [
    ["a", 1, 4, 2, 5, NaN, 6],
    ["b", 10, 40, 20, 50, 30, 60],
  ]);
  const moved = PARTS.map((part) => part === CELL ? { ...part, place: OTHER!.place } : part);
  assert.deepEqual(selectTracedRegions(measured, moved, AXES), [
    { id: "cell-2", name: "Rectangle 1", columns: [1, 2], place: "Rectangle 1, columns 6 to 7, rows 1 to 4" },
  ]);
});

Deno.test("says when images do not lie a step apart", () => {
  const axis = { name: "T", step: 2, unit: "seconds" };
  assert.equal(describeUnevenness(axis), "");
  // Jitter of half a step changes no image of a time.
  assert.equal(describeUnevenness({ ...axis, times: [10, 12.9, 13.2, 16] }), "");
  // A pause of 7 s after the second image.
  const words = describeUnevenness({ ...axis, times: [10, 12, 21, 23] });
  assert.match(words, /not evenly timed: traces and events count 2 s for each, up to 7 s from its time/);
  const { timing } = makeTracedScan([], [], { ...axis, times: [10, 12, 21, 23] });
  assert.equal(timing, words);
});

Deno.test("joins rows and traces by region and channel, whatever their names", () => {
  const parts = [CELL!, { ...OTHER!, name: "Cell" }];
  const rows = parts.flatMap(({ name }) => [0, 1].map((Mean) => ({ Region: name, Channel: "GFP", Mean })));
  const [first, second] = selectTracedRegions(
    parts.map(({ id, place }) => ({ id, place, means: [] })),
    parts,
    AXES,
  );
  const traced = [second!, first!].map((region, i) => ({
    region,
    channel: 1,
    row: { Region: "Cell", Mean: 7, Events: i },
    refusals: [],
  }));
  assert.deepEqual(withTraces(rows, { parts, channels: ["GFP", "GFP"] }, traced), [
    rows[0],
    { ...rows[1], Events: 1 },
    rows[2],
    { ...rows[3], Events: 0 },
  ]);
});
