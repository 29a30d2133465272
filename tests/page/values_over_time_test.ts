/** Ranges of charts over time. */
import assert from "node:assert/strict";
import { chooseRange } from "../../static/demo/v2/measuring/values_over_time.ts";

Deno.test("shows all values of short curves, and leaves single outliers of long ones out", () => {
  const rangeOfCurve = (count: number, outlier: number) => {
    const values = Float64Array.from({ length: count }, (_, i) => i === 3 ? outlier : i % 2);
    return chooseRange({ curves: [{ values }], points: [], level: null }, { from: 0, to: count });
  };
  // The plane of a focus series with a cell in focus.
  assert(rangeOfCurve(9, 50).high > 50);
  // A line of a line scan with a cosmic ray.
  assert(rangeOfCurve(1000, 50).high < 2);
});
