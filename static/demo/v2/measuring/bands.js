/**
 * Bands of positions of a line scan: parts of each line, with colours and names.
 *
 * @typedef {object} Band
 * @property {number} id
 * @property {string} name
 * @property {string} color CSS
 * @property {number} from first column
 * @property {number} to end, not included
 */

/** Distinct on black and on white, also with most colour vision deficiencies (after Okabe and Ito 2008). */
const BAND_COLORS = ["#e69f00", "#56b4e9", "#009e73", "#f0e442", "#d55e00", "#cc79a7", "#999999"];

/** More curves are indistinguishable and slow. */
export const MOST_BANDS = 24;

/** The bands of the shown picture; emits `change`. */
export class Bands extends EventTarget {
  /** @type {Band[]} */
  #bands = [];
  #columns = 0;
  #made = 0;

  /** @returns {readonly Band[]} */
  get all() {
    return this.#bands;
  }

  /** Columns of the line scan. */
  get columns() {
    return this.#columns;
  }

  /** Starts with a line scan of `columns` columns. @param {number} columns @param {readonly Band[]} [bands] drawn in it before */
  begin(columns, bands = []) {
    this.#columns = columns;
    this.#bands = [...bands];
    this.#made = Math.max(0, ...bands.map(({ id }) => id));
    this.#changed();
  }

  /**
   * @param {number} from a position between columns; the band includes every column that it touches
   * @param {number} to
   * @returns {Band | null} null beyond the limit
   */
  add(from, to) {
    if (this.#bands.length >= MOST_BANDS || this.#columns === 0) return null;
    this.#made += 1;
    const color = /** @type {string} */ (BAND_COLORS[(this.#made - 1) % BAND_COLORS.length]);
    const band = {
      id: this.#made,
      name: `Band ${this.#made}`,
      color,
      ...columnsBetween(from, to, this.#columns),
    };
    this.#bands.push(band);
    this.#changed();
    return band;
  }

  /** @param {number} id @param {Partial<Omit<Band, "id">>} change */
  change(id, change) {
    const band = this.#bands.find((other) => other.id === id);
    if (band === undefined) return;
    Object.assign(band, change);
    Object.assign(band, columnsBetween(band.from, band.to, this.#columns));
    this.#changed();
  }

  /** @param {number} id */
  remove(id) {
    this.#bands = this.#bands.filter((band) => band.id !== id);
    this.#changed();
  }

  #changed() {
    this.dispatchEvent(new Event("change"));
  }
}

/**
 * Columns at least partly between two positions; at least one.
 *
 * @param {number} one
 * @param {number} other
 * @param {number} columns
 * @returns {{from: number, to: number}}
 */
export function columnsBetween(one, other, columns) {
  const [low, high] = [Math.min(one, other), Math.max(one, other)];
  const from = Math.min(columns - 1, Math.max(0, Math.floor(low)));
  return { from, to: Math.min(columns, Math.max(from + 1, Math.ceil(high))) };
}
