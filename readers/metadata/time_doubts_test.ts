import { deepEqual, equal } from "node:assert/strict";
import type { Acquisition, AxisLetter } from "../reader.ts";
import { timeDoubts } from "./time_doubts.ts";

const LINE_SCAN = { secondsPerLine: null, secondsPerPixel: null, bidirectional: null };

/** The warnings for an axis with this step and these stamps. */
function told(
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

Deno.test("warns with both values when a step differs from the time stamps by more than one percent", () => {
  deepEqual(told("T", { step: 1, times: [0, 2, 4] }), [
    "metadata_disagree: The step along T is stated as 1 seconds; the time stamps are 2 seconds apart on average",
  ]);
  deepEqual(told("Y", { step: 0.001, times: [0, 0.002, 0.004], lineScan: LINE_SCAN }), [
    "metadata_disagree: The step along Y is stated as 0.001 seconds; the time stamps are 0.002 seconds apart on average",
  ]);
  equal(told("T", { step: 1, times: [0, 1.02] }).length, 1);
  // The rows of a frame are not time.
  equal(told("Y", { step: 0.001, times: [0, 2, 4] }).length, 0);
});

Deno.test("small differences, and axes without stamps or seconds, are not told of", () => {
  equal(told("T", { step: 1, times: [0, 1.009] }).length, 0);
  equal(told("T", { step: 1, times: null }).length, 0);
  equal(told("T", { step: 1, times: [0] }).length, 0);
  equal(told("T", { step: 1, times: [0, 5], size: 3 }).length, 0);
  equal(told("T", { step: 1, unit: "Pixels", times: [0, 5, 9] }).length, 0);
});
