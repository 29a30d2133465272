/** Edits find the items of another result by their place in time and space. */
import assert from "node:assert/strict";
import {
  applyEdits,
  type Edit,
  isHere,
  keepItems,
  selectPlacedEdits,
  withEdit,
  withoutItemsAt,
} from "../../static/measure/edits.ts";
import { PLAIN_TRACE } from "../../static/measure/light/band_trace.ts";
import { MEASUREMENTS } from "../../static/measure/measurements.ts";
import { followOrders, measureRegions } from "../../static/measure/recording.ts";
import type { Result } from "../../static/measure/result.ts";
import { measureInThread } from "../../static/measure/measurement.ts";
import { bandOf } from "./synthetic.ts";

const [VELOCITY, EVENTS, , , SPARKS] = MEASUREMENTS as typeof MEASUREMENTS & { length: 5 };

const OF = { band: "1", channel: "0" };

const BAND = bandOf({ samples: new Float32Array(), shape: [1000, 40] });

const result = (found: Result["found"], of = OF): Result => ({
  of,
  columns: [0, 40],
  settings: {},
  about: [],
  found,
});

const windows = (step: number) => Array.from({ length: 1000 / step }, (_, i) => ({ line: (i + 0.5) * step }));

const spark = (line: number, column: number) => ({
  line,
  column,
  duration: 20,
  width: 8,
  amplitude: 1,
  timeToPeak: 4,
});

const none = () => {
  throw new Error("nothing is measured again");
};

/** Edits of items one after the other, each of the result as it is shown. */
function edits(
  measurement: typeof VELOCITY,
  of: Result,
  ...changes: [item: Result["found"][number], change: Parameters<typeof withEdit>[4]][]
): readonly Edit[] {
  return changes.reduce((all: readonly Edit[], [item, change]) => {
    return withEdit(measurement!, all, { result: of, place: "p" }, item, change);
  }, []);
}

Deno.test("a window that was left out stays so at its time, in windows of another step", () => {
  const own = edits(VELOCITY, result(windows(50)), [windows(50)[3]!, { isLeftOut: true }]);
  for (const step of [50, 40, 25, 10]) {
    const items = applyEdits(VELOCITY!, result(windows(step)), own, none as never, BAND);
    const out = items.filter(({ isLeftOut }) => isLeftOut).map(({ line }) => line);
    // The window around line 175.
    assert.equal(out.length, 1);
    assert(Math.abs(out[0]! - 175) <= step / 2, `${step}: ${out}`);
  }
  const back = withEdit(VELOCITY!, own, { result: result(windows(50)), place: "p" }, windows(50)[3]!, {
    isLeftOut: false,
  });
  assert.deepEqual(back, [], "an edit that is taken back leaves nothing");
});

Deno.test("removed and added sparks hold by line and column, also in another band of the channel", () => {
  const found = [spark(100, 10), spark(104, 30), spark(400, 10)];
  const own = edits(SPARKS, result(found), [found[1]!, { isRemoved: true }], [
    spark(700, 20),
    { added: spark(700, 20) },
  ]);
  // Measured again, places differ by a fraction of a spark.
  const again = [spark(101, 10.4), spark(106, 29), spark(402, 9.8)];
  const places = (of: Result) =>
    applyEdits(SPARKS!, of, own, none as never, BAND).map(({ line, isByHand = false }) => [line, isByHand]);
  assert.deepEqual(places(result(again)), [[101, false], [402, false], [700, true]]);
  assert.deepEqual(places(result(again, { band: "2", channel: "0" })), [[101, false], [402, false], [
    700,
    true,
  ]]);
  assert.deepEqual(places(result(again, { band: "1", channel: "1" })), [[101, false], [106, false], [
    402,
    false,
  ]]);
  // What was added by hand and then found is that which was found.
  assert.deepEqual(places(result([...again, spark(701, 21)])).at(-1), [701, false]);
  // Outside of a narrower band nothing is added.
  assert.deepEqual(places({ ...result(again.slice(0, 1)), columns: [0, 15] }), [[101, false]]);
});

Deno.test("a spark is added in the band in whose outer columns its centre lies", () => {
  const added = (column: number, columns: [number, number]) => {
    const own = edits(SPARKS, { ...result([]), columns }, [spark(700, column), {
      added: spark(700, column),
    }]);
    return applyEdits(SPARKS!, { ...result([]), columns }, own, none as never, BAND).length;
  };
  // Column 20 reaches from 19.5 to 20.5.
  assert.deepEqual([19.4, 19.6, 20, 39.4, 39.6].map((column) => added(column, [20, 40])), [0, 1, 1, 1, 0]);
});

