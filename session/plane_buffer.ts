/**
 * One float32 plane in memory. A response holds a lease while it sends; a released plane gives its memory back
 * at once when nobody holds a lease, else when the last lease ends.
 */

/** Bytes of one chunk of a response: the connection takes 16 MiB in four fifths of the time that chunks of 1 MiB need. */
const CHUNK_BYTES = 4 << 20;

/** Bytes of a chunk for a client that took longer than {@linkcode SLOW_MS} for the one before: each is a sign of life. */
const SLOW_CHUNK_BYTES = 1 << 20;
const SLOW_MS = 1000;

/** Float32 samples of consecutive rows of a plane, from its first row to its last, in buffers of their own. */
export type PlaneParts = readonly Float32Array<ArrayBuffer>[];

/** A plane of `rows * columns` float32 samples, little-endian, row-major. */
export class PlaneBuffer {
  /** Bytes of the plane; stays known after the memory is given back. */
  readonly byteLength: number;
  /** Each with the byte of the plane that it begins at. */
  readonly #parts: readonly { readonly start: number; readonly bytes: Uint8Array<ArrayBuffer> }[];
  #leases = 0;
  #released = false;
  readonly #freed: (buffer: ArrayBuffer, bytes: number) => void;

  /**
   * Takes over a plane.
   *
   * @param parts their buffers belong to this object from now on
   * @param freed called once with the memory of each part and its bytes of the plane, when no view of this object or of its
   *   streams leads to it any more
   */
  constructor(parts: PlaneParts, freed: (buffer: ArrayBuffer, bytes: number) => void) {
    let start = 0;
    this.#parts = parts.map(({ buffer, byteOffset, byteLength }) => {
      const part = { start, bytes: new Uint8Array(buffer, byteOffset, byteLength) };
      start += byteLength;
      return part;
    });
    this.byteLength = start;
    this.#freed = freed;
  }

  /** Responses that are being sent. */
  get leases(): number {
    return this.#leases;
  }

  /** Holds the memory, which must not be given back yet, until the returned function is called; calling it again does nothing. */
  lease(): () => void {
    if (this.#released && this.#leases === 0) throw new Error("the plane was released");
    this.#leases += 1;
    let held = true;
    return () => {
      if (!held) return;
      held = false;
      this.#leases -= 1;
      if (this.#released && this.#leases === 0) this.#free();
    };
  }

  /** Gives the memory back, at once or when the last lease ends. */
  release(): void {
    if (this.#released) return;
    this.#released = true;
    if (this.#leases === 0) this.#free();
  }

  /**
   * The bytes from `start` up to `end` as a stream of chunks that point into the plane; nothing is copied. Take
   * a lease first.
   *
   * @param moved called for each chunk that the receiver asked for
   */
  stream(start: number, end: number, moved: () => void): PlaneStream {
    let at = start;
    let asked = -Infinity;
    const view = (from: number, to: number) => this.#view(from, to);
    let controller!: ReadableStreamDefaultController<Uint8Array>;
    let open = true;
    const body = new ReadableStream<Uint8Array>({
      start(c) {
        controller = c;
      },
      pull(c) {
        moved();
        const now = performance.now();
        const most = now - asked > SLOW_MS ? SLOW_CHUNK_BYTES : CHUNK_BYTES;
        asked = now;
        if (at < end) {
          const chunk = view(at, Math.min(at + most, end));
          at += chunk.length;
          c.enqueue(chunk);
        }
        if (at >= end) {
          open = false;
          c.close();
        }
      },
      cancel() {
        open = false;
      },
    }, { highWaterMark: 0 });
    return {
      body,
      cut: (reason) => {
        if (open) controller.error(reason);
        open = false;
      },
    };
  }

  /** The bytes from `from` up to `to`, or up to the end of the part that holds `from`. */
  #view(from: number, to: number): Uint8Array<ArrayBuffer> {
    const { start, bytes } = this.#parts.find((part) => from < part.start + part.bytes.length)!;
    return bytes.subarray(from - start, Math.min(to - start, bytes.length));
  }

  /** `transfer` takes the memory from all views at once; a dropped buffer would wait for a garbage collection. */
  #free(): void {
    for (const { bytes } of this.#parts) {
      const { length } = bytes;
      this.#freed(bytes.buffer.transfer(), length);
    }
  }
}

/** A response body over a plane. */
export interface PlaneStream {
  /** Chunks that point into the plane. */
  readonly body: ReadableStream<Uint8Array>;
  /** Ends the stream with an error, so that the connection is cut and no short body passes for a whole one. */
  cut(reason: string): void;
}
