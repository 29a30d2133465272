/** Notes on damaged or odd parts of a file: the first is kept in words, the others are counted. */
export class Damage {
  #first: string | null = null;
  #count = 0;

  /** @param what one clause with the offset: `block at 96 + 30 ends after the file (90 bytes)` */
  add(what: string): void {
    this.#first ??= what;
    this.#count += 1;
  }

  /** True when nothing was noted. */
  get none(): boolean {
    return this.#count === 0;
  }

  /** The notes in one clause, or `null`. */
  get text(): string | null {
    if (this.#first === null) return null;
    return this.#count === 1 ? this.#first : `${this.#first}, and ${this.#count - 1} more like it`;
  }
}
