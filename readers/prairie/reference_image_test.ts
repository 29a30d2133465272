import { deepEqual, equal } from "node:assert/strict";
import { codesOf } from "../../tests/warning_codes.ts";
import type { PvLine } from "../metadata/pvscan.ts";
import { NO_PATH } from "../metadata/reference.ts";
import { scanPath } from "./reference_image.ts";

const SIZE = { columns: 64, rows: 48 };
const LINE: PvLine = {
  mode: "straightLine",
  source: { columns: 64, rows: 48 },
  straight: { x0: 11, x1: 43, y: 17 },
  length: 8,
  points: [],
};

Deno.test("gives the path of a straight line its two ends, in one row", () => {
  deepEqual(scanPath(LINE, SIZE, 33), {
    path: { lineRoi: [11, 17, 43, 17], scanPath: { x: [11, 43], y: [17, 17] } },
    warnings: [],
  });
  // Version 4 does not state the frame.
  deepEqual(scanPath({ ...LINE, source: { columns: null, rows: null } }, SIZE, 33).path.lineRoi, [
    11,
    17,
    43,
    17,
  ]);
});

Deno.test("gives a freehand line its points and no straight ends", () => {
  const points = [{ x: 0, y: 47 }, { x: 63, y: 0 }, { x: 5.5, y: 3 }];
  deepEqual(scanPath({ ...LINE, mode: "freeHand", points }, SIZE, 3), {
    path: { lineRoi: null, scanPath: { x: [0, 63, 5.5], y: [47, 0, 3] } },
    warnings: [],
  });
});

Deno.test("leaves out a path outside the source image, with a warning", () => {
  const hand = (points: PvLine["points"]): PvLine => ({ ...LINE, mode: "freeHand", points });
  const inside = { x: 1, y: 1 };
  const cases: PvLine[] = [
    hand([]),
    hand([inside]),
    hand([inside, { x: 64, y: 1 }]),
    hand([inside, { x: 1, y: 48 }]),
    hand([inside, { x: null, y: 1 }]),
    hand(Array.from({ length: 65_537 }, () => inside)),
    { ...LINE, mode: "spiral" },
    { ...LINE, source: { columns: 128, rows: 48 } },
    { ...LINE, straight: { x0: null, x1: 3, y: 3 } },
  ];
  for (const line of cases) {
    const { path, warnings } = scanPath(line, SIZE, 33);
    deepEqual([path, codesOf(warnings)], [NO_PATH, ["reference_unreadable"]]);
  }
  equal(scanPath(null, SIZE, 33).warnings.length, 0);
});

Deno.test("serves a path whose length differs from the columns, with a warning", () => {
  // From 11 to 43 are 33 pixels.
  const { path, warnings } = scanPath(LINE, SIZE, 32);
  deepEqual(path.scanPath, { x: [11, 43], y: [17, 17] });
  deepEqual(codesOf(warnings), ["metadata_disagree"]);
  const points = [{ x: 0, y: 47 }, { x: 63, y: 0 }];
  const hand = scanPath({ ...LINE, mode: "freeHand", points }, SIZE, 3);
  equal(hand.path.scanPath?.x.length, 2);
  deepEqual(codesOf(hand.warnings), ["metadata_disagree"]);
});
