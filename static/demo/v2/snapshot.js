/**
 * What a pane shows as one canvas, to save: picture, frame and the marks over it, at the screen's density.
 *
 * Tested in `tests/browser/drawing_test.ts`.
 */
import { canvasMarks } from "./marks.js";

/** @import { Frame } from "./frame.js" */
/** @import { Mark } from "./marks.js" */

/**
 * @param {HTMLElement} stage gives size and colours
 * @param {HTMLCanvasElement} picture
 * @param {Frame} layout
 * @param {readonly (readonly Mark[])[]} bands marks over each band of the plot
 * @returns {HTMLCanvasElement}
 */
export function snapshot(stage, picture, { plot, marks: frame }, bands) {
  const { width, height } = stage.getBoundingClientRect();
  const density = globalThis.devicePixelRatio;
  const canvas = document.createElement("canvas");
  canvas.width = Math.round(width * density);
  canvas.height = Math.round(height * density);
  const context = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d"));
  const style = getComputedStyle(stage);
  context.fillStyle = style.backgroundColor;
  context.fillRect(0, 0, canvas.width, canvas.height);
  context.scale(density, density);
  context.imageSmoothingEnabled = false;
  context.drawImage(picture, plot.left, plot.top, plot.width, plot.height);
  canvasMarks(context, frame, style.color);
  const high = plot.height / bands.length;
  for (const [i, marks] of bands.entries()) {
    context.save();
    context.beginPath();
    context.rect(plot.left, plot.top + i * high, plot.width, high);
    context.clip();
    context.translate(plot.left, plot.top + i * high);
    canvasMarks(context, marks, style.color);
    context.restore();
  }
  return canvas;
}
