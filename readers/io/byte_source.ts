/** Sources of bytes for readers: a file, a section of one, an entry of an archive. */
import { DecodeFailed } from "../errors.ts";

/** Bytes that are read by position. */
export interface ByteSource {
  /** How messages call it: `the file`. */
  readonly name: string;
  /** Bytes. */
  readonly size: number;
  /** True where reading parts gains nothing: the bytes are in memory, or trusted only as a whole. */
  readonly asWhole?: boolean;
  /**
   * Checks that `length` bytes at `offset` lie inside.
   *
   * @param what names the structure in the message: `strip 3`, `block`
   * @throws {DecodeFailed} they do not, or a number is not a safe non-negative integer
   */
  require(offset: number, length: number, what: string): void;
  /** Reads `length` bytes at `offset` into a new array. @throws {DecodeFailed} as {@linkcode readInto} does */
  read(offset: number, length: number, what: string): Uint8Array<ArrayBuffer>;
  /**
   * Fills `target` from `offset` on.
   *
   * @throws {DecodeFailed} the range does not lie inside, or cannot be read
   * @throws {Stopped} the open was stopped
   */
  readInto(offset: number, target: Uint8Array, what: string): void;
}

/** Base of sources: checks ranges against the size and reads through `readInto`. */
export abstract class CheckedSource implements ByteSource {
  abstract readonly name: string;
  abstract readonly size: number;

  require(offset: number, length: number, what: string): void {
    if (!Number.isSafeInteger(offset) || !Number.isSafeInteger(length) || offset < 0 || length < 0) {
      throw new DecodeFailed(`${what} has an impossible position ${offset} + ${length}`);
    }
    if (offset + length > this.size) {
      throw new DecodeFailed(`${what} at ${offset} + ${length} ends after ${this.name} (${this.size} bytes)`);
    }
  }

  read(offset: number, length: number, what: string): Uint8Array<ArrayBuffer> {
    this.require(offset, length, what);
    const bytes = new Uint8Array(length);
    this.readInto(offset, bytes, what);
    return bytes;
  }

  abstract readInto(offset: number, target: Uint8Array, what: string): void;
}

/** Consecutive bytes of another source; positions count from its own first byte. */
export class ByteSection extends CheckedSource implements ByteSource {
  readonly name: string;
  readonly size: number;
  readonly asWhole: boolean;
  readonly #source: ByteSource;
  readonly #start: number;

  /** Nothing is read yet. @throws {DecodeFailed} it does not lie inside the source */
  constructor(source: ByteSource, start: number, size: number, name: string) {
    super();
    source.require(start, size, name);
    this.name = name;
    this.size = size;
    this.asWhole = source.asWhole ?? false;
    this.#source = source;
    this.#start = start;
  }

  override readInto(offset: number, target: Uint8Array, what: string): void {
    this.require(offset, target.length, what);
    this.#source.readInto(this.#start + offset, target, what);
  }
}

/** Bytes that were decoded as a whole. */
export class DecodedBytes extends CheckedSource implements ByteSource {
  readonly name: string;
  readonly size: number;
  readonly asWhole = true;
  readonly #bytes: Uint8Array;

  /** The bytes are kept, not copied. */
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
