import { deepEqual, equal } from "node:assert/strict";
import { codesOf } from "../../tests/warning_codes.ts";
import {
  findPlannedSize,
  parseMainSettings,
  readImageSteps,
  readLineScan,
  readMainSteps,
  warnAboutRows,
  warnAboutSizes,
} from "./main_settings.ts";
import { OifSettings } from "./settings.ts";

const axis = (n: number, values: Record<string, string | number>) =>
  `[Axis ${n} Parameters Common]\n` +
  Object.entries(values).map(([key, value]) => `${key}=${value}\n`).join("");

/** The axes of the public sample: 256 samples from 0 to 45.135 um, which its settings call 0.177 um each. */
const frameAxes =
  axis(0, { AxisCode: '"X"', StartPosition: "0.0", EndPosition: 45.135, MaxSize: 256, PixUnit: '"um"' }) +
  axis(1, { AxisCode: '"Y"', StartPosition: "0.0", EndPosition: 45.135, MaxSize: 256, PixUnit: '"um"' });

const order = (letters: string) => `[Axis Parameter Common]\nAxisOrder="${letters}"\n`;

function steps(main: string, plane: string | null = null) {
  const settings = new OifSettings(main, "it");
  return readMainSteps({
    settings,
    main: parseMainSettings(settings),
    plane: plane === null ? null : new OifSettings(plane, "it"),
  });
}

Deno.test("takes the step from the planned range if none is stated", () => {
  const { calibrations } = steps(order("XYC") + frameAxes);
  for (const letter of ["X", "Y"] as const) {
    deepEqual([calibrations[letter]!.step.toFixed(12), calibrations[letter]!.unit], ["0.177000000000", "um"]);
  }
});

Deno.test("takes the step of frames from the main settings, and warns about another in the plane's settings", () => {
  const main = order("XYC") + frameAxes +
    '[Reference Image Parameter]\nWidthConvertValue=0.2\nWidthUnit="um"\nHeightConvertValue=300\nHeightUnit="nm"\n';
  const plane =
    '[Image Parameters]\nWidthConvertValue=0.4\nWidthUnit="um"\nHeightConvertValue=0.3\nHeightUnit="um"\n';
  const { calibrations, warnings } = steps(main, plane);
  deepEqual([calibrations.X!.step, calibrations.Y!.step], [0.2, 0.3]);
  equal(warnings.length, 1);
  deepEqual(codesOf(warnings), ["metadata_disagree"]);
});

Deno.test("takes steps of Z and L from intervals, and of T from the planned range", () => {
  const main = order("XYCZTL") +
    axis(3, { AxisCode: "Z", Interval: -840, PixUnit: "nm", MaxSize: 9 }) +
    axis(4, { AxisCode: "T", StartPosition: 1000, EndPosition: 22000, PixUnit: "ms", MaxSize: 8 }) +
    axis(6, { AxisCode: "L", Interval: 5, PixUnit: "nm", MaxSize: 3 });
  const { calibrations } = steps(main);
  // The letter counts, in whichever of the sections it stands; they end with 8.
  const place = (n: number) => axis(n, { AxisCode: "Z", Interval: 500, PixUnit: "nm", MaxSize: 2 });
  deepEqual([0, 8, 9].map((n) => steps(order("XYCZ") + place(n)).calibrations.Z?.step), [
    0.5,
    0.5,
    undefined,
  ]);
  deepEqual([calibrations.Z, calibrations.L], [{ step: 0.84, unit: "um" }, { step: 0.005, unit: "um" }]);
  // 21 s over seven steps.
  deepEqual(calibrations.T, { step: 3, unit: "seconds" });
  // Between two samples is one step, and none beside a single one.
  const two = (MaxSize: number) =>
    steps(
      order("XYCT") +
        axis(4, { AxisCode: "T", StartPosition: 100, EndPosition: 400, PixUnit: "ms", MaxSize }),
    );
  deepEqual([two(2), two(1)].map(({ calibrations }) => calibrations.T?.step), [0.3, undefined]);
});

Deno.test("takes the line period from the scanner, else the time axis, else the image", () => {
  const scanner = '[Acquisition Parameters Common]\nTime Per Line="3152.000"\n';
  const image = '[Image Parameters]\nHeightConvertValue=4.5\nHeightUnit="ms"\n';
  const time = axis(4, { AxisCode: "T", StartPosition: 0, EndPosition: 99, PixUnit: "ms", MaxSize: 100 });
  const period = (main: string, plane: string) => steps(order("XTC") + main, plane).calibrations.Y;
  deepEqual(period(time, scanner + image), { step: 0.003152, unit: "seconds" });
  deepEqual(period(time, image), { step: 0.001, unit: "seconds" });
  deepEqual(period("", image), { step: 0.0045, unit: "seconds" });
  const { calibrations, warnings } = steps(order("XTC"), "[A]\n");
  equal(calibrations.Y, undefined);
  deepEqual(codesOf(warnings), ["step_unknown"]);
});

