/**
 * Zstandard by the decoder of the runtime, into memory that is there. What `node:zlib` offers for it makes a decoder and an
 * output for each stream, which are half of the time of a stream in a Blosc chunk.
 */
import { createZstdDecompress } from "node:zlib";

/**
 * What lies under a stream of `node:zlib` in Node and here alike, unknown to its types: the decoder, and how many bytes of
 * output and of input a call has left.
 */
interface Decoder {
  readonly _handle: {
    /** Decodes a part of the input to a part of the output; throws what is wrong. */
    writeSync(
      flush: number,
      input: Uint8Array,
      inputStart: number,
      inputLength: number,
      output: Uint8Array,
      outputStart: number,
      outputLength: number,
    ): void;
    /** Begins a stream. Memory for its window is kept. */
    reset(): void;
    /** Gives the memory back. */
    close(): void;
  };
  readonly _writeState: Uint32Array;
}

/** Of the whole input, which the decoder does not look at. */
const END = 2;

/** The output of the stream is not used, and is as short as it may be. */
const newDecoder = () => createZstdDecompress({ chunkSize: 64 }) as unknown as Decoder;

let kept: Decoder | null = null;

/**
 * Decodes whole frames.
 *
 * @param frames ends with the last of them
 * @param isBounded whether they say the size of their content, for which there is room: then the decoder takes no memory
 *   for a window, which may be 128 MiB, and is kept for the next stream
 * @returns bytes at the start of `target`; one more than it has where the frames hold more
 * @throws {Error} the frames are damaged
 */
export function decodeFrames(frames: Uint8Array, target: Uint8Array, isBounded: boolean): number {
  const decoder = kept ?? newDecoder();
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

function decodeBy({ _handle: handle, _writeState: left }: Decoder, frames: Uint8Array, target: Uint8Array) {
  let [from, to] = [0, 0];
  // A call ends with a frame, or with a full target; behind that frames without content may follow.
  while (from < frames.length) {
    const output = to < target.length ? target.subarray(to) : new Uint8Array(1);
    handle.writeSync(END, frames, from, frames.length - from, output, 0, output.length);
    const [outputLeft, inputLeft] = [left[0]!, left[1]!];
    const [read, written] = [frames.length - inputLeft - from, output.length - outputLeft];
    if (read === 0 && written === 0) throw new Error("it ends within a frame");
    from += read;
    to += written;
    if (to > target.length) return to;
  }
  return to;
}
