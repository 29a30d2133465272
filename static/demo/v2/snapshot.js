/**
 * What a pane shows as one canvas, to save: picture, frame and the marks over it, at the screen's density.
 *
 * Tested in `tests/browser/drawing_test.ts`.
 */
import { canvasMarks } from "./marks.js";

/**
 * @param {HTMLElement} stage gives size and colours
 * @param {HTMLCanvasElement} picture
 * @param {{plot: object, marks: object[]}} layout
 * @param {object[]} marks over the plot
 * @returns {HTMLCanvasElement}
 */
export function snapshot(stage, picture, { plot, marks: frame }, marks) {
  const { width, height } = stage.getBoundingClientRect();
  const density = globalThis.devicePixelRatio;
  const canvas = document.createElement("canvas");
  canvas.width = Math.round(width * density);
  canvas.height = Math.round(height * density);
  const context = canvas.getContext("2d");
  const style = getComputedStyle(stage);
  context.fillStyle = style.backgroundColor;
  context.fillRect(0, 0, canvas.width, canvas.height);
  context.scale(density, density);
  context.imageSmoothingEnabled = false;
  context.drawImage(picture, plot.left, plot.top, plot.width, plot.height);
  canvasMarks(context, frame, style.color);
  context.beginPath();
  context.rect(plot.left, plot.top, plot.width, plot.height);
  context.clip();
  context.translate(plot.left, plot.top);
  canvasMarks(context, marks, style.color);
  return canvas;
}
