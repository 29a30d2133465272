/** Notes on damaged or odd parts of a file: the first is kept in words, the others are counted. */
export class Damage {
  #first: string | null = null;
  #count = 0;
  #ends = 0;

  /** Notes damage. @param what one clause with the offset: `block at 96 + 30 runs into the next one at 120` */
  add(what: string): void {
    this.#first ??= what;
    this.#count += 1;
  }

  /** Notes that the data end too early, as those of an interrupted recording do. */
  addEnd(what: string): void {
    this.add(what);
    this.#ends += 1;
  }

  /** True when nothing was noted. */
  get none(): boolean {
    return this.#count === 0;
  }

  /** True when nothing was noted but an early end. */
  get onlyAtEnd(): boolean {
    return this.#count === this.#ends;
  }

  /** The notes in one clause, or `null`. */
  get text(): string | null {
    if (this.#first === null) return null;
    return this.#count === 1 ? this.#first : `${this.#first}, and ${this.#count - 1} more like it`;
  }
}
