/** Chains of sectors, as a compound file allocates them, and the bytes that lie in one. */
import { type ByteSource, CheckedSource } from "../io/byte_source.ts";
import { DecodeFailed } from "../errors.ts";

/** Stretches of neighbouring sectors in one stream; FluoView writes one to three. 16 bytes of heap each. */
const MAX_RUNS = 1 << 18;

/** Sectors from here on are marks: free, end of chain, FAT, DIFAT ([MS-CFB] 2.1). */
const FIRST_MARK = 0xfffffffa;

/** Mark of a sector that is in no chain. */
const FREE = 0xffffffff;

/** Mark behind the last sector of a chain. */
const END_OF_CHAIN = 0xfffffffe;

/** Neighbouring sectors. */
export interface Run {
  /** Number of the first. */
  readonly start: number;
  /** How many. */
  readonly count: number;
}

/** A table that names the sector after each one, and where sectors lie. */
export class SectorTable {
  /** Bytes of a sector. */
  readonly sectorBytes: number;
  readonly #next: Uint32Array;
  readonly #sectors: number;
  /** One bit for each sector of the chain that is walked. */
  readonly #walked: Uint8Array;

  /**
   * Takes a table.
   *
   * @param sectors how many there are; a chain leads to none beyond them
   */
  constructor(next: Uint32Array, sectors: number, sectorBytes: number) {
    this.#next = next;
    this.#sectors = sectors;
    this.sectorBytes = sectorBytes;
    this.#walked = new Uint8Array(Math.ceil(sectors / 8));
  }

  /** True where the table tells of sectors that there are not: behind the last one it is free. */
  get reachesBeyond(): boolean {
    return this.#next.subarray(this.#sectors).some((next) => next !== FREE);
  }

  /** Bytes of memory. */
  get indexBytes(): number {
    return this.#next.byteLength + this.#walked.byteLength;
  }

  /**
   * The first sectors of a chain.
   *
   * @param most as many as are followed; a chain that goes on is left there
   * @param what names the chain in messages
   * @throws {DecodeFailed} it leads out of the file, round in a circle, or is scattered
   */
  follow(first: number, most: number, what: string): Run[] {
    const runs: { start: number; count: number }[] = [];
    try {
      let left = most;
      for (let sector = first; left > 0 && sector !== END_OF_CHAIN; left -= 1) {
        this.#visit(sector, what);
        const last = runs.at(-1);
        if (last !== undefined && last.start + last.count === sector) last.count += 1;
        else if (runs.length < MAX_RUNS) runs.push({ start: sector, count: 1 });
        else throw new DecodeFailed(`${what} is scattered over more than ${MAX_RUNS} places`);
        sector = this.#next[sector] ?? FIRST_MARK;
      }
      return runs;
    } finally {
      for (const { start, count } of runs) this.#forget(start, count);
    }
  }

  #visit(sector: number, what: string): void {
    if (sector >= this.#sectors) {
      const place = sector >= FIRST_MARK ? "a sector that belongs to none" : `sector ${sector}`;
      throw new DecodeFailed(`${what} leads to ${place}; there are ${this.#sectors}`);
    }
    const bit = 1 << (sector & 7);
    const byte = this.#walked[sector >> 3] ?? 0;
    if (byte & bit) throw new DecodeFailed(`${what} leads round in a circle at sector ${sector}`);
    this.#walked[sector >> 3] = byte | bit;
  }

  #forget(start: number, count: number): void {
    for (let sector = start; sector < start + count; sector += 1) this.#walked[sector >> 3] = 0;
  }
}

/** Sectors of some runs together. */
export const sectorsOf = (runs: readonly Run[]): number => runs.reduce((sum, { count }) => sum + count, 0);

/** The bytes in the sectors of a chain. */
export class ChainSource extends CheckedSource {
  /** How messages call it. */
  readonly name: string;
  /** Bytes. */
  readonly size: number;
  readonly #base: ByteSource;
  /** For each run where it begins in the base and where it ends in the chain. */
  readonly #places: Float64Array;
  readonly #ends: Float64Array;

  /**
   * The caller has checked that the runs hold `size` bytes.
   *
   * @param base holds the sectors, number 0 from `origin` on
   */
  constructor(
    { base, origin, sectorBytes }: {
      readonly base: ByteSource;
      readonly origin: number;
      readonly sectorBytes: number;
    },
    runs: readonly Run[],
    size: number,
    name: string,
  ) {
    super();
    this.#base = base;
    this.size = size;
    this.name = name;
    this.#places = Float64Array.from(runs, ({ start }) => origin + start * sectorBytes);
    let end = 0;
    this.#ends = Float64Array.from(runs, ({ count }) => end += count * sectorBytes);
  }

  /** Fills `target` from `offset` on. @throws {DecodeFailed} the range does not lie inside, or the file ends before it */
  override readInto(offset: number, target: Uint8Array, what: string): void {
    this.require(offset, target.length, what);
    let run = this.#runAt(offset);
    for (let done = 0; done < target.length; run += 1) {
      const start = run === 0 ? 0 : this.#ends[run - 1] ?? 0;
      const within = offset + done - start;
      const step = Math.min((this.#ends[run] ?? 0) - start - within, target.length - done);
      this.#base.readInto((this.#places[run] ?? 0) + within, target.subarray(done, done + step), what);
      done += step;
    }
  }

  /** The run that holds a byte. */
  #runAt(offset: number): number {
    let low = 0;
    let high = this.#ends.length - 1;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#ends[middle] ?? 0) > offset) high = middle;
      else low = middle + 1;
    }
    return low;
  }
}
