/**
 * Fetches planes of other positions so that steps feel immediate: it keeps seen planes, fetches likely next ones ahead
 * and cancels obsolete requests. Independent of the page.
 */

/** Index along each axis, from 0. */
export type PlaneIndices = { t: number; z: number; l: number };

/** Samples of all channels. */
type FetchPlanes = (place: PlaneIndices, signal: AbortSignal) => Promise<Float32Array[]>;

/** Limit of the cache in bytes, the same as the server's for all its clients. */
const MOST_BYTES = 256 * 2 ** 20;

/** A cache of planes that cancels what is no longer wanted. */
export class PlaneSteps {
  readonly #fetch;
  readonly #mostBytes;
  /** The least recently used first. */
  readonly #kept: Map<string, Float32Array[]> = new Map();
  readonly #running: Map<string, { samples: Promise<Float32Array[]>; ending: AbortController }> = new Map();
  #turn = 0;

  constructor(fetch: FetchPlanes, mostBytes: number = MOST_BYTES) {
    this.#fetch = fetch;
    this.#mostBytes = mostBytes;
  }

  /** Empties the cache and cancels requests. */
  clear(): void {
    this.#turn += 1;
    this.#kept.clear();
    this.#giveUpBut([]);
  }

  keep(place: PlaneIndices, samples: Float32Array[]): void {
    const key = makeIndicesKey(place);
    this.#kept.delete(key);
    this.#kept.set(key, samples);
    let bytes = [...this.#kept.values()].reduce((sum, planes) => sum + countPlaneBytesHeld(planes), 0);
    for (const [oldest, planes] of this.#kept) {
      if (bytes <= this.#mostBytes || oldest === key) break;
      this.#kept.delete(oldest);
      bytes -= countPlaneBytesHeld(planes);
    }
  }

  /** Whether the planes of a position are in the cache. */
  has(place: PlaneIndices): boolean {
    return this.#kept.has(makeIndicesKey(place));
  }

  /**
   * Samples at a position; cancels all other requests.
   *
   * @param ahead likely next positions, the likeliest first
   * @returns null when another position was requested meanwhile
   */
  async at(place: PlaneIndices, ahead: readonly PlaneIndices[] = []): Promise<Float32Array[] | null> {
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

  /** Fetches planes one after the other, because the server reads ahead, too. */
  async #goAhead(places: readonly PlaneIndices[], turn: number) {
    for (const place of places) {
      if (turn !== this.#turn) return;
      // The error surfaces when the user gets there.
      await this.#samples(place).catch(() => {});
    }
  }

  async #samples(place: PlaneIndices) {
    const key = makeIndicesKey(place);
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

  #giveUpBut(places: readonly PlaneIndices[]) {
    const wanted = new Set(places.map(makeIndicesKey));
    for (const [key, { samples, ending }] of this.#running) {
      if (wanted.has(key)) continue;
      this.#running.delete(key);
      samples.catch(() => {});
      ending.abort();
    }
  }
}

const makeIndicesKey = ({ t, z, l }: PlaneIndices) => `${t} ${z} ${l}`;

const countPlaneBytesHeld = (planes: Float32Array[]) =>
  planes.reduce((sum, { byteLength }) => sum + byteLength, 0);
