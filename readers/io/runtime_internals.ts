/**
 * Every use of the runtime beyond its public interface, each with a substitute. The test beside this file shows that, in the
 * pinned version, each internal exists and each substitute gives the same result.
 */
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { createInflate, createZstdDecompress, zstdDecompressSync } from "node:zlib";

// Garbage collection. V8 does not collect in an idle thread, where hundreds of megabytes of read chunks would stay resident.

/** Time without loads before a collection, longer than pauses within a burst. Collecting a small heap takes some milliseconds. */
const QUIET_MS = 200;

/** Size of a load after which the collection does not wait. */
const LARGE_LOAD_BYTES = 64 << 20;

let collect: (() => void) | undefined;
let timer: ReturnType<typeof setTimeout> | undefined;

/** V8's full garbage collection, or `null` if it is not exposed. */
export function exposedCollector(): (() => void) | null {
  try {
    setFlagsFromString("--expose-gc");
    return runInNewContext("gc") as () => void;
  } catch {
    return null;
  }
}

/** Runs a full collection, if exposed. */
export function collectGarbage(): void {
  collect ??= exposedCollector() ?? (() => {});
  collect();
}

/** Schedules a collection after the answer: at once after a large load, else after a pause. */
export function collectAfter(loadedBytes: number): void {
  clearTimeout(timer);
  timer = setTimeout(collectGarbage, loadedBytes > LARGE_LOAD_BYTES ? 0 : QUIET_MS);
}

/** Cancels the pending collection; the next load schedules another. */
export function keepGarbage(): void {
  clearTimeout(timer);
}

// Zstandard, decoded into the caller's memory. `node:zlib` creates a decoder and an output buffer per stream, which is half of
// the time for a stream in a Blosc chunk.

/** The decoder under a stream of `node:zlib`, the same in Node and Deno. */
export interface StreamDecoder {
  readonly _handle: {
    /** Decodes the input, given as memory, start and length, into the output, given likewise. @throws {Error} it is damaged */
    writeSync(
      flush: number,
      ...inputAndOutput: [Uint8Array, number, number, Uint8Array, number, number]
    ): void;
    /** Starts another stream but keeps the window's memory. */
    reset(): void;
    close(): void;
  };
  /** Numbers of output and input bytes that a call left unused. */
  readonly _writeState: Uint32Array;
}

/** Flush mode "end of input", which the decoder ignores. */
const END = 2;

let kept: StreamDecoder | null = null;

/** A decoder; `null` if the runtime's streams have another structure. */
export function zstdDecoder(): StreamDecoder | null {
  // The stream's own output buffer is unused; 64 bytes is the minimum.
  const stream = createZstdDecompress({ chunkSize: 64 }) as unknown as Partial<StreamDecoder>;
  const { _handle: handle, _writeState: left } = stream;
  return typeof handle?.writeSync === "function" && left instanceof Uint32Array
    ? stream as StreamDecoder
    : null;
}

/**
 * Decodes whole Zstandard frames. If they state a size that fits `target`, the decoder needs no window (up to 128 MiB) and is kept.
 *
 * @returns number of decoded bytes, at the start of `target`; `target.length + 1` if the frames hold more
 * @throws {Error} the frames are damaged
 */
export function decodeFrames(frames: Uint8Array, target: Uint8Array, isBounded: boolean): number {
  const decoder = kept ?? zstdDecoder();
  if (decoder === null) return copyFrames(frames, target);
  kept = null;
  let isWhole = false;
  try {
    const bytes = decodeBy(decoder, frames, target);
    isWhole = bytes <= target.length;
    return bytes;
  } finally {
    if (isWhole && isBounded) {
      decoder._handle.reset();
      kept = decoder;
    } else decoder._handle.close();
  }
}

