/** Memory of released planes, kept for loads that follow soon. */
import type { Clock } from "./clock.ts";

const SMALLEST = 256 << 10;

/** Largest number of bytes to keep: eight planes of 2048 x 2048. */
const MOST = 128 << 20;

/** An unused buffer goes back to the system after this time. */
const REST_MS = 5000;

/**
 * Keeps the buffers of released planes for 5 s. The system clears each page of fresh memory on first use, which took 8 ms for a
 * plane of 16 MiB, as long as decoding into it.
 */
export class PlaneMemory {
  readonly #clock: Clock;
  /** Buffers by the size of their plane in bytes, each with a function that cancels its release. */
  readonly #kept = new Map<number, Map<ArrayBuffer, () => void>>();
  #bytes = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Takes the memory of a released plane of `bytes` bytes; the buffer may be longer, or empty. */
  give(buffer: ArrayBuffer, bytes: number): void {
    if (buffer.byteLength < bytes || bytes < SMALLEST || this.#bytes + bytes > MOST) {
      return void buffer.transfer(0);
    }
    this.#bytes += bytes;
    const cancel = this.#clock.after(REST_MS, () => this.#forget(buffer, bytes).transfer(0));
    this.#kept.getOrInsertComputed(bytes, () => new Map()).set(buffer, cancel);
  }

  /** Up to `count` buffers for planes of exactly `bytes` bytes; they still hold old samples. */
  take(bytes: number, count: number): ArrayBuffer[] {
    const fitting = [...this.#kept.get(bytes)?.keys().take(count) ?? []];
    return fitting.map((buffer) => this.#forget(buffer, bytes));
  }

  #forget(buffer: ArrayBuffer, bytes: number): ArrayBuffer {
    const own = this.#kept.get(bytes);
    own?.get(buffer)?.();
    if (own?.delete(buffer)) this.#bytes -= bytes;
    if (own?.size === 0) this.#kept.delete(bytes);
    return buffer;
  }
}
