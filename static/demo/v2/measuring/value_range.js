/**
 * The range of values that a chart shows.
 *
 * @typedef {{low: number, high: number}} Range
 * @typedef {object} Ranged
 * @property {readonly {values: Float64Array}[]} curves one value per line
 * @property {readonly {line: number, value: number}[]} points
 * @property {number | null} level that the range includes
 * @property {number} [least] smallest extent, as a fraction of the greatest value
 */

import { extent } from "../../../measure/traces.js";

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
