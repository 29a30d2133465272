/**
 * One float32 plane in memory. A response holds a lease while it sends the plane. A released plane gives its memory back when the
 * last lease ends.
 */

/** Bytes per chunk of a response. With chunks of 1 MiB, sending 16 MiB takes a quarter longer. */
const CHUNK_BYTES = 4 << 20;

/** The samples of a plane in buffers of consecutive rows, from the first row to the last. */
export type PlaneParts = readonly Float32Array<ArrayBuffer>[];

/** A plane of `rows * columns` float32 samples, little-endian, row-major; or other bytes to send. */
export class PlaneBuffer {
  /** Bytes of the plane, also after its release. */
  readonly byteLength: number;
  /** Parts of the plane, each with the offset of its first byte in the plane. */
  readonly #parts: readonly { readonly start: number; readonly bytes: Uint8Array<ArrayBuffer> }[];
  #leases = 0;
  #wasCut = false;
  #released = false;
  readonly #freed: (buffer: ArrayBuffer, bytes: number) => void;

  /**
   * Takes over the buffers of a plane. `freed` gets each of them back once, with its number of bytes and no views. A buffer of
   * which a stream was cut comes back empty: the runtime may still send the last chunk of that stream.
   */
  constructor(
    parts: readonly ArrayBufferView<ArrayBuffer>[],
    freed: (buffer: ArrayBuffer, bytes: number) => void,
  ) {
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

  /** Takes a lease. The first call of the returned function ends it. */
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

  /** Gives the memory back, now or when the last lease ends. */
  release(): void {
    if (this.#released) return;
    this.#released = true;
    if (this.#leases === 0) this.#free();
  }

  /**
   * Streams the bytes from `start` up to `end` in chunks that are views of the plane. The caller holds a lease. `moved` is called when
   * the receiver asks for a chunk.
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
          // Up to the end of the part that holds the first byte.
          const { start, bytes } = this.#parts.find((part) => at < part.start + part.bytes.length)!;
          const to = Math.min(at + CHUNK_BYTES, end);
          const chunk = bytes.subarray(at - start, Math.min(to - start, bytes.length));
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
        this.#wasCut = true;
      },
    };
  }

  /** Detaches all views at once with `transfer`; a dropped buffer would wait for a garbage collection. */
  #free(): void {
    for (const { bytes: { buffer, length } } of this.#parts) {
      this.#freed(this.#wasCut ? buffer.transfer(0) : buffer.transfer(), length);
    }
  }
}

/** A response body over a plane. */
export interface PlaneStream {
  readonly body: ReadableStream<Uint8Array>;
  /** True while the receiver waits for a chunk that is not decoded yet. */
  isWaiting?(): boolean;
  /** Ends the stream with an error, so that a short body cannot pass for a whole one. */
  cut(reason: string): void;
}
