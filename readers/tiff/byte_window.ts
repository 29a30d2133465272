import type { ByteSource } from "../io/byte_source.ts";

/** First window after a jump: a directory of twenty entries with its short values. */
const FIRST_WINDOW = 512;

/** Largest window; directories written one after the other are then read by the dozen. */
const LAST_WINDOW = 1 << 16;

/**
 * Small reads of one file through one window. The window starts small after a jump and doubles while reads go on
 * where it ended, or no further behind than it is long: between directories lie their values. So a chain of directories
 * costs few bytes when they are scattered and few reads when not.
 */
export class ByteWindow {
  /** Bytes that are read through the window. */
  readonly file: ByteSource;
  #start = 0;
  #length = 0;
  #bytes = new Uint8Array(FIRST_WINDOW);

  /** A window that holds nothing yet. */
  constructor(file: ByteSource) {
    this.file = file;
  }

  /**
   * `length` bytes at `offset`, as a view that lasts until the next call.
   *
   * @param what names the structure in messages
   * @throws {DecodeFailed} they lie outside the file
   */
  view(offset: number, length: number, what: string): DataView<ArrayBuffer> {
    this.file.require(offset, length, what);
    // A document is read beside the window, which would keep as many bytes.
    if (length > LAST_WINDOW) return new DataView(this.file.read(offset, length, what).buffer);
    const end = this.#start + this.#length;
    if (offset < this.#start || offset + length > end) {
      const goesOn = offset >= this.#start && offset <= end + this.#length && this.#length > 0;
      const wanted = goesOn ? Math.min(this.#length * 2, LAST_WINDOW) : FIRST_WINDOW;
      const size = Math.min(Math.max(wanted, length), this.file.size - offset);
      if (size > this.#bytes.length) this.#bytes = new Uint8Array(size);
      this.#length = 0;
      this.file.readInto(offset, this.#bytes.subarray(0, size), what);
      this.#start = offset;
      this.#length = size;
    }
    return new DataView(this.#bytes.buffer, offset - this.#start, length);
  }
}
