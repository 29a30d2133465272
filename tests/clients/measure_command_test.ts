/** The command `measure` as a process, beside the modules that the page measures with. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { ended, run, spawn } from "../child_process.ts";
import { PATIENCE, within } from "../deadline.ts";
import { FROM_SOURCE, ROOT } from "../binary/server_process.ts";
import {
  IMAGES as COUNT,
  measuredStack,
  spot,
  SPOT_ROW,
  SPOT_START,
  STACK_COLUMNS,
  STACK_ROWS,
} from "../browser/measured_stack.ts";
import { driftingScan, driftingTrace, DRIFTS, eventsIn } from "../browser/measured_baselines.ts";
import { makeTrace, NEW_TRACE, PLAIN_TRACE } from "../../static/measure/light/band_trace.ts";
import { summarizeItems } from "../../static/measure/measurement.ts";
import { ROW_DIGITS } from "../../static/measure/recording.ts";
import { VELOCITY } from "../../static/measure/flow/mod.ts";
import { bandOf, measuredIn } from "../page/synthetic.ts";
import { findEvents } from "../../static/measure/events/events.ts";
import { listZipEntries } from "../../static/demo/v2/saving/zip_entries.ts";
import { tableOf } from "../browser/saved_table.ts";
import {
  ACTIVE,
  LINE_TIME,
  measuredScan,
  PIXEL_SIZE,
  SCAN_SHAPE,
  scanPlanes,
  STREAK_VELOCITY,
} from "../browser/measured_scan.ts";
import { DOCUMENTS, FILES, writeCollection } from "../collection_tree.ts";
import { omeImage, omeXml } from "../fixtures/ome_xml.ts";
import { write } from "../fixtures/plain_store.ts";
import { grayLayout, tiffBytes } from "../fixtures/tiff_writer.ts";
import { temporaryFolder } from "../temporary_files.ts";

const IMAGES = join(ROOT, "examples", "time_series.ome.tif");

async function measure(paths: readonly string[], settings: unknown, flags: readonly string[] = []) {
  using temporary = temporaryFolder();
  const file = join(temporary.path, "settings.json");
  Deno.writeTextFileSync(file, typeof settings === "string" ? settings : JSON.stringify(settings));
  const args = [...FROM_SOURCE.args, "measure", ...paths, "--settings", file, ...flags];
  return await run(FROM_SOURCE.program, { args, cwd: ROOT });
}

/** Runs the command; what stands in its table by column. */
async function measured(paths: readonly string[], settings: unknown, flags: readonly string[] = []) {
  const { code, stdout, stderr } = await measure(paths, settings, flags);
  const err = new TextDecoder().decode(stderr);
  if (stdout.length === 0) return { code, rows: [], err };
  const { head, rows } = tableOf(new TextDecoder().decode(stdout)).all;
  const found = rows.map((row) => Object.fromEntries(head.map((name, i) => [name, row[i] ?? ""])));
  return { code, rows: found, err };
}

