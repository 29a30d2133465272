/** From the chunks of a plane, which are scattered over files, to the byte ranges of its first rows. */
import { DecodeFailed } from "../errors.ts";
import type { ByteSource } from "../io/byte_source.ts";
import { MAX_READ_STEP } from "../io/limits.ts";
import type { Channel } from "../reader.ts";
import { convertSamples, SAMPLE_BYTES, scratchBytes } from "../samples/to_float32.ts";
import type { ChunkTriples } from "./file_scan.ts";

/** Largest number of chunks per plane; strips of 11 264 bytes then make more than the largest plane that could be served. */
const MAX_PLANE_CHUNKS = 1_000_000;

/** Consecutive bytes of a plane. */
export interface ByteRange {
  readonly file: ByteSource;
  readonly offset: number;
  readonly length: number;
}

/** Chunks of a plane in one file. */
export interface PlanePart {
  readonly file: ByteSource;
  readonly chunks: ChunkTriples;
}

/** A plane as it is stored. */
export interface StoredPlane {
  /** Byte ranges in the order of the plane, without gaps. */
  readonly ranges: readonly ByteRange[];
  readonly bytes: number;
  /** Whether stated offsets repeat or overlap. */
  readonly repeated: boolean;
  /** The first gap between the chunks, in bytes of the plane, and the number of bytes after it, which are left out. */
  readonly gap: { readonly from: number; readonly to: number; readonly after: number } | null;
}

/**
 * Orders the chunks of a plane by their offsets and leaves out everything after the first gap. If offsets repeat, as in a line scan
 * longer than its frame, chunks follow each other in file order.
 *
 * @throws {DecodeFailed} more than {@linkcode MAX_PLANE_CHUNKS} chunks
 */
export function assemblePlane(parts: readonly PlanePart[]): StoredPlane {
  if (parts.reduce((sum, { chunks }) => sum + chunks.length, 0) > 3 * MAX_PLANE_CHUNKS) {
    throw new DecodeFailed(`a plane is cut into more than ${MAX_PLANE_CHUNKS} chunks`);
  }
  const chunks = parts.flatMap(({ file, chunks: triples }) =>
    Array.from({ length: triples.length / 3 }, (_, i) => {
      const [planeOffset = 0, offset = 0, length = 0] = triples.slice(3 * i, 3 * i + 3);
      return { file, planeOffset, offset, length };
    })
  );
  const placed = chunks.filter((c) => c.length > 0).sort((a, b) => a.planeOffset - b.planeOffset);
  let end = 0;
  let gapAt = placed.length;
  let overlapping = false;
  for (const [i, chunk] of placed.entries()) {
    if (chunk.planeOffset < end) overlapping = true;
    if (chunk.planeOffset > end && gapAt === placed.length) gapAt = i;
    end = chunk.planeOffset + chunk.length;
  }
  const total = chunks.reduce((sum, c) => sum + c.length, 0);
  if (overlapping) return { ranges: chunks, bytes: total, repeated: true, gap: null };
  const ranges = placed.slice(0, gapAt);
  const bytes = ranges.reduce((sum, c) => sum + c.length, 0);
  const next = placed[gapAt];
  const gap = next ? { from: bytes, to: next.planeOffset, after: total - bytes } : null;
  return { ranges, bytes, repeated: false, gap };
}

/** Number of complete rows of a stored plane. */
export const rowsIn = (
  { bytes }: StoredPlane,
  { columns, sampleType }: Pick<Channel, "columns" | "sampleType">,
): number => Math.floor(bytes / (columns * SAMPLE_BYTES[sampleType]));

/** Fills a plane from sample `first` on, reading no other chunks. @throws {DecodeFailed} the ranges hold fewer bytes */
export function readPlane(
  stored: StoredPlane,
  { sampleType, first }: Pick<Channel, "sampleType"> & { readonly first: number },
  target: Float32Array,
  what: string,
): void {
  const width = SAMPLE_BYTES[sampleType];
  // MAX_READ_STEP is a multiple of every sample size.
  const scratch = scratchBytes(Math.min(MAX_READ_STEP, target.length * width));
  let skipped = first * width;
  let filled = 0;
  let done = 0;
  for (const range of stored.ranges) {
    const start = Math.min(skipped, range.length);
    skipped -= start;
    for (let at = start; at < range.length && done < target.length;) {
      const wanted = Math.min(scratch.length, (target.length - done) * width) - filled;
      const step = Math.min(wanted, range.length - at);
      range.file.readInto(range.offset + at, scratch.subarray(filled, filled + step), what);
      at += step;
      filled += step;
      if (step === wanted) {
        const bytes = scratch.subarray(0, filled);
        convertSamples({ bytes, sampleType, littleEndian: true }, target, done);
        done += filled / width;
        filled = 0;
      }
    }
  }
  if (done < target.length) {
    const needed = (first + target.length) * width;
    throw new DecodeFailed(`${what} is incomplete: ${stored.bytes} of ${needed} bytes are stored`);
  }
}
