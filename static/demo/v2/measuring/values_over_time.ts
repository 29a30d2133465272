/**
 * Values over time that a measurement has found, for charts, plots and marks over the picture, and the range of a chart.
 */
import { formatRounded, showGreek } from "../../../measure/axes.ts";
import {
  type Item,
  type Measurement,
  type OverTime,
  type ScanSampling,
  takeVerdict,
} from "../../../measure/measurement.ts";
import { findExtent } from "../../../measure/traces.ts";
import type { Mark } from "../picture/marks.ts";

/** Lowest and highest value of a chart. */
export type Range = { low: number; high: number };

/** What the range of a chart is chosen for. */
export interface Ranged {
  /** One value per line. */
  curves: readonly { values: Float64Array }[];
  points: readonly { line: number; value: number; spread?: number }[];
  /** Level that the range includes. */
  level: number | null;
  /** Smallest extent, as a fraction of the greatest value. */
  least?: number;
}

/** A value of a chart; `opacity` is 0 to 1. */
export interface SeriesPoint {
  line: number;
  value: number;
  /** Standard error; NaN if unknown. */
  spread: number;
  opacity: number;
  color: string;
  /** Result that it belongs to. */
  of: number;
}

/** Values over time as a chart shows them. */
export interface ChartSeries {
  /** Title of the values. */
  title: string;
  points: readonly SeriesPoint[];
  /** Names and colours of several results. */
  legend: readonly { name: string; color: string }[];
  /** Items without a value (NaN), and those left out by hand. */
  gaps: readonly { line: number; value: number }[];
}

const OUTLINE = "#ffeb3b";

/** Whether an item has a value that was not left out. */
export const countsAsValue = (overTime: OverTime, item: Item, axes: ScanSampling): boolean =>
  !item.isLeftOut && Number.isFinite(overTime.value(item, axes));

/** The values of found items as a {@linkcode ChartSeries}, in units of the axes. @param all in CSS colours, if they are named */
export function makeChartSeries(
  overTime: OverTime,
  all: readonly { items: readonly Item[]; name: string; color: string }[],
  axes: ScanSampling,
): ChartSeries {
  const isGap = (item: Item) => !countsAsValue(overTime, item, axes);
  const placed = (item: Item) => ({ line: item.line, value: overTime.value(item, axes) });
  const valuesAt = (item: Item) =>
    [overTime.value(item, axes), overTime.second?.(item, axes) ?? NaN].filter(Number.isFinite);
  const colorOf = ({ name, color }: { name: string; color: string }) => name === "" ? "" : color;
  return {
    title: `${overTime.name} (${showUnit(overTime, axes)})`,
    points: all.flatMap((one, of) =>
      one.items.filter((item) => !isGap(item)).flatMap((item) =>
        valuesAt(item).map((value, i) => ({
          line: item.line,
          value,
          // That of a second value is unknown.
          spread: i > 0 ? NaN : overTime.spread?.(item, axes) ?? NaN,
          of,
          // The least certain points stay visible.
          opacity: 0.25 + 0.75 * Math.min(1, Math.max(0, overTime.certainty?.(item) ?? 1)),
          color: colorOf(one),
        }))
      )
    ),
    legend: all.filter(({ name }) => name !== "").map((one) => ({ name: one.name, color: colorOf(one) })),
    gaps: all.flatMap(({ items }) => items.filter(isGap).map(placed)),
  };
}

/** Value of an item with its error, or why it has none. */
export const formatItemValue = (overTime: OverTime, item: Item, axes: ScanSampling): string =>
  countsAsValue(overTime, item, axes)
    ? [
      `${formatRounded(overTime.value(item, axes))} ${showUnit(overTime, axes)} ${
        overTime.error?.(item) ?? ""
      }`
        .trim(),
      ...[overTime.second?.(item, axes) ?? NaN].filter(Number.isFinite)
        .map((second) => `and ${formatRounded(second)} ${showUnit(overTime, axes)}`),
    ].join(" ")
    : takeVerdict(item);

/** Unit as the page shows it. */
const showUnit = (overTime: OverTime, axes: ScanSampling) => showGreek(overTime.unit(axes));

/** Marks of the results over the picture. */
export function drawOutlines(
  { outline, overTime }: Measurement,
  found: readonly Item[],
  axes: ScanSampling,
  toScreen: (x: number, y: number) => [number, number],
): Mark[] {
  if (outline === undefined) return [];
  const lines = overTime === undefined
    ? found.map(outline)
    : listEdges(found.map((item) => countsAsValue(overTime, item, axes) ? outline(item) : null));
  return lines.map((line) => ({
    points: line.map(({ x, y }) => toScreen(x, y)),
    color: OUTLINE,
    width: 1.5,
    halo: true,
  }));
}

/** Lines along both edges, with a gap where a value has no edge. */
function listEdges(outlines: readonly (readonly { x: number; y: number }[] | null)[]) {
  const lines: { x: number; y: number }[][] = [];
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

/** Fewer values of a curve than this are all worth seeing, such as the plane of a focus series that has a cell in focus. */
const MANY_VALUES = 100;

/**
 * Range of the visible values, with a margin. Ignores single outliers of points and of long curves that would squeeze the
 * other values into half of the height or less.
 */
export function chooseRange(
  { curves, points, level, least = 0 }: Ranged,
  { from, to }: { from: number; to: number },
): Range {
  const extents = curves.map(({ values }) => {
    const seen = values.subarray(Math.max(0, Math.floor(from)), Math.max(0, Math.ceil(to)));
    return seen.length < MANY_VALUES ? findExtent(seen) : findUsualExtent(seen);
  });
  const seen = points.filter(({ line }) => line + 0.5 >= from && line + 0.5 <= to);
  extents.push(
    ...[-1, 1].map((side) =>
      findUsualExtent(Float64Array.from(seen, ({ value, spread = NaN }) => value + side * (spread || 0)))
    ),
  );
  if (level !== null) extents.push([level, level]);
  const low = Math.min(...extents.map(([least]) => least));
  const high = Math.max(...extents.map(([, most]) => most));
  if (!(high >= low)) return { low: 0, high: 1 };
  const more = (least * Math.max(Math.abs(low), Math.abs(high)) - (high - low)) / 2;
  const margin = Math.max(more, (high - low) * 0.06) || Math.abs(high) * 0.05 || 0.5;
  return { low: low - margin, high: high + margin };
}

/** Least and greatest value, without single outliers that take half of the range or more. */
function findUsualExtent(values: Float64Array): [number, number] {
  const whole = findExtent(values);
  // The median of three neighbours is not a single outlier.
  const inner = findExtent(values.map((value, i) => {
    const [before, after] = [values[i - 1] ?? NaN, values[i + 1] ?? NaN];
    return Math.max(Math.min(before, value), Math.min(Math.max(before, value), after));
  }));
  const length = inner[1] - inner[0];
  return length > 0 && whole[1] - whole[0] >= 2 * length ? inner : whole;
}
