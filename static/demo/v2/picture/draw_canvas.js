/**
 * Draws float planes with canvas 2D: looks up a colour for each sample of the visible part, which is no larger than the
 * canvas, and then places the colours. WebGL was never faster in software rendering, where speed matters, and can lose
 * its context.
 *
 * @typedef {{width: number, height: number, view: import("./orientation.js").View}} Part size and visible area, in its own
 *   pixels; x counts the rows of the plane, y its columns
 * @typedef {{samples: Float32Array, min: number, max: number, lut: Uint8Array}} Layer `samples` row-major as in the plane, in
 *   the size of the part; `lut` 256 times red, green, blue, 255
 * @typedef {{left: number, top: number, width: number, height: number}} Area canvas pixels
 * @typedef {import("./orientation.js").Orientation} Orientation
 */
import { NOT_A_NUMBER } from "./lut.js";

const wordOf = (/** @type {number[]} */ color) => new Uint32Array(Uint8Array.of(...color, 255).buffer)[0];

const BLACK = wordOf([0, 0, 0]);
const MISSING = wordOf(NOT_A_NUMBER.color.slice(0, 3));

/** A picture on a canvas. */
export class CanvasPicture {
  #canvas;
  #context;
  /** @type {ImageData | null} */
  #image = null;
  #colors = new Uint32Array(0);

  /** @param {HTMLCanvasElement} canvas */
  constructor(canvas) {
    this.#canvas = canvas;
    this.#context = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d", { alpha: false }));
  }

  /**
   * Draws a part of a picture into each area, in the canvas's present size. Adds and clamps the colours of an area's
   * layers; a missing value in any layer stays visible.
   *
   * @param {Part} part
   * @param {Orientation} orientation
   * @param {readonly {area: Area, layers: readonly Layer[]}[]} bands
   */
  draw(part, orientation, bands) {
    const { width, height } = this.#canvas;
    if (this.#image?.width !== width || this.#image.height !== height) {
      this.#image = this.#context.createImageData(width, height);
    }
    const image = this.#image;
    const words = new Uint32Array(image.data.buffer);
    const size = part.width * part.height;
    if (this.#colors.length < size) this.#colors = new Uint32Array(size);
    const colors = this.#colors.subarray(0, size);
    if (bands.length !== 1) words.fill(BLACK);
    for (const { area, layers } of bands) {
      colors.fill(BLACK);
      for (const layer of layers) addLayer(colors, layer);
      for (const layer of layers) markMissing(colors, layer);
      place({ words, width }, colors, part, orientation, area);
    }
    this.#context.putImageData(image, 0, 0);
  }
}

/** @param {Uint32Array} colors @param {Layer} layer */
function addLayer(colors, { samples, min, max, lut }) {
  const table = new Uint32Array(lut.buffer, lut.byteOffset, 256);
  const scale = 255 / (max - min);
  for (let i = 0; i < colors.length; i += 1) {
    const level = (samples[i] - min) * scale + 0.5;
    colors[i] = added(colors[i], table[level >= 255 ? 255 : level > 0 ? level | 0 : 0]);
  }
}

/** Adds two colours with each component clamped to 255; red and blue together, with room for carries. @param {number} a @param {number} b */
function added(a, b) {
  const redBlue = (a & 0xff00ff) + (b & 0xff00ff);
  const green = (a & 0x00ff00) + (b & 0x00ff00);
  const overRedBlue = redBlue & 0x1000100;
  const overGreen = green & 0x10000;
  return 0xff000000 | ((redBlue | (overRedBlue - (overRedBlue >>> 8))) & 0xff00ff) |
    ((green | (overGreen - (overGreen >>> 8))) & 0x00ff00);
}

/** @param {Uint32Array} colors @param {Pick<Layer, "samples">} layer */
function markMissing(colors, { samples }) {
  for (let i = 0; i < colors.length; i += 1) {
    const value = samples[i];
    // True for NaN and infinities.
    if (value - value !== 0) colors[i] = MISSING;
  }
}

/**
 * Each pixel of an area takes the colour under its centre.
 *
 * @param {{words: Uint32Array, width: number}} image
 * @param {Uint32Array} colors
 * @param {Part} part
 * @param {Orientation} orientation
 * @param {Area} area
 */
function place({ words, width }, colors, part, { swapped, fromRight, fromBottom }, area) {
  const { x0, x1, y0, y1 } = part.view;
  const alongX = centres(x0, x1, swapped ? area.height : area.width, part.width)
    .map((row) => row * part.height);
  const alongY = centres(y0, y1, swapped ? area.width : area.height, part.height);
  const [across, down] = swapped ? [alongY, alongX] : [alongX, alongY];
  if (fromRight) across.reverse();
  if (fromBottom) down.reverse();
  for (let y = 0; y < down.length; y += 1) {
    const start = (area.top + y) * width + area.left;
    if (y > 0 && down[y] === down[y - 1]) {
      words.copyWithin(start, start - width, start - width + across.length);
      continue;
    }
    const row = down[y];
    for (let x = 0; x < across.length; x += 1) words[start + x] = colors[row + across[x]];
  }
}

/** Sample under the centre of each of `count` canvas pixels. @param {number} from @param {number} to @param {number} count @param {number} size */
function centres(from, to, count, size) {
  const places = new Uint32Array(count);
  for (let i = 0; i < count; i += 1) {
    places[i] = Math.min(size - 1, Math.max(0, Math.floor(from + ((i + 0.5) / count) * (to - from))));
  }
  return places;
}
