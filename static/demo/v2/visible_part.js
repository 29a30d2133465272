/**
 * The samples that a view needs: where samples are larger than screen pixels those in view, elsewhere one value a pixel
 * (reduction.js). They are taken from the planes as served and transposed, immediately before they are drawn.
 *
 * Tested in `tests/browser/minification_test.ts`.
 */
import { blockFor, chooseLevel, wholePlane } from "./pyramid.js";
import { pyramidOf } from "./pyramids.js";
import { pixelEdges, reduceBlocks } from "./reduction.js";
import { transpose } from "./transpose.js";

/** A plane of fewer samples is reduced within a frame without a pyramid. */
const SMALLEST_FOR_PYRAMID = 2 ** 20;

/** What is seen of the planes of one group. */
export class VisiblePart {
  #channels;
  #ask = "";
  #view = null;
  #pixels = null;
  #statistic = "mean";

  /** @param {{plane: {shape: number[]}, channels: {samples: Float32Array, stats: {count: number}}[]}} group */
  constructor({ plane, channels }) {
    const [rows, columns] = plane.shape;
    this.#channels = channels.map(({ samples, stats }) => ({
      plane: wholePlane(samples, rows, columns),
      // NaN and infinities would need a count for each entry of a level.
      mayHavePyramid: samples.length >= SMALLEST_FOR_PYRAMID && stats.count === samples.length,
      pyramids: new Map(),
      ask: "",
      samples: null,
    }));
  }

  /**
   * Sets what is looked at.
   *
   * @param {{x0: number, y0: number, x1: number, y1: number}} view pixels of the picture: x counts rows, y columns
   * @param {{x: number, y: number}} pixels screen pixels that the view takes along x and y
   * @param {import("./reduction.js").Statistic} statistic
   */
  look(view, pixels, statistic) {
    this.#ask = [view.x0, view.x1, view.y0, view.y1, pixels.x, pixels.y, statistic].join();
    [this.#view, this.#pixels, this.#statistic] = [view, pixels, statistic];
  }

  /** Rows and columns in a screen pixel; none before anything is looked at. */
  get perPixel() {
    if (this.#view === null) return { rows: 0, columns: 0 };
    const { x0, x1, y0, y1 } = this.#view;
    return { rows: (x1 - x0) / this.#pixels.x, columns: (y1 - y0) / this.#pixels.y };
  }

  /**
   * Size of the part and where the view lies in it, in its own pixels.
   *
   * @returns {{width: number, height: number, view: {x0: number, y0: number, x1: number, y1: number}}}
   */
  get frame() {
    const { x, y } = this.#ends();
    return {
      width: x.isReduced ? this.#pixels.x : x.last - x.first,
      height: y.isReduced ? this.#pixels.y : y.last - y.first,
      view: {
        x0: x.isReduced ? 0 : this.#view.x0 - x.first,
        x1: x.isReduced ? this.#pixels.x : this.#view.x1 - x.first,
        y0: y.isReduced ? 0 : this.#view.y0 - y.first,
        y1: y.isReduced ? this.#pixels.y : this.#view.y1 - y.first,
      },
    };
  }

  /** Samples of a channel, transposed, in the size of the frame; the same array as long as nothing else is looked at. */
  samples(position) {
    const channel = this.#channels[position];
    if (channel.ask === this.#ask) return channel.samples;
    const levels = [channel.plane, ...channel.pyramids.get(this.#statistic) ?? []];
    const level = chooseLevel(levels, this.perPixel);
    const { x, y } = this.#ends();
    const rows = edges(x, this.#pixels.x, level.rowBlock, level.rows);
    const columns = edges(y, this.#pixels.y, level.columnBlock, level.columns);
    const part = reduceBlocks(level, rows, columns, this.#statistic);
    channel.ask = this.#ask;
    channel.samples = transpose(part, rows.length - 1, columns.length - 1);
    this.#wantPyramid(channel);
    return channel.samples;
  }

  /** Along each axis: the view, whether it is reduced, and the samples that are in view at least partly. */
  #ends() {
    const { rows, columns } = this.#channels[0].plane;
    const { x0, x1, y0, y1 } = this.#view;
    const end = (low, high, pixels, length) => ({
      low,
      high,
      isReduced: high - low > pixels,
      first: Math.max(0, Math.floor(low)),
      last: Math.min(length, Math.ceil(high)),
    });
    return { x: end(x0, x1, this.#pixels.x, rows), y: end(y0, y1, this.#pixels.y, columns) };
  }

  #wantPyramid(channel) {
    const { rows, columns } = this.perPixel;
    const statistic = this.#statistic;
    const isOfUse = blockFor(rows) > 1 || blockFor(columns) > 1;
    if (!channel.mayHavePyramid || !isOfUse || channel.pyramids.has(statistic)) return;
    channel.pyramids.set(statistic, []);
    // The picture comes first.
    setTimeout(async () => channel.pyramids.set(statistic, await pyramidOf(channel.plane, statistic)));
  }
}

function edges({ low, high, isReduced, first, last }, pixels, block, length) {
  if (isReduced) return pixelEdges(low / block, high / block, pixels, length);
  return Uint32Array.from({ length: last - first + 1 }, (_, i) => first + i);
}
