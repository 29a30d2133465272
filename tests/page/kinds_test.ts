/** What the kinds of regions do with drags, moves, other pictures and tables. */
import assert from "node:assert/strict";
import { findPropertyValue, KINDS, nameRegion } from "../../static/demo/v2/drawing/kinds.ts";
import { type End, type Region, turnRegion, withRegion } from "../../static/demo/v2/drawing/region.ts";
import { makeIdsDistinct, makeRegion } from "../../static/demo/v2/drawing/table.ts";
import { isRegion } from "../../static/demo/v2/saving/checked.ts";

/** 600 lines of 2 ms, 10 columns of 0.5 µm. */
const SIZE = [600, 10] as const;
const SCAN = {
  axes: [{ name: "Y", step: 0.002, unit: "seconds" }, { name: "X", step: 0.5, unit: "um" }],
  group: { plane: { shape: SIZE }, channels: [], shown: [] },
  isLineScan: true,
} as unknown as Parameters<typeof KINDS.line.cells>[1];

const columns = (ends: readonly End[] | null) => ends!.map(({ x, y }) => x === null ? y : NaN);

/** The table with new regions of a kind. */
const drawn = (kind: Region["kind"], ...all: readonly End[][]) =>
  all.reduce((table, ends) => withRegion(table, makeRegion(table, kind, ends)!), [] as Region[]);

const edges = (from: number, to: number) => [from, to].map((y) => ({ x: null, y }));

Deno.test("a band includes every column that a drag touches, at least one", () => {
  const rows: [from: number, to: number, expected: number[]][] = [
    [3.2, 6.9, [3, 7]],
    [6.9, 3.2, [3, 7]],
    [5, 5, [5, 6]],
    [-4, 99, [0, 10]],
    [10, 12, [9, 10]],
  ];
  for (const [from, to, expected] of rows) {
    assert.deepEqual(columns(KINDS.band.drawn({ x: 1, y: from }, { x: 2, y: to }, SIZE)), expected);
  }
});

Deno.test("gives bands distinct names and colours, and moves the other edge with one that passes it", () => {
  const [first, second] = drawn("band", edges(1, 4), edges(6, 9)) as [Region, Region];
  assert.deepEqual([first.id, first.name, second.id, second.name], ["band-1", "Band 1", "band-2", "Band 2"]);
  assert.notEqual(first.color, second.color);
  const moved = (band: Region, from: number, to: number) =>
    columns(KINDS.band.moved(band, edges(from, to), [600, 20]));
  assert.deepEqual(moved(first, 1, 90), [1, 20]);
  const wide = { ...first, ends: edges(5, 9) };
  assert.deepEqual(moved(wide, 12.4, 9), [12, 13]);
  assert.deepEqual(moved(wide, 5, 2.6), [2, 3]);
});

Deno.test("gives free ids, stops at the most of a kind, and lets a third cursor replace the second", () => {
  const bands = drawn("band", ...Array.from({ length: 24 }, (_, i) => edges(i % 10, i % 10 + 1)));
  assert.equal(makeRegion(bands, "band", edges(1, 2)), null);
  assert.equal(makeRegion(bands.slice(1), "band", edges(1, 2))!.id, "band-25");
  const taken = [{ ...bands[0]!, id: "line-1", kind: "point" as const }];
  assert.equal(makeRegion(taken, "line", [])!.id, "line-2", "another kind has the id");
  const at = (x: number) => [{ x, y: 1.5 }];
  const cursors = drawn("cursor", at(0.5), at(1.5), at(2.5));
  assert.deepEqual(cursors.map((cursor) => [cursor.id, nameRegion(cursor), cursor.ends[0]!.x]), [
    ["cursor-a", "A", 0.5],
    ["cursor-b", "B", 2.5],
  ]);
  assert.equal(makeRegion(cursors.slice(1), "cursor", at(3.5))!.id, "cursor-a");
});

Deno.test("no region has the id of whole images or of all regions", () => {
  const [rectangle] = drawn("rectangle", [{ x: 1, y: 1 }, { x: 2, y: 2 }]) as [Region];
  const ids = makeIdsDistinct(["", "*", "a"].map((id) => ({ ...rectangle, id }))).map(({ id }) => id);
  assert.deepEqual(ids, ["-other", "*-other", "a"]);
});