Deno.test("measure: gives the same numbers for bands as the modules of the page", async () => {
  using temporary = temporaryFolder();
  const path = join(temporary.path, "vessel.oir");
  Deno.writeFileSync(path, measuredScan());
  const bands = [{ name: "Active", from: ACTIVE[0], to: ACTIVE[1] }, { name: "Rest", from: 0, to: 20 }];
  const events = { height: 0.6, prominence: 0.3 };
  const calcium = await measured([path], {
    channel: 1,
    bands,
    traces: { isChange: true, kind: "percentile", percentile: 20 },
    events,
  });
  assert.deepEqual([calcium.code, calcium.err], [0, ""]);
  const [active, rest, ...more] = calcium.rows;
  assert.deepEqual(more, []);
  assert.deepEqual([active!["Band"], active!["First column"], active!["Last column"]], [
    "Active",
    "30",
    "49",
  ]);
  const plane = { samples: Float32Array.from(scanPlanes()[1]), shape: SCAN_SHAPE };
  const change = makeTrace(plane, ACTIVE, { ...PLAIN_TRACE, isChange: true, percentile: 20 }, LINE_TIME);
  const found = findEvents(change.values, events);
  assert.equal(Number(active!["Events"]), found.length);
  const [one, other] = found.map(({ amplitude }) => amplitude);
  assert(Math.abs(Number(active!["Median amplitude"]) - (one! + other!) / 2) < 1e-9);
  assert.equal(rest!["Events"], "0");
  // Channel 0 has the streaks.
  const [flow] = (await measured([path], { velocity: { window: 120, step: 60, method: "radon" } })).rows;
  assert.equal(flow!["Band"], "whole lines");
  assert.match(flow!["Method of velocity over time"]!, /as published/);
  assert.deepEqual([flow!["Windows"], flow!["With a velocity"]], ["9", "9"]);
  const truth = STREAK_VELOCITY * PIXEL_SIZE / LINE_TIME;
  assert(Math.abs(Number(flow!["Median velocity (um/s)"]) / truth - 1) < 0.03);
  const [both] = (await measured([path], {
    channel: 1,
    diameter: { method: "gradient", lumen: "bright" },
    sparks: { threshold: 6 },
  })).rows;
  assert.equal(both!["Method of diameter over time"], "steepest gradients (Fischer et al. 2010)");
  // Means of 10 of 600 lines.
  assert.equal(both!["Diameters"], "60");
  assert.match(both!["Heart rate of diameter (Hz)"]!, /^$|^\d/);
  assert(Number(both!["Sparks"]) >= 0);
});

Deno.test("measure: gives velocities as the page does, also of a recording without settings", async () => {
  using temporary = temporaryFolder();
  const path = join(temporary.path, "vessel.oir");
  Deno.writeFileSync(path, measuredScan());
  const plane = { samples: Float32Array.from(scanPlanes()[0]), shape: SCAN_SHAPE };
  const axes = [{ step: LINE_TIME, unit: "seconds" }, { step: PIXEL_SIZE, unit: "um" }] as const;
  for (const settings of [{}, { window: 120, step: 60 }, { window: 120, step: 60, method: "agreeing" }]) {
    const part = { axes, pixelTime: 0 };
    const { found, settings: used } = measuredIn("velocity", plane, { ...settings }, part);
    const [row] =
      (await measured([path], Object.keys(settings).length > 0 ? { velocity: settings } : {})).rows;
    assert.equal(row!["Window (lines) of velocity over time"], String(used.window));
    for (const { name, unit, value } of summarizeItems(VELOCITY, found, bandOf(plane, part), used)) {
      const said = row![unit === undefined ? name : `${name} (${unit})`];
      const wanted = typeof value === "number" ? Number(value.toPrecision(ROW_DIGITS)) : value;
      assert.equal(said, Number.isNaN(wanted) ? "" : String(wanted), name);
    }
    assert.match(row!["Method of velocity over time"]!, /windows that agree/);
  }
});

Deno.test("measure: takes images as line scans only if the settings say so, and notes that in the table", async () => {
  const refused = await measured([IMAGES, "nowhere.tif"], {});
  assert.equal(refused.code, 1);
  assert.match(refused.rows[0]!["Failure"]!, /Not a line scan/);
  assert.match(refused.rows.at(-1)!["Failure"]!, /nothing exists there/);
  const lineScan = {
    time: "columns",
    secondsPerLine: 0.002,
    micrometresPerPixel: 0.5,
    secondsPerPixel: 1e-6,
  };
  // A series is not a single image.
  const series = await measured([IMAGES], { lineScan });
  assert.equal(series.code, 1);
  assert.match(series.rows[0]!["Failure"]!, /"lineScan" of the settings is for single images/);
  const { code, rows: [row] } = await measured([IMAGES], { lineScan: { ...lineScan, replace: true } });
  assert.equal(code, 0);
  assert.deepEqual([row!["Calibration"], row!["Time per line (s)"], row!["Distance per column (um)"]], [
    "typed",
    "0.002",
    "0.5",
  ]);
  assert.equal(row!["Time along the line of velocity over time"], "corrected for 1 us per pixel (typed)");
});

