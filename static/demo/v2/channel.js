/** One channel as it is looked at: samples, look-up table, intensity range and whether it is shown. */
import { autoRange, drawableRange, histogram, statistics } from "./histogram.js";
import { defaultLut, DISTINCT, lutTable } from "./lut.js";

/** @typedef {{index: number, name: string, dataUrl: string, samples: Float32Array}} Fetched */

/** A loaded channel; emits `change` whenever its look changes. */
export class Channel extends EventTarget {
  #lutName;
  #range;
  #visible;
  /** @type {Uint32Array | null} */
  #bins = null;

  /**
   * @param {Fetched} fetched
   * @param {number} position place among the loaded channels
   * @param {number} count channels that are loaded
   */
  constructor({ index, name, dataUrl, samples }, position, count) {
    super();
    this.index = index;
    this.name = name;
    this.dataUrl = dataUrl;
    this.samples = samples;
    this.stats = statistics(samples);
    // Opacity is no light that could be added.
    this.#visible = position < DISTINCT.length && name !== "Alpha";
    this.#lutName = defaultLut(position, name, count);
    this.#range = autoRange(this.stats);
  }

  get lutName() {
    return this.#lutName;
  }

  set lutName(name) {
    this.#lutName = name;
    this.#changed();
  }

  get visible() {
    return this.#visible;
  }

  set visible(visible) {
    this.#visible = visible;
    this.#changed();
  }

  /** `[min, max]`, min below max. */
  get range() {
    return this.#range;
  }

  /** Sets the range; ends that float32 cannot tell apart are moved apart. @param {number} min @param {number} max */
  setRange(min, max) {
    this.#range = drawableRange(min, max);
    this.#changed();
  }

  /** Sets one end (0: minimum, 1: maximum); where it passes the other, the other moves along. @param {number} end @param {number} value */
  setEnd(end, value) {
    const [min, max] = this.#range;
    const width = max - min;
    if (end === 0) this.setRange(value, value < max ? max : value + width);
    else this.setRange(value > min ? min : value - width, value);
  }

  /** 1st to 99.5th percentile. */
  autoRange() {
    this.setRange(...autoRange(this.stats));
  }

  /** What a renderer needs to know. */
  look() {
    return {
      min: this.#range[0],
      max: this.#range[1],
      lutName: this.#lutName,
      lut: lutTable(this.#lutName),
      // Most planes need no second pass.
      isFinite: this.stats.count === this.samples.length,
    };
  }

  /** Counts between the smallest and largest sample; made once. @param {number} bins */
  histogram(bins) {
    return this.#bins ??= histogram(this.samples, this.stats.min, this.stats.max, bins);
  }

  #changed() {
    this.dispatchEvent(new Event("change"));
  }
}
