/**
 * Which part of a picture is visible. A view is `{x0, y0, x1, y1}` in picture pixels, where pixel (i, j) covers
 * `[i, i + 1) x [j, j + 1)` and y runs down. All functions are pure: they take a view and return a new one inside the
 * picture.
 *
 * @typedef {{x0: number, y0: number, x1: number, y1: number}} View
 * @typedef {{width: number, height: number}} Picture
 */

/** Least number of visible pixels along an axis. */
const SMALLEST_SPAN = 4;

/** The whole picture. @type {(width: number, height: number) => View} */
export const home = (width, height) => ({ x0: 0, y0: 0, x1: width, y1: height });

/** Whether `view` shows the whole picture. @param {View} view @param {number} width @param {number} height */
export const isHome = (view, width, height) =>
  view.x0 <= 0 && view.y0 <= 0 && view.x1 >= width && view.y1 >= height;

/**
 * Zooms about a fixed point. A factor above 1 comes closer.
 *
 * @param {View} view
 * @param {{x: number, y: number}} at picture position that stays fixed on the screen
 * @param {number} factorX
 * @param {number} factorY
 * @param {Picture} picture
 * @returns {View}
 */
export function zoomAt(view, at, factorX, factorY, picture) {
  const x = span(view.x0, view.x1, at.x, factorX, picture.width);
  const y = span(view.y0, view.y1, at.y, factorY, picture.height);
  return { x0: x[0], x1: x[1], y0: y[0], y1: y[1] };
}

/**
 * Moves the view by picture pixels, as far as the picture goes.
 *
 * @param {View} view
 * @param {number} dx
 * @param {number} dy
 * @param {Picture} picture
 * @returns {View}
 */
export function panBy(view, dx, dy, picture) {
  const x = shift(view.x0 + dx, view.x1 + dx, picture.width);
  const y = shift(view.y0 + dy, view.y1 + dy, picture.height);
  return { x0: x[0], x1: x[1], y0: y[0], y1: y[1] };
}

/**
 * Shows the rectangle between two picture positions; `locked` widens it to the aspect of the present view.
 *
 * @param {View} view
 * @param {{x: number, y: number}} from
 * @param {{x: number, y: number}} to
 * @param {Picture} picture
 * @param {boolean} locked
 * @returns {View}
 */
export function zoomTo(view, from, to, picture, locked) {
  const spans = {
    x: Math.max(Math.abs(to.x - from.x), Math.min(SMALLEST_SPAN, picture.width)),
    y: Math.max(Math.abs(to.y - from.y), Math.min(SMALLEST_SPAN, picture.height)),
  };
  if (locked) {
    const part = Math.max(spans.x / (view.x1 - view.x0), spans.y / (view.y1 - view.y0));
    spans.x = part * (view.x1 - view.x0);
    spans.y = part * (view.y1 - view.y0);
  }
  const x = about((from.x + to.x) / 2, spans.x, picture.width);
  const y = about((from.y + to.y) / 2, spans.y, picture.height);
  return { x0: x[0], x1: x[1], y0: y[0], y1: y[1] };
}

/** Moves the view just far enough that the pixel (x, y) is visible. @type {(view: View, x: number, y: number, picture: Picture) => View} */
export function reveal(view, x, y, picture) {
  const dx = Math.min(0, x - view.x0) + Math.max(0, x + 1 - view.x1);
  const dy = Math.min(0, y - view.y0) + Math.max(0, y + 1 - view.y1);
  return panBy(view, dx, dy, picture);
}

/** Picture position under a fraction (0 to 1) of the plot's width and height. @param {View} view @param {number} fx @param {number} fy */
export const toPicture = (view, fx, fy) => ({
  x: view.x0 + fx * (view.x1 - view.x0),
  y: view.y0 + fy * (view.y1 - view.y0),
});

/** Fractions of the plot at a picture position; outside 0 to 1 when it is not visible. @param {View} view @param {number} x @param {number} y */
export const toPlot = (view, x, y) => ({
  fx: (x - view.x0) / (view.x1 - view.x0),
  fy: (y - view.y0) / (view.y1 - view.y0),
});

/** @param {number} low @param {number} high @param {number} at @param {number} factor @param {number} size */
function span(low, high, at, factor, size) {
  const smallest = Math.min(SMALLEST_SPAN, size);
  const length = Math.min(size, Math.max(smallest, (high - low) / factor));
  const start = at - (at - low) * (length / (high - low));
  return shift(start, start + length, size);
}

/** @param {number} middle @param {number} length @param {number} size */
const about = (middle, length, size) => shift(middle - length / 2, middle + length / 2, size);

/** @param {number} low @param {number} high @param {number} size @returns {[number, number]} */
function shift(low, high, size) {
  const length = Math.min(high - low, size);
  const start = Math.min(Math.max(low, 0), size - length);
  return [start, start + length];
}