Deno.test("measure: finds events by noise above an F₀ that moves, unless the settings say otherwise", async () => {
  using temporary = temporaryFolder();
  const path = join(temporary.path, "swaying.tif");
  const { trace } = driftingTrace(DRIFTS[1]!, 1);
  Deno.writeFileSync(path, driftingScan(trace));
  const whole = async (settings: Record<string, unknown>) =>
    (await measured([path], { ...settings, velocity: null })).rows[0]!;
  const row = await whole({});
  const { found } = eventsIn(trace, NEW_TRACE);
  assert.deepEqual([row["Events"], found.length], ["12", 12]);
  const mean = found.reduce((sum, { amplitude }) => sum + amplitude, 0) / found.length;
  assert(Math.abs(Number(row["Mean amplitude"]) / mean - 1) < 1e-9);
  assert.equal(row["Method of F0"], "moving percentile 10 over 0.6 s");
  assert.equal(row["Baseline F0 of events"], "moving percentile 10 over 0.6 s (automatic)");
  assert.equal(row["Peaks between 3 SD and the threshold"], "0");
  const settings = { traces: { isChange: true, percentile: 20 }, events: { distance: 0.01 } };
  const change = await whole(settings);
  assert.deepEqual([change["Method of F0"], change["Threshold chosen of events"]], [
    "moving percentile 20 over 0.6 s",
    "by noise",
  ]);
  const events = { chosen: "automatically" };
  const halfway = await whole({ traces: { kind: "percentile", isChange: true }, events });
  assert.match(halfway["Method of F0"]!, /^percentile 10 of means over 0\.\d+ s$/);
  const constant = eventsIn(trace, { ...PLAIN_TRACE, isChange: true }, events).found;
  assert.equal(Number(halfway["Events"]), constant.length);
  const chosen = await whole({ traces: { kind: "exponential" }, events: { chosen: "by noise" } });
  assert.equal(chosen["Method of F0"], "exponential");
  const slow = await whole({ traces: { kind: "moving", span: 1 } });
  assert.equal(slow["Method of F0"], "moving percentile 10 over 1 s");
});

const LINE = { points: [{ x: 4, y: SPOT_ROW }, { x: 59, y: SPOT_ROW }], width: 1 };
const CELL = { name: "Cell", start: [10, SPOT_ROW - 2], stop: [30, SPOT_ROW + 3] };

function meanOfCell(sample: (x: number, y: number) => number): number {
  let sum = 0;
  for (let y = SPOT_ROW - 2; y < SPOT_ROW + 3; y += 1) for (let x = 10; x < 30; x += 1) sum += sample(x, y);
  return sum / 100;
}

const brightest = (x: number, y: number) =>
  Math.max(...Array.from({ length: COUNT }, (_, t) => spot(x, y, t)));

