/** One channel as it is looked at: samples, look-up table, intensity range and whether it is shown. */
import { autoRange, drawableRange, histogram, statistics } from "../../../measure/statistics.js";
import { defaultLut, DISTINCT, LUT_NAMES, lutTable, withGamma } from "./lut.js";

/** @typedef {{index: number, name: string, dataUrl: string, samples: Float32Array}} LoadedChannel */

/** A loaded channel; emits `change` whenever its look changes, `samples` when it has other samples. */
export class Channel extends EventTarget {
  #lutName;
  #gamma = 1;
  /** @type {[number, number]} */
  #range;
  #visible;
  #isAuto = true;
  /** What Auto counts instead of the samples, where a pixel shows something else of them. @type {(() => Float32Array) | null} */
  seen = null;
  /** @type {ReturnType<typeof statistics> | null} */
  #stats = null;
  /** @type {boolean | null} */
  #isFinite = null;
  /** @type {Uint32Array | null} */
  #bins = null;

  /**
   * @param {LoadedChannel} fetched
   * @param {number} position place among the loaded channels
   * @param {number} count channels that are loaded
   */
  constructor({ index, name, dataUrl, samples }, position, count) {
    super();
    this.index = index;
    this.name = name;
    this.dataUrl = dataUrl;
    this.samples = samples;
    // Opacity is no light that could be added.
    this.#visible = position < DISTINCT.length && name !== "Alpha";
    this.#lutName = defaultLut(position, name, count);
    this.#range = autoRange(this.stats);
  }

  /** Of all samples; made when they are asked for. */
  get stats() {
    return this.#stats ??= statistics(this.samples);
  }

  /** Whether there is neither NaN nor an infinity. */
  get isFinite() {
    return this.#isFinite ??= this.#stats === null
      ? allFinite(this.samples)
      : this.#stats.count === this.samples.length;
  }

  /** Other samples of the same channel, such as the next time point; the look stays. @param {Float32Array} samples */
  replaceSamples(samples) {
    this.samples = samples;
    this.#stats = this.#bins = this.#isFinite = null;
    this.dispatchEvent(new Event("samples"));
  }

  get lutName() {
    return this.#lutName;
  }

  set lutName(name) {
    this.#lutName = name;
    this.#changed();
  }

  /** Power of the part of the range before it is looked up: below 1 dark parts are brighter. */
  get gamma() {
    return this.#gamma;
  }

  set gamma(gamma) {
    this.#gamma = gamma;
    this.#changed();
  }

  /** Whether there is a look-up table of this name. @param {string} name */
  hasLut(name) {
    return LUT_NAMES.includes(name);
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

  /** Whether the range is the one that Auto has set, or the one that it began with. */
  get isAuto() {
    return this.#isAuto;
  }

  /** Sets the range; ends that float32 cannot tell apart are moved apart. @param {number} min @param {number} max @param {boolean} [isAuto] it was not chosen by hand */
  setRange(min, max, isAuto = false) {
    this.#range = drawableRange(min, max);
    this.#isAuto = isAuto;
    this.#changed();
  }

  /** Sets one end (0: minimum, 1: maximum); where it passes the other, the other moves along. @param {number} end @param {number} value */
  setEnd(end, value) {
    const [min, max] = this.#range;
    const width = max - min;
    if (end === 0) this.setRange(value, value < max ? max : value + width);
    else this.setRange(value > min ? min : value - width, value);
  }

  /** 1st to 99.5th percentile of the samples, or of what is seen of them. */
  autoRange() {
    this.setRange(...autoRange(this.seen === null ? this.stats : statistics(this.seen())), true);
  }

  /** What a renderer needs to know. */
  look() {
    return {
      min: this.#range[0],
      max: this.#range[1],
      lutName: this.#lutName,
      lut: withGamma(lutTable(this.#lutName), this.#gamma),
      // Most planes need no second pass.
      isFinite: this.isFinite,
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

/** @param {Float32Array} samples */
function allFinite(samples) {
  for (let i = 0; i < samples.length; i += 1) if (samples[i] - samples[i] !== 0) return false;
  return true;
}
