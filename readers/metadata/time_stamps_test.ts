import { deepEqual, equal } from "node:assert/strict";
import type { Acquisition, AxisLetter } from "../reader.ts";
import { timeDoubts } from "./axes.ts";
import { MAX_TIMES, meanStep, timesFrom } from "./time_stamps.ts";

const LINE_SCAN = { secondsPerLine: null, secondsPerPixel: null, bidirectional: null };

/** The warnings for an axis with this step and these stamps. */
function doubts(
  name: AxisLetter,
  { step, unit = "seconds", times, size = times?.length ?? 3, lineScan = null }: {
    readonly step: number;
    readonly unit?: string;
    readonly times: readonly number[] | null;
    readonly size?: number;
    readonly lineScan?: Acquisition["lineScan"];
  },
): string[] {
  const axes = [{ name, size, step, unit }];
  return timeDoubts({ axes, times, lineScan } as unknown as Acquisition).map(({ code, text }) =>
    `${code}: ${text}`
  );
}

Deno.test("counts ascending stamps from the first", () => {
  deepEqual(timesFrom([5, 5.5, 7]), [0, 0.5, 2]);
  deepEqual(timesFrom(Float64Array.of(-500, 250), 1000), [0, 0.75]);
  for (const stamps of [null, [], [1], [1, NaN, 2], [NaN, 1], [0, Infinity], [0, 0], [0, 2, 1]]) {
    equal(timesFrom(stamps), null, String(stamps));
  }
  const longest = Float64Array.from({ length: MAX_TIMES }, (_, i) => i);
  equal(timesFrom(longest)?.length, MAX_TIMES);
  equal(timesFrom([-1, ...longest]), null);
});

Deno.test("takes the mean step from the first to the last stamp", () => {
  equal(meanStep([3, 9, 6]), 1.5);
  for (const stamps of [null, [1], [1, 1], [2, 1], [NaN, 1], [0, Infinity]]) equal(meanStep(stamps), null);
});

Deno.test("warns with both values when a step differs from the time stamps by more than one percent", () => {
  deepEqual(doubts("T", { step: 1, times: [0, 2, 4] }), [
    "metadata_disagree: The step along T is stated as 1 seconds; the time stamps are 2 seconds apart on average",
  ]);
  deepEqual(doubts("Y", { step: 0.001, times: [0, 0.002, 0.004], lineScan: LINE_SCAN }), [
    "metadata_disagree: The step along Y is stated as 0.001 seconds; the time stamps are 0.002 seconds apart on average",
  ]);
  equal(doubts("T", { step: 1, times: [0, 1.02] }).length, 1);
  // The rows of a frame are not time.
  equal(doubts("Y", { step: 0.001, times: [0, 2, 4] }).length, 0);
});

Deno.test("ignores small differences, and axes without stamps or seconds", () => {
  equal(doubts("T", { step: 1, times: [0, 1.009] }).length, 0);
  equal(doubts("T", { step: 1, times: null }).length, 0);
  equal(doubts("T", { step: 1, times: [0] }).length, 0);
  equal(doubts("T", { step: 1, times: [0, 5], size: 3 }).length, 0);
  equal(doubts("T", { step: 1, unit: "Pixels", times: [0, 5, 9] }).length, 0);
});