Deno.test("measure: measures lines and rectangles of images over time, and their projection", async () => {
  using temporary = temporaryFolder();
  const path = join(temporary.path, "spot.ome.tif");
  Deno.writeFileSync(path, measuredStack());
  const settings = { regions: [CELL], kymograph: LINE };
  const flags = ["--over", "t", "--projection", "max"];
  const { code, err, rows: [whole, line, cell, ...more] } = await measured([path], settings, flags);
  assert.deepEqual([code, err, more], [0, "", []]);
  assert.deepEqual([whole!["Region"], line!["Region"], cell!["Region"]], [
    "whole image",
    "the line",
    "Cell",
  ]);
  // 55 columns of 0.5 um.
  assert.equal(line!["Length (um)"], "27.5");
  assert.deepEqual([cell!["First column"], cell!["Last row"], cell!["Images"]], [
    "10",
    String(SPOT_ROW + 2),
    "40",
  ]);
  const means = Array.from({ length: COUNT }, (_, t) => meanOfCell((x, y) => spot(x, y, t)));
  const near = (text: string | undefined, value: number) =>
    assert(Math.abs(Number(text) - value) < 1e-4, `${text}, not ${value}`);
  near(cell!["Mean"], means.reduce((sum, mean) => sum + mean) / COUNT);
  near(cell!["Greatest mean"], Math.max(...means));
  near(cell!["Greatest at (s)"], 0.1 * means.indexOf(Math.max(...means)));
  near(cell!["Mean of the projection"], meanOfCell(brightest));
  const each = await measured([path], settings, ["--over", "t", "--write", "means"]);
  const ofCell = each.rows.filter(({ Region }) => Region === "Cell");
  assert.equal(ofCell.length, COUNT);
  near(ofCell[7]!["Time (s)"], 0.7);
  near(ofCell[7]!["Mean"], means[7]!);
  const profile = (await measured([path], settings, [...flags, "--write", "profile"])).rows;
  assert.equal(profile.length, 56);
  near(profile[20]!["Position (um)"], 10);
  near(profile[20]!["Value"], brightest(24, SPOT_ROW));
  // Without an axis, the opened image.
  const [, , one] = (await measured([path], settings)).rows;
  near(one!["Mean"], means[0]!);
});

Deno.test("measure: writes traces and events of the regions of images", async () => {
  using temporary = temporaryFolder();
  const path = join(temporary.path, "spot.ome.tif");
  Deno.writeFileSync(path, measuredStack());
  const settings = {
    regions: [{ name: "Cell", start: [30, SPOT_ROW - 2], stop: [34, SPOT_ROW + 3] }],
    traces: { ...PLAIN_TRACE, isChange: true },
  };
  const over = ["--over", "t"];
  const { rows: traces } = await measured([path], settings, [...over, "--write", "traces"]);
  assert.deepEqual(traces.map(({ Region, "Time point": t }) => [Region, t]), [
    ...Array.from({ length: COUNT }, (_, t) => ["Cell", String(t + 1)]),
  ]);
  // The background is F0; the spot is brightest in images 19 and 20, between columns 31 and 32.
  let peak = 0;
  for (let y = -2; y < 3; y += 1) for (let x = 30; x < 34; x += 1) peak += spot(x, SPOT_ROW + y, 19) / 20;
  assert(Math.abs(Number(traces[19]!["dF/F0"]) - (peak - 20) / 20) < 1e-9);
  const { rows: events } = await measured([path], settings, [...over, "--write", "events"]);
  assert.equal(events.length, 1);
  assert.equal(events[0]!["Region"], "Cell");
  assert(Math.abs(Number(events[0]!["Time (s)"]) - 1.95) <= 0.05 + 1e-9, events[0]!["Time (s)"]);
  const all = join(temporary.path, "all.zip");
  const { rows: [whole, cell] } = await measured([path], settings, [
    ...over,
    "--write",
    "summary,events",
    "--zip",
    all,
  ]);
  assert.deepEqual([whole!["Events"], cell!["Events"]], ["", "1"]);
});

