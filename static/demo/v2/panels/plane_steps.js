/**
 * Fetches planes of other positions so that steps feel immediate: it keeps seen planes, fetches likely next ones ahead
 * and cancels obsolete requests. Independent of the page.
 */

/**
 * @typedef {{t: number, z: number, l: number}} Place
 * @typedef {(place: Place, signal: AbortSignal) => Promise<Float32Array[]>} Fetch samples of all channels
 */

/** Limit of the cache in bytes, the same as the server's for all its clients. */
const MOST_BYTES = 256 * 2 ** 20;

export class PlaneSteps {
  #fetch;
  #mostBytes;
  /** The least recently used first. @type {Map<string, Float32Array[]>} */
  #kept = new Map();
  /** @type {Map<string, {samples: Promise<Float32Array[]>, ending: AbortController}>} */
  #running = new Map();
  #turn = 0;

  /** @param {Fetch} fetch @param {number} [mostBytes] */
  constructor(fetch, mostBytes = MOST_BYTES) {
    this.#fetch = fetch;
    this.#mostBytes = mostBytes;
  }

  /** Empties the cache and cancels requests. */
  clear() {
    this.#turn += 1;
    this.#kept.clear();
    this.#giveUpBut([]);
  }

  /** @param {Place} place @param {Float32Array[]} samples */
  keep(place, samples) {
    const key = keyOf(place);
    this.#kept.delete(key);
    this.#kept.set(key, samples);
    let bytes = [...this.#kept.values()].reduce((sum, planes) => sum + sizeOf(planes), 0);
    for (const [oldest, planes] of this.#kept) {
      if (bytes <= this.#mostBytes || oldest === key) break;
      this.#kept.delete(oldest);
      bytes -= sizeOf(planes);
    }
  }

  /** Whether the planes of a position are in the cache. @param {Place} place */
  has(place) {
    return this.#kept.has(keyOf(place));
  }

  /**
   * Samples at a position; cancels all other requests.
   *
   * @param {Place} place
   * @param {readonly Place[]} ahead likely next positions, the likeliest first
   * @returns {Promise<Float32Array[] | null>} null when another position was requested meanwhile
   */
  async at(place, ahead = []) {
    const turn = this.#turn += 1;
    this.#giveUpBut([place, ...ahead]);
    try {
      const samples = await this.#samples(place);
      if (turn !== this.#turn) return null;
      this.#goAhead(ahead, turn);
      return samples;
    } catch (error) {
      if (turn !== this.#turn) return null;
      throw error;
    }
  }

  /** Fetches planes one after the other, because the server reads ahead, too. @param {readonly Place[]} places @param {number} turn */
  async #goAhead(places, turn) {
    for (const place of places) {
      if (turn !== this.#turn) return;
      // The error surfaces when the user gets there.
      await this.#samples(place).catch(() => {});
    }
  }

  /** @param {Place} place */
  async #samples(place) {
    const key = keyOf(place);
    const kept = this.#kept.get(key);
    if (kept !== undefined) {
      this.keep(place, kept);
      return kept;
    }
    const before = this.#running.get(key);
    if (before !== undefined) return await before.samples;
    const ending = new AbortController();
    const samples = this.#fetch(place, ending.signal).then((samples) => {
      if (!ending.signal.aborted) this.keep(place, samples);
      return samples;
    }).finally(() => {
      if (this.#running.get(key) === running) this.#running.delete(key);
    });
    const running = { samples, ending };
    this.#running.set(key, running);
    return await samples;
  }

  /** @param {readonly Place[]} places */
  #giveUpBut(places) {
    const wanted = new Set(places.map(keyOf));
    for (const [key, { samples, ending }] of this.#running) {
      if (wanted.has(key)) continue;
      this.#running.delete(key);
      samples.catch(() => {});
      ending.abort();
    }
  }
}

/** @param {Place} place */
const keyOf = ({ t, z, l }) => `${t} ${z} ${l}`;

/** @param {Float32Array[]} planes */
const sizeOf = (planes) => planes.reduce((sum, { byteLength }) => sum + byteLength, 0);
