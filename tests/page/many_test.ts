/** Regions and settings that other recordings take, and the table of many recordings. */
import assert from "node:assert/strict";
import type { VelocityAt } from "../../static/measure/velocity.ts";
import {
  besideOwn,
  carriedFrom,
  carriedTo,
  offerWaiting,
  wait,
  waiting,
} from "../../static/demo/v2/many/carried.ts";
import { recordingsTable } from "../../static/demo/v2/many/many_panel.ts";

type Drawn = Parameters<typeof carriedFrom>[0];
type Scan = Parameters<typeof carriedFrom>[1];

/** A picture of 100 rows; a line scan unless its rows are no time. */
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

const DRAWN: Drawn = {
  shape: [100, 60],
  isLineScan: true,
  traces: { isChange: true, kind: "percentile", percentile: 20, from: 0, to: 1, offset: 5, average: 3 },
  bands: [
    { id: 1, name: "Soma", color: "#e69f00", from: 10, to: 20 },
    { id: 2, name: "Wide", color: "#56b4e9", from: 30, to: 50 },
    { id: 3, name: "Far", color: "#009e73", from: 45, to: 55 },
  ],
  lines: [{ id: 1, from: { x: 10, y: 5 }, to: { x: 20, y: 15 } }, {
    id: 2,
    from: { x: 10, y: 5 },
    to: { x: 20, y: 55 },
  }],
  measured: {
    velocity: {
      band: "3",
      channel: "1",
      settings: { window: 40, step: 20, chosen: "by hand", method: "autocorrelation", pixelTime: 2 },
      results: [{
        of: { band: "3", channel: "1" },
        columns: [45, 55],
        measured: { window: 40 },
        found: [{ line: 19.5, velocity: 1, confidence: 1, error: 0.01, verdict: "measured" } as VelocityAt],
        about: [["Method", "x"]],
      }],
      edits: [{ of: { band: "3", channel: "1" }, place: "[]", line: 19.5, isLeftOut: true }],
      place: "[]",
    },
  },
  cursors: { pinned: [{ x: 99, y: 39 }, { x: 0, y: 40 }], lines: 3, columns: 1 },
  kymograph: null,
};

const SOURCE = scanOf(60, ["Blood", "Calcium"], { pixelTime: 2e-6 });
const carried = carriedFrom(DRAWN, SOURCE, "f1#0");

Deno.test("carries regions that fit unchanged, without results", () => {
  const { drawn, words } = carriedTo(carried, scanOf(60, ["Calcium", "Blood"], { pixelTime: 3e-6 }));
  assert.equal(words, "");
  assert.deepEqual(drawn!.bands, DRAWN.bands);
  assert.deepEqual([drawn!.lines, drawn!.cursors, drawn!.traces], [DRAWN.lines, DRAWN.cursors, DRAWN.traces]);
  // Channels go by their names, and the time along the line is that of the other file.
  const { velocity } = DRAWN.measured!;
  assert.deepEqual(drawn!.measured!.velocity, {
    ...velocity,
    channel: "0",
    settings: { ...velocity!.settings, pixelTime: 3 },
    results: [],
    edits: [],
  });
});

Deno.test("keeps a typed time along the line, and a channel of another name", () => {
  const velocity = DRAWN.measured!.velocity!;
  const typed = {
    ...DRAWN,
    measured: { velocity: { ...velocity, settings: { ...velocity.settings, pixelTime: 1.5 } } },
  };
  const { drawn } = carriedTo(
    carriedFrom(typed, SOURCE, ""),
    scanOf(60, ["CH1", "CH2"], { pixelTime: 3e-6 }),
  );
  const { settings, channel } = drawn!.measured!.velocity!;
  assert.deepEqual([settings.pixelTime, channel], [1.5, "1"]);
});

