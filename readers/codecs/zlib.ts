/** Deflate (zlib stream, compression 8 and 32946) and Zstandard (compression 50000) in strips and tiles. */
import { type StreamKind, StreamTooLong, unpack } from "./compressed_stream.ts";
import {
  type Codec,
  damagedSegment,
  estimateJoinedPieces,
  reuseRoom,
  type Segment,
  shortSegment,
  SURPLUS,
  surplusSegment,
} from "./segment.ts";

/** Ignores bytes after the stream, as libtiff does. */
function decode(title: string, kind: StreamKind, input: Uint8Array, segment: Segment): Uint8Array {
  try {
    const { bytes } = unpack(
      kind,
      input,
      segment.mostBytes + SURPLUS,
      (length) => reuseRoom(segment, length),
    );
    if (bytes.length < segment.bytes) throw shortSegment(segment, title, bytes.length);
    return bytes;
  } catch (cause) {
    throw cause instanceof StreamTooLong
      ? surplusSegment(segment, title)
      : damagedSegment(segment, title, cause);
  }
}

/** Deflate; a stream of zeros is 1032 times shorter than its output (RFC 1951, section 3.2.5). */
export const deflate: Codec = {
  title: "deflate",
  image: false,
  bitOrder: true,
  maxExpansion: 1040,
  workingBytes: estimateJoinedPieces,
  decode: (input, segment) => decode("deflate", "zlib", input, segment),
};

/** Zstandard; 4 bytes can stand for a block of 128 KiB of one byte (RFC 8878, section 3.1.1.2). */
export const zstd: Codec = {
  title: "zstd",
  image: false,
  bitOrder: true,
  maxExpansion: 1 << 15,
  refills: true,
  // A result that is larger than the one before has memory beside it.
  workingBytes: estimateJoinedPieces,
  decode: (input, segment) => decode("zstd", "zstd", input, segment),
};
