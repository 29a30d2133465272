/** From the chunks of a plane, which are scattered over files, to the bytes of its first rows. */
import { DecodeFailed } from "../errors.ts";
import { type ByteSource, JoinedBytes, type JoinedRun } from "../io/byte_source.ts";
import type { StopFlag } from "../io/stop_flag.ts";
import type { Channel } from "../reader.ts";
import { readStrided } from "../samples/strided.ts";
import { SAMPLE_BYTES } from "../samples/to_float32.ts";
import type { ChunkTriples } from "./file_scan.ts";

/** Largest number of chunks per plane; strips of 11 264 bytes then make more than the largest plane that could be served. */
const MAX_PLANE_CHUNKS = 1_000_000;

/** Chunks of a plane in one file. */
export interface PlanePart {
  readonly file: ByteSource;
  readonly chunks: ChunkTriples;
}

/** A plane as it is stored. */
export interface StoredPlane {
  /** Its bytes up to the first gap. */
  readonly source: ByteSource;
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
  const inFiles: JoinedRun[] = [];
  let total = 0;
  for (const { file, chunks } of parts) {
    for (let i = 0; i < chunks.length; i += 3) {
      const [start = 0, place = 0, length = 0] = chunks.slice(i, i + 3);
      if (length > 0) inFiles.push({ source: file, start, end: start + length, place });
      total += length;
    }
  }
  const joined = (runs: readonly JoinedRun[], size: number) => new JoinedBytes(runs, size, "the plane");
  const placed = inFiles.toSorted((a, b) => a.start - b.start);
  if (placed.some(({ start }, i) => i > 0 && start < placed[i - 1]!.end)) {
    let end = 0;
    const runs = inFiles.map((run) => ({ ...run, start: end, end: end += run.end - run.start }));
    return { source: joined(runs, total), repeated: true, gap: null };
  }
  const gapAt = placed.findIndex(({ start }, i) => start > (placed[i - 1]?.end ?? 0));
  if (gapAt < 0) return { source: joined(placed, total), repeated: false, gap: null };
  const size = placed[gapAt - 1]?.end ?? 0;
  const gap = { from: size, to: placed[gapAt]!.start, after: total - size };
  return { source: joined(placed.slice(0, gapAt), size), repeated: false, gap };
}

/** Number of complete rows of a stored plane. */
export const countCompleteRows = (
  { source }: StoredPlane,
  { columns, sampleType }: Pick<Channel, "columns" | "sampleType">,
): number => Math.floor(source.size / (columns * SAMPLE_BYTES[sampleType]));

/** Fills a plane from sample `first` on, reading no other chunks. @throws {DecodeFailed | Stopped} */
export function readChunkedPlane(
  { source }: StoredPlane,
  { sampleType, first }: Pick<Channel, "sampleType"> & { readonly first: number },
  target: Float32Array,
  what: string,
  stop: StopFlag,
): void {
  const step = SAMPLE_BYTES[sampleType];
  const columns = { count: target.length, step };
  const rows = { count: 1, step: target.length * step };
  readStrided({ file: source, sampleType, offsets: [first * step], rows, columns, what, stop }, [target], 0);
}
