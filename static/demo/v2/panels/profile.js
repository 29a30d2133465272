/** Charts the values of the shown channels along one axis of the picture through the cursor. */
import { axisTitle, toPhysical } from "../../../measure/axes.js";
import { drawCurves, throughColumns, throughSamples } from "../picture/curve_image.js";
import { layoutFrame } from "../picture/frame.js";
import { lutColor } from "../picture/lut.js";
import { measureLabel, svgMarks } from "../picture/marks.js";
import { pixelEdges, reduceBlocks } from "../picture/reduction.js";

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
 * Minimum, maximum and mean in each of `count` equal steps of `[from, to)`. Each sample counts once.
 *
 * @param {Float32Array} values
 * @param {number} from
 * @param {number} to
 * @param {number} count at most the number of samples
 * @returns {{lows: Float32Array, highs: Float32Array, means: Float32Array}} NaN where a step has no finite value
 */
export function envelope(values, from, to, count) {
  const row = { samples: values, rows: 1, columns: values.length };
  const edges = pixelEdges(from, to, count, values.length);
  const reduced = (/** @type {import("../picture/reduction.js").Statistic} */ statistic) =>
    reduceBlocks(row, Uint32Array.of(0, 1), edges, statistic);
  return { lows: reduced("min"), highs: reduced("max"), means: reduced("mean") };
}

/**
 * A curve of `count` screen columns: a band from minimum to maximum with the mean where samples are smaller than
 * columns, else a line through the samples.
 *
 * @param {Float32Array} values
 * @param {number} from
 * @param {number} to
 * @param {number} count
 * @returns {Omit<import("../picture/curve_image.js").Curve, "color">}
 */
function curveOf(values, from, to, count) {
  if (to - from <= count) return { lows: null, highs: null, ...throughSamples(values, from, to, count) };
  const { lows, highs, means } = envelope(values, from, to, count);
  return { lows, highs, ...throughColumns(means) };
}

/**
 * Draws the chart: curves on a canvas, labels as SVG over it. Without a cursor both are empty.
 *
 * @param {{canvas: HTMLCanvasElement, svg: SVGElement}} chart of the same size
 * @param {import("../picture/channel_group.js").ChannelGroup} group
 * @param {"x" | "y"} along
 * @param {{x: number, y: number} | null} cursor
 * @param {object} place
 * @param {import("../picture/viewport.js").View} place.view of the picture
 * @param {{left: number, width: number} | null} [place.edges] of the picture above, to align with
 * @param {boolean} [place.isReversed] whether the first sample lies at the right
 * @returns {boolean} whether the chart has content
 */
export function drawProfile(
  { canvas, svg },
  group,
  along,
  cursor,
  { view, edges = null, isReversed = false },
) {
  const { width, height } = svg.getBoundingClientRect();
  const density = globalThis.devicePixelRatio;
  const context = fitted(canvas, width, height, density);
  if (cursor === null || width < 60 || height < 40) {
    svg.replaceChildren();
    return false;
  }
  const axis =
    /** @type {import("../../../measure/axes.js").Axis} */ (group.plane.axes[along === "x" ? 0 : 1]);
  const [from, to] = along === "x" ? [view.x0, view.x1] : [view.y0, view.y1];
  const lines = group.shown.map((channel) => ({
    color: lutColor(channel.lutName),
    values: profileValues(channel.samples, group.plane.shape, along, cursor),
  }));
  const range = valueRange(lines, Math.max(0, Math.floor(from) - 1), Math.ceil(to) + 1);
  if (range === null) {
    svg.replaceChildren();
    return false;
  }
  const [low, high] = isReversed ? [to, from] : [from, to];
  const { plot, marks } = layoutFrame({
    width,
    height,
    edges,
    x: { low: toPhysical(axis, low), high: toPhysical(axis, high), title: axisTitle(axis) },
    // Values grow upwards.
    y: { low: range.high, high: range.low, title: "" },
    aspect: null,
    measure: measureLabel,
  });
  const area = {
    left: Math.round(plot.left * density),
    top: Math.round(plot.top * density),
    width: Math.round(plot.width * density),
    height: Math.round(plot.height * density),
  };
  const curves = lines.map(({ color, values }) => ({ color, ...curveOf(values, from, to, area.width) }));
  if (isReversed) {
    for (const { lows, highs, bottoms, tops } of curves) {
      for (const values of [lows, highs, bottoms, tops]) values?.reverse();
    }
  }
  drawCurves(context, area, curves, range, density);
  const at = plot.left + ((along === "x" ? cursor.x : cursor.y) + 0.5 - low) / (high - low) * plot.width;
  if (at >= plot.left && at <= plot.left + plot.width) {
    const points = [[at, plot.top], [at, plot.top + plot.height]];
    marks.push({ points, color: "rgba(255, 255, 255, 0.7)", dash: "4 3" });
  }
  svg.replaceChildren(...svgMarks(marks));
  return true;
}

/** Range of the visible values with a margin; null where empty. @param {readonly {values: Float32Array}[]} lines @param {number} first @param {number} end */
function valueRange(lines, first, end) {
  let [low, high] = [Infinity, -Infinity];
  for (const { values } of lines) {
    for (let i = first; i < Math.min(end, values.length); i += 1) {
      const value = values[i];
      if (value < low && value > -Infinity) low = value;
      if (value > high && value < Infinity) high = value;
    }
  }
  if (!(high >= low)) return null;
  const margin = (high - low) * 0.05 || 0.5;
  return { low: low - margin, high: high + margin };
}

/** Clears the canvas at the density of the screen. @param {HTMLCanvasElement} canvas @param {number} width @param {number} height @param {number} density */
function fitted(canvas, width, height, density) {
  const [wide, high] = [Math.round(width * density), Math.round(height * density)];
  if (canvas.width !== wide) canvas.width = wide;
  if (canvas.height !== high) canvas.height = high;
  const context = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d"));
  context.clearRect(0, 0, wide, high);
  return context;
}
