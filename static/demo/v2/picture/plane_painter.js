/** Paints the visible part of a group's planes on a canvas: coarsely while the view moves, exactly at rest. */
import { CanvasPicture } from "./draw_canvas.js";
import { pyramidOf } from "./pyramids.js";
import { reductionText } from "./reduction.js";
import { VisiblePart } from "./visible_part.js";

/** @import { Channel } from "./channel.js" */
/** @import { Area } from "./draw_canvas.js" */
/** @import { Orientation } from "./orientation.js" */
/** @import { Statistic } from "./reduction.js" */
/** @import { View } from "./orientation.js" */

/** A view rests after this long without changes. */
const REST_MS = 150;

export class PlanePainter {
  /** Statistic that a pixel shows if it covers many samples. @type {Statistic} */
  statistic = "mean";
  #picture;
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

  /**
   * @param {HTMLCanvasElement} canvas
   * @param {() => void} redraw called when a coarse picture comes to rest
   */
  constructor(canvas, redraw) {
    this.#picture = new CanvasPicture(canvas);
    this.#redraw = redraw;
  }

  /** Takes the planes of a group. @param {import("./channel_group.js").ChannelGroup} group @param {typeof pyramidOf} [pyramids] */
  load({ plane, channels }, pyramids = pyramidOf) {
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
   * @param {View} view pixels of the picture
   * @param {Orientation} orientation
   * @param {readonly Area[]} bands canvas pixels; one for all shown channels together, or one per channel
   */
  paint(view, orientation, bands) {
    const [band] = bands;
    if (this.#part === null || band === undefined) return;
    const shown = [...this.#channels.keys()].filter((position) => this.#channels[position]?.visible);
    const part = this.#part;
    part.look(view, pixelsOf(band, orientation), this.statistic, shown, this.#isMoving);
    const layers = shown.map((position) => ({
      samples: part.samples(position),
      .../** @type {Channel} */ (this.#channels[position]).look(),
    }));
    const painted = bands.length === 1
      ? [{ area: band, layers }]
      : bands.map((area, i) => ({ area, layers: layers.slice(i, i + 1) }));
    this.#picture.draw(part.frame, orientation, painted);
  }
}

/** Pixels along the picture's x and y. @param {Area} band @param {Orientation} orientation */
const pixelsOf = ({ width, height }, { swapped }) =>
  swapped ? { x: height, y: width } : { x: width, y: height };
