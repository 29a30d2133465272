/**
 * The samples that a view needs: those in view if samples are larger than screen pixels, else one value per pixel
 * (reduction.js).
 *
 * While a view moves, a level of the pyramid (pyramid.js) with an entry per pixel or two suffices; at rest, each pixel
 * shows exactly the samples under it.
 *
 * @typedef {import("./pyramid.js").Level} Level
 * @typedef {import("./reduction.js").Statistic} Statistic
 * @typedef {import("./orientation.js").View} View
 * @typedef {{width: number, height: number, view: View}} Part size and visible area, in its own pixels; x counts the rows of
 *   the plane, y its columns
 * @typedef {object} Seen channel
 * @property {Level} plane
 * @property {Map<Statistic, readonly Level[]>} pyramids
 * @property {string} ask identifies the view that `samples` belong to
 * @property {Float32Array} samples
 */
import { blockFor, chooseLevel, pyramidOf, wholePlane } from "./pyramid.js";
import { pixelEdges, reduceBlocks } from "./reduction.js";

/** Fewest samples of a plane with a pyramid: smaller planes are reduced within a frame without one. */
const SMALLEST_FOR_PYRAMID = 2 ** 18;

/** Least entries per pixel during movement, when nobody notices a block that is off by a pixel. */
const MOVING = 0.5;

/** The visible part of the planes of one group. */
export class VisiblePart {
  #channels;
  #load;
  #ask = "";
  /** @type {View | null} */
  #view = null;
  #pixels = { x: 1, y: 1 };
  /** @type {Statistic} */
  #statistic = "mean";
  /** Whether the part is coarser than at rest. */
  isCoarse = false;

  /**
   * @param {{plane: {shape: readonly number[]}, channels: readonly {samples: Float32Array, isFinite: boolean}[]}} group
   * @param {typeof pyramidOf} [load] builds pyramids
   */
  constructor({ plane, channels }, load = pyramidOf) {
    const [rows = 0, columns = 0] = plane.shape;
    this.#load = load;
    this.#channels = channels.map(({ samples, isFinite }) => /** @type {Seen} */ ({
      plane: { ...wholePlane(samples, rows, columns), isFinite },
      pyramids: new Map(),
      ask: "",
      samples: new Float32Array(0),
    }));
  }

  /**
   * Sets the view.
   *
   * @param {View} view pixels of the picture: x counts rows, y columns
   * @param {{x: number, y: number}} pixels screen pixels that the view takes along x and y
   * @param {Statistic} statistic
   * @param {readonly number[]} shown positions of the channels that are drawn
   * @param {boolean} [isMoving] whether a coarser part is enough
   */
  look(view, pixels, statistic, shown, isMoving = false) {
    [this.#view, this.#pixels, this.#statistic] = [view, pixels, statistic];
    const wanted = this.#channels.filter((_, position) => shown.includes(position));
    for (const channel of wanted) this.#wantPyramid(channel);
    this.isCoarse = isMoving && wanted.every(({ pyramids }) => (pyramids.get(statistic)?.length ?? 0) > 0);
    this.#ask = [view.x0, view.x1, view.y0, view.y1, pixels.x, pixels.y, statistic, this.isCoarse].join();
  }

  /** Rows and columns per screen pixel; 0 before the first view. */
  get perPixel() {
    if (this.#view === null) return { rows: 0, columns: 0 };
    const { x0, x1, y0, y1 } = this.#view;
    return { rows: (x1 - x0) / this.#pixels.x, columns: (y1 - y0) / this.#pixels.y };
  }

  /** Size of the part and where the view lies in it, in its own pixels; the same for all channels. @returns {Part} */
  get frame() {
    const { x, y } = this.#spans(this.#level(/** @type {Seen} */ (this.#channels[0])));
    return {
      width: x.size,
      height: y.size,
      view: { x0: x.from, x1: x.to, y0: y.from, y1: y.to },
    };
  }

  /** Samples of a channel, row-major as in the plane, in the size of the frame; the same array while the view stays. @param {number} position */
  samples(position) {
    const channel = /** @type {Seen} */ (this.#channels[position]);
    if (channel.ask === this.#ask) return channel.samples;
    const level = this.#level(channel);
    const { x, y } = this.#spans(level);
    channel.ask = this.#ask;
    return channel.samples = reduceBlocks(level, x.edges(), y.edges(), this.#statistic);
  }

  /** The plane or level that a channel's part is taken from. @param {Seen} channel */
  #level({ plane, pyramids }) {
    const levels = this.isCoarse ? pyramids.get(this.#statistic) ?? [] : [];
    return chooseLevel([plane, ...levels], this.perPixel, MOVING);
  }

  /** @param {Level} level */
  #spans({ rowBlock, columnBlock, rows, columns }) {
    const { x0, x1, y0, y1 } = /** @type {View} */ (this.#view);
    return {
      x: spanOf(x0 / rowBlock, x1 / rowBlock, this.#pixels.x, rows),
      y: spanOf(y0 / columnBlock, y1 / columnBlock, this.#pixels.y, columns),
    };
  }

  /** @param {Seen} channel */
  #wantPyramid(channel) {
    const { rows, columns } = this.perPixel;
    const statistic = this.#statistic;
    const isOfUse = blockFor(rows, MOVING) > 1 || blockFor(columns, MOVING) > 1;
    const isLarge = channel.plane.samples.length >= SMALLEST_FOR_PYRAMID;
    if (!isLarge || !isOfUse || channel.pyramids.has(statistic)) return;
    channel.pyramids.set(statistic, []);
    // Drawing the picture has priority.
    setTimeout(async () => channel.pyramids.set(statistic, await this.#load(channel.plane, statistic)));
  }
}

/**
 * Along one axis: the entries of the part, where the view begins and ends among them, and their edges in the level.
 *
 * @param {number} low the view, in entries of the level
 * @param {number} high
 * @param {number} pixels of the screen
 * @param {number} length of the level
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
