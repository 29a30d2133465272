/** Memory of released planes, for the loads that follow soon. */
import type { Clock } from "./clock.ts";

/** Smaller planes are not worth keeping. */
const SMALLEST = 256 << 10;

/** Bytes that are kept: eight planes of 2048 x 2048. */
const MOST = 128 << 20;

/** An unused buffer goes back to the system after this time. */
const REST_MS = 5000;

/**
 * Keeps the buffers of released planes for 5 s. The system clears each page of fresh memory when it is first touched, which took
 * 8 ms for a plane of 16 MiB, as long as decoding into it.
 */
export class PlaneMemory {
  readonly #clock: Clock;
  /** By the bytes of the plane: buffers, each with the function that cancels its end. */
  readonly #kept = new Map<number, Map<ArrayBuffer, () => void>>();
  #bytes = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /**
   * Takes the memory of a released plane.
   *
   * @param bytes of the plane; the buffer may be longer
   */
  give(buffer: ArrayBuffer, bytes: number): void {
    if (bytes < SMALLEST || this.#bytes + bytes > MOST) return void buffer.transfer(0);
    this.#bytes += bytes;
    const cancel = this.#clock.after(REST_MS, () => this.#forget(buffer, bytes).transfer(0));
    this.#kept.getOrInsertComputed(bytes, () => new Map()).set(buffer, cancel);
  }

  /** Up to `count` buffers of planes of exactly `bytes` bytes, with old samples in them. */
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
