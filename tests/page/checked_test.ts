/** The shapes of what archives say about look, settings and results: damage is dropped with a word, and what is sound stays. */
import assert from "node:assert/strict";
import {
  checkKymograph,
  checkLook,
  checkMeans,
  checkPosition,
  checkResults,
  checkSettings,
  dropDamage,
  showWithFallback,
} from "../../static/demo/v2/saving/checked.ts";

/** What JSON holds. */
type Json = ReturnType<typeof JSON.parse>;

const TRACE = { isChange: true, kind: "percentile", percentile: 10, from: 0, to: 1, offset: 2, average: 3 };

const LOOK: Json = {
  source: {
    shape: [600, 80],
    view: { x0: 0, y0: 0, x1: 600, y1: 80 },
    mode: "merged",
    channels: [{ index: 0, visible: true, lutName: "green", gamma: 1, range: [0, 4095], isAuto: false }],
  },
  statistic: "max",
  typed: { time: "rows", secondsPerLine: 0.002, micrometresPerPixel: 0.5 },
};

const RESULT = {
  of: { band: "band-3", channel: 1 },
  columns: [30, 50],
  settings: { height: 0.7, trace: TRACE },
  about: [["Method", "peaks"]],
};

const CHOSEN = { band: "band-3", channel: 1, settings: { chosen: "by hand", height: 0.7 } };

const EVENTS = {
  ...CHOSEN,
  results: [RESULT],
  edits: [{ of: { band: "band-3", channel: 1 }, line: 130, isRemoved: true }],
};

const SETTINGS: Json = {
  traces: TRACE,
  measurements: { events: EVENTS, velocity: structuredClone({ ...EVENTS, channel: 0 }), sparks: null },
  cursors: { lines: 3, columns: 1 },
  images: { axis: "T", part: "", channels: ["A"], about: [], parts: [] },
  projection: { kind: "max", axis: "T" },
  isKymographMade: false,
};

/** A copy with one value in the place of another: `source.channels.0.range` */
function changed(value: Json, path: string, to: unknown): Json {
  const copy = structuredClone(value);
  const keys = path.split(".");
  const owner = keys.slice(0, -1).reduce((inner, key) => inner[key], copy);
  owner[keys.at(-1)!] = to;
  return copy;
}

Deno.test("keeps a sound look, sound settings and a sound position", () => {
  assert.deepEqual(checkLook(LOOK), { look: LOOK, lost: [] });
  assert.deepEqual(checkLook({ reference: null }), { look: {}, lost: [] });
  assert.deepEqual(checkSettings(SETTINGS), { settings: SETTINGS, lost: [] });
  assert.deepEqual(checkPosition({ t: 3, z: 0, l: 1 }), { position: { t: 3, z: 0, l: 1 }, lost: [] });
  for (const nothing of [undefined, null, 7, "x", []]) {
    assert.deepEqual(checkLook(nothing), { look: {}, lost: [] });
    assert.deepEqual(checkSettings(nothing), { settings: {}, lost: [] });
    assert.deepEqual(checkPosition(nothing), { position: {}, lost: [] });
  }
});

Deno.test("drops the part of a look that cannot be drawn", () => {
  const source: [string, unknown][] = [
    ["source", "x"],
    ["source.channels", null],
    ["source.channels", [null]],
    ["source.channels.0.range", [0]],
    ["source.channels.0.range", [0, "1"]],
    ["source.channels.0.range", [0, NaN]],
    ["source.channels.0.lutName", "no such table"],
    ["source.channels.0.lutName", "constructor"],
    ["source.channels.0.gamma", 0],
    ["source.channels.0.gamma", -1],
    ["source.channels.0.visible", "yes"],
    ["source.view", { x0: 0, y0: 0, x1: "600", y1: 80 }],
    ["source.view", { x0: 0, y0: 0, x1: 0, y1: 80 }],
    ["source.view.y0", NaN],
    ["source.mode", "other"],
    ["source.shape", [600]],
  ];
  for (const [path, value] of source) {
    const { look, lost } = checkLook(changed(LOOK, path, value));
    const { source: _, ...rest } = LOOK;
    assert.deepEqual([look, lost], [rest, ["display of the image"]], path);
  }
  for (
    const typed of [{ time: "up" }, { ...LOOK.typed, secondsPerLine: 0 }, { ...LOOK.typed, textFile: 7 }, "x"]
  ) {
    assert.deepEqual(checkLook({ ...LOOK, typed }).lost, ["typed calibration"]);
  }
  assert.deepEqual(checkLook({ statistic: "median", reference: {} }).lost, [
    "display of the reference image",
    "reduction to pixels",
  ]);
});

