/** A small seeded generator (mulberry32), so that every case of a run can be made again from its number. */
export class Random {
  #state: number;

  /** Two numbers make one stream: the seed of the run and the number of the case. */
  constructor(seed: number, stream = 0) {
    this.#state = (Math.imul(seed, 0x9e3779b1) ^ Math.imul(stream + 1, 0x85ebca6b)) >>> 0;
    for (let i = 0; i < 4; i += 1) this.#next();
  }

  #next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let t = this.#state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return (t ^ (t >>> 14)) >>> 0;
  }

  /** An integer from 0 up to but without `end`. */
  below(end: number): number {
    return end <= 1 ? 0 : Math.floor(this.#next() / 0x1_0000_0000 * end);
  }

  of<T>(items: readonly T[]): T {
    return items[this.below(items.length)]!;
  }

  oneIn(n: number): boolean {
    return this.below(n) === 0;
  }
}