Deno.test("measure: keeps regions of images apart that share a name, or have no id", async () => {
  using temporary = temporaryFolder();
  const path = join(temporary.path, "spot.ome.tif");
  Deno.writeFileSync(path, measuredStack());
  const lefts = [20, 30, 40];
  const regions = lefts.map((left) => ({
    name: "Cell",
    start: [left, SPOT_ROW - 2],
    stop: [left + 4, SPOT_ROW + 3],
  }));
  const over = ["--over", "t"];
  const { rows: traces } = await measured([path], { regions }, [...over, "--write", "traces"]);
  const { rows: events } = await measured([path], { regions }, [...over, "--write", "events"]);
  const all = join(temporary.path, "all.zip");
  const { rows: summary } = await measured([path], { regions }, [
    ...over,
    "--write",
    "summary,events",
    "--zip",
    all,
  ]);
  lefts.forEach((left, cell) => {
    // The spot is in the middle of a rectangle between two images.
    const before = Math.floor(left + 1.5 - SPOT_START);
    const ofCell = traces.slice(cell * COUNT, (cell + 1) * COUNT).map(({ Mean }) => Number(Mean));
    const greatest = Math.max(...ofCell);
    assert(
      [before, before + 1].includes(ofCell.indexOf(greatest)),
      `cell ${cell}: ${ofCell.indexOf(greatest)}`,
    );
    assert(
      Math.abs(Number(events[cell]!["Time (s)"]) * 10 - before - 0.5) <= 0.5 + 1e-9,
      events[cell]!["Time (s)"],
    );
    const row = summary[cell + 1]!;
    assert.match(row["Part of the images of events"]!, new RegExp(`columns ${left} to`));
  });
});

Deno.test("measure: writes projections and kymographs as TIFF with their calibration", async () => {
  using temporary = temporaryFolder();
  const path = join(temporary.path, "spot.ome.tif");
  Deno.writeFileSync(path, measuredStack());
  const written = async (flags: readonly string[]) => {
    const { code, stdout, stderr } = await measure([path], { kymograph: LINE }, flags);
    assert.equal(code, 0, new TextDecoder().decode(stderr));
    // One strip, at the end.
    return (count: number) => new Float32Array(stdout.slice(-4 * count).buffer);
  };
  const projection = await written(["--over", "t", "--projection", "max", "--write", "projection"]);
  const maxima = projection(STACK_ROWS * STACK_COLUMNS);
  assert.deepEqual(
    [...maxima],
    [...maxima.keys()].map((i) => brightest(i % STACK_COLUMNS, Math.floor(i / STACK_COLUMNS))),
  );
  const kymograph = (await written(["--write", "kymograph"]))(COUNT * 56);
  assert.deepEqual(
    [...kymograph],
    [...kymograph.keys()].map((i) => spot(4 + i % 56, SPOT_ROW, Math.floor(i / 56))),
  );
});

Deno.test("measure: rejects settings and flags that it cannot follow", async () => {
  const rows: [settings: unknown, flags: readonly string[], words: RegExp][] = [
    ["{", [], /Cannot follow the settings/],
    [[], [], /Cannot follow the settings/],
    [{ bands: [{ name: "A", from: 0.5, to: 3 }] }, [], /bands\.0\.from/],
    [{ velocity: { method: "guess" } }, [], /velocity\.method/],
    [{ diameter: { window: 0.5 } }, [], /diameter\.window/],
    [{ sparks: { threshold: 0 } }, [], /sparks\.threshold/],
    [{ traces: { kind: "median" } }, [], /traces\.kind/],
    [{ traces: { span: -1 } }, [], /traces\.span/],
    [{ regions: [{ start: [0.5, 0], stop: [1, 1] }] }, [], /regions\.0\.start\.0/],
    [{}, ["--over", "x"], /--over takes t, z/],
    [{}, ["--write", "means"], /--write means needs --over/],
    [{}, ["--over", "t", "--write", "projection"], /needs --projection/],
    [{}, ["--write", "kymograph"], /--write kymograph needs a line/],
    [{}, ["--write", "profile"], /--write profile needs a line/],
    [{}, ["--write", "velocity,guess"], /--write takes summary, traces, velocity/],
    [{}, ["--over", "t", "--projection", "max", "--write", "projection,summary"], /and nothing beside it/],
    [{}, ["--decimal", "dot"], /--decimal takes point, comma/],
    [{}, ["--jobs", "0"], /--jobs takes a number from 1/],
  ];
  for (const [settings, flags, words] of rows) {
    const { code, err } = await measured([IMAGES], settings, flags);
    assert.equal(code, 2, err);
    assert.match(err, words);
  }
});

