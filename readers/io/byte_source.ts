/** Sources of bytes for readers: a file, a section of a file, or an entry of an archive. */
import { DecodeFailed } from "../errors.ts";

/** Bytes read by position. `what` names the structure in messages: `strip 3`, `block`. */
export abstract class ByteSource {
  /** Name in messages: `the file`. */
  abstract readonly name: string;
  abstract readonly size: number;
  /** True if reading parts has no advantage: the bytes are in memory, or can be verified only as a whole. */
  readonly asWhole: boolean = false;

  /** Checks that a range lies inside, and that its numbers are safe and not negative. @throws {DecodeFailed} */
  require(offset: number, length: number, what: string): void {
    if (!Number.isSafeInteger(offset) || !Number.isSafeInteger(length) || offset < 0 || length < 0) {
      throw new DecodeFailed(`${what} has an impossible position ${offset} + ${length}`);
    }
    if (offset + length > this.size) {
      throw new DecodeFailed(`${what} at ${offset} + ${length} ends after ${this.name} (${this.size} bytes)`);
    }
  }

  /** Reads `length` bytes at `offset` into a new array. @throws {DecodeFailed | Stopped} */
  read(offset: number, length: number, what: string): Uint8Array<ArrayBuffer> {
    this.require(offset, length, what);
    const bytes = new Uint8Array(length);
    this.readInto(offset, bytes, what);
    return bytes;
  }

  /** Checks the range, then fills `target` from `offset` on. @throws {DecodeFailed | Stopped} */
  abstract readInto(offset: number, target: Uint8Array, what: string): void;

  /** Ends work without reads if it is to stop. @throws {Stopped} */
  checkStop(): void {}
}

/** Consecutive bytes of another source; positions count from the first byte of the section. */
export class ByteSection extends ByteSource {
  readonly name: string;
  readonly size: number;
  override readonly asWhole: boolean;
  readonly #source: ByteSource;
  readonly #start: number;

  /** Reads nothing yet. @throws {DecodeFailed} the section does not lie inside the source */
  constructor(source: ByteSource, start: number, size: number, name: string) {
    super();
    source.require(start, size, name);
    this.name = name;
    this.size = size;
    this.asWhole = source.asWhole;
    this.#source = source;
    this.#start = start;
  }

  override readInto(offset: number, target: Uint8Array, what: string): void {
    this.require(offset, target.length, what);
    this.#source.readInto(this.#start + offset, target, what);
  }

  override checkStop(): void {
    this.#source.checkStop();
  }
}

/** Bytes in memory, decoded as a whole. */
export class DecodedBytes extends ByteSource {
  readonly name: string;
  readonly size: number;
  override readonly asWhole = true;
  readonly #bytes: Uint8Array;

  /** Keeps the bytes without copying them. */
  constructor(bytes: Uint8Array, name: string) {
    super();
    this.name = name;
    this.size = bytes.length;
    this.#bytes = bytes;
  }

  override readInto(offset: number, target: Uint8Array, what: string): void {
    this.require(offset, target.length, what);
    target.set(this.#bytes.subarray(offset, offset + target.length));
  }
}

/** Consecutive bytes of a source, and their range in the bytes that they are joined to. */
export interface JoinedRun {
  readonly source: ByteSource;
  readonly start: number;
  end: number;
  /** Offset in the source. */
  readonly place: number;
}

/** Bytes that are scattered over one or more sources. */
export class JoinedBytes extends ByteSource {
  readonly name: string;
  readonly size: number;
  readonly #runs: readonly JoinedRun[];

  /** Joins `size` bytes of adjacent runs. */
  constructor(runs: readonly JoinedRun[], size: number, name: string) {
    super();
    this.name = name;
    this.size = size;
    this.#runs = runs;
  }

  override readInto(offset: number, target: Uint8Array, what: string): void {
    this.require(offset, target.length, what);
    let run = this.#runs.findIndex(({ end }) => end > offset);
    for (let done = 0; done < target.length; run += 1) {
      const { source, start, end, place } = this.#runs[run]!;
      const at = offset + done;
      const step = Math.min(end - at, target.length - done);
      source.readInto(place + at - start, target.subarray(done, done + step), what);
      done += step;
    }
  }
}
