/** Values of the shown channels along one axis of the picture through the cursor, as a chart. */
import { axisTitle, toPhysical } from "./axes.js";
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
 * Least and greatest value in each of `count` equal steps of `[from, to)`, each step reaching to the first sample of the next, so
 * that the steps of a steady curve touch.
 *
 * @param {Float32Array} values
 * @param {number} from
 * @param {number} to
 * @param {number} count
 * @returns {{lows: Float32Array, highs: Float32Array}} NaN where a step has no finite value
 */
export function extremes(values, from, to, count) {
  const lows = new Float32Array(count).fill(NaN);
  const highs = new Float32Array(count).fill(NaN);
  const edge = (i) => Math.min(values.length - 1, Math.max(0, Math.floor(from + (i * (to - from)) / count)));
  for (let i = 0; i < count; i += 1) {
    for (let at = edge(i); at <= edge(i + 1); at += 1) {
      const value = values[at];
      if (!Number.isFinite(value)) continue;
      if (!(value >= lows[i])) lows[i] = value;
      if (!(value <= highs[i])) highs[i] = value;
    }
  }
  return { lows, highs };
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
  const steps = Math.round(Math.min(width, to - from));
  const curves = group.shown.map((channel) => {
    const values = profileValues(channel.samples, group.plane.shape, along, cursor);
    return { color: lutColor(channel.lutName), values, ...extremes(values, from, to, steps) };
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
  for (const curve of curves) {
    if (to - from > width) drawColumns(context, curve, plot, up);
    else drawLine(context, curve, Math.floor(from) - 1, Math.ceil(to) + 1, across, up);
  }
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

/** More samples than pixels: a bar from least to greatest in each column. */
function drawColumns(context, { lows, highs, color }, plot, up) {
  context.fillStyle = color;
  const wide = plot.width / lows.length;
  for (let i = 0; i < lows.length; i += 1) {
    const top = up(highs[i]);
    if (top === top) context.fillRect(plot.left + i * wide, top - 0.5, wide, up(lows[i]) - top + 1);
  }
}

/** Fewer samples than pixels: a line through them, broken where they are missing. */
function drawLine(context, { values, color }, first, last, across, up) {
  context.strokeStyle = color;
  context.lineWidth = 1.5;
  context.lineJoin = context.lineCap = "round";
  context.beginPath();
  let isOpen = false;
  for (let i = Math.max(0, first); i < Math.min(values.length, last); i += 1) {
    const isThere = Number.isFinite(values[i]);
    if (isThere && isOpen) context.lineTo(across(i + 0.5), up(values[i]));
    else if (isThere) {
      context.moveTo(across(i + 0.5), up(values[i]));
      // With round ends a sample without neighbours is a dot.
      context.lineTo(across(i + 0.5), up(values[i]));
    }
    isOpen = isThere;
  }
  context.stroke();
}

const finite = (values, better, start) =>
  values.reduce((best, value) => (value === value ? better(best, value) : best), start);