Deno.test("measure: parts that an acquisition does not have are failures in the table", async () => {
  const lineScan = { time: "rows", secondsPerLine: 1, micrometresPerPixel: 1, replace: true };
  const rows: [settings: unknown, flags: readonly string[], failure: RegExp][] = [
    [{ lineScan, bands: [{ name: "A", from: 0, to: 1e6 }] }, [], /the recording has/],
    [{ regions: [{ ...CELL, stop: [1e6, 30] }] }, [], /Rectangle "Cell" reaches/],
    [{}, ["--over", "z"], /one image over focus/],
  ];
  for (const [settings, flags, failure] of rows) {
    const { code, rows } = await measured([IMAGES], settings, flags);
    assert.equal(code, 1);
    assert.match(
      rows.map((row) => `${row["Failure"] ?? ""}${row["Not measured"] ?? ""}`).join("\n"),
      failure,
    );
  }
  for (
    const [name, words] of [["events", /--over t measures events of its images/], [
      "velocity",
      /no velocity/,
    ]] as const
  ) {
    const { code, err } = await measured([IMAGES], { regions: [CELL] }, ["--write", name]);
    assert.equal(code, 1);
    assert.match(err, words);
  }
  const tiff = await measure([IMAGES], {}, ["--over", "z", "--projection", "max", "--write", "projection"]);
  assert.deepEqual([tiff.code, tiff.stdout.length], [1, 0]);
  assert.match(
    new TextDecoder().decode(tiff.stderr),
    /^Cannot measure ".*time_series.*": .*one image over focus/,
  );
});

/** Columns that name the recording, not what was measured in it. */
const NAMES = ["Recording", "Path", "Scene"];

Deno.test("measure: measures every scene, or the one of --scene, and an archive as its original", async () => {
  using temporary = temporaryFolder();
  const path = join(temporary.path, "vessel.oir");
  Deno.writeFileSync(path, measuredScan());
  const archive = join(temporary.path, "two.zip");
  const { code, stdout } = await run(FROM_SOURCE.program, {
    args: [...FROM_SOURCE.args, "export", "--quiet", path, path],
    cwd: ROOT,
  });
  assert.equal(code, 0);
  Deno.writeFileSync(archive, stdout);
  const numbers = (row: Readonly<Record<string, string>>) =>
    Object.fromEntries(Object.entries(row).filter(([name]) => !NAMES.includes(name)));
  const [original] = (await measured([path], {})).rows;
  const both = await measured([archive], {});
  assert.deepEqual([both.code, both.rows.map((row) => row["Scene"])], [0, ["vessel.oir", "vessel.oir (2)"]]);
  for (const row of both.rows) assert.deepEqual(numbers(row), numbers(original!));
  const one = await measured([archive], {}, ["--scene", "1"]);
  assert.deepEqual(one.rows, both.rows.slice(1));
  const none = await measured([archive], {}, ["--scene", "2"]);
  assert.deepEqual([none.code, none.rows.length], [1, 1]);
  assert.match(none.rows[0]!["Failure"]!, /scene/i);
});

Deno.test("measure: a damaged member of a collection does not hide the others", async () => {
  using temporary = temporaryFolder();
  const { path: folder } = temporary;
  writeCollection(folder);
  const [member] = DOCUMENTS.collection.members;
  const damaged = { ...member, id: "m0", name: "Damaged", ome_zarr: "images/damaged" };
  write(join(folder, FILES.collection), { ...DOCUMENTS.collection, members: [damaged, member] });
  write(join(folder, "images/damaged/zarr.json"), "no JSON");
  const { code, rows: [first, second] } = await measured([folder], {});
  assert.equal(code, 1);
  assert.deepEqual([first!["Scene"], second!["Scene"], second!["Lines"]], ["Damaged", "First", "4"]);
  assert.match(first!["Failure"]!, /JSON/);
});

