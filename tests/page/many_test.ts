/** Regions and settings that other recordings take, and the table of many recordings. */
import assert from "node:assert/strict";
import type { VelocityAt } from "../../static/measure/flow/velocity.ts";
import {
  addToOwn,
  carryFrom,
  carryTo,
  findWaiting,
  offerWaiting,
  wait,
} from "../../static/demo/v2/many/carried.ts";
import type { Region } from "../../static/demo/v2/drawing/region.ts";
import { measureLineScan } from "../../static/demo/v2/many/measurer.ts";

type Drawn = Parameters<typeof carryFrom>[0];
type Scan = Parameters<typeof carryFrom>[1];

/** A picture of 100 rows; a line scan unless its rows are not time. */
const scanOf = (
  columns: number,
  names: readonly string[],
  { unit = "seconds", step = 0.5, pixelTime = 0 } = {},
) =>
  ({
    group: { plane: { shape: [100, columns] }, channels: names.map((name) => ({ name })) },
    axes: [{ name: "Y", step: 0.001, unit }, { name: "X", step, unit: "um" }],
    fileName: `${columns}.oir`,
    isLineScan: unit === "seconds",
    pixelTime,
  }) as unknown as Scan;

const ends = (...all: [x: number | null, y: number][]) => all.map(([x, y]) => ({ x, y }));

const region = (kind: Region["kind"], id: string, name: string, ends: Region["ends"]): Region => ({
  id,
  kind,
  name,
  color: "#ffffff",
  ends,
});

const DRAWN: Drawn = {
  shape: [100, 60],
  isLineScan: true,
  traces: { isChange: true, kind: "percentile", percentile: 20, from: 0, to: 1, offset: 5, average: 3 },
  regions: [
    region("band", "band-1", "Soma", ends([null, 10], [null, 20])),
    region("band", "band-2", "Wide", ends([null, 30], [null, 50])),
    region("band", "band-3", "Far", ends([null, 45], [null, 55])),
    region("line", "line-1", "", ends([10, 5], [20, 15])),
    region("track", "track-1", "", ends([10, 5], [20, 55], [30, 6])),
    region("cursor", "cursor-a", "", ends([99.5, 39.5])),
    region("cursor", "cursor-b", "", ends([0.5, 40.5])),
  ],
  measurements: {
    velocity: {
      band: "band-3",
      channel: "1",
      settings: { window: 40, step: 20, chosen: "by hand", method: "autocorrelation", pixelTime: 2 },
      results: [{
        of: { band: "band-3", channel: "1" },
        columns: [45, 55],
        settings: { window: 40 },
        found: [{ line: 19.5, velocity: 1, confidence: 1, error: 0.01, verdict: "measured" } as VelocityAt],
        about: [["Method", "x"]],
      }],
      edits: [{ of: { band: "band-3", channel: "1" }, place: "[]", line: 19.5, isLeftOut: true }],
      place: "[]",
    },
  },
  cursors: { lines: 3, columns: 1 },
  kymograph: null,
};

const SOURCE = scanOf(60, ["Blood", "Calcium"], { pixelTime: 2e-6 });
const carried = carryFrom(DRAWN, SOURCE, "f1#0");

Deno.test("carries regions that fit unchanged, without results", () => {
  const { drawn, words } = carryTo(carried, scanOf(60, ["Calcium", "Blood"], { pixelTime: 3e-6 }));
  assert.equal(words, "");
  assert.deepEqual(drawn!.regions, DRAWN.regions);
  assert.deepEqual([drawn!.cursors, drawn!.traces], [DRAWN.cursors, DRAWN.traces]);
  // Channels go by their names, and the time along the line is that of the other file.
  const { velocity } = DRAWN.measurements!;
  assert.deepEqual(drawn!.measurements!.velocity, {
    ...velocity,
    channel: "0",
    settings: { ...velocity!.settings, pixelTime: 3 },
    results: [],
    edits: [],
  });
});

Deno.test("keeps a typed time along the line, and a channel of another name", () => {
  const velocity = DRAWN.measurements!.velocity!;
  const typed = {
    ...DRAWN,
    measurements: { velocity: { ...velocity, settings: { ...velocity.settings, pixelTime: 1.5 } } },
  };
  const { drawn } = carryTo(
    carryFrom(typed, SOURCE, ""),
    scanOf(60, ["CH1", "CH2"], { pixelTime: 3e-6 }),
  );
  const { settings, channel } = drawn!.measurements!.velocity!;
  assert.deepEqual([settings.pixelTime, channel], [1.5, "1"]);
  // The first of fewer channels.
  const { drawn: narrow } = carryTo(carried, scanOf(60, ["CH1"]));
  assert.equal(narrow!.measurements!.velocity!.channel, "0");
});