Deno.test("an edit concerns the nearest item only", () => {
  const found = [spark(100, 10), spark(108, 10)];
  const own = edits(SPARKS, result(found), [found[0]!, { isRemoved: true }]);
  const left = (items: Result["found"]) =>
    applyEdits(SPARKS!, result(items), own, none as never, BAND).map(({ line }) => line);
  assert.deepEqual(left(found), [108]);
  assert.deepEqual(left([spark(102, 10), spark(107, 10)]), [107]);
});

Deno.test("each of two overlapping items has its own edit", () => {
  // Half of their extents overlap.
  const events = [{ line: 100, duration: 100 }, { line: 140, duration: 100 }];
  const notes = edits(EVENTS, result(events), [events[0]!, { note: "first" }], [events[1]!, {
    note: "second",
  }]);
  const noted = keepItems(EVENTS!, result(events), notes).items;
  assert.deepEqual(noted.map(({ edit }) => edit?.note), ["first", "second"]);
  const found = [spark(100, 10), spark(108, 10)];
  const both = edits(SPARKS, result(found), [found[0]!, { isRemoved: true }], [found[1]!, {
    isRemoved: true,
  }]);
  assert.deepEqual(applyEdits(SPARKS!, result(found), both, none as never, BAND), []);
  // The removal of a spark that is not found again leaves its neighbour.
  const first = edits(SPARKS, result(found), [found[0]!, { isRemoved: true }]);
  const left = applyEdits(SPARKS!, result([spark(108, 10)]), first, none as never, BAND);
  assert.deepEqual(left.map(({ line }) => line), [108]);
});

Deno.test("what is added where a spark was removed is that spark again", () => {
  const found = [spark(100, 10)];
  const own = edits(SPARKS, result(found), [found[0]!, { isRemoved: true }], [
    spark(101, 10.2),
    { added: spark(101, 10.2), isRemoved: false },
  ]);
  const items = applyEdits(SPARKS!, result(found), own, none as never, BAND);
  assert.deepEqual(items.map(({ line, isByHand = false }) => [line, isByHand]), [[100, false]]);
});

Deno.test("each of 2,000 edits finds the item that a search among all finds, and looks at few", () => {
  let seed = 7;
  const random = (most: number) => (seed = seed * 48271 % 2147483647) % most;
  let looks = 0;
  const found = Array.from({ length: 2000 }, () => {
    const [line, column, duration] = [random(40_000), random(40), 4 + random(60)];
    return {
      line,
      column,
      width: 8,
      get duration() {
        looks += 1;
        return duration;
      },
    };
  }).sort((a, b) => a.line - b.line);
  const all = Array.from({ length: 2000 }, (_, i) => (
    { of: OF, place: "p", line: random(40_000), column: random(40), note: String(i) }
  ));
  // Within a quarter of the extents, at least a line or column; the last of equals.
  const far = (edit: typeof all[number], item: typeof found[number]) =>
    Math.max(
      Math.abs(item.line - edit.line) / Math.max(1, item.duration / 4),
      Math.abs(item.column - edit.column) / Math.max(1, item.width / 4),
    );
  const expected = new Map<number, string>();
  for (const edit of all) {
    const near = found.map((item, i) => ({ i, far: far(edit, item) })).filter((one) => one.far <= 1);
    const least = Math.min(...near.map((one) => one.far));
    const nearest = near.findLast((one) => one.far === least);
    if (nearest === undefined) continue;
    const former = all.find(({ note }) => note === expected.get(nearest.i));
    if (former === undefined || least <= far(former, found[nearest.i]!)) expected.set(nearest.i, edit.note);
  }
  assert(expected.size > 50, `${expected.size}`);
  looks = 0;
  const { items } = keepItems(SPARKS!, result(found), all);
  assert(looks < 100 * found.length, `${looks} looks for ${found.length * all.length} pairs`);
  const noted = items.flatMap(({ edit }, i) => edit === undefined ? [] : [[i, edit.note] as const]);
  assert.deepEqual(new Map(noted), expected);
});

Deno.test("an edit concerns an item one line away, and none that is two away", () => {
  const noted = (line: number) =>
    keepItems(EVENTS!, result([{ line: 100 }]), [{ of: OF, place: "p", line, note: "a" }]).items
      .map(({ edit }) => edit?.note);
  assert.deepEqual([98, 99, 100, 101, 102].map((line) => noted(line)[0]), [
    undefined,
    "a",
    "a",
    "a",
    undefined,
  ]);
});

