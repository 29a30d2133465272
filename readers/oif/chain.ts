/** Chains of sectors in a compound file, and their bytes. */
import { type ByteSource, CheckedSource } from "../io/byte_source.ts";
import { DecodeFailed } from "../errors.ts";

/** Runs of neighbouring sectors in one stream, 16 bytes of heap each; FluoView writes one to three. */
const MAX_RUNS = 1 << 18;

/** Sectors from here on are marks: free, end of chain, FAT, DIFAT ([MS-CFB] 2.1). */
const FIRST_MARK = 0xfffffffa;

/** Mark of an unused sector. */
const FREE = 0xffffffff;

/** Mark after the last sector of a chain. */
const END_OF_CHAIN = 0xfffffffe;

/** Neighbouring sectors. */
export interface Run {
  /** Number of the first. */
  readonly start: number;
  /** How many. */
  readonly count: number;
}

/** Names the sector after each sector. */
export class SectorTable {
  /** Bytes of a sector. */
  readonly sectorBytes: number;
  readonly #next: Uint32Array;
  readonly #sectors: number;

  /** Takes a table. @param sectors number of sectors that the file holds */
  constructor(next: Uint32Array, sectors: number, sectorBytes: number) {
    this.#next = next;
    this.#sectors = sectors;
    this.sectorBytes = sectorBytes;
  }

  /** True where the table names sectors after the last one. */
  get reachesBeyond(): boolean {
    return this.#next.subarray(this.#sectors).some((next) => next !== FREE);
  }

  /** Bytes of memory. */
  get indexBytes(): number {
    return this.#next.byteLength;
  }

  /**
   * The first sectors of a chain.
   *
   * @param most sectors to follow
   * @param what names the chain in messages
   * @throws {DecodeFailed} it leaves the file or is scattered
   */
  follow(first: number, most: number, what: string): Run[] {
    const runs: { start: number; count: number }[] = [];
    let left = most;
    for (let sector = first; left > 0 && sector !== END_OF_CHAIN; left -= 1) {
      this.#requireInside(sector, what);
      const last = runs.at(-1);
      if (last !== undefined && last.start + last.count === sector) last.count += 1;
      else if (runs.length < MAX_RUNS) runs.push({ start: sector, count: 1 });
      else throw new DecodeFailed(`${what} is scattered over more than ${MAX_RUNS} places`);
      sector = this.#next[sector] ?? FIRST_MARK;
    }
    return runs;
  }

  #requireInside(sector: number, what: string): void {
    if (sector >= this.#sectors) {
      const place = sector >= FIRST_MARK ? "an unused sector" : `sector ${sector}`;
      throw new DecodeFailed(`${what} leads to ${place}, but there are ${this.#sectors}`);
    }
  }
}

/** Sectors of all runs. */
export const sectorsOf = (runs: readonly Run[]): number => runs.reduce((sum, { count }) => sum + count, 0);

/** The bytes of a chain. */
export class ChainSource extends CheckedSource {
  /** How messages call it. */
  readonly name: string;
  /** Bytes. */
  readonly size: number;
  readonly #base: ByteSource;
  /** Start of each run in the base, and its end in the chain. */
  readonly #places: Float64Array;
  readonly #ends: Float64Array;

  /**
   * The caller has checked that the runs hold `size` bytes.
   *
   * @param base holds the sectors from `origin` on
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

  /** Fills `target` from `offset` on. @throws {DecodeFailed} as {@linkcode ByteSource.readInto} */
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
