/** Marks of bands over the line scan and over the path of its reference. */
import { placeOfColumn } from "../picture/scan_path.js";

/** @typedef {import("../picture/marks.js").Mark} Mark */
/** @typedef {import("../picture/placed_view.js").Point} Point */

/**
 * @param {readonly import("./bands.js").Band[]} bands
 * @param {{view: {x0: number, x1: number}, toScreen: (x: number, y: number) => [number, number]}} pane
 * @returns {Mark[]}
 */
export function bandMarks(bands, pane) {
  const { view } = pane;
  return bands.flatMap(({ name, color, from, to }) => {
    const corners = [[view.x0, from], [view.x1, from], [view.x1, to], [view.x0, to]]
      .map(([x, y]) => pane.toScreen(/** @type {number} */ (x), /** @type {number} */ (y)));
    const [a, b, c, d] = /** @type {[number, number][]} */ (corners);
    const edge = { color, width: 1.5, halo: true };
    const [left, top] = [Math.min(...corners.map(([x]) => x)), Math.min(...corners.map(([, y]) => y))];
    /** @type {Mark[]} */
    const label = name === ""
      ? []
      : [{ text: name, at: [left + 6, top + 9], anchor: "start", color, halo: true }];
    return [{ points: [a, b], ...edge }, { points: [d, c], ...edge }, ...label];
  });
}

/**
 * The parts of the path that belong to the bands.
 *
 * @param {readonly import("./bands.js").Band[]} bands
 * @param {readonly Point[]} path
 * @param {number} columns
 * @param {{toScreen: (x: number, y: number) => [number, number]}} pane
 * @returns {Mark[]}
 */
export function pathMarks(bands, path, columns, pane) {
  if (path.length === 0) return [];
  return bands.map(({ from, to, color }) => {
    const places = Array.from({ length: to - from }, (_, i) => placeOfColumn(path, columns, from + i));
    const points = places.map(({ x, y }) => pane.toScreen(y + 0.5, x + 0.5));
    if (points.length === 1) points.push(/** @type {[number, number]} */ ([points[0][0] + 2, points[0][1]]));
    return { points, color, width: 4, halo: true };
  });
}
