/** A regular file, read by position. Each read is checked against the size of the file, and a short read is an error. */
// Imports the object rather than its functions, so that a test can make one call fail.
import fs from "node:fs";
import { DecodeFailed } from "../errors.ts";
import { ByteSource } from "./byte_source.ts";
import { MAX_READ_STEP } from "./limits.ts";
import { unreadableFile } from "./paths.ts";
import type { StopFlag } from "./stop_flag.ts";

/** Numbers of opens, reads and bytes that a reader requested. */
export interface ReadCounts {
  opens: number;
  reads: number;
  bytes: number;
}

/** What a file asks of the access that opened it. */
export interface FileHost {
  readonly counts: ReadCounts;
  readonly stop: StopFlag;
  /** Returns a new descriptor after a rest. @throws {AcquisitionChanged | ReaderError} */
  again(): number;
  /** Called before each read. */
  used(): void;
  /** Called after the descriptor was closed. */
  closed(): void;
}

/** A regular file, read by position. */
export class RandomAccessFile extends ByteSource {
  readonly name = "the file";
  readonly path: string;
  readonly size: number;
  #fd: number | null;
  #closed = false;
  readonly #host: FileHost;

  /** Called only by `FileAccess.open`. */
  constructor(
    { path, fd, size }: { readonly path: string; readonly fd: number; readonly size: number },
    host: FileHost,
  ) {
    super();
    this.path = path;
    this.size = size;
    this.#fd = fd;
    this.#host = host;
  }

  /**
   * Fills `target` from `offset` on.
   *
   * @throws {DecodeFailed | Stopped} as for any source, or the file became shorter since it was opened
   * @throws {Unreadable} the system cannot read the file
   * @throws {AcquisitionChanged} the file rested and has changed since
   */
  override readInto(offset: number, target: Uint8Array, what: string): void {
    this.require(offset, target.length, what);
    if (this.#closed) throw new Error(`"${this.path}" is closed`);
    const { counts, stop } = this.#host;
    this.#host.used();
    const fd = this.#fd ??= this.#host.again();
    for (let done = 0; done < target.length;) {
      stop.check();
      const step = Math.min(MAX_READ_STEP, target.length - done);
      let n: number;
      try {
        n = fs.readSync(fd, target, done, step, offset + done);
      } catch (cause) {
        throw unreadableFile(this.path, `read at ${offset + done} (${what})`, cause);
      }
      const range = `${offset} + ${target.length}`;
      if (n === 0) throw new DecodeFailed(`${what} at ${range}: the file became shorter while it was read`);
      done += n;
      counts.reads += 1;
      counts.bytes += n;
    }
  }

  override checkStop(): void {
    this.#host.stop.check();
  }

  /** Closes the descriptor; the next read opens the file again. */
  rest(): void {
    if (this.#fd === null) return;
    fs.closeSync(this.#fd);
    this.#fd = null;
    this.#host.closed();
  }

  /** Closes the file; a second call does nothing. */
  close(): void {
    this.rest();
    this.#closed = true;
  }

  [Symbol.dispose](): void {
    this.close();
  }
}
