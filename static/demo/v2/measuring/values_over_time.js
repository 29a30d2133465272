/**
 * Values over time that a measurement has found, for charts, plots and marks over the picture, and the range of a chart.
 *
 * @typedef {{low: number, high: number}} Range
 * @typedef {object} Ranged
 * @property {readonly {values: Float64Array}[]} curves one value per line
 * @property {readonly {line: number, value: number}[]} points
 * @property {number | null} level that the range includes
 * @property {number} [least] smallest extent, as a fraction of the greatest value
 *
 * @typedef {object} Series
 * @property {string} title of the values
 * @property {readonly {line: number, value: number, opacity: number}[]} points
 * @property {readonly {line: number, value: number}[]} gaps items without a value (NaN), and those left out by hand
 */
import { rounded } from "../../../measure/axes.js";
import { verdictOf } from "../../../measure/measurement.js";
import { extent } from "../../../measure/traces.js";

/** @import { Axes, Item, Measurement, OverTime } from "../../../measure/measurement.js" */

const OUTLINE = "#ffeb3b";

/** Whether an item has a value that was not left out. @param {OverTime} overTime @param {Item} item @param {Axes} axes */
export const counts = (overTime, item, axes) =>
  !item.isLeftOut && Number.isFinite(overTime.value(item, axes));

/** @param {OverTime} overTime @param {readonly Item[]} found @param {Axes} axes @returns {Series} */
export function seriesOf(overTime, found, axes) {
  const isGap = (/** @type {Item} */ item) => !counts(overTime, item, axes);
  const placed = (/** @type {Item} */ item) => ({ line: item.line, value: overTime.value(item, axes) });
  const valuesAt = (/** @type {Item} */ item) =>
    [overTime.value(item, axes), overTime.second?.(item, axes) ?? NaN].filter(Number.isFinite);
  return {
    title: `${overTime.name} (${unitOf(overTime, axes)})`,
    points: found.filter((item) => !isGap(item)).flatMap((item) =>
      valuesAt(item).map((value) => ({
        line: item.line,
        value,
        // The least certain points stay visible.
        opacity: 0.25 + 0.75 * Math.min(1, Math.max(0, overTime.certainty?.(item) ?? 1)),
      }))
    ),
    gaps: found.filter(isGap).map(placed),
  };
}

/** Value of an item with its error, or why it has none. @param {OverTime} overTime @param {Item} item @param {Axes} axes */
export const valueText = (overTime, item, axes) =>
  counts(overTime, item, axes)
    ? [
      `${rounded(overTime.value(item, axes))} ${unitOf(overTime, axes)} ${overTime.error?.(item) ?? ""}`
        .trim(),
      ...[overTime.second?.(item, axes) ?? NaN].filter(Number.isFinite)
        .map((second) => `and ${rounded(second)} ${unitOf(overTime, axes)}`),
    ].join(" ")
    : verdictOf(item);

/** Unit as the page shows it. @param {OverTime} overTime @param {Axes} axes */
const unitOf = (overTime, axes) => overTime.unit(axes).replace(/^um/, "µm");

/** Marks of the results over the picture. @param {Measurement} measurement @param {readonly Item[]} found @param {Axes} axes @param {(x: number, y: number) => [number, number]} toScreen @returns {import("../picture/marks.js").Mark[]} */
export function outlineMarks({ outline, overTime }, found, axes, toScreen) {
  if (outline === undefined) return [];
  const lines = overTime === undefined
    ? found.map(outline)
    : edgesOf(found.map((item) => counts(overTime, item, axes) ? outline(item) : null));
  return lines.map((line) => ({
    points: line.map(({ x, y }) => toScreen(x, y)),
    color: OUTLINE,
    width: 1.5,
    halo: true,
  }));
}

/** Lines along both edges, with a gap where a value has no edge. @param {readonly (readonly {x: number, y: number}[] | null)[]} outlines */
function edgesOf(outlines) {
  /** @type {{x: number, y: number}[][]} */
  const lines = [];
  let isGoing = false;
  for (const ends of outlines) {
    if (ends !== null) {
      if (!isGoing) lines.push(...ends.map(() => []));
      ends.forEach((end, side) => lines.at(side - ends.length)?.push(end));
    }
    isGoing = ends !== null;
  }
  return lines;
}

/** `least` of values over time: nearly equal values look equal. */
export const SERIES_RANGE = 0.3;

/**
 * Range of the visible values, with a margin. Ignores single outliers that would squeeze the other values into half of
 * the height or less.
 *
 * @type {(content: Ranged, span: {from: number, to: number}) => Range}
 */
export function rangeOf({ curves, points, level, least = 0 }, { from, to }) {
  const extents = curves.map(({ values }) =>
    extentOf(values.subarray(Math.max(0, Math.floor(from)), Math.max(0, Math.ceil(to))))
  );
  const seen = points.filter(({ line }) => line + 0.5 >= from && line + 0.5 <= to);
  extents.push(extentOf(Float64Array.from(seen, ({ value }) => value)));
  if (level !== null) extents.push([level, level]);
  const low = Math.min(...extents.map(([least]) => least));
  const high = Math.max(...extents.map(([, most]) => most));
  if (!(high >= low)) return { low: 0, high: 1 };
  const more = (least * Math.max(Math.abs(low), Math.abs(high)) - (high - low)) / 2;
  const margin = Math.max(more, (high - low) * 0.06) || Math.abs(high) * 0.05 || 0.5;
  return { low: low - margin, high: high + margin };
}

/** Least and greatest value, without single outliers that take half of the range or more. @param {Float64Array} values @returns {[number, number]} */
function extentOf(values) {
  const whole = extent(values);
  // The median of three neighbours is no single outlier.
  const inner = extent(values.map((value, i) => {
    const [before, after] = [values[i - 1] ?? NaN, values[i + 1] ?? NaN];
    return Math.max(Math.min(before, value), Math.min(Math.max(before, value), after));
  }));
  const length = inner[1] - inner[0];
  return length > 0 && whole[1] - whole[0] >= 2 * length ? inner : whole;
}
