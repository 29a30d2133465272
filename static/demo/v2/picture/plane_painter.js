/**
 * Paints the visible part of a group's planes on a canvas: coarsely while the view moves, exactly at rest. It looks up a
 * colour for each sample of the part, which is no larger than the canvas, and then places the colours. WebGL was never
 * faster in software rendering, where speed matters, and can lose its context.
 *
 * @typedef {{samples: Float32Array, min: number, max: number, lut: Uint8Array}} Layer `samples` row-major as in the plane, in
 *   the size of the part; `lut` 256 times red, green, blue, 255
 * @typedef {{left: number, top: number, width: number, height: number}} Area canvas pixels
 */
import { NOT_A_NUMBER } from "./lut.js";
import { reductionText } from "./reduction.js";
import { VisiblePart } from "./visible_part.js";

/** @import { Channel } from "./channel.js" */
/** @import { Orientation, View } from "./orientation.js" */
/** @import { Statistic } from "./reduction.js" */
/** @import { Part } from "./visible_part.js" */

/** A view rests after this long without changes. */
const REST_MS = 150;

const wordOf = (/** @type {number[]} */ color) => new Uint32Array(Uint8Array.of(...color, 255).buffer)[0];

const BLACK = wordOf([0, 0, 0]);
const MISSING = wordOf(NOT_A_NUMBER.color);

export class PlanePainter {
  /** Statistic that a pixel shows if it covers many samples. @type {Statistic} */
  statistic = "mean";
  #canvas;
  #context;
  /** @type {ImageData | null} */
  #image = null;
  #colors = new Uint32Array(0);
  #redraw;
  /** @type {readonly Channel[]} */
  #channels = [];
  /** @type {import("./channel_group.js").Plane | null} */
  #plane = null;
  /** @type {VisiblePart | null} */
  #part = null;
  #isMoving = false;
  #movedAt = -Infinity;
  #rest = 0;

  /** @param {HTMLCanvasElement} canvas @param {() => void} redraw called when a coarse picture comes to rest */
  constructor(canvas, redraw) {
    this.#canvas = canvas;
    this.#context = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d", { alpha: false }));
    this.#redraw = redraw;
  }

  /** Takes the planes of a group. @param {import("./channel_group.js").ChannelGroup} group @param {typeof import("./pyramid.js").pyramidOf} [pyramids] */
  load({ plane, channels }, pyramids) {
    [this.#plane, this.#channels] = [plane, channels];
    this.#part = new VisiblePart({ plane, channels }, pyramids);
  }

  /**
   * All samples of a channel as a band shows them: one value per pixel if pixels cover many samples.
   *
   * @param {Channel} channel of the planes
   * @param {Orientation} orientation
   * @param {Area} band canvas pixels
   * @param {Statistic} [statistic]
   */
  atHome(channel, orientation, band, statistic = this.statistic) {
    if (this.#part === null || this.#plane === null) return channel.samples;
    const [rows, columns] = this.#plane.shape;
    const position = this.#channels.indexOf(channel);
    // The home view paints the same samples next and reuses them.
    const view = { x0: 0, y0: 0, x1: rows, y1: columns };
    this.#part.look(view, pixelsOf(band, orientation), statistic, [position]);
    return this.#part.samples(position);
  }

  /** Whether the last painting was coarse. */
  get isCoarse() {
    return this.#part?.isCoarse ?? false;
  }

  /** Describes the reduction. @param {boolean} isLineScan */
  reduction(isLineScan) {
    return this.#part === null ? "" : reductionText(this.#part.perPixel, isLineScan, this.statistic);
  }

  /** Marks the view as changed. A single step is drawn exactly at once. */
  move() {
    const now = performance.now();
    this.#isMoving = now - this.#movedAt < REST_MS;
    this.#movedAt = now;
    clearTimeout(this.#rest);
    this.#rest = setTimeout(() => {
      this.#isMoving = false;
      if (this.isCoarse) this.#redraw();
    }, REST_MS);
  }

  /**
   * Paints in the canvas's present size. Adds and clamps the colours of an area's channels; a missing value in any of
   * them stays visible.
   *
   * @param {View} view pixels of the picture
   * @param {Orientation} orientation
   * @param {readonly Area[]} bands canvas pixels; one for all shown channels together, or one per channel
   */
  paint(view, orientation, bands) {
    const [band] = bands;
    const part = this.#part;
    if (part === null || band === undefined) return;
    const shown = [...this.#channels.keys()].filter((position) => this.#channels[position]?.visible);
    part.look(view, pixelsOf(band, orientation), this.statistic, shown, this.#isMoving);
    const layers = shown.map((position) => ({
      samples: part.samples(position),
      .../** @type {Channel} */ (this.#channels[position]).look(),
    }));
    const { width, height } = this.#canvas;
    if (this.#image?.width !== width || this.#image.height !== height) {
      this.#image = this.#context.createImageData(width, height);
    }
    const words = new Uint32Array(this.#image.data.buffer);
    const { frame } = part;
    const size = frame.width * frame.height;
    if (this.#colors.length < size) this.#colors = new Uint32Array(size);
    const colors = this.#colors.subarray(0, size);
    if (bands.length !== 1) words.fill(BLACK);
    bands.forEach((area, i) => {
      const drawn = bands.length === 1 ? layers : layers.slice(i, i + 1);
      colors.fill(BLACK);
      for (const layer of drawn) addLayer(colors, layer);
      for (const layer of drawn) markMissing(colors, layer);
      place({ words, width }, colors, frame, orientation, area);
    });
    this.#context.putImageData(this.#image, 0, 0);
  }
}

/** Pixels along the picture's x and y. @param {Area} band @param {Orientation} orientation */
const pixelsOf = ({ width, height }, { swapped }) =>
  swapped ? { x: height, y: width } : { x: width, y: height };

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
 * @type {(image: {words: Uint32Array, width: number}, colors: Uint32Array, part: Part, orientation: Orientation, area: Area) => void}
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
