/** Values of the shown channels along one axis of the picture through the cursor, as a chart. */
import { axisTitle, toPhysical } from "./axes.js";
import { layoutFrame } from "./frame.js";
import { lutColor } from "./lut.js";
import { measureLabel, svgMarks } from "./marks.js";
import { pixelEdges, reduceBlocks } from "./reduction.js";

/** The band behind the mean. */
const BAND_OPACITY = 0.4;

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
 * Least, greatest and mean value in each of `count` equal steps of `[from, to)`. Each sample counts in one step.
 *
 * @param {Float32Array} values
 * @param {number} from
 * @param {number} to
 * @param {number} count at most as many as samples
 * @returns {{lows: Float32Array, highs: Float32Array, means: Float32Array}} NaN where a step has no finite value
 */
export function envelope(values, from, to, count) {
  const row = { samples: values, rows: 1, columns: values.length };
  const edges = pixelEdges(from, to, count, values.length);
  const reduced = (statistic) => reduceBlocks(row, Uint32Array.of(0, 1), edges, statistic);
  return { lows: reduced("min"), highs: reduced("max"), means: reduced("mean") };
}

/**
 * Draws the chart: curves on a canvas, labels as SVG over it. Without a cursor both are empty.
 *
 * @param {{canvas: HTMLCanvasElement, svg: SVGElement}} chart of the same size
 * @param {import("./channel_group.js").ChannelGroup} group
 * @param {"x" | "y"} along
 * @param {{x: number, y: number} | null} cursor
 * @param {{x0: number, x1: number, y0: number, y1: number}} view
 * @returns {boolean} whether there is anything to see
 */
export function drawProfile({ canvas, svg }, group, along, cursor, view) {
  const { width, height } = svg.getBoundingClientRect();
  const context = fitted(canvas, width, height);
  svg.replaceChildren();
  if (cursor === null || width < 60 || height < 40) return false;
  const axis = group.plane.axes[along === "x" ? 0 : 1];
  const [from, to] = along === "x" ? [view.x0, view.x1] : [view.y0, view.y1];
  // A little more than the view, so that a line leaves it at its edge.
  const [first, last] = [Math.max(0, Math.floor(from) - 1), Math.ceil(to) + 1];
  const isReduced = to - from > width;
  const steps = Math.round(width);
  const curves = group.shown.map((channel) => {
    const values = profileValues(channel.samples, group.plane.shape, along, cursor);
    const color = lutColor(channel.lutName);
    if (isReduced) return { color, ...envelope(values, from, to, steps) };
    const seen = values.subarray(first, last);
    return { color, lows: seen, highs: seen, means: seen };
  });
  const low = Math.min(...curves.map(({ lows }) => finite(lows, Math.min, Infinity)));
  const high = Math.max(...curves.map(({ highs }) => finite(highs, Math.max, -Infinity)));
  if (!(high >= low)) return false;
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
  const across = (position) => plot.left + ((position - from) / (to - from)) * plot.width;
  const up = (value) => plot.top + ((high + margin - value) / (high - low + 2 * margin)) * plot.height;
  context.fillStyle = "#000";
  context.fillRect(plot.left, plot.top, plot.width, plot.height);
  context.beginPath();
  context.rect(plot.left, plot.top, plot.width, plot.height);
  context.clip();
  const placeOf = isReduced
    ? (i) => plot.left + ((i + 0.5) / steps) * plot.width
    : (i) => across(first + i + 0.5);
  if (isReduced) { for (const curve of curves) drawBand(context, curve, placeOf, up); }
  for (const curve of curves) drawLine(context, curve, placeOf, up);
  const at = across((along === "x" ? cursor.x : cursor.y) + 0.5);
  if (at >= plot.left && at <= plot.left + plot.width) {
    const points = [[at, plot.top], [at, plot.top + plot.height]];
    marks.push({ points, color: "rgba(255, 255, 255, 0.7)", dash: "4 3" });
  }
  svg.replaceChildren(...svgMarks(marks));
  return true;
}

/** The canvas at the screen's density, empty, with CSS pixels as its unit. */
function fitted(canvas, width, height) {
  const density = globalThis.devicePixelRatio;
  const [wide, high] = [Math.round(width * density), Math.round(height * density)];
  if (canvas.width !== wide) canvas.width = wide;
  if (canvas.height !== high) canvas.height = high;
  // Thousands of thin bars are drawn faster by the processor than handed to a graphics card.
  const context = canvas.getContext("2d", { willReadFrequently: true });
  context.reset();
  context.scale(density, density);
  return context;
}

/** More samples than pixels: from the least to the greatest of each pixel, broken where there is none. */
function drawBand(context, { lows, highs, color }, placeOf, up) {
  context.fillStyle = color;
  context.globalAlpha = BAND_OPACITY;
  for (let start = 0; start < lows.length; start += 1) {
    if (lows[start] !== lows[start]) continue;
    let end = start;
    while (end < lows.length && lows[end] === lows[end]) end += 1;
    context.beginPath();
    // Half a pixel more, so that a flat part is seen and a single pixel too.
    for (let i = start; i < end; i += 1) {
      context.lineTo(placeOf(i - 0.5), up(highs[i]) - 0.5);
      context.lineTo(placeOf(i + 0.5), up(highs[i]) - 0.5);
    }
    for (let i = end - 1; i >= start; i -= 1) {
      context.lineTo(placeOf(i + 0.5), up(lows[i]) + 0.5);
      context.lineTo(placeOf(i - 0.5), up(lows[i]) + 0.5);
    }
    context.fill();
    start = end;
  }
  context.globalAlpha = 1;
}

/** A line through samples or means, broken where they are missing. */
function drawLine(context, { means, color }, placeOf, up) {
  context.strokeStyle = color;
  context.lineWidth = 1.5;
  context.lineJoin = context.lineCap = "round";
  context.beginPath();
  let isOpen = false;
  for (let i = 0; i < means.length; i += 1) {
    const isThere = Number.isFinite(means[i]);
    if (isThere && isOpen) context.lineTo(placeOf(i), up(means[i]));
    else if (isThere) {
      context.moveTo(placeOf(i), up(means[i]));
      // With round ends a sample without neighbours is a dot.
      context.lineTo(placeOf(i), up(means[i]));
    }
    isOpen = isThere;
  }
  context.stroke();
}

const finite = (values, better, start) =>
  values.reduce((best, value) => (Number.isFinite(value) ? better(best, value) : best), start);
