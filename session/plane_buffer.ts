/**
 * One float32 plane in memory. Each response holds a lease while it sends; a released plane gives its memory back when the last
 * lease ends.
 */

/** Bytes of one chunk of a response: with chunks of 1 MiB, 16 MiB take a quarter more time. */
const CHUNK_BYTES = 4 << 20;

/** The samples of a plane in buffers of consecutive rows, from the first row to the last. */
export type PlaneParts = readonly Float32Array<ArrayBuffer>[];

/** Bytes in buffers of their own, in order. */
type ByteParts = readonly ArrayBufferView<ArrayBuffer>[];

/** A plane of `rows * columns` float32 samples, little-endian, row-major; or other bytes that a response sends. */
export class PlaneBuffer {
  /** Bytes of the plane, also after its release. */
  readonly byteLength: number;
  /** Each with its first byte in the plane. */
  readonly #parts: readonly { readonly start: number; readonly bytes: Uint8Array<ArrayBuffer> }[];
  #leases = 0;
  #released = false;
  readonly #freed: (buffer: ArrayBuffer, bytes: number) => void;

  /**
   * Takes over a plane.
   *
   * @param parts their buffers belong to this object from now on
   * @param freed called once with the memory of each part and its bytes in the plane; all views of it are detached
   */
  constructor(parts: ByteParts, freed: (buffer: ArrayBuffer, bytes: number) => void) {
    let start = 0;
    this.#parts = parts.map(({ buffer, byteOffset, byteLength }) => {
      const part = { start, bytes: new Uint8Array(buffer, byteOffset, byteLength) };
      start += byteLength;
      return part;
    });
    this.byteLength = start;
    this.#freed = freed;
  }

  get leases(): number {
    return this.#leases;
  }

  /** Holds the memory until the returned function is first called. */
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
   * Streams the bytes from `start` up to `end` in chunks that point into the plane. The caller holds a lease.
   *
   * @param moved called when the receiver asks for a chunk
   */
  stream(start: number, end: number, moved: () => void): PlaneStream {
    let at = start;
    let isOpen = true;
    let controller!: ReadableStreamDefaultController<Uint8Array>;
    const body = new ReadableStream<Uint8Array>({
      start: (own) => void (controller = own),
      pull: () => {
        moved();
        if (at < end) {
          const chunk = this.#view(at, Math.min(at + CHUNK_BYTES, end));
          at += chunk.length;
          controller.enqueue(chunk);
        }
        if (at >= end) {
          isOpen = false;
          controller.close();
        }
      },
      cancel: () => void (isOpen = false),
    }, { highWaterMark: 0 });
    return {
      body,
      cut: (reason) => {
        if (isOpen) controller.error(reason);
        isOpen = false;
      },
    };
  }

  /** The bytes from `from` up to `to`, or up to the end of the part that holds `from`. */
  #view(from: number, to: number): Uint8Array<ArrayBuffer> {
    const { start, bytes } = this.#parts.find((part) => from < part.start + part.bytes.length)!;
    return bytes.subarray(from - start, Math.min(to - start, bytes.length));
  }

  /** `transfer` detaches all views at once; a dropped buffer would wait for a garbage collection. */
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
  /** Ends the stream with an error, so that the connection is cut and a short body cannot pass for a whole one. */
  cut(reason: string): void;
}
