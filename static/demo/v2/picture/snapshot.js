/**
 * Composes the canvas to save: picture, frame and marks, or only the picture with its marks.
 *
 * Tested in `tests/browser/drawing_test.ts` and `measure_test.ts`.
 */
import { canvasMarks } from "./marks.js";

/** @import { Frame } from "./frame.js" */
/** @import { Mark } from "./marks.js" */

/**
 * @typedef {object} SnapshotLook
 * @property {number} [scale] multiple of the screen density at which the picture was drawn
 * @property {boolean} [hasAxes] with the frame around the picture
 * @property {boolean} [hasScaleBar] with scale bars and the reduction
 * @property {boolean} [isLight] dark text on white, whatever the theme of the page
 */

/** Ink of a light ground. */
const INK = "#1a1f26";

/**
 * @param {HTMLElement} stage gives size and colours
 * @param {HTMLCanvasElement} picture
 * @param {Frame} layout
 * @param {readonly (readonly Mark[])[]} bands marks over each band of the plot
 * @param {SnapshotLook} look
 * @returns {HTMLCanvasElement}
 */
export function snapshot(
  stage,
  picture,
  { plot, marks: frame },
  bands,
  { scale = 1, hasAxes = true, isLight = false },
) {
  const box = stage.getBoundingClientRect();
  const { left, top, width, height } = hasAxes
    ? { left: 0, top: 0, width: box.width, height: box.height }
    : plot;
  const density = globalThis.devicePixelRatio * scale;
  const canvas = document.createElement("canvas");
  canvas.width = Math.round(width * density);
  canvas.height = Math.round(height * density);
  const context = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d"));
  const style = getComputedStyle(stage);
  const ink = isLight ? INK : style.color;
  context.fillStyle = isLight ? "#ffffff" : style.backgroundColor;
  context.fillRect(0, 0, canvas.width, canvas.height);
  context.scale(density, density);
  context.translate(-left, -top);
  context.imageSmoothingEnabled = false;
  context.drawImage(picture, plot.left, plot.top, plot.width, plot.height);
  if (hasAxes) canvasMarks(context, frame, ink);
  const high = plot.height / bands.length;
  for (const [i, marks] of bands.entries()) {
    context.save();
    context.beginPath();
    context.rect(plot.left, plot.top + i * high, plot.width, high);
    context.clip();
    context.translate(plot.left, plot.top + i * high);
    canvasMarks(context, marks, ink);
    context.restore();
  }
  return canvas;
}