Deno.test("gives an image without calibration a step of one pixel", () => {
  const pixels = { step: 1, unit: "Pixels" };
  deepEqual(readImageSteps(null), { y: pixels, x: pixels });
  const zero = new OifSettings("[Image Parameters]\nWidthConvertValue=0.0\nWidthUnit=um\n", "it");
  deepEqual(readImageSteps(zero), { y: pixels, x: pixels });
});

Deno.test("gives unused axes and the axis of the rows size 1", () => {
  const line = main("XTC", { C: 3, Z: 0, T: 500 });
  equal(line.rows, "T");
  deepEqual((["C", "Z", "T", "L"] as const).map((letter) => findPlannedSize(line, letter)), [3, 1, 1, 1]);
  for (const [letters, rows] of [["XYCZT", "Y"], ["XZC", "Z"], ["XZTC", "Z"], ["XC", "Y"], ["", "Y"]]) {
    equal(main(letters!, {}).rows, rows, letters);
  }
});

Deno.test("takes the date from the acquisition, or in old files from a laser", () => {
  const laser = "[Laser 1 Parameters]\nImageCaputreDate='2001-02-03 04:05:06'\n";
  const date = (text: string) => parseMainSettings(new OifSettings(text, "it")).moment;
  deepEqual(date(laser), { date: "20010203", time: "04:05:06" });
  const own = "[Acquisition Parameters Common]\nImageCaptureDate='2012-07-26 15:13:35'\n";
  deepEqual(date(laser + own), { date: "20120726", time: "15:13:35" });
  deepEqual(date(own.replace("07-26", "13-26")), { date: "", time: "" });
});

Deno.test("lists recorded channels only", () => {
  const text =
    '[Channel 1 Parameters]\nCH Name="CH1"\n[Channel 2 Parameters]\nCH Name=""\n[Channel 4 Parameters]\nCH Name="X"\n' +
    '[GUI Channel 3 Parameters]\nCH Name="CH3"\n';
  deepEqual(parseMainSettings(new OifSettings(text, "it")).channels, ["CH1", null]);
});

Deno.test("takes the times of a line scan from the first plane, its direction from the main settings", () => {
  const settings = new OifSettings(
    `${order("XTC")}[Acquisition Parameters Common]\nScanDirection="Oneway"\n`,
    "it",
  );
  const plane = new OifSettings(
    '[Acquisition Parameters Common]\nTime Per Pixel="8.0"\nTime Per Line="3152.000"\n',
    "it",
  );
  const sources = { settings, main: parseMainSettings(settings), plane };
  deepEqual(readLineScan(sources, readMainSteps(sources).calibrations.Y), {
    secondsPerLine: 0.003152,
    secondsPerPixel: 0.000008,
    bidirectional: false,
  });
});

/** A plane of 6 x 5 of 16 bits. */
const PAGE = { width: 6, height: 5, bits: [16] };

const main = (letters: string, sizes: Record<string, number>) => {
  const axes = Object.entries(sizes).map(([AxisCode, MaxSize], n) => axis(n, { AxisCode, MaxSize }));
  return parseMainSettings(new OifSettings(order(letters) + axes.join(""), "it"));
};

const doubts = (...facts: Parameters<typeof warnAboutSizes>) => codesOf(warnAboutSizes(...facts));

const image = (values: string) => new OifSettings(`[Image Parameters]\n${values}`, "it");

Deno.test("gives no warning for agreeing or missing sizes", () => {
  for (const sizes of [{ X: 6, Y: 5 }, { X: 0, Y: 0 }, { X: 1, Y: 1 }, {}]) {
    deepEqual(doubts(main("XYC", sizes), null, PAGE), []);
  }
  deepEqual(
    doubts(main("XYC", {}), image("ImageWidth=6\nImageHeight=5\nImageDepth=2\n"), PAGE),
    [],
  );
  // A line scan may have been interrupted.
  deepEqual(doubts(main("XTC", { X: 6, T: 50 }), null, PAGE), []);
});

Deno.test("warns about each size and depth that disagrees", () => {
  deepEqual(doubts(main("XYC", { X: 7, Y: 4 }), null, PAGE), ["metadata_disagree", "metadata_disagree"]);
  deepEqual(doubts(main("XZC", { X: 6, Z: 4, Y: 5 }), null, PAGE), ["metadata_disagree"]);
  for (const values of ["ImageWidth=7\nImageHeight=5\n", "ImageWidth=6\nImageHeight=4\n", "ImageDepth=1\n"]) {
    deepEqual(doubts(main("XYC", {}), image(values), PAGE), ["metadata_disagree"]);
  }
});

Deno.test("warns about more lines than planned", () => {
  const lines = (planned: number) => codesOf(warnAboutRows(main("XTC", { T: planned }), 5));
  deepEqual([lines(6), lines(5), lines(0), lines(1)], [[], [], [], []]);
  deepEqual(lines(4), ["metadata_disagree"]);
  deepEqual(warnAboutRows(main("XYC", { T: 4 }), 5), []);
});