Deno.test("measure: a band too narrow for a velocity keeps its other values", async () => {
  using temporary = temporaryFolder();
  const path = join(temporary.path, "vessel.oir");
  Deno.writeFileSync(path, measuredScan());
  const bands = [{ name: "vessel", from: 0, to: 20 }, { name: "soma", from: 21, to: 25 }];
  const { code, rows: [vessel, soma] } = await measured([path], { bands });
  assert.equal(code, 0);
  const column = Object.keys(vessel!).find((name) => name.startsWith("Median velocity"))!;
  assert.notEqual(vessel![column], "");
  assert.equal(vessel!["Not measured"], "");
  assert.equal(soma![column], "");
  assert.equal(soma!["Not measured"], "A velocity needs at least 6 columns, not 21 to 25");
  assert.ok(Number(soma!["Baseline F0"]) > 0);
});

/** Files of a ZIP without compression, by name. */
async function filesIn(bytes: Uint8Array): Promise<Record<string, string>> {
  const entries = await listZipEntries(new Blob([bytes.slice()]));
  return Object.fromEntries(await Promise.all(entries.map(async ({ name, read }) => [name, await read()])));
}

/** A folder with two recordings, another file and a folder; answers the settings for quick work. */
function writeLot(folder: string) {
  for (const name of ["scan_10.oir", "scan_2.oir"]) Deno.writeFileSync(join(folder, name), measuredScan());
  Deno.writeTextFileSync(join(folder, "notes.txt"), "no recording");
  Deno.mkdirSync(join(folder, "other"));
  return { channel: 1, bands: [{ name: "Active", from: ACTIVE[0], to: ACTIVE[1] }] };
}

Deno.test("measure: a folder is a list of recordings, sorted as in the page, and says what it leaves out", async () => {
  using temporary = temporaryFolder();
  const settings = writeLot(temporary.path);
  Deno.writeTextFileSync(join(temporary.path, "scan_3.oir"), "damaged");
  const { code, rows, err } = await measured([temporary.path], settings);
  assert.equal(code, 1);
  assert.deepEqual(rows.map((row) => row["Recording"]), ["scan_2.oir", "scan_3.oir", "scan_10.oir"]);
  assert.notEqual(rows[1]!["Failure"], "");
  assert.deepEqual(err.trimEnd().split("\n"), [
    `${temporary.path}: 3 recordings`,
    `${temporary.path}: 1 folder skipped; name them to measure theirs`,
    "2 of 3 recordings measured",
  ]);
});

Deno.test("measure: writes several tables with their settings, equal with one job and several", async () => {
  using temporary = temporaryFolder();
  const settings = writeLot(temporary.path);
  const flags = ["--quiet", "--write", "events,traces,summary"];
  const one = await measure([temporary.path], settings, flags);
  assert.deepEqual([one.code, new TextDecoder().decode(one.stderr)], [0, ""]);
  const files = await filesIn(one.stdout);
  assert.deepEqual(Object.keys(files), [
    "events.csv",
    "events.json",
    "traces.csv",
    "traces.json",
    "summary.csv",
    "summary.json",
  ]);
  const several = await measure([temporary.path], settings, [...flags, "--jobs", "4"]);
  assert.deepEqual(await filesIn(several.stdout), files);
  const plane = { samples: Float32Array.from(scanPlanes()[1]), shape: SCAN_SHAPE };
  const trace = makeTrace(plane, ACTIVE, NEW_TRACE, LINE_TIME);
  const traces = tableOf(files["traces.csv"]!);
  assert.deepEqual(traces.column("Mean").map(Number), [...trace.values, ...trace.values]);
  assert.deepEqual(new Set(traces.column("Band")), new Set(["Active"]));
  const events = tableOf(files["events.csv"]!);
  assert.equal(
    events.all.head.slice(0, 8).join(),
    [
      "Recording",
      "Scene",
      "Time point",
      "Focus plane",
      "Wavelength",
      "Band",
      "Channel",
      "Time (s)",
    ].join(),
  );
  const { recordings, table, decimal } = JSON.parse(files["events.json"]!);
  assert.deepEqual([table, decimal], ["events.csv", "."]);
  assert.deepEqual(recordings.map(({ recording }: { recording: string }) => recording), [
    "scan_2.oir",
    "scan_10.oir",
  ]);
  const [{ summary }] = recordings[0].results;
  assert.equal(2 * summary["Events"], events.rows.length);
});

