/** Names, colours, steps, times, dates, documents and scenes of LSM files, and what makes a file one. */
import { deepEqual, equal, ok, rejects } from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { collectDocuments } from "../../readers/io/document_list.ts";
import type { Acquisition } from "../../readers/reader.ts";
import { loadBytes } from "../damage.ts";
import { loadLsm, LsmBytes } from "../fixtures/lsm_files.ts";
import { withFiles } from "../temporary_files.ts";
import { tinyTiff } from "../fixtures/tiff_writer.ts";
import { loadHere, openHere } from "../load_here.ts";
import { codesOf } from "../warning_codes.ts";

const fixture = (name: string) => fileURLToPath(new URL(`../fixtures/lsm/${name}`, import.meta.url));

const opened = (name: string) => openHere(fixture(name), (acquisition) => acquisition);

const named = ({ channels }: Acquisition) => channels.map(({ name, color }) => [name, color]);

const axes = (acquisition: Acquisition) =>
  Object.fromEntries(acquisition.axes.map(({ name, step, unit }) => [name, [step, unit]]));

Deno.test("reads channels, steps, times and date of a series of stacks", async () => {
  const series = await opened("series_tzc.lsm");
  // Black is shown as white.
  deepEqual(named(series), [["Ch1-T1", "#ff0000"], ["ChS1-T2", "#ffffff"]]);
  // Voxels of 1e-7, 2e-7 and 3e-7 m; stamps of 100.5, 101 and 102.75 s.
  deepEqual(axes(series), {
    // The second interval is a pause.
    T: [0.5, "seconds"],
    C: [1, "Pixels"],
    Z: [3e-7 * 1e6, "um"],
    Y: [2e-7 * 1e6, "um"],
    X: [1e-7 * 1e6, "um"],
  });
  deepEqual(series.times, [0, 0.5, 2.25]);
  // 41732.6559837963 days, a value of a real file whose date is known.
  deepEqual([series.date, series.time], ["20140403", "15:44:37"]);
  const { size } = Deno.statSync(fixture("series_tzc.lsm"));
  deepEqual([codesOf(series.warnings), series.reference, series.fileSize], [["step_uneven"], null, size]);
});

Deno.test("lists the non-empty parts of the file as documents", () =>
  openHere(fixture("series_tzc.lsm"), (acquisition) => {
    const documents = collectDocuments(acquisition);
    deepEqual(documents.map(({ name, mediaType }) => [name, mediaType]), [
      ["ScanInformation", "application/json"],
      ["TimeStamps", "application/json"],
      ["EventList", "application/json"],
    ]);
    const [scan, stamps, events] = documents.map(({ text }) => JSON.parse(text));
    deepEqual(stamps, [100.5, 101, 102.75]);
    deepEqual(events, [{ seconds: 101.5, type: 3, text: "drug" }]);
    equal(scan.id, "0x10000000");
    const [name, notes] = scan.entries;
    deepEqual([name, notes], [{ id: "0x10000001", value: "cell 3" }, {
      id: "0x10000002",
      value: "caf\u00e9",
    }]);
    const track = scan.entries.find(({ id }: { id: string }) => id === "0x20000000").entries[0];
    deepEqual(track.entries[2], { id: "0x4000000c", value: "Track1" });
  }));

Deno.test("reads rows of a line scan as time, and lists the scanned line as a document", () =>
  openHere(fixture("line_scan.lsm"), (acquisition) => {
    // 37 stamps from 7 s on, one every 2 ms.
    const [step, unit] = axes(acquisition)["Y"]!;
    equal((step as number).toFixed(12), "0.002000000000");
    deepEqual([unit, axes(acquisition)["X"]], ["seconds", [1e-7 * 1e6, "um"]]);
    equal(acquisition.times?.length, 37);
    ok(acquisition.times.every((seconds, row) => Math.abs(seconds - 0.002 * row) < 1e-9));
    // The record states 250 ms.
    deepEqual([acquisition.reference, codesOf(acquisition.warnings)], [null, ["metadata_disagree"]]);
    const documents = collectDocuments(acquisition);
    const stamps: number[] = JSON.parse(documents.find(({ name }) => name === "TimeStamps")!.text);
    deepEqual([stamps.length, stamps[0]], [37, 7]);
    deepEqual(JSON.parse(documents.find(({ name }) => name === "LinescanOverlay")!.text), [
      { shape: "circle", points: [[1, 2], [3, 4]] },
      { shape: "line", points: [[3.5, 4], [60.25, 21]] },
    ]);
  }));

