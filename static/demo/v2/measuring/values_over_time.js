/**
 * Values over time that a measurement has found, for charts, plots and marks over the picture.
 *
 * @typedef {object} Series
 * @property {string} title of the values
 * @property {readonly {line: number, value: number, opacity: number}[]} points
 * @property {readonly {line: number, value: number}[]} gaps items without a value (NaN), and those left out by hand
 */
import { rounded } from "../../../measure/axes.js";
import { verdictOf } from "../../../measure/measurement.js";

/** @import { Axes, Item, Measurement, OverTime } from "../../../measure/measurement.js" */

const OUTLINE = "#ffeb3b";

/** Whether an item has a value that was not left out. @param {OverTime} overTime @param {Item} item @param {Axes} axes */
export const counts = (overTime, item, axes) =>
  !item.isLeftOut && Number.isFinite(overTime.value(item, axes));

/** @param {OverTime} overTime @param {readonly Item[]} found @param {Axes} axes @returns {Series} */
export function seriesOf(overTime, found, axes) {
  const isGap = (/** @type {Item} */ item) => !counts(overTime, item, axes);
  const placed = (/** @type {Item} */ item) => ({ line: item.line, value: overTime.value(item, axes) });
  return {
    title: `${overTime.name} (${unitOf(overTime, axes)})`,
    points: found.filter((item) => !isGap(item)).map((item) => ({
      ...placed(item),
      // The least certain points stay visible.
      opacity: 0.25 + 0.75 * Math.min(1, Math.max(0, overTime.certainty?.(item) ?? 1)),
    })),
    gaps: found.filter(isGap).map(placed),
  };
}

/** Value of an item with its error, or why it has none. @param {OverTime} overTime @param {Item} item @param {Axes} axes */
export const valueText = (overTime, item, axes) =>
  counts(overTime, item, axes)
    ? `${rounded(overTime.value(item, axes))} ${unitOf(overTime, axes)} ${overTime.error?.(item) ?? ""}`
      .trim()
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
