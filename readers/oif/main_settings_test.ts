import { deepEqual } from "node:assert/strict";
import { codesOf } from "../../tests/warning_codes.ts";
import { mainSettings, rowDoubts, sizeDoubts } from "./main_settings.ts";
import { Settings } from "./settings.ts";

/** A plane of 6 x 5 of 16 bits. */
const PAGE = { width: 6, height: 5, bits: [16] };

const main = (order: string, sizes: Record<string, number>) =>
  mainSettings(
    new Settings(
      `[Axis Parameter Common]\nAxisOrder="${order}"\n` +
        Object.entries(sizes).map(([code, size], n) =>
          `[Axis ${n} Parameters Common]\nAxisCode="${code}"\nMaxSize=${size}\n`
        ).join(""),
      "it",
    ),
  );

const doubts = (...facts: Parameters<typeof sizeDoubts>) => codesOf(sizeDoubts(...facts));

const image = (values: string) => new Settings(`[Image Parameters]\n${values}`, "it");

Deno.test("agreeing or missing sizes cause no warning", () => {
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

Deno.test("each size and depth that disagrees is a warning", () => {
  deepEqual(doubts(main("XYC", { X: 7, Y: 4 }), null, PAGE), ["metadata_disagree", "metadata_disagree"]);
  deepEqual(doubts(main("XZC", { X: 6, Z: 4, Y: 5 }), null, PAGE), ["metadata_disagree"]);
  for (const values of ["ImageWidth=7\nImageHeight=5\n", "ImageWidth=6\nImageHeight=4\n", "ImageDepth=1\n"]) {
    deepEqual(doubts(main("XYC", {}), image(values), PAGE), ["metadata_disagree"]);
  }
});

Deno.test("more lines than planned are a warning", () => {
  const lines = (planned: number) => codesOf(rowDoubts(main("XTC", { T: planned }), 5));
  deepEqual([lines(6), lines(5), lines(0), lines(1)], [[], [], [], []]);
  deepEqual(lines(4), ["metadata_disagree"]);
  deepEqual(rowDoubts(main("XYC", { T: 4 }), 5), []);
});
