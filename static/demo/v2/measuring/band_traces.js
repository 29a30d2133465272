/**
 * Traces of all bands and shown channels: averaged over lines, raw or as a change against a baseline. Caches what has
 * not changed.
 *
 * @typedef {object} TraceSettings
 * @property {boolean} isChange ΔF/F₀ instead of raw values
 * @property {import("../../../measure/traces.js").Baseline} baseline in lines
 * @property {number} offset dark level of the detector
 * @property {number} average lines averaged per value
 *
 * @typedef {object} Trace
 * @property {string} name of band and channel
 * @property {import("./bands.js").Band} band
 * @property {string} channel
 * @property {string} color of the band
 * @property {string} dash of the channel, empty for the first
 * @property {Float64Array} values one a line
 * @property {number} baseline F₀; NaN for raw values
 */
import { bandMean, relativeChange, runningMean } from "../../../measure/traces.js";

/** Dashes distinguish channels, colours distinguish bands. */
const DASHES = ["", "6 3", "2 3", "9 3 2 3"];

/** Initial settings. @type {TraceSettings} */
export const DEFAULT_SETTINGS = {
  isChange: false,
  baseline: { kind: "percentile", percentile: 10 },
  offset: 0,
  average: 1,
};

/** Computes and caches traces. */
export class BandTraces {
  /** @type {WeakMap<Float32Array, Map<string, Float64Array>>} */
  #means = new WeakMap();

  /**
   * @param {{plane: {shape: readonly number[]}, shown: readonly {name: string, samples: Float32Array}[]}} group
   * @param {readonly import("./bands.js").Band[]} bands
   * @param {TraceSettings} settings
   * @returns {Trace[]}
   */
  of({ plane, shown }, bands, settings) {
    return bands.flatMap((band) =>
      shown.map(({ name, samples }, i) => {
        const means = this.#mean(samples, plane.shape, band);
        const smooth = runningMean(means, settings.average);
        const { values, baseline } = settings.isChange
          ? relativeChange(smooth, settings.baseline, settings.offset)
          : { values: smooth, baseline: NaN };
        const dash = /** @type {string} */ (DASHES[i % DASHES.length]);
        const full = shown.length > 1 ? `${band.name} · ${name}` : band.name;
        return { name: full, band, channel: name, color: band.color, dash, values, baseline };
      })
    );
  }

  /** New planes have new sample arrays. @type {(samples: Float32Array, shape: readonly number[], band: import("./bands.js").Band) => Float64Array} */
  #mean(samples, shape, { from, to }) {
    const kept = this.#means.get(samples) ?? new Map();
    this.#means.set(samples, kept);
    const key = `${from} ${to}`;
    const known = kept.get(key);
    if (known !== undefined) return known;
    const made = bandMean(samples, shape, "rows", from, to);
    // Dragging a band leaves an entry per position.
    if (kept.size > 64) kept.clear();
    kept.set(key, made);
    return made;
  }
}
