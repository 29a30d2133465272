/** What a measurement can measure in a picture, and which of the kept results hold there. */
import assert from "node:assert/strict";
import { Measurable } from "../../static/demo/v2/measuring/measurable.ts";
import { MEASUREMENTS } from "../../static/measure/measurements.ts";
import { NEW_TRACE } from "../../static/measure/light/band_trace.ts";

type Traced = ConstructorParameters<typeof Measurable>[1];
type Kept = Parameters<Measurable["complete"]>[0];
type Result = Kept["results"][number];

const [VELOCITY, EVENTS] = ["velocity", "events"].map((key) =>
  MEASUREMENTS.find((one) => one.key === key)!
) as [typeof MEASUREMENTS[number], typeof MEASUREMENTS[number]];

const [LINES, COLUMNS] = [400, 20];

/** Samples with an event at each of these lines. */
const samplesWith = (...starts: number[]) =>
  Float32Array.from({ length: LINES * COLUMNS }, (_, i) => {
    const line = Math.floor(i / COLUMNS);
    const rise = starts.reduce((sum, at) => line < at ? sum : sum + Math.exp((at - line) / 20), 0);
    return 100 + 100 * rise + 2 * Math.sin(i * 7919);
  });

const band = (id: string, from: number, to: number) => ({
  id,
  name: `Band ${id}`,
  color: "#ff0000",
  from,
  to,
});

/** A scan whose shown channels, samples and place can be changed. */
function picture(...bands: ReturnType<typeof band>[]) {
  const channels = [{ index: 0, name: "A", samples: samplesWith(100) }, {
    index: 1,
    name: "B",
    samples: samplesWith(100, 250),
  }];
  const state = { place: "t1", shown: [...channels] };
  const scan = {
    group: {
      plane: { shape: [LINES, COLUMNS] },
      channels,
      get shown() {
        return state.shown;
      },
    },
    axes: [{ name: "T", step: 0.001, unit: "seconds" }, { name: "X", step: 0.5, unit: "um" }],
    noun: "band",
    isLineScan: true,
    isTyped: false,
    pixelTime: 0,
    place: () => [["Time point", state.place]],
  } as unknown as Traced["scan"];
  const measuredIn: ConstructorParameters<typeof Measurable>[3] = new WeakMap();
  const measurable = (measurement = EVENTS, trace = NEW_TRACE) =>
    new Measurable(measurement, { scan, bands }, trace, measuredIn);
  return { channels, state, scan, measuredIn, measurable };
}

const NOTHING: Kept = {
  band: "",
  channel: "",
  followsShown: true,
  settings: {},
  results: [],
  edits: [],
  place: null,
};

/** Measures what is chosen. */
function measured(measurable: Measurable, value: Kept): Kept {
  const orders = measurable.orders(value);
  assert(typeof orders !== "string", String(orders));
  return measurable.withMade(value, measurable.follow(orders));
}

Deno.test("completes a choice by a band and a channel that are there, and by all settings", () => {
  const { measurable, state, channels } = picture(band("1", 0, 10), band("2", 10, 20));
  const first = measurable().complete(NOTHING);
  assert.deepEqual([first.band, first.channel], ["1", "0"], "events have no whole lines");
  assert.deepEqual(Object.keys(first.settings).sort(), EVENTS.parameters.map(({ key }) => key).sort());
  assert.equal(measurable(VELOCITY).complete(NOTHING).band, "");
  for (const [chosen, here] of [["2", "2"], ["*", "*"], ["gone", "1"]]) {
    assert.equal(measurable().complete({ ...first, band: chosen! }).band, here);
  }
  const one = picture(band("1", 0, 10)).measurable();
  assert.equal(one.complete({ ...first, band: "*" }).band, "1", "of all bands one is left");
  const whole = picture(band("1", 0, 10)).measurable(VELOCITY);
  for (const [chosen, here] of [["*", "1"], ["gone", ""]]) {
    assert.equal(whole.complete({ ...NOTHING, band: chosen! }).band, here);
  }
  assert.equal(picture().measurable().complete({ ...first, band: "*" }).band, "");
  state.shown = [channels[1]!];
  const { followsShown: _, ...chosen } = first;
  const follow = (value: Kept) => measurable().complete(value).channel;
  assert.deepEqual([follow(first), follow(chosen), follow({ ...chosen, channel: "7" })], ["1", "0", "1"]);
  assert.equal(measurable().isCurrent(first), false);
  assert.equal(measurable().isCurrent(chosen), true);
  state.shown = [];
  assert.deepEqual([follow(first), measurable().isCurrent(first)], ["0", true], "without a shown channel");
});

