/** Memory of large planes that were released, for the loads that follow soon. */
import type { Clock } from "./clock.ts";

/** Planes below this size are not worth keeping. */
const SMALLEST = 4 << 20;

/** Bytes that are kept: eight planes of 2048 x 2048. */
const MOST = 128 << 20;

/** A buffer that no load has taken after this time goes back to the system. */
const REST_MS = 5000;

/**
 * Keeps the buffers of released planes for 5 s. Fresh memory costs as much time as decoding into it: the system clears each page
 * when it is touched first, which took 8 ms for a plane of 16 MiB.
 */
export class PlaneMemory {
  readonly #clock: Clock;
  readonly #kept = new Map<ArrayBuffer, { readonly bytes: number; readonly cancel: () => void }>();
  #bytes = 0;

  /** Takes the clock of its timers. */
  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /**
   * Takes the memory of a plane that nobody reads any more.
   *
   * @param bytes of the plane; the buffer may be longer
   */
  give(buffer: ArrayBuffer, bytes: number): void {
    if (bytes < SMALLEST || this.#bytes + bytes > MOST) return void buffer.transfer(0);
    this.#bytes += bytes;
    const cancel = this.#clock.after(REST_MS, () => this.#forget(buffer).transfer(0));
    this.#kept.set(buffer, { bytes, cancel });
  }

  /** Up to `count` buffers of planes that had exactly `bytes` bytes; their samples still stand in them. */
  take(bytes: number, count: number): ArrayBuffer[] {
    const fitting = [...this.#kept].filter(([, kept]) => kept.bytes === bytes).slice(0, count);
    return fitting.map(([buffer]) => this.#forget(buffer));
  }

  #forget(buffer: ArrayBuffer): ArrayBuffer {
    const kept = this.#kept.get(buffer);
    kept?.cancel();
    this.#kept.delete(buffer);
    this.#bytes -= kept?.bytes ?? 0;
    return buffer;
  }
}
