/** Values of the shown channels along one axis of the picture through the cursor, as a chart. */
import { axisTitle, toPhysical } from "./axes.js";
import { svgElement } from "./element.js";
import { layoutFrame } from "./frame.js";
import { lutColor } from "./lut.js";
import { measureLabel, svgMarks } from "./marks.js";

/**
 * Samples of a plane through the cursor: along picture x (`"x"`, the plane's rows) or picture y (`"y"`, its columns).
 *
 * @param {Float32Array} samples row-major as served
 * @param {number[]} shape `[rows, columns]`
 * @param {"x" | "y"} along
 * @param {{x: number, y: number}} cursor picture pixel
 * @returns {Float32Array}
 */
export function profileValues(samples, [rows, columns], along, cursor) {
  if (along === "y") return samples.slice(cursor.x * columns, (cursor.x + 1) * columns);
  return Float32Array.from({ length: rows }, (_, row) => samples[row * columns + cursor.y]);
}

/**
 * Points of a curve over `[from, to)`, thinned to the extremes of each step where there are more samples than room.
 *
 * @returns {[number, number][]} sample position and value; gaps (NaN) split curves and are left out
 */
export function thinned(values, from, to, most) {
  const [first, last] = [Math.max(0, Math.floor(from)), Math.min(values.length, Math.ceil(to))];
  const step = Math.max(1, Math.ceil((last - first) / most));
  const points = [];
  for (let start = first; start < last; start += step) {
    let [low, high] = [-1, -1];
    for (let i = start; i < Math.min(start + step, last); i += 1) {
      if (!Number.isFinite(values[i])) continue;
      if (low < 0 || values[i] < values[low]) low = i;
      if (high < 0 || values[i] > values[high]) high = i;
    }
    if (low < 0) continue;
    const ends = low === high ? [low] : [Math.min(low, high), Math.max(low, high)];
    for (const i of ends) points.push([i, values[i]]);
  }
  return points;
}

/**
 * Draws the chart into an `<svg>`; nothing without a cursor.
 *
 * @param {SVGElement} svg
 * @param {import("./channel_group.js").ChannelGroup} group
 * @param {"x" | "y"} along
 * @param {{x: number, y: number} | null} cursor
 * @param {{x0: number, x1: number, y0: number, y1: number}} view
 */
export function drawProfile(svg, group, along, cursor, view) {
  const { width, height } = svg.getBoundingClientRect();
  if (cursor === null || width < 60 || height < 40) return svg.replaceChildren();
  const axis = group.plane.axes[along === "x" ? 0 : 1];
  const [from, to] = along === "x" ? [view.x0, view.x1] : [view.y0, view.y1];
  const curves = group.shown.map((channel) => ({
    color: lutColor(channel.lutName),
    points: thinned(profileValues(channel.samples, group.plane.shape, along, cursor), from, to, width),
  }));
  const values = curves.flatMap(({ points }) => points.map(([, value]) => value));
  const low = values.reduce((least, value) => Math.min(least, value), Infinity);
  const high = values.reduce((most, value) => Math.max(most, value), -Infinity);
  if (!(high >= low)) return svg.replaceChildren();
  const margin = (high - low) * 0.05 || 0.5;
  const { plot, marks } = layoutFrame({
    width,
    height,
    x: { low: toPhysical(axis, from), high: toPhysical(axis, to), title: axisTitle(axis) },
    // Values grow upwards.
    y: { low: high + margin, high: low - margin, title: "" },
    aspect: null,
    measure: measureLabel,
  });
  const place = ([position, value]) => [
    plot.left + ((position + 0.5 - from) / (to - from)) * plot.width,
    plot.top + ((high + margin - value) / (high - low + 2 * margin)) * plot.height,
  ];
  const at = place([along === "x" ? cursor.x : cursor.y, 0])[0];
  const lines = curves.map(({ color, points }) => ({ points: points.map(place), color, width: 1.25 }));
  if (at >= plot.left && at <= plot.left + plot.width) {
    lines.push({
      points: [[at, plot.top], [at, plot.top + plot.height]],
      color: "rgba(255, 255, 255, 0.7)",
      dash: "4 3",
    });
  }
  const ground = svgElement("rect", {
    x: plot.left,
    y: plot.top,
    width: plot.width,
    height: plot.height,
    class: "ground",
  });
  svg.replaceChildren(ground, ...svgMarks([...marks, ...lines]));
}