Deno.test("clips or omits regions outside the other picture, with a message", () => {
  const { drawn, words } = carryTo(carried, scanOf(40, ["Blood", "Calcium"], { step: 0.25 }));
  assert.deepEqual(drawn!.shape, [100, 40]);
  const [soma, wide, , line, , cursor] = DRAWN.regions;
  assert.deepEqual(drawn!.regions, [soma, { ...wide, ends: ends([null, 30], [null, 40]) }, line, cursor]);
  // The chosen band is not there.
  assert.equal(drawn!.measurements!.velocity!.band, "");
  assert.equal(
    words,
    "Outside of this picture, and left out: 1 band, 1 track, 1 cursor. Cut at its edge: Wide. " +
      "Bands keep their columns, of 0.25 µm here and 0.5 there.",
  );
});

Deno.test("carries nothing from a line scan to an image, and what fits from an image, beside its own regions", () => {
  assert.deepEqual(carryTo(carried, scanOf(60, ["Blood"], { unit: "um" })), {
    drawn: null,
    words: "60.oir is a line scan, and 60.oir is not.",
  });
  const image = (columns: number) => scanOf(columns, ["GCaMP"], { unit: "um" });
  const rectangle = (id: string, left: number, right: number) =>
    region("rectangle", id, "", ends([0, left], [100, right]));
  const [near, far] = [rectangle("rectangle-1", 0, 40), rectangle("rectangle-2", 30, 60)];
  const point = region("point", "spot", "", ends([2.5, 1.5]));
  const path = { ...region("path", "kymograph-line", "", ends([5.5, 5.5], [5.5, 50.5])), width: 2 };
  const drawn: Drawn = {
    ...DRAWN,
    isLineScan: false,
    regions: [near, far, point, path],
    cursors: { lines: 1, columns: 1 },
    kymograph: { isMade: false },
    images: {
      axis: "Z",
      part: "rectangle-1",
      parts: [{ id: "rectangle-1", place: { start: [0, 0], stop: [40, 100] }, means: [[1]] }],
      channels: ["GCaMP"],
      about: [],
    },
    projection: { kind: "max", axis: "Z" },
  };
  const { drawn: fitted, words } = carryTo(carryFrom(drawn, image(60), ""), image(45));
  assert.deepEqual(fitted!.regions, [near]);
  assert.deepEqual([fitted!.images!.parts, fitted!.images!.part], [[], "rectangle-1"]);
  assert.deepEqual([fitted!.projection, fitted!.kymograph], [drawn.projection, null]);
  assert.equal(words, "Outside of this picture, and left out: 1 region, kymograph.");
  const own = { accepted: true, regions: [{ ...far, id: "rectangle-1" }], origin: "m" };
  assert.deepEqual(addToOwn(fitted!, own).regions, own.regions);
  assert.deepEqual(addToOwn(fitted!, { ...own, regions: [point] }).regions, [near, point]);
});

Deno.test("carries a kymograph that was made, with its bands and settings, along a line that fits", () => {
  const image = (columns: number, names: readonly string[]) => scanOf(columns, names, { unit: "um" });
  const path = { ...region("path", "kymograph-line", "", ends([5.5, 5.5], [5.5, 50.5])), width: 2 };
  const inside: Drawn = { ...DRAWN, accepted: true, origin: "m" };
  const kymograph = { isMade: true, look: { statistic: "max" as const, drawn: inside } };
  const drawn: Drawn = { ...DRAWN, isLineScan: false, regions: [path], measurements: {}, kymograph };
  const source = image(60, ["Blood", "Calcium"]);
  const other = image(60, ["Calcium", "Blood"]);
  const kept = carryTo(carryFrom(drawn, source, ""), other).drawn!.kymograph!;
  assert.equal(kept.isMade, true);
  const { accepted, origin, shape, regions, measurements } = kept.look!.drawn!;
  // Any number of images has at least one, and the line as many columns.
  assert.deepEqual([accepted, origin, shape], [undefined, undefined, [1, 60]]);
  assert.deepEqual(regions, DRAWN.regions.filter(({ kind }) => kind === "band"));
  const { velocity } = DRAWN.measurements!;
  assert.deepEqual(measurements!.velocity, { ...velocity, channel: "0", results: [], edits: [] });
  // One that was not made is not made there, either, and none without its line.
  const not = { ...drawn, kymograph: { ...kymograph, isMade: false } };
  assert.deepEqual(carryTo(carryFrom(not, source, ""), other).drawn!.kymograph, { isMade: false });
  assert.equal(carryTo(carryFrom(drawn, source, ""), image(45, ["Blood"])).drawn!.kymograph, null);
});

