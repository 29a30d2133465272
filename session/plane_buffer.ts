/**
 * One float32 plane in memory. A response holds a lease while it sends; a released plane gives its memory back
 * at once when nobody holds a lease, else when the last lease ends.
 */

/** Bytes of one chunk of a response: the event loop is free again after each. */
const CHUNK_BYTES = 1 << 20;

/** A plane of `rows * columns` float32 samples, little-endian, row-major. */
export class PlaneBuffer {
  /** Bytes of the plane; stays known after the memory is given back. */
  readonly byteLength: number;
  #bytes: Uint8Array<ArrayBuffer>;
  #leases = 0;
  #released = false;
  readonly #freed: (buffer: ArrayBuffer) => void;

  /**
   * Takes over a plane.
   *
   * @param plane its buffer belongs to this object from now on
   * @param freed called once with the memory, when no view of this object or of its streams leads to it any more
   */
  constructor(plane: Float32Array<ArrayBuffer>, freed: (buffer: ArrayBuffer) => void) {
    this.#bytes = new Uint8Array(plane.buffer, plane.byteOffset, plane.byteLength);
    this.byteLength = plane.byteLength;
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
    const bytes = this.#bytes;
    let at = start;
    let controller!: ReadableStreamDefaultController<Uint8Array>;
    let open = true;
    const body = new ReadableStream<Uint8Array>({
      start(c) {
        controller = c;
      },
      pull(c) {
        moved();
        const next = Math.min(at + CHUNK_BYTES, end);
        if (next > at) c.enqueue(bytes.subarray(at, next));
        at = next;
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

  /** `transfer` takes the memory from all views at once; a dropped buffer would wait for a garbage collection. */
  #free(): void {
    this.#freed(this.#bytes.buffer.transfer());
  }
}

/** A response body over a plane. */
export interface PlaneStream {
  /** Chunks that point into the plane. */
  readonly body: ReadableStream<Uint8Array>;
  /** Ends the stream with an error, so that the connection is cut and no short body passes for a whole one. */
  cut(reason: string): void;
}