Deno.test("what was measured stays at its channel, and replaces only results of its region and channel", () => {
  const { measurable } = picture(band("1", 0, 10), band("2", 10, 20));
  const all = measured(measurable(), measurable().complete({ ...NOTHING, band: "*" }));
  assert.deepEqual(all.results.map(({ of }) => of.band), ["1", "2"]);
  assert.deepEqual([all.followsShown, all.place], [false, JSON.stringify([["Time point", "t1"]])]);
  const again = measured(measurable(), { ...all, band: "1" });
  assert.deepEqual(again.results.map(({ of }) => of.band), ["2", "1"]);
  assert.equal(again.results[0], all.results[1]);
  const other = measured(measurable(), { ...all, band: "1", channel: "1" });
  assert.deepEqual(other.results.map(({ found }) => found.length), [1, 1, 2]);
  // The settings that were found count from now on; of several bands each has its own.
  assert.equal(other.settings.height, other.results[2]!.settings.height);
  assert.deepEqual(all.settings, measurable().complete({ ...NOTHING, band: "*" }).settings);
});

Deno.test("says why nothing is measured, and names the bands that were refused", () => {
  const { measurable } = picture();
  assert.equal(measurable().orders(NOTHING), "Draw a band first.");
  const whole = measurable(VELOCITY).orders(NOTHING);
  assert.deepEqual(typeof whole === "string" ? whole : whole.map(({ region: { columns } }) => columns), [
    [0, COLUMNS],
  ]);
  const narrow = picture(band("1", 0, 3), band("2", 3, 6)).measurable(VELOCITY);
  const orders = narrow.orders({ ...NOTHING, band: "*", settings: { window: 40, step: 20 } });
  assert(typeof orders !== "string");
  const made = narrow.follow(orders);
  assert.match(narrow.explainRefusals(made), /^Band 1: A velocity needs .* Band 2: A velocity needs /);
  assert.match(narrow.explainRefusals(made.slice(1)), /^A velocity needs /);
  assert.deepEqual(narrow.withMade(NOTHING, made), { ...NOTHING, place: "" });
});

Deno.test("drops results of other samples, of another place and of bands that are gone", () => {
  const kept = (result: Partial<Result>, place: string | null = null): Kept => ({
    ...NOTHING,
    results: [
      {
        of: { band: "", channel: "0" },
        columns: [0, COLUMNS],
        settings: {},
        about: [],
        found: [],
        ...result,
      },
    ],
    place,
  });
  const { measurable, channels, state } = picture(band("1", 0, 10));
  const here = JSON.stringify([["Time point", "t1"]]);
  const settle = (value: Kept, by = measurable(VELOCITY)) => {
    const { kept, again } = by.settle(value);
    return [kept.results.length, kept.place, again.length];
  };
  // Documents state no place: their results are those of the shown one.
  for (const place of [null, here]) assert.deepEqual(settle(kept({}, place)), [1, here, 0]);
  assert.deepEqual(settle(kept({}, "elsewhere")), [0, "", 0]);
  assert.deepEqual(settle(kept({ of: { band: "1", channel: "0" } })), [1, here, 0]);
  assert.deepEqual(settle(kept({ of: { band: "2", channel: "0" } })), [0, "", 0]);
  assert.deepEqual(settle(kept({}), measurable(EVENTS)), [0, "", 0], "events are of bands");
  // A channel that is not open keeps its results.
  assert.deepEqual(settle(kept({ of: { band: "", channel: "5" } })), [1, here, 0]);
  const shown = kept({});
  settle(shown);
  assert.equal(measurable(VELOCITY).isCurrent(shown), true);
  channels[0]!.samples = samplesWith(50);
  state.place = "t2";
  assert.equal(measurable(VELOCITY).isCurrent(shown), false);
  assert.deepEqual(settle(shown), [0, "", 0]);
  state.place = "t1";
  const again = picture(band("1", 0, 10)).measurable(VELOCITY);
  assert.deepEqual(settle(shown, again), [1, here, 0], "shown again, as after its file was reopened");
});

Deno.test("measures quick results again after other samples, a moved band, or another trace", () => {
  const { measurable, channels, scan, measuredIn } = picture(band("1", 0, 10), band("2", 10, 20));
  const value = measured(measurable(), measurable().complete({ ...NOTHING, band: "*" }));
  const again = (by: Measurable) => by.settle(value).again.map(({ of }) => of.band);
  assert.deepEqual(again(measurable()), []);
  const bands = [band("1", 0, 8), band("2", 10, 20)];
  const moved = new Measurable(EVENTS, { scan, bands }, NEW_TRACE, measuredIn);
  assert.deepEqual(again(moved), ["1"]);
  assert.equal(moved.settle(value).kept.results.length, 2, "until it is measured, the former one stays");
  assert.deepEqual(again(measurable(EVENTS, { ...NEW_TRACE, average: 3 })), ["1", "2"]);
  channels[0]!.samples = samplesWith(50, 150);
  const settled = measurable().settle(value);
  assert.deepEqual([settled.kept.results.length, settled.again.length], [0, 2]);
  const orders = measurable().ordersAgain({ ...value, band: "1", settings: { height: 7 } }, settled.again);
  // The chosen one by the present settings, the other by its own.
  assert.deepEqual(orders.map(({ settings }) => settings.height), [
    7,
    value.results[1]!.settings.height,
  ]);
  const { results } = measurable().withMade(settled.kept, measurable().follow(orders.slice(1)));
  assert.deepEqual(results.map(({ of, found }) => [of.band, found.length]), [["2", 2]]);
});
