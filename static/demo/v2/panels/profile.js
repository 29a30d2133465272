/** Charts the values of the shown channels along one axis of the picture through the cursor. */
import { extent } from "../../../measure/traces.js";
import { drawChart, throughColumns, throughSamples } from "../picture/chart.js";
import { lutColor } from "../picture/lut.js";
import { svgMarks } from "../picture/marks.js";
import { envelope } from "../picture/reduction.js";

/**
 * Samples of a plane through the cursor: along picture x (`"x"`, the plane's rows) or picture y (`"y"`, its columns).
 *
 * @param {Float32Array} samples row-major as served
 * @param {readonly number[]} shape `[rows, columns]`
 * @param {"x" | "y"} along
 * @param {{x: number, y: number}} cursor picture pixel
 * @returns {Float32Array}
 */
export function profileValues(samples, [rows = 0, columns = 0], along, cursor) {
  if (along === "y") return samples.subarray(cursor.x * columns, (cursor.x + 1) * columns);
  const values = new Float32Array(rows);
  for (let row = 0, at = cursor.y; row < rows; row += 1, at += columns) values[row] = samples[at];
  return values;
}

/**
 * A curve of `count` screen columns: a band from minimum to maximum with the mean if samples are narrower than
 * columns, else a line through the samples.
 *
 * @param {Float32Array} values
 * @param {number} from
 * @param {number} to
 * @param {number} count
 * @returns {Omit<import("../picture/chart.js").Curve, "color">}
 */
function curveOf(values, from, to, count) {
  if (to - from <= count) return { lows: null, highs: null, ...throughSamples(values, from, to, count) };
  const [lows, highs, means] = envelope(values, from, to, count, ["min", "max", "mean"]);
  return { lows, highs, ...throughColumns(means) };
}

/**
 * Draws the chart; without a cursor it is empty.
 *
 * @param {{canvas: HTMLCanvasElement, svg: SVGElement}} chart of the same size
 * @param {import("../picture/channel_group.js").ChannelGroup} group
 * @param {"x" | "y"} along
 * @param {{x: number, y: number} | null} cursor
 * @param {{view: import("../picture/orientation.js").View, edges: {left: number, width: number} | null, isReversed: boolean}} place
 *   view of the picture, its edges to align with, and whether its first sample lies at the right
 * @returns {boolean} whether the chart has content
 */
export function drawProfile({ canvas, svg }, group, along, cursor, { view, ...place }) {
  const size = svg.getBoundingClientRect();
  const [from, to] = along === "x" ? [view.x0, view.x1] : [view.y0, view.y1];
  const lines = cursor === null ? [] : group.shown.map((channel) => ({
    color: lutColor(channel.lutName),
    values: profileValues(channel.samples, group.plane.shape, along, cursor),
  }));
  const range = valueRange(lines, Math.max(0, Math.floor(from) - 1), Math.ceil(to) + 1);
  if (cursor === null || range === null || size.width < 60 || size.height < 40) {
    canvas.width = 0;
    svg.replaceChildren();
    return false;
  }
  const [axis, position] = along === "x" ? [group.plane.axes[0], cursor.x] : [group.plane.axes[1], cursor.y];
  const { plot, marks, across } = drawChart(
    canvas,
    size,
    { axis, from, to, ...place },
    range,
    (columns) => lines.map(({ color, values }) => ({ color, ...curveOf(values, from, to, columns) })),
  );
  const at = across(position);
  if (at >= plot.left && at <= plot.left + plot.width) {
    const points = [[at, plot.top], [at, plot.top + plot.height]];
    marks.push({ points, color: "rgba(255, 255, 255, 0.7)", dash: "4 3" });
  }
  svg.replaceChildren(...svgMarks(marks));
  return true;
}

/** Range of the visible values with a margin; null if there are none. @param {readonly {values: Float32Array}[]} lines @param {number} first @param {number} end */
function valueRange(lines, first, end) {
  const extents = lines.map(({ values }) => extent(values, first, Math.min(end, values.length)));
  const [low, high] = [
    Math.min(...extents.map(([least]) => least)),
    Math.max(...extents.map(([, most]) => most)),
  ];
  if (!(high >= low)) return null;
  const margin = (high - low) * 0.05 || 0.5;
  return { low: low - margin, high: high + margin, title: "" };
}
