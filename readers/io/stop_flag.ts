import { Stopped } from "../errors.ts";

/**
 * A flag in shared memory that stops a decode from outside: `Worker.terminate()` does not end a synchronous loop. Every loop
 * whose length depends on a file calls {@linkcode StopFlag.check} for each strip, chunk, directory or read of at most 1 MiB.
 */
export class StopFlag {
  #cell: Int32Array;

  /** Uses 4 shared bytes; by default, a new flag that is not raised. */
  constructor(shared: SharedArrayBuffer = new SharedArrayBuffer(4)) {
    this.#cell = new Int32Array(shared);
  }

  /** Switches to the flag of another piece of work. */
  follow(shared: SharedArrayBuffer): void {
    this.#cell = new Int32Array(shared);
  }

  get shared(): SharedArrayBuffer {
    return this.#cell.buffer as SharedArrayBuffer;
  }

  /** True once {@linkcode raise} was called in any thread. */
  get raised(): boolean {
    return Atomics.load(this.#cell, 0) !== 0;
  }

  raise(): void {
    Atomics.store(this.#cell, 0, 1);
  }

  /** Ends the work if the flag is raised. @throws {Stopped} */
  check(): void {
    if (this.raised) throw new Stopped();
  }
}