Deno.test("clips or omits regions outside the other picture, with a message", () => {
  const { drawn, words } = carriedTo(carried, scanOf(40, ["Blood", "Calcium"], { step: 0.25 }));
  assert.deepEqual(drawn!.shape, [100, 40]);
  assert.deepEqual(drawn!.bands.map(({ name, from, to }) => [name, from, to]), [["Soma", 10, 20], [
    "Wide",
    30,
    40,
  ]]);
  assert.deepEqual(drawn!.lines.map(({ id }) => id), [1]);
  assert.deepEqual(drawn!.cursors.pinned, [{ x: 99, y: 39 }]);
  // The chosen band is not there.
  assert.equal(drawn!.measured!.velocity!.band, "");
  assert.equal(
    words,
    "Outside of this picture, and left out: 1 band, 1 line, 1 cursor. Cut at its edge: Wide. " +
      "Bands keep their columns, of 0.25 µm here and 0.5 there.",
  );
});

Deno.test("carries nothing from a line scan to an image, and what fits from an image, beside its own regions", () => {
  assert.deepEqual(carriedTo(carried, scanOf(60, ["Blood"], { unit: "um" })), {
    drawn: null,
    words: "60.oir is a line scan, and 60.oir is not.",
  });
  const image = (columns: number) => scanOf(columns, ["GCaMP"], { unit: "um" });
  const rectangle = (id: string, left: number, right: number) => ({
    id,
    type: "rectangle" as const,
    coordinate_space: "",
    start: [left, 0] as [number, number],
    stop: [right, 100] as [number, number],
  });
  const [near, far] = [rectangle("rectangle-1", 0, 40), rectangle("rectangle-2", 30, 60)];
  const point = {
    id: "spot",
    type: "point" as const,
    coordinate_space: "",
    position: [1, 2] as [number, number],
  };
  const drawn: Drawn = {
    ...DRAWN,
    isLineScan: false,
    bands: [],
    lines: [],
    cursors: { pinned: [], lines: 1, columns: 1 },
    kymograph: { points: [{ x: 5, y: 5 }, { x: 50, y: 5 }], width: 2, isMade: false },
    regions: [near, far, point],
    images: {
      axis: "Z",
      part: "rectangle-1",
      rows: [{ place: 0, values: [1] }],
      channels: ["GCaMP"],
      about: [],
    },
    projection: { kind: "max", axis: "Z" },
  };
  const { drawn: fitted, words } = carriedTo(carriedFrom(drawn, image(60), ""), image(45));
  assert.deepEqual(fitted!.regions, [near]);
  assert.deepEqual([fitted!.images!.rows, fitted!.images!.part], [[], "rectangle-1"]);
  assert.deepEqual([fitted!.projection, fitted!.kymograph], [drawn.projection, null]);
  assert.equal(words, "Outside of this picture, and left out: 1 region, kymograph.");
  const own = { accepted: true, regions: [{ ...far, id: "rectangle-1" }], origin: "m" };
  assert.deepEqual(besideOwn(fitted!, own).regions, own.regions);
  assert.deepEqual(besideOwn(fitted!, { ...own, regions: [point] }).regions, [point, near]);
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
  assert.equal(waiting(), null);
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
    assert.deepEqual([shown.length, waiting() === null], [0, false]);
    press();
    assert.deepEqual([shown.length, waiting()], [used, null]);
  }
});

Deno.test("the table has a row for each band, with notes and errors at its end", () => {
  const rows = [
    { File: "damaged.oir", Error: "The file ends, and is cut" },
    { File: "=1+1.oir", Band: "Soma", "Mean velocity (um/s)": 12.5, "SD of velocity (um/s)": NaN, Note: "" },
    { File: "b.oir", Band: "Soma", "Mean velocity (mm/s)": 0.1 },
  ];
  assert.equal(
    recordingsTable([["Recordings", 3]], rows),
    "\ufeffRecordings,3\r\n\r\n" +
      "File,Band,Mean velocity (um/s),SD of velocity (um/s),Mean velocity (mm/s),Note,Error\r\n" +
      'damaged.oir,,,,,,"The file ends, and is cut"\r\n' +
      "'=1+1.oir,Soma,12.5,,,,\r\n" +
      "b.oir,Soma,,,0.1,,\r\n",
  );
});