Deno.test("drops damaged settings, and of the measurements only the damaged ones", () => {
  const cases: [path: string, value: unknown, lost: string][] = [
    ["traces", { ...TRACE, percentile: "10" }, "settings of traces"],
    ["traces", { ...TRACE, kind: "other" }, "settings of traces"],
    ["cursors", { lines: 0, columns: 1 }, "cursor settings"],
    ["images", { axis: "X", part: "", channels: [] }, "means over the images"],
    ["projection", { kind: "sum", axis: "T" }, "projection"],
    ["isKymographMade", "yes", "kymograph"],
    ["measurements", [], "measurements"],
  ];
  for (const [path, value, lost] of cases) {
    const { [path]: _, ...rest } = SETTINGS;
    assert.deepEqual(checkSettings(changed(SETTINGS, path, value)), { settings: rest, lost: [lost] }, path);
  }
  const { velocity, sparks } = SETTINGS.measurements;
  for (
    const [path, value] of [
      ["results.0.of", null],
      ["results.0.columns", [1]],
      ["settings", "x"],
      ["results.0.settings", { trace: { kind: 7 } }],
      ["results.0.settings", null],
      ["results.0.about", [["one"]]],
      ["results.0.about", null],
      ["channel", -1],
      ["results.0.found", [7]],
      ["edits", {}],
      ["edits.0.of", "3"],
      ["edits.0.line", NaN],
      ["edits.0.line", -1],
      ["edits", Array(5001).fill({ of: { band: "", channel: 0 }, line: 3, isRemoved: true })],
      ["edits.0.note", 7],
      ["edits.0.added", { line: "x" }],
    ] as const
  ) {
    const { settings, lost } = checkSettings(changed(SETTINGS, `measurements.events.${path}`, value));
    assert.deepEqual([settings.measurements, lost], [{ velocity, sparks }, ["measurements"]], path);
  }
});

Deno.test("takes only indices for a position, and only rows for results", () => {
  assert.deepEqual(checkPosition({ t: -1, z: 0.5, l: 2 }), { position: { l: 2 }, lost: ["position"] });
  const rows = [{ line: 130, value: NaN, note: "", isByHand: true }];
  assert.deepEqual(checkResults(rows), rows);
  for (const damaged of [null, "x", [7], [null], [{ line: { a: 1 } }]]) {
    assert.deepEqual(checkResults(damaged), []);
  }
  const means = [[1.5, null], [2, 3]];
  assert.deepEqual(checkMeans(means), means);
  for (const damaged of [{}, [1.5], [["1"]], [[{}]]]) assert.deepEqual(checkMeans(damaged), []);
});

Deno.test("takes the look of a kymograph with its drawings as a whole, or not at all", () => {
  const drawn = {
    shape: [600, 80],
    isLineScan: true,
    traces: TRACE,
    regions: [
      {
        id: "band-1",
        kind: "band",
        name: "",
        color: "#ff0000",
        ends: [{ x: null, y: 3 }, { x: null, y: 9 }],
      },
      { id: "line-1", kind: "line", name: "", color: "#ffffff", ends: [{ x: 0, y: 1 }, { x: 2, y: 3 }] },
    ],
    measurements: { events: { ...EVENTS, results: [{ ...RESULT, found: [] }] } },
    cursors: { lines: 1, columns: 1 },
    kymograph: null,
  };
  const look = { ...LOOK, drawn };
  assert.deepEqual(checkKymograph(look), look);
  for (
    const [path, value] of [
      ["drawn.regions", {}],
      ["drawn.regions.1.ends.0.x", null],
      ["drawn.cursors.lines", 0],
      ["drawn.measurements.events.results", undefined],
      ["drawn.measurements.events.results.0.columns", "x"],
      ["drawn.measurements.events.edits.0.line", "x"],
      ["drawn.shape", [0, 80]],
      ["source.channels", 7],
      ["drawn", "x"],
    ] as const
  ) {
    assert.equal(checkKymograph(changed(look, path, value)), null, path);
  }
  assert.equal(checkKymograph("x"), null);
});

Deno.test("shows without what was kept if that cannot be drawn, and fails if nothing can", () => {
  const show = (kept: string | null) => {
    if (kept === "damaged") throw new TypeError("damaged");
    return `shown with ${kept}`;
  };
  assert.deepEqual(showWithFallback(show, "sound"), { shown: "shown with sound", fault: null });
  assert.deepEqual(showWithFallback(show, null), { shown: "shown with null", fault: null });
  const { shown, fault } = showWithFallback(show, "damaged");
  assert.equal(shown, "shown with null");
  assert.match(String(fault), /TypeError: damaged/);
  const fails = () => {
    throw new RangeError("no picture");
  };
  assert.throws(() => showWithFallback(fails, "sound"), RangeError);
  assert.throws(() => showWithFallback(fails, null), RangeError);
});

Deno.test("kept work with a view, a range or a region that is NaN is shown without it", () => {
  const band = {
    id: "band-1",
    kind: "band",
    name: "soma",
    color: "#fff",
    ends: [{ x: null, y: 3 }, { x: null, y: 9 }],
  };
  const drawn = {
    shape: [600, 80],
    isLineScan: true,
    regions: [band],
    traces: TRACE,
    cursors: { lines: 1, columns: 1 },
    kymograph: null,
  };
  const kept: Json = { ...structuredClone(LOOK), drawn, summary: "12 mm/s" };
  assert.deepEqual(dropDamage(kept), kept);
  const lost = [{ x: null, y: NaN }, { x: null, y: 9 }];
  const damaged: Json = {
    ...kept,
    drawn: { ...drawn, regions: [band, { ...band, id: "band-2", ends: lost }] },
  };
  assert.deepEqual(dropDamage(damaged), kept);
  const { source: _, ...others } = kept;
  const view = { x0: 0, y0: NaN, x1: 600, y1: 80 };
  assert.deepEqual(dropDamage({ ...kept, source: { ...LOOK.source, view } }), others);
  const channels = LOOK.source.channels.map((channel: Json) => ({ ...channel, range: [0, NaN] }));
  assert.deepEqual(dropDamage({ ...kept, source: { ...LOOK.source, channels } }), others);
});
