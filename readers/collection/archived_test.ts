import assert from "node:assert/strict";
import { type ArchivedImage, readArchivedImage } from "../../schemas/archived.ts";
import type { Acquisition } from "../reader.ts";
import {
  replaysIn,
  restoreAxes,
  restoreChannels,
  restorePath,
  restoreRecording,
  roundPoints,
} from "./archived.ts";

/** Three lines of four columns, with a step of 2 ms between the lines. */
const IMAGE: Acquisition = {
  axes: [{ name: "Y", size: 3, step: 0.002, unit: "seconds" }, { name: "X", size: 4, step: 0.5, unit: "um" }],
  channels: [{ index: 0, name: "CH1", sampleType: "float32", rows: 3, columns: 4, color: "#00ff00" }],
  date: "",
  time: "",
  fileSize: null,
  reference: null,
  warnings: [],
  documents: () => {},
  plan: () => Promise.reject(new Error("not asked")),
};

Deno.test("reads each field of an archive alone, and names those that do not fit", () => {
  const own = { date: "20200203", time: "4:05", lineScan: { secondsPerLine: -1 }, colors: [null], other: 1 };
  const { fields, damaged } = readArchivedImage({ acq_server: own });
  assert.deepEqual(fields, { date: "20200203", colors: [null] });
  assert.deepEqual(damaged, ["time", "lineScan"]);
  for (const nothing of [undefined, {}, { acq_server: [] }]) {
    assert.deepEqual(readArchivedImage(nothing), { fields: {}, damaged: [] });
  }
});

Deno.test("keeps no impossible date or time, and no more than 1,000 warnings", () => {
  const damagedBy = (own: object) => readArchivedImage({ acq_server: own }).damaged;
  assert.deepEqual(damagedBy({ date: "20241231", time: "23:59:60" }), []);
  assert.deepEqual(damagedBy({ date: "99999999", time: "24:00:00" }), ["date", "time"]);
  const warnings = Array.from({ length: 1001 }, () => ({ code: "step_uneven", text: "" }));
  assert.deepEqual(damagedBy({ warnings }), ["warnings"]);
  assert.deepEqual(damagedBy({ warnings: warnings.slice(1) }), []);
});

Deno.test("warns about colours and sample types of an archive that do not fit its channels", () => {
  const codes = (kept: ArchivedImage) => restoreRecording(IMAGE, kept).warnings.map(({ code }) => code);
  assert.deepEqual(codes({ colors: ["#ff0000"], sample_types: ["uint8"] }), []);
  assert.deepEqual(codes({ colors: ["#ff0000", null] }), ["metadata_disagree"]);
  assert.deepEqual(codes({ sample_types: [] }), ["metadata_disagree"]);
});

Deno.test("takes line scan, times and date from the archive, but a changed step from the image document", () => {
  const lineScan = { secondsPerLine: 0.004, secondsPerPixel: 1e-6, bidirectional: true };
  const recorded = restoreRecording(IMAGE, { date: "20200203", lineScan, times: [0, 0.002, 5] });
  assert.deepEqual(recorded.lineScan, { ...lineScan, secondsPerLine: 0.002 });
  assert.deepEqual([recorded.date, recorded.time, recorded.times], ["20200203", "", [0, 0.002, 5]]);
  const [rows, columns] = IMAGE.axes;
  const uncalibrated = { ...IMAGE, axes: [{ ...rows!, step: 1, unit: "Pixels" }, columns!] };
  assert.deepEqual(restoreRecording(uncalibrated, { lineScan }).lineScan, lineScan);
});

Deno.test("leaves out times that do not fit the lines, with a warning", () => {
  const { times, warnings } = restoreRecording(IMAGE, { times: [0, 1] });
  assert.equal(times, undefined);
  assert.deepEqual(warnings, [{
    code: "metadata_disagree",
    text: "The archive keeps 2 times for 3 time points or lines",
  }]);
});

Deno.test("repeats warnings of the recording, but not those about its files; keeps unknown codes", () => {
  const warnings = [
    { code: "step_uneven", text: "a" },
    { code: "file_missing", text: "b" },
    { code: "of_a_later_version", text: "c" },
  ];
  assert.deepEqual(restoreRecording(IMAGE, { warnings }).warnings, [
    { code: "step_uneven", text: "a" },
    { code: "metadata_missing", text: "c" },
  ]);
  const silent = ["file_unreadable", "opened_elsewhere", "content_left_out", "scenes_left_out"];
  assert.deepEqual(silent.filter(replaysIn), []);
});

Deno.test("gives channels their colours and sample types, also those of folded wavelengths", () => {
  const channels = [0, 1, 2, 3].map((index) => ({ ...IMAGE.channels[0]!, index }));
  const colors = ["#ff0000", null, null, "#0000ff"];
  const spectral = { size: 2, index: "" };
  const found = restoreChannels(channels, { colors, sample_types: ["float64", "float32"], spectral });
  assert.deepEqual(found.map(({ color }) => color), colors);
  assert.deepEqual(found.map(({ sourceType }) => sourceType), ["float64", "float64", undefined, undefined]);
  const [kept] = restoreChannels(IMAGE.channels, { colors, sample_types: ["complex"] });
  assert.deepEqual(kept, IMAGE.channels[0]);
});

Deno.test("gives axes of a reference image the steps that OME-Zarr cannot express", () => {
  const [, x] = restoreAxes(IMAGE.axes, { axis_display: { x: { unit: "nm", scale: 250 } } });
  assert.deepEqual(x, { name: "X", size: 4, step: 0.25, unit: "um" });
});

Deno.test("a scan path counts exactly only if it rounds to the points of the document", () => {
  const shape = { rows: 8, columns: 10 };
  const scanPath = { x: [0.4, 9.8], y: [1.5, 3] };
  const points = roundPoints({ lineRoi: null, scanPath }, shape);
  assert.deepEqual(points, [[0, 2], [9, 3]]);
  assert.deepEqual(restorePath(undefined, scanPath, points, shape), { lineRoi: null, scanPath });
  assert.equal(restorePath(undefined, scanPath, [[0, 2], [8, 3]], shape), null);
  const lineRoi: [number, number, number, number] = [0.4, 1.5, 9.8, 3];
  assert.deepEqual(restorePath(lineRoi, null, points, shape), { lineRoi, scanPath: null });
  // A path of one point is in no document.
  const point = { x: [1], y: [1] };
  assert.deepEqual(restorePath(undefined, point, null, shape), { lineRoi: null, scanPath: point });
  assert.equal(restorePath(undefined, { x: [0.4, 9.8], y: [1.5] }, points, shape), null);
  assert.equal(restorePath(undefined, undefined, points, shape), null);
});
