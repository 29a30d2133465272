/**
 * A chart below a picture: curves on a canvas, frame and marks as SVG over it. It can align with the edges of the
 * picture.
 */
import { axisTitle, toPhysical } from "../../../measure/axes.js";
import { fitCanvas } from "../controls/element.js";
import { drawCurves } from "./curve_image.js";
import { layoutFrame } from "./frame.js";
import { measureLabel } from "./marks.js";

/** @import { Axis } from "../../../measure/axes.js" */
/** @import { Curve } from "./curve_image.js" */
/** @import { Frame } from "./frame.js" */

/**
 * @typedef {object} ChartSpan the horizontal axis
 * @property {Axis} axis
 * @property {number} from position at the left edge; sample i covers i to i + 1
 * @property {number} to
 * @property {boolean} [isReversed] whether the first sample lies at the right
 * @property {boolean} [isUntitled]
 * @property {boolean} [isStrip] a low chart: keeps its titles, with denser ticks
 * @property {string} [ground] CSS colour behind the curves; by default black
 * @property {{left: number, width: number} | null} [edges] of the picture above, to align with
 *
 * @typedef {{low: number, high: number, title: string}} ChartRange values at the lower and upper edge
 *
 * @typedef {Frame & {context: CanvasRenderingContext2D, across: (sample: number) => number, up: (value: number) => number}} Chart
 *   `across` is the middle of a sample, `up` the height of a value, in CSS pixels
 */

/**
 * Draws curves and lays out the frame around them.
 *
 * @param {HTMLCanvasElement} canvas
 * @param {{width: number, height: number}} size CSS pixels
 * @param {ChartSpan} span
 * @param {ChartRange} range
 * @param {(columns: number) => readonly Curve[]} curvesOf curves of this many canvas columns, the first sample at the left
 * @returns {Chart}
 */
export function drawChart(canvas, { width, height }, span, range, curvesOf) {
  const {
    axis,
    from,
    to,
    isReversed = false,
    isUntitled = false,
    edges = null,
    isStrip = false,
    ground = "#000",
  } = span;
  const [left, right] = isReversed ? [to, from] : [from, to];
  const frame = layoutFrame({
    width,
    height,
    edges,
    x: {
      low: toPhysical(axis, left),
      high: toPhysical(axis, right),
      title: isUntitled ? "" : axisTitle(axis),
    },
    // Values grow upwards.
    y: { low: range.high, high: range.low, title: range.title },
    aspect: null,
    measure: measureLabel,
    isStrip,
  });
  const { plot } = frame;
  const density = globalThis.devicePixelRatio;
  fitCanvas(canvas, width, height);
  // The processor draws thousands of thin bars faster than a graphics card.
  const context = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d", {
    willReadFrequently: true,
  }));
  context.resetTransform();
  context.clearRect(0, 0, canvas.width, canvas.height);
  const [x, y, wide, high] = [plot.left, plot.top, plot.width, plot.height].map((part) =>
    Math.round(part * density)
  );
  const curves = curvesOf(wide);
  const drawn = isReversed ? curves.map(reversed) : curves;
  drawCurves(context, { left: x, top: y, width: wide, height: high }, drawn, { ...range, ground }, density);
  context.scale(density, density);
  return {
    ...frame,
    context,
    across: (sample) => plot.left + (sample + 0.5 - left) / (right - left) * plot.width,
    up: (value) => plot.top + (range.high - value) / (range.high - range.low) * plot.height,
  };
}

/** @param {Curve} curve @returns {Curve} */
const reversed = ({ color, lows, highs, bottoms, tops }) => ({
  color,
  lows: lows && lows.toReversed(),
  highs: highs && highs.toReversed(),
  bottoms: bottoms.toReversed(),
  tops: tops.toReversed(),
});
