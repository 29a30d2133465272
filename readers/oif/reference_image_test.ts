import { deepEqual, equal } from "node:assert/strict";
import { findRegionName } from "./plane_settings.ts";
import { scanLine } from "./reference_image.ts";
import { OifSettings } from "./settings.ts";

const shape = (shape: number, x: string, y: string, angle = "0") =>
  `[ROIBase Body]\nSHAPE=${shape}\nX=${x}\nY=${y}\nANGLE=${angle}\n`;

const SHAPE = { rows: 30, columns: 40 };

/** Rows have 11 pixels. */
const lineOf = (text: string) => scanLine(new OifSettings(text, "it"), SHAPE, 11);

const NONE = { lineRoi: null, scanPath: null };

Deno.test("takes a straight line of ten pixels as the line and the path", () => {
  // 6 across and 8 down: 10 pixels long, one less than a row has.
  deepEqual(lineOf(shape(5, "1,2", "1,2") + shape(3, "4,10", "3,11")), {
    lineRoi: [4, 3, 10, 11],
    scanPath: { x: [4, 10], y: [3, 11] },
  });
});

Deno.test("turns polylines and freehand lines into paths", () => {
  for (const kind of [4, 10]) {
    deepEqual(lineOf(shape(kind, "1,6,6", "1,1,6")), {
      lineRoi: null,
      scanPath: { x: [1, 6, 6], y: [1, 1, 6] },
    });
  }
});

Deno.test("accepts a line as the path if its length differs from a row by at most two pixels", () => {
  // Rows of 11 pixels: 10 - 2 to 11 + 2, along the first row.
  for (const [length, fits] of [[7, false], [8, true], [13, true], [14, false]] as const) {
    const { lineRoi } = lineOf(shape(3, `0,${length}`, "0,0"));
    deepEqual(lineRoi, fits ? [0, 0, length, 0] : null, `${length}`);
  }
  // 9.434 pixels, of which the nearest whole number counts.
  deepEqual(lineOf(shape(3, "0,8", "0,5")).lineRoi, [0, 0, 8, 5]);
  // The last row and column are 29 and 39.
  deepEqual(lineOf(shape(3, "29,39", "29,29")).lineRoi, [29, 29, 39, 29]);
  deepEqual(lineOf(shape(3, "30,40", "29,29")), NONE);
  deepEqual(lineOf(shape(3, "29,39", "30,30")), NONE);
});

Deno.test("ignores regions that the laser cannot have followed", () => {
  const texts = [
    shape(5, "4,10", "3,11"),
    shape(3, "4,30", "3,11"),
    shape(3, "4,10", "24,32"),
    shape(3, "-1,5", "3,11"),
    shape(3, "4,10", "3,11", "45"),
    shape(3, "4,10", "3"),
    shape(3, "4,x", "3,11"),
    shape(3, "4,x,10", "3,11"),
    shape(4, "4,,10", "3,11"),
    shape(3, "4,7,10", "3,7,11"),
    shape(3, "4", "3"),
    shape(4, Array(70_000).fill(1).join(), Array(70_000).fill(1).join()),
    "[ROIBase Body]\nSHAPE=3\n",
    "[ROI Body]\n",
  ];
  for (const text of texts) deepEqual(lineOf(text), NONE, text.slice(0, 60));
  // One point is not a line, however short the row.
  deepEqual(scanLine(new OifSettings(shape(4, "4", "3"), "it"), SHAPE, 1), NONE);
});

Deno.test("looks up the regions of an image in the folder only", () => {
  const name = (value: string) =>
    findRegionName(new OifSettings(`[ROI Parameter]\nROIFileName="${value}"\n`, "it"));
  equal(name("12-34"), "s_12-34.roi");
  equal(name("s_12-34.roi"), "s_12-34.roi");
  equal(name("../../12-34"), "s_12-34.roi");
  equal(name(""), null);
  equal(findRegionName(null), null);
});
