import { deepEqual, equal } from "node:assert/strict";
import { readStatedFields } from "./fields.ts";

const text = (...lines: readonly [string, string][]) =>
  lines.map(([key, value]) => `"${key}"\t"${value}"`).join("\r\n");

const LINE_SCAN = text(
  ["[General]", ""],
  ["Date", "07/22/2025 12:14:20.091 PM"],
  ["[Dimensions]", ""],
  ["X Dimension", "38, 0.0 - 10.796 [um], 0.284 [um/pixel]"],
  ["Channel Dimension", "2 [Ch]"],
  ["T Dimension", "1, 0.000 - 35.099 [s], Interval FreeRun"],
  ["[Image]", ""],
  ["Primary Dimensions", "X * T"],
  ["Image Size", "38 * 30000 [pixel]"],
  ["[Reference Image]", ""],
  ["Image Size", "512 * 512 [pixel]"],
  ["[Acquisition]", ""],
  ["Scan Direction", "Oneway"],
  ["Sampling Speed", "2.0 [us/pixel]"],
);

Deno.test("reads the rows of a line scan as time, and the image size from its own section", () => {
  const fields = readStatedFields(LINE_SCAN)!;
  equal(fields.lineScan, true);
  deepEqual(fields.imageSize, [38, 30000]);
  deepEqual(fields.steps.X, [0.284, "um"]);
  deepEqual(fields.duration, [35.099, "s"]);
  deepEqual([fields.pixelTime, fields.direction], [[2, "us"], "Oneway"]);
  equal(fields.counts.C, 2);
  deepEqual(fields.moment, { date: "20250722", time: "12:14:20" });
});

Deno.test("decides by the scan mode whether rows are time if primary dimensions are missing", () => {
  const lineScan = (mode: string, primary = "") =>
    readStatedFields(text(
      ["[General]", ""],
      ["Scan Mode", mode],
      ["[Image]", ""],
      ["Primary Dimensions", primary],
      ["Image Size", "10 * 100 [pixel]"],
    ))!.lineScan;
  deepEqual(["XT", "xtz", "XYT", "XY", ""].map((mode) => lineScan(mode)), [true, true, false, false, false]);
  deepEqual([lineScan("XT", "X * Y"), lineScan("XY", "X * T")], [false, true]);
});

Deno.test("takes steps from the converted size if the dimension has none", () => {
  const fields = readStatedFields(text(
    ["[Image]", ""],
    ["Primary Dimensions", "X * T"],
    ["Image Size", "10 * 100 [pixel]"],
    ["Image Size(Unit Converted)", "4.5 [um] * 200.0 [ms]"],
  ))!;
  deepEqual(fields.steps.X, [0.45, "um"]);
  deepEqual(fields.duration, [200, "ms"]);
});

Deno.test("reads 12 AM as midnight, and rejects other texts", () => {
  const midnight = LINE_SCAN.replace("12:14:20.091 PM", "12:14:20.091 AM");
  equal(readStatedFields(midnight)!.moment.time, "00:14:20");
  equal(readStatedFields("notes\r\nof a day in the laboratory"), null);
});

Deno.test("reads numbers with a decimal comma or an exponent whole or not at all", () => {
  const x = (written: string) =>
    readStatedFields(text(["[Dimensions]", ""], ["X Dimension", written]))!.steps.X;
  deepEqual(x("38, 0,0 - 10,796 [um], 0,284 [um/pixel]"), [0.284, "um"]);
  deepEqual(x("38, 0.0 - 10.796 [um], 2.84e-1 [um/pixel]"), [0.284, "um"]);
  equal(x("38, 0.0 - 10.796 [um], 1,000.5 [um/pixel]"), null);
  const duration = (written: string) =>
    readStatedFields(LINE_SCAN.replace("1, 0.000 - 35.099 [s]", written))!.duration;
  deepEqual(duration("1, 0,000 - 1,053 [s]"), [1.053, "s"]);
  deepEqual(duration("1, 0.0 - 1.2e2 [s]"), [120, "s"]);
});

Deno.test("reads dates with the year or the day first", () => {
  const moment = (written: string) => {
    const { date, time } = readStatedFields(LINE_SCAN.replace("07/22/2025 12:14:20.091 PM", written))!.moment;
    return `${date} ${time}`;
  };
  equal(moment("2025-07-22T13:14:20+09:00"), "20250722 13:14:20");
  equal(moment("22.07.2025 13:14:20"), "20250722 13:14:20");
  equal(moment("03.07.2025 13:14:20"), "20250703 13:14:20");
  equal(moment("22/07/2025 13:14:20"), "20250722 13:14:20");
  equal(moment("7/2/2025 1:04:05 PM"), "20250702 13:04:05");
  // April has 30 days.
  equal(moment("04/31/2025 1:04:05 PM"), " ");
});

Deno.test("reads decimal commas and signs, and names texts in place of numbers", () => {
  const found = (step: string) => {
    const { steps, warnings } = readStatedFields(LINE_SCAN.replace("0.284", step))!;
    return [steps.X, warnings.map(({ text }) => text).join()];
  };
  deepEqual(found("0,284"), [[0.284, "um"], ""]);
  deepEqual(found("-0.284"), [[-0.284, "um"], ""]);
  const text = 'The text file beside the image has texts in place of numbers: X Dimension "1.234,5"';
  deepEqual(found("1.234,5"), [null, text]);
});
