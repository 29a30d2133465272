/** Deflate (zlib stream, compression 8 and 32946) and Zstandard (compression 50000) through the runtime. */
import { constants, inflateSync, zstdDecompressSync } from "node:zlib";
import { requireWholeFrames } from "./zstd_frames.ts";
import { type Codec, damaged, joinedPieces, type Segment, short, SURPLUS } from "./segment.ts";

type Decompress = (
  input: Uint8Array,
  options: { maxOutputLength: number; chunkSize: number; needed: number },
) => Uint8Array;

/** Bounds of `chunkSize` of the runtime, and what a damaged strip may make it allocate ahead. */
const MIN_CHUNK = 64;
const MAX_CHUNK = 16 << 20;

function bounded(title: string, decompress: Decompress, input: Uint8Array, segment: Segment): Uint8Array {
  let output: Uint8Array;
  try {
    // One chunk takes the whole output, where the default of 16 KiB would be joined from many.
    const chunkSize = Math.min(Math.max(segment.mostBytes, MIN_CHUNK), MAX_CHUNK);
    output = decompress(input, {
      maxOutputLength: segment.mostBytes + SURPLUS,
      chunkSize,
      needed: segment.bytes,
    });
  } catch (cause) {
    const tooLarge = (cause as { code?: string }).code === "ERR_BUFFER_TOO_LARGE";
    throw damaged(
      segment,
      title,
      tooLarge ? `it holds more than the ${segment.mostBytes} bytes that are declared` : cause,
    );
  }
  if (output.length < segment.bytes) throw short(segment, title, output.length);
  return output;
}

/**
 * A stream that ends early gives what it holds, so that the message can say how much; one that gives enough before its
 * end lacks the checksum, without which nothing says that these are the samples. Bytes after it are ignored, as libtiff
 * does.
 */
const inflate: Decompress = (input, options) => {
  try {
    return inflateSync(input, options);
  } catch (cause) {
    if ((cause as { code?: string }).code !== "Z_BUF_ERROR") throw cause;
    const output = inflateSync(input, { ...options, finishFlush: constants.Z_SYNC_FLUSH });
    if (output.length < options.needed) return output;
    throw new Error("it ends before its checksum", { cause });
  }
};

/** Deflate; a stream of zeros is 1032 times shorter than its output (RFC 1951, section 3.2.5). */
export const deflate: Codec = {
  title: "deflate",
  image: false,
  bitOrder: true,
  maxExpansion: 1040,
  workingBytes: joinedPieces,
  decode: (input, segment) => bounded("deflate", inflate, input, segment),
};

const unpackZstd: Decompress = (input, options) => {
  requireWholeFrames(input);
  return zstdDecompressSync(input, options) as Uint8Array;
};

/** Zstandard; 4 bytes can stand for a block of 128 KiB of one byte (RFC 8878, section 3.1.1.2). */
export const zstd: Codec = {
  title: "zstd",
  image: false,
  bitOrder: true,
  maxExpansion: 1 << 15,
  workingBytes: joinedPieces,
  decode: (input, segment) => bounded("zstd", unpackZstd, input, segment),
};