Deno.test("takes the line time from the interval, or from the track without interval and stamps", async () => {
  deepEqual(axes(await opened("point.lsm"))["Y"], [0.001, "seconds"]);
  const unstamped = new LsmBytes("line_scan.lsm").field(132, 0);
  const steps = async (bytes: Uint8Array) => {
    const { summary } = await loadLsm(bytes);
    return [summary.axes.find(({ name }) => name === "Y"), codesOf(summary.warnings)];
  };
  deepEqual(await steps(unstamped.bytes), [{ name: "Y", size: 37, step: 0.25, unit: "seconds" }, [
    "metadata_missing",
  ]]);
  deepEqual(await steps(unstamped.field(124, 0).bytes), [
    { name: "Y", size: 37, step: 1, unit: "Pixels" },
    ["metadata_missing", "step_unknown"],
  ]);
});

Deno.test("reads the focus planes of a section as rows", async () => {
  const section = await opened("section_series.lsm");
  deepEqual(axes(section), { T: [2, "seconds"], Y: [3e-7 * 1e6, "um"], X: [1e-7 * 1e6, "um"] });
  deepEqual(codesOf(section.warnings), ["axis_replaced", "metadata_missing"]);
});

Deno.test("makes names distinct, by default those of data channels", async () => {
  deepEqual((await opened("lzw_stack.lsm")).channels.map(({ name }) => name), ["Ch1", "Ch1 (2)", "CH3"]);
  deepEqual(named(await opened("old.lsm")), [["Ch5", "#0000ff"]]);
  deepEqual(named(await opened("tiles.lsm")), [["CH1", null], ["CH2", null]]);
  const unnamed = new LsmBytes("series_tzc.lsm").field(108, 0);
  const { summary } = await loadLsm(unnamed.bytes);
  deepEqual(summary.channels.map(({ name }) => name), ["Ch2", "Ch3"]);
});

Deno.test("leaves out positions without pages", async () => {
  const file = new LsmBytes("positions.lsm");
  // Pages 8 to 11 are the third of three positions with two time points.
  await withFiles({ "a.lsm": file.link(7, 0).bytes }, async (path) => {
    const { summary } = await loadHere(path);
    equal(summary.sceneCount, 2);
    deepEqual(codesOf(summary.warnings), ["scenes_left_out", "planes_missing", "metadata_missing"]);
    await rejects(loadHere(path, { scene: 2 }), { tag: "scene_out_of_range" });
  });
});

Deno.test("reports unwritten planes as missing, and serves earlier ones", () =>
  openHere(fixture("unwritten.lsm"), async (acquisition) => {
    for (const t of [2, 3]) {
      await rejects(acquisition.plan([0], { t, z: 0, l: 0 }), {
        tag: "plane_not_found",
        message: `plane ${t} was never written`,
      });
    }
    equal((await acquisition.plan([0], { t: 1, z: 0, l: 0 })).rows, 7);
  }));

Deno.test("keeps the length of an interrupted series and names the missing planes", () =>
  openHere(fixture("interrupted.lsm"), async (acquisition) => {
    deepEqual(codesOf(acquisition.warnings), ["planes_missing", "metadata_missing"]);
    await rejects(acquisition.plan([0], { t: 2, z: 0, l: 0 }), {
      tag: "plane_not_found",
      message: "plane 2 is missing: the file holds 2 planes",
    });
  }));

Deno.test("recognises LSM by its record, with any extension", async () => {
  const lsm = Deno.readFileSync(fixture("old.lsm"));
  for (const name of ["a.tif", "b.dat"]) equal((await loadBytes(name, lsm)).summary.format, "lsm");
  const { summary } = await loadBytes("c.lsm", tinyTiff());
  deepEqual([summary.format, codesOf(summary.warnings)], ["tif", ["read_differently"]]);
  await rejects(loadBytes("d.lsm", lsm.slice(0, 7)), { tag: "decode_failed" });
});

Deno.test("reads a field if the record includes all of it", async () => {
  // The number of tiles lies at bytes 268 to 271.
  for (const [length, scenes] of [[272, 4], [271, 2]] as const) {
    const { summary } = await loadLsm(new LsmBytes("tiles.lsm").field(4, length).bytes);
    equal(summary.sceneCount, scenes, `${length}`);
  }
});

Deno.test("serves an axis that the scan type lacks if all its planes exist", async () => {
  // Scan type 0 counts focus planes alone; page 3 is the thumbnail of the second plane of the first time point.
  const stack = () => new LsmBytes("series_tzc.lsm").field(88, 0);
  for (const [bytes, times] of [[stack().bytes, 3], [stack().link(3, 0).bytes, 1]] as const) {
    const { summary } = await loadLsm(bytes);
    equal(summary.axes.find(({ name }) => name === "T")?.size ?? 1, times);
  }
});
