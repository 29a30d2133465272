/** Statistics over recordings and folders, and their plot. */
import assert from "node:assert/strict";
import { VELOCITY } from "../../static/measure/flow/mod.ts";
import { EVENTS } from "../../static/measure/events/mod.ts";
import {
  type Compared,
  computeStatistics,
  formatValueWords,
  groupByFolder,
  listCompared,
  listComparedInRow,
  listComparisons,
} from "../../static/measure/over_recordings.ts";
import { formatMean, makeDotPlot } from "../../static/demo/v2/many/dot_plot.ts";
import { drawSvgPlot } from "../../static/demo/v2/measuring/svg_plot.ts";

const PLACE = { folder: "control", recording: "a.oir", path: "/d/control/a.oir#0" };

const compared = (folder: string, recording: string, values: number[], rest = NaN): Compared => ({
  folder,
  recording,
  path: `${folder}/${recording}`,
  region: "Band 1",
  channel: "CH1",
  measurement: "Velocity",
  name: "Velocity (mm/s)",
  ...computeStatistics(values),
  rest,
});

Deno.test("leaves out what is not a number", () => {
  // Mean 2, standard deviation 1, standard error 1/sqrt(3).
  assert.deepEqual(computeStatistics([1, NaN, 2, 3, Infinity]), {
    n: 3,
    mean: 2,
    sem: 1 / Math.sqrt(3),
    median: 2,
  });
  assert.deepEqual(computeStatistics([4]), { n: 1, mean: 4, sem: NaN, median: 4 });
  assert.deepEqual(computeStatistics([]), { n: 0, mean: NaN, sem: NaN, median: NaN });
});

Deno.test("compares columns of numbers, but not the time, and knows the share of rest", () => {
  const found = listCompared(PLACE, {
    region: "Band 1",
    channel: "CH1",
    measurement: "Velocity",
    columns: [
      { name: "Time", unit: "s", values: [0, 1] },
      { name: "Velocity", unit: "mm/s", values: Float64Array.of(1, 3) },
      { name: "Verdict", values: ["measured", "unclear"] },
      { name: "Second", values: [null, null] },
    ],
    quantities: [{ name: "Time at rest", value: 25, unit: "%" }],
  });
  assert.deepEqual(found.map(({ name, n, mean, rest }) => [name, n, mean, rest]), [
    ["Velocity (mm/s)", 2, 2, 25],
    ["Second", 0, NaN, 25],
  ]);
  assert.deepEqual(listComparisons(found), [{ measurement: "Velocity", name: "Velocity (mm/s)" }]);
});

Deno.test("compares amplitudes first, before places and raw values", () => {
  const namesOf = (...names: string[]) =>
    listCompared(PLACE, {
      region: "Band 1",
      channel: "CH1",
      measurement: "Events",
      columns: names.map((name) => ({ name, values: [1, 2] })),
      quantities: [],
    }).map(({ name }) => name);
  assert.deepEqual(namesOf("Time", "Value", "Baseline", "Amplitude"), ["Amplitude", "Value", "Baseline"]);
  assert.deepEqual(namesOf("Time", "Position", "Amplitude (dF/F0)"), ["Amplitude (dF/F0)", "Position"]);
});

Deno.test("compares traces and images by their rows", () => {
  const trace = listComparedInRow(PLACE, {
    "Band": "Soma",
    "Channel of trace": "CH2",
    "Trace": "dF/F0",
    "Mean": 120,
    "Baseline F0": 100,
    "Greatest value": 1.5,
  });
  assert.deepEqual(trace.map(({ region, channel, name, mean }) => [region, channel, name, mean]), [
    ["Soma", "CH2", "Greatest value (dF/F0)", 1.5],
    ["Soma", "CH2", "Mean", 120],
    ["Soma", "CH2", "Baseline F0", 100],
  ]);
  const [image] = listComparedInRow(PLACE, { Region: "Cell", Channel: "Red", Mean: 7 });
  assert.deepEqual([image!.measurement, image!.region, image!.name, image!.mean], [
    "Images",
    "Cell",
    "Mean",
    7,
  ]);
});

Deno.test("counts each recording of a folder once", () => {
  const groups = groupByFolder([
    compared("control", "a", [1, 1, 1], 20),
    compared("control", "a", [3], 40),
    compared("control", "b", [6]),
    compared("treated", "a", []),
  ], "mean");
  const [control, treated] = groups;
  // Recording a has the mean of its two bands, 2; the folder that of 2 and 6, with a standard error of 2.
  assert.deepEqual([control!.n, control!.mean, control!.sem, control!.median, control!.rest], [
    2,
    4,
    2,
    4,
    30,
  ]);
  assert.deepEqual([treated!.n, treated!.mean], [0, NaN]);
  assert.deepEqual(groupByFolder([compared("c", "a", [1, 9, 9])], "median")[0]!.mean, 9);
  assert.deepEqual(groupByFolder([compared("c", "a", [1, 9, 9])], "n")[0]!.mean, 3);
  assert.equal(formatMean(control!), "4 ± 2");
});

Deno.test("plots a dot for each recording, and folders without a value not at all", () => {
  const plot = makeDotPlot(
    groupByFolder([
      compared("c", "a", [1]),
      compared("c", "b", [1]),
      compared("d & e", "a", [2]),
      compared("f", "a", []),
    ], "mean"),
    "Velocity",
  );
  const dots = plot!.traces.filter(({ isDots }) => isDots);
  assert.deepEqual(dots.map(({ y }) => y), [[1, 1], [2]]);
  const [[left, right]] = dots.map(({ x }) => x as number[]) as [[number, number]];
  assert(right - left > 0.03, "equal values stand beside each other");
  const svg = drawSvgPlot(plot!, (text) => 6 * text.length);
  assert.match(svg, />c \(2\)</);
  assert.match(svg, />d &amp; e \(1\)</);
  assert.doesNotMatch(svg, /NaN|>f/);
  assert.equal(makeDotPlot(groupByFolder([compared("f", "a", [])], "mean"), "Velocity"), null);
});

Deno.test("shows the value of each measurement in words", () => {
  const table = (name: string, value: number, unit?: string) => ({
    quantities: [{ name: "Windows", value: 3 }, { name, value, ...unit !== undefined && { unit } }],
  });
  assert.equal(
    formatValueWords([
      {
        measurement: VELOCITY,
        tables: [table("Median velocity", 123.456, "um/s"), table("Median velocity", NaN, "um/s")],
      },
      { measurement: EVENTS, tables: [table("Events", 1)] },
    ]),
    "123.5, – µm/s · 1 event",
  );
  assert.equal(formatValueWords([{ measurement: EVENTS, tables: [] }]), "");
});