Deno.test("a table has distinct ids, and keeps those that tools draw", () => {
  const [band] = drawn("band", edges(1, 4)) as [Region];
  const point: Region = { ...band, kind: "point", ends: [{ x: 1.5, y: 1.5 }] };
  assert.deepEqual(makeIdsDistinct([point, band, { ...point }]).map(({ id }) => id), [
    "band-1-other",
    "band-1",
    "band-1-other-other",
  ]);
});

Deno.test("rectangles, cursors and lines over images stay on their pixels", () => {
  const rectangle = KINDS.rectangle.drawn({ x: 7.7, y: 9.6 }, { x: 5.3, y: 3.2 }, SIZE)!;
  assert.deepEqual(rectangle, [{ x: 5, y: 3 }, { x: 8, y: 10 }]);
  assert.equal(KINDS.rectangle.drawn({ x: -3, y: 2 }, { x: -1, y: 4 }, SIZE), null);
  const [region] = drawn("rectangle", rectangle) as [Region];
  assert.equal(KINDS.rectangle.moved(region, [{ x: 8, y: 3 }, { x: 8.2, y: 9 }], SIZE), rectangle, "empty");
  assert.deepEqual(KINDS.cursor.drawn({ x: 600, y: -0.1 }, { x: 0, y: 0 }, SIZE), [{ x: 599.5, y: 0.5 }]);
  assert.deepEqual(KINDS.path.drawn({ x: -1, y: 2.25 }, { x: 700, y: 11 }, SIZE), [{ x: 0.5, y: 2.25 }, {
    x: 599.5,
    y: 9.5,
  }]);
  assert.equal(KINDS.line.drawn({ x: 1, y: 2 }, { x: 1, y: 2 }, SIZE), null);
});

Deno.test("exchanges rows and columns", () => {
  const [line] = drawn("line", [{ x: 1, y: 2 }, { x: 3, y: 4.5 }]) as [Region];
  assert.deepEqual(turnRegion(line).ends, [{ x: 2, y: 1 }, { x: 4.5, y: 3 }]);
  assert.deepEqual(turnRegion(turnRegion(line)), line);
});

Deno.test("a track has a row for each point, with the velocity from the point before", () => {
  // 100 lines are 0.2 s; 4 columns are 2 µm, and -2 columns -1 µm.
  const tracks = drawn("track", [{ x: 0.5, y: 1.5 }, { x: 100.5, y: 5.5 }, { x: 200.5, y: 3.5 }]);
  const table = KINDS.track.columns!(tracks, SCAN);
  assert.deepEqual(table.map(({ name, unit }) => `${name} ${unit ?? ""}`.trim()), [
    "Track",
    "Point",
    "Time s",
    "Position um",
    "Velocity um/s",
  ]);
  const near = (actual: ArrayLike<unknown>, expected: (number | null)[]) =>
    expected.forEach((value, i) => {
      const isNear = value === null ? actual[i] === null : Math.abs(Number(actual[i]) - value) < 1e-9;
      assert(isNear, `${actual[i]}, not ${value}`);
    });
  assert.deepEqual(Array.from(table[0]!.values), ["Track 1", "Track 1", "Track 1"]);
  near(table[2]!.values, [0, 0.2, 0.4]);
  near(table[3]!.values, [0.5, 2.5, 1.5]);
  near(table[4]!.values, [null, 10, -5]);
  // The list has the net velocity: 1 µm in 0.4 s.
  assert.deepEqual(KINDS.track.cells(tracks[0]!, SCAN), ["3", "400 ms", "1 µm", "2.5 µm/s"]);
});

Deno.test("stored regions have their number of ends, and null only along an axis that they span", () => {
  const [band] = drawn("band", edges(1, 4)) as [Region];
  const [line] = drawn("line", [{ x: 1, y: 2 }, { x: 3, y: 4 }]) as [Region];
  assert([band, line].every(isRegion));
  for (
    const damaged of [
      null,
      { ...band, kind: "constructor" },
      { ...band, ends: [{ x: null, y: 1 }] },
      { ...band, ends: line.ends },
      { ...line, ends: band.ends },
      { ...line, ends: [null, null] },
      { ...line, ends: [{ x: 1, y: NaN }, { x: 1, y: 2 }] },
      { ...line, color: 7 },
    ]
  ) assert.equal(isRegion(damaged), false, JSON.stringify(damaged));
});

Deno.test("the field of a property shows its first choice for a region that states none", () => {
  const property = { key: "color", label: "Line", choices: { plain: "plain", dashed: "dashed" } } as const;
  assert.equal(findPropertyValue(property, {}), "plain");
  assert.equal(findPropertyValue(property, { color: "dashed" }), "dashed");
});
