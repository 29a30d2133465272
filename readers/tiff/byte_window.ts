import type { ByteSource } from "../io/byte_source.ts";

/** First window after a jump: a directory of twenty entries with its short values. */
const FIRST_WINDOW = 512;

/** Largest window: consecutive directories are then read by the dozen. */
const LAST_WINDOW = 1 << 16;

/**
 * Small reads of one file through one window, which is small after a jump and doubles while reads go on where it ended or shortly
 * after: a chain of directories costs few bytes when they are scattered and few reads when they are not.
 */
export class ByteWindow {
  /** The file behind the window. */
  readonly file: ByteSource;
  #start = 0;
  #length = 0;
  #bytes = new Uint8Array(FIRST_WINDOW);

  /** Reads nothing yet. */
  constructor(file: ByteSource) {
    this.file = file;
  }

  /**
   * `length` bytes at `offset`, as a view that is valid until the next call.
   *
   * @param what names the structure in messages
   * @throws {DecodeFailed} they lie outside the file
   */
  view(offset: number, length: number, what: string): DataView<ArrayBuffer> {
    this.file.require(offset, length, what);
    // A document is read beside the window, which would stay as large.
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
