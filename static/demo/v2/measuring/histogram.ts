/** A histogram of what a measurement has found, in the colours of the page. */
import { formatCount, formatRounded } from "../../../measure/axes.ts";
import { findExtent } from "../../../measure/traces.ts";
import { svgElement } from "../controls/element.ts";
import { layoutFrame } from "../picture/frame.ts";
import { makeSvgMarks, measureLabel } from "../picture/marks.ts";

/** Size in CSS pixels. */
const [WIDTH, HEIGHT] = [250, 118];

/** Fewer values have no shape. */
const FEWEST = 5;

/** Most bars: more would be thinner than they are apart. */
const MOST_BARS = 25;

/**
 * A histogram with as many bars as the square root of the number of values.
 *
 * @param values NaN for missing ones
 * @param title of the values, with their unit
 * @returns nothing for few or equal values
 */
export function makeHistogram(values: Float64Array, title: string): SVGSVGElement[] {
  const known = values.filter(Number.isFinite);
  const [low, high] = findExtent(known);
  if (known.length < FEWEST || !(high > low)) return [];
  const bars = Math.min(MOST_BARS, Math.ceil(Math.sqrt(known.length)));
  const counts = new Array<number>(bars).fill(0);
  for (const value of known) {
    counts[Math.min(bars - 1, Math.floor((value - low) / (high - low) * bars))]! += 1;
  }
  const most = Math.max(...counts);
  const { plot, marks } = layoutFrame({
    width: WIDTH,
    height: HEIGHT,
    x: { low, high, title },
    y: { low: most * 1.05, high: 0, title: "Number" },
    aspect: null,
    measure: measureLabel,
    isStrip: true,
  });
  const [wide, unit] = [plot.width / bars, plot.height / (most * 1.05)];
  const drawn = counts.map((count, i) =>
    svgElement("rect", {
      x: plot.left + i * wide + 0.5,
      y: plot.top + plot.height - count * unit,
      width: Math.max(1, wide - 1),
      height: count * unit,
      fill: "var(--accent)",
    })
  );
  const label = `${title}: ${formatCount(known.length)} values from ${formatRounded(low)} to ${
    formatRounded(high)
  }`;
  const attributes = {
    class: "values-histogram",
    width: WIDTH,
    height: HEIGHT,
    role: "img",
    "aria-label": label,
  };
  return [svgElement("svg", attributes, ...drawn, ...makeSvgMarks(marks))];
}
