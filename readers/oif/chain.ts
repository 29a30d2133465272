/** Chains of sectors in a compound file, and their bytes. */
import { type ByteSource, CheckedSource } from "../io/byte_source.ts";
import { DecodeFailed } from "../errors.ts";

/** Largest number of runs of adjacent sectors in a stream, 50 bytes of heap each; FluoView writes one to three. */
const MAX_RUNS = 1 << 18;

/** First sector number that is a mark: free, end of chain, FAT, DIFAT ([MS-CFB] 2.1). */
const FIRST_MARK = 0xfffffffa;
const END_OF_CHAIN = 0xfffffffe;

/** Mark of an unused sector. */
export const FREE = 0xffffffff;

/** Adjacent sectors: their byte range in the chain, and their offset in the file. */
interface Run {
  readonly start: number;
  end: number;
  readonly place: number;
}

/** The sectors of a file or stream, and the table that links them to chains. */
export class Sectors {
  readonly #base: ByteSource;
  readonly #origin: number;
  readonly #sectorBytes: number;
  readonly #count: number;
  readonly #next: Uint32Array;

  /**
   * Creates the sectors from their table.
   *
   * @param base contains the sectors, from `origin` on
   * @param next for each sector, the next one in its chain
   */
  constructor(
    { base, origin, sectorBytes }: {
      readonly base: ByteSource;
      readonly origin: number;
      readonly sectorBytes: number;
    },
    next: Uint32Array,
  ) {
    this.#base = base;
    this.#origin = origin;
    this.#sectorBytes = sectorBytes;
    this.#count = Math.ceil(Math.max(0, base.size - origin) / sectorBytes);
    this.#next = next;
  }

  /** True if the table uses sectors after the last one. */
  get reachesBeyond(): boolean {
    return this.#next.subarray(this.#count).some((next) => next !== FREE);
  }

  /** Memory in bytes. */
  get indexBytes(): number {
    return this.#next.byteLength;
  }

  /** The bytes of a stream. @throws {DecodeFailed} its chain leaves the file, is too scattered, or has fewer than `size` bytes */
  stream(first: number, size: number, name: string): ByteSource {
    if (!Number.isSafeInteger(size) || size > this.#base.size) {
      throw new DecodeFailed(
        `${name} declares ${size} bytes; ${this.#base.name} has ${this.#base.size}`,
      );
    }
    const runs = this.#follow(first, size, name);
    const stored = runs.at(-1)?.end ?? 0;
    if (stored < size) throw new DecodeFailed(`${name} declares ${size} bytes; its chain holds ${stored}`);
    return new Chain(this.#base, runs, size, name);
  }

  /** The bytes of a whole chain, or slightly more than `most`. @throws {DecodeFailed} it leaves the file or is too scattered */
  whole(first: number, most: number, name: string): ByteSource {
    const runs = this.#follow(first, most + 1, name);
    return new Chain(this.#base, runs, runs.at(-1)?.end ?? 0, name);
  }

  /** The runs with the first `size` bytes of a chain. */
  #follow(first: number, size: number, name: string): Run[] {
    const runs: Run[] = [];
    let end = 0;
    for (
      let sector = first;
      end < size && sector !== END_OF_CHAIN;
      sector = this.#next[sector] ?? FIRST_MARK
    ) {
      if (sector >= this.#count) {
        const place = sector >= FIRST_MARK ? "an unused sector" : `sector ${sector}`;
        throw new DecodeFailed(`${name} leads to ${place}, but there are ${this.#count}`);
      }
      const place = this.#origin + sector * this.#sectorBytes;
      const start = end;
      end += this.#sectorBytes;
      const last = runs.at(-1);
      if (last !== undefined && last.place + start - last.start === place) last.end = end;
      else if (runs.push({ start, end, place }) > MAX_RUNS) {
        throw new DecodeFailed(`${name} is scattered over more than ${MAX_RUNS} places`);
      }
    }
    return runs;
  }
}

/** The bytes of a chain. */
class Chain extends CheckedSource {
  readonly name: string;
  readonly size: number;
  readonly #base: ByteSource;
  readonly #runs: readonly Run[];

  constructor(base: ByteSource, runs: readonly Run[], size: number, name: string) {
    super();
    this.#base = base;
    this.#runs = runs;
    this.size = size;
    this.name = name;
  }

  override readInto(offset: number, target: Uint8Array, what: string): void {
    this.require(offset, target.length, what);
    let run = this.#runAt(offset);
    for (let done = 0; done < target.length; run += 1) {
      const { start, end, place } = this.#runs[run]!;
      const at = offset + done;
      const step = Math.min(end - at, target.length - done);
      this.#base.readInto(place + at - start, target.subarray(done, done + step), what);
      done += step;
    }
  }

  /** Index of the run that contains a byte. */
  #runAt(offset: number): number {
    let [low, high] = [0, this.#runs.length - 1];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#runs[middle]!.end > offset) high = middle;
      else low = middle + 1;
    }
    return low;
  }
}
