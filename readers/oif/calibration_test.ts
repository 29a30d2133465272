import { deepEqual, equal } from "node:assert/strict";
import { codesOf } from "../../tests/warning_codes.ts";
import { stepsOf } from "./calibration.ts";
import { mainSettings, plannedSize } from "./main_settings.ts";
import { Settings } from "./settings.ts";

const axis = (n: number, values: Record<string, string | number>) =>
  `[Axis ${n} Parameters Common]\n` +
  Object.entries(values).map(([key, value]) => `${key}=${value}\n`).join("");

/** The axes of the public sample: 256 samples from 0 to 45.135 um, which its settings call 0.177 um each. */
const frameAxes =
  axis(0, { AxisCode: '"X"', StartPosition: "0.0", EndPosition: 45.135, MaxSize: 256, PixUnit: '"um"' }) +
  axis(1, { AxisCode: '"Y"', StartPosition: "0.0", EndPosition: 45.135, MaxSize: 256, PixUnit: '"um"' });

const order = (letters: string) => `[Axis Parameter Common]\nAxisOrder="${letters}"\n`;

function steps(main: string, plane: string | null = null, times: number[] | null = null) {
  const settings = new Settings(main, "it");
  return stepsOf({
    settings,
    main: mainSettings(settings),
    plane: plane === null ? null : new Settings(plane, "it"),
    times,
  });
}

Deno.test("frames take the step of the main settings and warn of another in the plane's settings", () => {
  const main = order("XYC") + frameAxes +
    '[Reference Image Parameter]\nWidthConvertValue=0.2\nWidthUnit="um"\nHeightConvertValue=300\nHeightUnit="nm"\n';
  const plane =
    '[Image Parameters]\nWidthConvertValue=0.4\nWidthUnit="um"\nHeightConvertValue=0.3\nHeightUnit="um"\n';
  const { calibrations, warnings } = steps(main, plane);
  deepEqual([calibrations.X!.step, calibrations.Y!.step], [0.2, 0.3]);
  equal(warnings.length, 1);
  deepEqual(codesOf(warnings), ["metadata_disagree"]);
});

Deno.test("the line period comes from the scanner, else the time axis, else the image", () => {
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

Deno.test("unused axes and the axis of the rows have size 1", () => {
  const main = mainSettings(
    new Settings(
      order("XTC") + axis(2, { AxisCode: '"C"', MaxSize: 3 }) + axis(3, { AxisCode: '"Z"', MaxSize: 0 }) +
        axis(4, { AxisCode: '"T"', MaxSize: 500 }),
      "it",
    ),
  );
  equal(main.rows, "T");
  deepEqual((["C", "Z", "T", "L"] as const).map((letter) => plannedSize(main, letter)), [3, 1, 1, 1]);
  for (const [letters, rows] of [["XYCZT", "Y"], ["XZC", "Z"], ["XZTC", "Z"], ["XC", "Y"], ["", "Y"]]) {
    equal(mainSettings(new Settings(order(letters!), "it")).rows, rows, letters);
  }
});