Deno.test("measure: writes one table as it is, with decimal commas if asked, and says what it cannot measure", async () => {
  using temporary = temporaryFolder();
  const settings = writeLot(temporary.path);
  const path = join(temporary.path, "scan_2.oir");
  const flags = ["--write", "traces", "--decimal", "comma"];
  const { code, stdout, stderr } = await measure([path, "nowhere.oir"], settings, flags);
  assert.equal(code, 1);
  const [head, first] = new TextDecoder().decode(stdout).split("\r\n");
  assert.equal(head, "Recording;Scene;Time point;Focus plane;Wavelength;Band;Channel;Time (s);Mean;F0");
  assert.match(first!, /^scan_2\.oir;Scene 1;1;1;1;Active;CH2;0;\d+,\d+;\d+,\d+$/);
  assert.match(new TextDecoder().decode(stderr), /^Cannot measure "nowhere.oir": .*nothing exists there/);
});

Deno.test("measure: an interrupt ends it, and nothing was written", async () => {
  using temporary = temporaryFolder();
  for (let i = 0; i < 40; i += 1) Deno.writeFileSync(join(temporary.path, `${i}.oir`), measuredScan());
  const args = [...FROM_SOURCE.args, "measure", temporary.path, "--write", "summary,sparks", "--jobs", "2"];
  const child = spawn(FROM_SOURCE.program, { args, cwd: ROOT, stdout: "piped", stderr: "piped" });
  const output = new Response(child.stdout).bytes();
  let said = "";
  const heard = (async () => {
    for await (const text of child.stderr.pipeThrough(new TextDecoderStream())) {
      // It is said before the first recording is measured.
      if (!/40 recordings/.test(said) && /40 recordings/.test(said + text)) child.kill("SIGINT");
      said += text;
    }
  })();
  const { code } = await ended(child, "an interrupted acq-server measure");
  await within(PATIENCE, "its last words", heard);
  assert.deepEqual([code, (await output).length], [130, 0], said);
  assert.match(said, /Stopped after \d+ of \d+ recordings; nothing was written\n$/);
});

Deno.test("measure: takes a line scan that is stored as time points of one row", async () => {
  using temporary = temporaryFolder();
  const [lines, columns] = SCAN_SHAPE;
  const plane = scanPlanes()[0];
  const text = omeXml(omeImage({
    SizeX: columns,
    SizeY: 1,
    SizeT: lines,
    PhysicalSizeX: PIXEL_SIZE,
    TimeIncrement: LINE_TIME,
  }, "<TiffData/>"));
  const path = join(temporary.path, "lines.ome.tif");
  const sample = (x: number, _y: number, _sample: number, t: number) => BigInt(plane[t * columns + x]!);
  Deno.writeFileSync(path, tiffBytes(grayLayout(columns, 1, 16), sample, lines, [[270, 2, text]]));
  const { code, rows, err } = await measured([path], {
    velocity: { window: 120, step: 60, method: "radon" },
  });
  assert.deepEqual([code, err, rows.length], [0, "", 1]);
  const truth = STREAK_VELOCITY * PIXEL_SIZE / LINE_TIME;
  assert(Math.abs(Number(rows[0]!["Median velocity (um/s)"]) / truth - 1) < 0.03);
});
