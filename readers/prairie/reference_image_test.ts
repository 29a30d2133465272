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

Deno.test("a path outside the source image is left out with a warning", () => {
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