function decodeBy(
  { _handle: handle, _writeState: left }: StreamDecoder,
  frames: Uint8Array,
  target: Uint8Array,
): number {
  let [from, to] = [0, 0];
  // Each call ends at the end of a frame or with a full target; empty frames may follow.
  while (from < frames.length) {
    const output = to < target.length ? target.subarray(to) : new Uint8Array(1);
    handle.writeSync(END, frames, from, frames.length - from, output, 0, output.length);
    const [outputLeft = 0, inputLeft = 0] = left;
    const [read, written] = [frames.length - inputLeft - from, output.length - outputLeft];
    if (read === 0 && written === 0) throw new Error("it ends within a frame");
    from += read;
    to += written;
    if (to > target.length) return to;
  }
  return to;
}

/** {@linkcode decodeFrames} with the public function, frame by frame. */
export function copyFrames(frames: Uint8Array, target: Uint8Array): number {
  let [from, to] = [0, 0];
  while (from < frames.length) {
    // The type declarations lack the option `info` and its result.
    const options = { maxOutputLength: target.length - to + 1, info: true };
    let decoded: { readonly buffer: Uint8Array; readonly engine: { readonly bytesWritten: number } };
    try {
      decoded = zstdDecompressSync(frames.subarray(from), options) as unknown as typeof decoded;
    } catch (error) {
      if ((error as { code?: string }).code === "ERR_BUFFER_TOO_LARGE") return target.length + 1;
      throw error;
    }
    const { buffer, engine } = decoded;
    if (to + buffer.length > target.length) return target.length + 1;
    target.set(buffer, to);
    to += buffer.length;
    from += engine.bytesWritten;
  }
  return to;
}

// Deflate, measured without keeping the output. `node:zlib` allocates it anew for each stream.

let measuring: StreamDecoder | null = null;

/** Takes output that is not needed. */
const unneeded = new Uint8Array(1 << 16);

/** A decoder of zlib streams; `null` if the runtime's streams have another structure. */
export function zlibDecoder(): StreamDecoder | null {
  const stream = createInflate({ chunkSize: 64 });
  // Damage is reported here, too.
  stream.on("error", () => {});
  const { _handle: handle, _writeState: left } = stream as unknown as Partial<StreamDecoder>;
  return typeof handle?.writeSync === "function" && left instanceof Uint32Array
    ? stream as unknown as StreamDecoder
    : null;
}

/** Whether a zlib stream decodes to exactly this many bytes; `false` also if it is damaged, or if the runtime cannot measure it. */
export function inflatesTo(stream: Uint8Array, bytes: number): boolean {
  // A stream that found damage after its output closes itself later.
  const decoder = measuring?._handle ? measuring : zlibDecoder();
  measuring = null;
  if (decoder === null) return false;
  const { _handle: handle, _writeState: left } = decoder;
  let [from, total] = [0, 0];
  while (total <= bytes) {
    handle.writeSync(0, stream, from, stream.length - from, unneeded, 0, unneeded.length);
    const [outputLeft = 0, inputLeft = 0] = left;
    from = stream.length - inputLeft;
    total += unneeded.length - outputLeft;
    if (outputLeft > 0) break;
  }
  if (total !== bytes) {
    handle.close();
    return false;
  }
  handle.reset();
  measuring = decoder;
  return true;
}

// WebAssembly. Packages call its public functions, so this code replaces them.

/** Calls `check` with the new size in bytes before a memory grows; an exception prevents the growth. */
export function checkGrowth(check: (bytes: number) => void): void {
  const { grow } = WebAssembly.Memory.prototype;
  WebAssembly.Memory.prototype.grow = function (pages) {
    check(this.buffer.byteLength + pages * 65_536);
    return grow.call(this, pages);
  };
}

/**
 * Reports each module that this thread compiles, with the length of its bytes. While any thread holds a module, V8 compiles the
 * same bytes only once per process; otherwise each worker compiles them again.
 */
export function reportCompiled(report: (code: WebAssembly.Module, bytes: number) => void): void {
  const { instantiate } = WebAssembly;
  WebAssembly.instantiate = (async (source: BufferSource | WebAssembly.Module, imports) => {
    if (source instanceof WebAssembly.Module) return instantiate(source, imports);
    const made = await instantiate(source, imports);
    report(made.module, source.byteLength);
    return made;
  }) as typeof instantiate;
}