/** What a page shows and says, and how its user agrees. */
function page() {
  const [shown, notices] = [[] as unknown[], [] as (string | null)[]];
  let act: (() => void) | undefined;
  const parts = {
    show: (drawn: unknown) => void shown.push(drawn),
    notice(text: string | null, _action?: string, work?: () => void) {
      notices.push(text);
      act = work;
    },
  };
  return { parts, shown, notices, press: () => act!() };
}

Deno.test("applies carried regions once, in another recording, also after a reload", () => {
  const { parts, shown, notices } = page();
  wait(carried);
  offerWaiting(parts, () => SOURCE, "f1#0", "");
  assert.deepEqual([shown.length, notices.length], [0, 0]);
  offerWaiting(parts, () => scanOf(60, ["Blood", "Calcium"]), "f2#0", "");
  offerWaiting(parts, () => scanOf(60, ["Blood", "Calcium"]), "f3#0", "");
  assert.equal(shown.length, 1);
  assert.deepEqual(notices, ["Regions and settings of 60.oir are used here; Undo takes them away."]);
  assert.equal(findWaiting(), null);
});

Deno.test("asks before it replaces work, and before it drops what fits no line scan", () => {
  const rows = [
    ["seconds", "2 bands", /^60\.oir has work of its own: 2 bands\./, 1],
    ["um", "", /wait for the next one\.$/, 0],
  ] as const;
  for (const [unit, own, notice, used] of rows) {
    const { parts, shown, notices, press } = page();
    wait(carried);
    offerWaiting(parts, () => scanOf(60, ["Blood"], { unit }), "f2#0", own);
    assert.match(notices[0]!, notice);
    assert.deepEqual([shown.length, findWaiting() === null], [0, false]);
    press();
    assert.deepEqual([shown.length, findWaiting()], [used, null]);
  }
});

Deno.test("measures again what was measured at another time, or in a band that has moved", async () => {
  const samples = Float32Array.from({ length: 600 * 20 }, (_, i) => {
    const line = Math.floor(i / 20);
    const rise = [150, 400].reduce(
      (sum, start) => line < start ? sum : sum + Math.exp((start - line) / 30),
      0,
    );
    return 100 + 100 * rise + 2 * Math.sin(i * 7919);
  });
  const plane = { shape: [600, 20], axes: [{ step: 0.001 }, { step: 0.5 }] };
  const channel = { name: "Calcium", samples };
  const scan = {
    ...scanOf(20, []),
    group: { plane, channels: [channel], shown: [channel] },
    isTyped: false,
    place: () => [["T", 2]],
  } as unknown as Scan;
  const kept = (place: string, columns: readonly [number, number]) => {
    const of = { band: "band-1", channel: "0" };
    const result = { of, columns, settings: {}, about: [], found: [{ line: 7 }] };
    // The edit of another time removes what is found now.
    const edits = [{ of, place: '[["T",1]]', line: 150, isRemoved: true }];
    return { band: "band-1", channel: "0", settings: {}, results: [result], edits, place };
  };
  const regions = [region("band", "band-1", "Soma", ends([null, 0], [null, 20]))];
  for (const [place, columns] of [['[["T",1]]', [0, 20]], ['[["T",2]]', [2, 20]]] as const) {
    const drawn: Drawn = { ...DRAWN, regions, measurements: { events: kept(place, columns) } };
    const { signal } = new AbortController();
    const { rows, measured } = await measureLineScan(scan, drawn, new Set(["events"]), signal);
    assert.equal(rows[0]!.Events, 2, place);
    const { results, edits } = measured.drawn.measurements!.events!;
    assert.deepEqual(results.map(({ columns, found }) => [columns, found.length]), [[[0, 20], 2]]);
    assert.equal(edits.length, 1, "the edit of the other time stays");
  }
});