Deno.test("candidates at the place of an item are left out, and others stay", () => {
  const items = [spark(100, 10), spark(300, 10)];
  const candidates = [spark(104, 11), spark(106, 10), spark(100, 13), { line: NaN }, spark(299, 8)];
  assert.deepEqual(withoutItemsAt(candidates, items), [candidates[1], candidates[2], candidates[3]]);
  assert.deepEqual(withoutItemsAt(candidates, []), candidates);
});

Deno.test("notes belong to the band of their event, and removed events leave others measured again", () => {
  const samples = Float32Array.from({ length: 1000 * 40 }, (_, i) => {
    const line = Math.floor(i / 40);
    const rise = [200, 260, 700].reduce(
      (sum, start) => line < start ? sum : sum + Math.exp((start - line) / 30),
      0,
    );
    return 100 + 100 * rise + 2 * Math.sin(i * 7919);
  });
  const recording = {
    shape: [1000, 40] as const,
    axes: [{ name: "T", step: 0.001, unit: "seconds" }, { name: "X", step: 1, unit: "um" }] as const,
    channels: [{ name: "Calcium", samples }],
    pixelTime: 0,
    isTyped: false,
  };
  const region = { id: "1", name: "Band 1", columns: [0, 40] as const };
  const order = { measurement: EVENTS!, region, channel: 0, settings: {}, trace: PLAIN_TRACE };
  const [made] = followOrders(recording, [order]) as [Result];
  assert.equal(made.found.length, 3);
  const [first, second] = made.found as [Result["found"][number], Result["found"][number]];
  const own = edits(EVENTS, made, [first, { note: "the first" }], [second, { isRemoved: true }]);
  const plane = () => ({ samples, shape: recording.shape });
  const band = { ...BAND, columns: [0, 40] as const };
  const items = applyEdits(EVENTS!, made, own, plane, band) as (typeof first & { overlap: string })[];
  assert.deepEqual(items.map(({ line, note = "" }) => [line, note]), [[first.line, "the first"], [
    made.found[2]!.line,
    "",
  ]]);
  const other = applyEdits(EVENTS!, { ...made, of: { band: "2", channel: "0" } }, own, none as never, band);
  assert.deepEqual(other, made.found);
});

Deno.test("edits of a document hold at the position that is shown first, and at no other", () => {
  const all = [{ of: OF, place: null, line: 3, isRemoved: true }, {
    of: OF,
    place: "t2",
    line: 9,
    note: "a",
  }];
  const own = selectPlacedEdits(all, "t1");
  const at = (place: string) => own.filter((edit) => isHere(edit, place)).map(({ line }) => line);
  assert.deepEqual([at("t1"), at("t2"), at("t3")], [[3], [9], []]);
});

Deno.test("measures all regions, keeps earlier results, and says what is too narrow", async () => {
  const samples = Float32Array.from({ length: 600 * 20 }, (_, i) => 50 + i % 7 + Math.floor(i / 20) % 11);
  const recording = {
    shape: [600, 20] as const,
    axes: [{ name: "T", step: 0.001, unit: "seconds" }, { name: "X", step: 0.5, unit: "um" }] as const,
    channels: [{ name: "Blood", samples }],
    pixelTime: 0,
    isTyped: false,
  };
  const regions = [
    { id: "1", name: "Vessel", columns: [0, 16] as const },
    { id: "2", name: "Soma", columns: [16, 19] as const },
  ];
  const wanted = { velocity: { channel: 0, settings: {} } };
  const order = { regions, measurements: MEASUREMENTS, wanted, trace: PLAIN_TRACE };
  const { rows, results } = await measureRegions(measureInThread, recording, order);
  assert.deepEqual(rows.map(({ row }) => [row.Band, row["From (um)"], row["Last column"]]), [
    ["Vessel", -0.25, 15],
    ["Soma", 7.75, 18],
  ]);
  assert.equal(rows[1]!.row["Not measured"], "A velocity needs at least 6 columns, not 16 to 19");
  assert.deepEqual(results.velocity!.map(({ of }) => of), [{ band: "1", channel: "0" }]);
  const kept = { velocity: { results: results.velocity!, edits: [] } };
  const again = await measureRegions(
    () => Promise.reject(new RangeError("measured again")),
    recording,
    { ...order, regions: regions.slice(0, 1), kept },
  );
  assert.deepEqual(again.rows[0]!.row, rows[0]!.row);
  // A band that has moved since is measured where it is.
  const moved = [{ ...regions[0]!, columns: [2, 18] as const }];
  const there = await measureRegions(measureInThread, recording, { ...order, regions: moved, kept });
  assert.deepEqual(there.results.velocity!.map(({ columns }) => columns), [[2, 18]]);
});
