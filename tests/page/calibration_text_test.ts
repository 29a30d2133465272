import assert from "node:assert/strict";
import { readCalibration, readFrameInterval } from "../../static/measure/calibration_text.ts";

const none = { secondsPerLine: undefined, micrometresPerPixel: undefined, secondsPerPixel: undefined };

Deno.test("reads line time, pixel size and pixel time from the text beside an Olympus TIFF", () => {
  const text = [
    '"X Dimension"\t"38, 0.0 - 10.796 [um], 0.284 [um/pixel]"',
    '"T Dimension"\t"1, 0.000 - 53.910 [s], Interval FreeRun"',
    '"Image Size"\t"38 * 30000 [pixel]"',
    '"Sampling Speed"\t"2.0 [us/pixel]"',
  ].join("\r\n");
  // 53.91 s over 30,000 lines.
  assert.deepEqual(readCalibration(text), {
    secondsPerLine: 53.91 / 30000,
    micrometresPerPixel: 0.284,
    secondsPerPixel: 2e-6,
  });
});

Deno.test("reads numbers with units from other texts, also from saved tables", () => {
  const wanted = { ...none, secondsPerLine: 0.002, micrometresPerPixel: 0.5 };
  for (
    const text of [
      "2 ms/line, 0.5 \u00b5m/px",
      "Time per line,0.002 s\r\nDistance per column,0.5 \u00b5m",
      "line period: 2,0 ms\npixel size = 500 nm",
    ]
  ) assert.deepEqual(readCalibration(text), wanted, text);
});

Deno.test("reads nothing from texts without such numbers", () => {
  for (const text of ["", "20 ms", "pixel size 38 x 30000", "0 ms/line", "2 ms/pixels of nothing"]) {
    assert.deepEqual(readCalibration(text).secondsPerLine, undefined, text);
    assert.deepEqual(readCalibration(text).micrometresPerPixel, undefined, text);
  }
});

Deno.test("reads the time between frames from the description of an ImageJ file", () => {
  const rows: [fields: string, seconds: number | undefined][] = [
    ["finterval=0.002", 0.002],
    ["finterval=2,5\ntunit=ms", 0.0025],
    ["unit=um\ntunit=\\u00B5s\nfinterval=250.0", 0.00025],
    ["finterval=0.5\ntunit=min", 30],
    ["finterval=0", undefined],
    ["finterval=3\ntunit=frames", undefined],
    ["finterval=many", undefined],
    ["spacing=1.5", undefined],
  ];
  for (const [fields, seconds] of rows) {
    assert.equal(readFrameInterval(`ImageJ=1.54f\nimages=1\n${fields}\n`), seconds, fields);
  }
  assert.equal(readFrameInterval("finterval=0.002\n"), undefined);
});
