/**
 * The samples that a view needs: those in view if samples are larger than screen pixels, else one value per pixel
 * (reduction.js).
 *
 * @typedef {import("./reduction.js").Statistic} Statistic
 * @typedef {import("./orientation.js").View} View
 * @typedef {{width: number, height: number, view: View}} Part size and visible area, in its own pixels; x counts the rows of
 *   the plane, y its columns
 */
import { pixelEdges, reduceBlocks } from "./reduction.js";

/** The visible part of the planes of one group. */
export class VisiblePart {
  #shape;
  #channels;
  #ask = "";
  /** @type {View} */
  #view = { x0: 0, x1: 0, y0: 0, y1: 0 };
  #pixels = { x: 1, y: 1 };
  /** @type {Statistic} */
  #statistic = "mean";

  /** @param {{plane: {shape: readonly number[]}, channels: readonly {samples: Float32Array}[]}} group */
  constructor({ plane, channels }) {
    this.#shape = plane.shape;
    // `ask` identifies the view that `reduced` belongs to.
    this.#channels = channels.map(({ samples }) => ({
      samples,
      ask: "",
      reduced: /** @type {Float32Array} */ (samples),
    }));
  }

  /** Sets the view. @param {View} view pixels of the picture: x counts rows, y columns @param {{x: number, y: number}} pixels screen pixels that the view takes along x and y @param {Statistic} statistic */
  look(view, pixels, statistic) {
    [this.#view, this.#pixels, this.#statistic] = [view, pixels, statistic];
    this.#ask = [view.x0, view.x1, view.y0, view.y1, pixels.x, pixels.y, statistic].join();
  }

  /** Rows and columns per screen pixel; 0 before the first view. */
  get perPixel() {
    const { x0, x1, y0, y1 } = this.#view;
    return { rows: (x1 - x0) / this.#pixels.x, columns: (y1 - y0) / this.#pixels.y };
  }

  /** Size of the part and where the view lies in it, in its own pixels; the same for all channels. @returns {Part} */
  get frame() {
    const { x, y } = this.#spans;
    return { width: x.size, height: y.size, view: { x0: x.from, x1: x.to, y0: y.from, y1: y.to } };
  }

  /** Samples of a channel, row-major as in the plane, in the size of the frame; the same array while the view stays. @param {number} position */
  samples(position) {
    const channel = this.#channels[position];
    if (channel.ask !== this.#ask) {
      const [{ x, y }, plane] = [this.#spans, { samples: channel.samples, columns: this.#shape[1] }];
      channel.ask = this.#ask;
      channel.reduced = reduceBlocks(plane, x.edges(), y.edges(), this.#statistic);
    }
    return channel.reduced;
  }

  get #spans() {
    const { x0, x1, y0, y1 } = this.#view;
    return {
      x: spanOf(x0, x1, this.#pixels.x, this.#shape[0]),
      y: spanOf(y0, y1, this.#pixels.y, this.#shape[1]),
    };
  }
}

/**
 * Along one axis: the entries of the part, where the view from `low` to `high` begins and ends among them, and their edges
 * in the `length` samples of the plane.
 *
 * @type {(low: number, high: number, pixels: number, length: number) => {size: number, from: number, to: number, edges: () => Uint32Array}}
 */
function spanOf(low, high, pixels, length) {
  if (high - low > pixels) {
    return { size: pixels, from: 0, to: pixels, edges: () => pixelEdges(low, high, pixels, length) };
  }
  const [first, last] = [Math.max(0, Math.floor(low)), Math.min(length, Math.ceil(high))];
  const size = last - first;
  const edges = () => Uint32Array.from({ length: size + 1 }, (_, i) => first + i);
  return { size, from: low - first, to: high - first, edges };
}
