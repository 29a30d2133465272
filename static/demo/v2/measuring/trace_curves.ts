/** The screen columns that the curves of a chart fill; chart.ts draws them. */
import { connectSamples, type Curve } from "../picture/chart.ts";
import { computeEnvelope } from "../picture/reduction.ts";

/** A curve over the lines of a line scan. */
export interface ChartCurve {
  name?: string;
  color: string;
  dash?: string;
  /** One per line. */
  values: Float64Array;
}

/** Colour of F₀ and of thresholds above it, over traces of any colour. */
export const BASELINE_COLOR = "#808080";

/**
 * The curve in the screen columns between two lines.
 *
 * @param span lines at the edges
 * @param count columns
 * @param density columns in a CSS pixel
 */
export function computeCurveColumns(
  { values, color, dash = "" }: ChartCurve,
  { from, to }: { from: number; to: number },
  count: number,
  density: number,
): Curve {
  const [first, last] = [Math.max(0, Math.floor(from) - 1), Math.min(values.length, Math.ceil(to) + 2)];
  const samples = Float32Array.from(values.subarray(first, last));
  const columns = to - from > count
    ? connectColumns(
      computeEnvelope(samples, from - first, to - first, count, ["min", "max"]) as [
        Float32Array,
        Float32Array,
      ],
    )
    : connectSamples(samples, from - first, to - first, count);
  if (dash !== "") interrupt(columns, dash.split(" ").map((length) => Number(length) * density));
  return { color, lows: null, highs: null, ...columns };
}

/** A line from the least to the greatest value in each column, without gaps between columns. */
function connectColumns([lows, highs]: [Float32Array, Float32Array]) {
  const [bottoms, tops] = [lows.slice(), highs.slice()];
  for (let x = 1; x < lows.length; x += 1) {
    // Both comparisons are false if a column has no value (NaN).
    if (tops[x - 1]! < lows[x]!) bottoms[x] = tops[x - 1]!;
    if (bottoms[x - 1]! > highs[x]!) tops[x] = bottoms[x - 1]!;
  }
  return { bottoms, tops };
}

/** Clears the gaps of a dashed line. */
function interrupt(
  { bottoms, tops }: { bottoms: Float32Array; tops: Float32Array },
  lengths: readonly number[],
) {
  const period = lengths.reduce((sum, length) => sum + length, 0);
  for (let x = 0; x < tops.length; x += 1) {
    let [place, part] = [x % period, 0];
    while (place >= lengths[part]!) {
      place -= lengths[part]!;
      part += 1;
    }
    if (part % 2 === 1) bottoms[x] = tops[x] = NaN;
  }
}
