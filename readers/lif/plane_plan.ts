/** Plans planes: locates their samples, and counts the rows that the file holds. */
import type { ByteSource } from "../io/byte_source.ts";
import { DecodeFailed, PlaneNotFound } from "../errors.ts";
import {
  type Acquisition,
  NO_WORKING_MEMORY,
  type PlanePlan,
  type RowRange,
  servedLines,
} from "../reader.ts";
import type { StopFlag } from "../io/stop_flag.ts";
import { SAMPLE_BYTES } from "../samples/to_float32.ts";
import type { Block } from "./container.ts";
import { type ImageLayout, type Joined, lengthOf, offsetAt, planeStart } from "./image_layout.ts";
import { StridedReader } from "./strided_samples.ts";

/** An image with its samples. */
export interface StoredImage {
  readonly file: ByteSource;
  readonly block: Block;
  readonly layout: ImageLayout;
  readonly stop: StopFlag;
}

/**
 * Plans some channels at one position. A truncated line scan has as many rows as all its channels have.
 *
 * @throws {PlaneNotFound} the block ends before the plane
 * @throws {DecodeFailed} the block ends inside the plane
 */
export function planPlane(
  image: StoredImage,
  [channels, position, rows]: Parameters<Acquisition["plan"]>,
): PlanePlan {
  const { file, block, layout, stop } = image;
  const starts = channels.map((index) => planeStart(layout, layout.channels[index]!, position));
  const declared = lengthOf(layout.rows);
  const columns = lengthOf(layout.columns);
  const stored = starts.map((start) => rowsIn(layout, block.stored - start));
  const lines = servedLines(stored, declared, rows);
  if (lines.rows < declared) requireEnough(image, Math.min(...starts), lines.rows);
  return {
    ...lines,
    columns,
    working: NO_WORKING_MEMORY,
    overwrites: true,
    decode: (planes) =>
      Promise.try(() => {
        const reader = new StridedReader({
          file,
          sampleType: layout.sampleType,
          stop,
          what: `samples of the block at ${block.offset}`,
        });
        for (const part of partsOf(layout.rows, lines.filled)) {
          const samples = {
            offset: block.offset + offsetAt(layout.rows, part.start),
            rows: { count: part.end - part.start, step: layout.rows.at(-1)?.step ?? 0 },
            columns: { count: columns, step: layout.columns[0]?.step ?? SAMPLE_BYTES[layout.sampleType] },
          };
          reader.read(samples, starts, { planes, at: (part.start - lines.filled.start) * columns });
        }
      }),
  };
}

/** Number of rows that end within `bytes` bytes from the start of a plane. */
function rowsIn(layout: ImageLayout, bytes: number): number {
  const { rows, columns, sampleType } = layout;
  const rowBytes = offsetAt(columns, lengthOf(columns) - 1) + SAMPLE_BYTES[sampleType];
  // A binary search, since offsets increase with the index.
  let [whole, missing] = [0, lengthOf(rows) + 1];
  while (missing - whole > 1) {
    const middle = Math.floor((whole + missing) / 2);
    if (offsetAt(rows, middle - 1) + rowBytes <= bytes) whole = middle;
    else missing = middle;
  }
  return whole;
}

/** Checks that rows are missing only in line scans. @throws {PlaneNotFound | DecodeFailed} another image lacks rows */
function requireEnough({ block, layout }: StoredImage, start: number, stored: number): void {
  if (layout.rowAxis === "T" && stored > 0) return;
  const where = `the block at ${block.offset} has ${block.stored} of the ${layout.bytes} bytes of the image`;
  if (start >= block.stored) throw new PlaneNotFound(where);
  throw new DecodeFailed(`the plane is incomplete: ${where}`);
}

/** Splits rows into ranges of equally spaced rows, since there are gaps between the slices of a line scan. */
function* partsOf(rows: Joined, { start, end }: RowRange): Generator<RowRange> {
  const inner = rows.length > 1 ? rows.at(-1)!.count : Infinity;
  for (let first = start; first < end;) {
    const last = Math.min(end, (Math.floor(first / inner) + 1) * inner);
    yield { start: first, end: last };
    first = last;
  }
}
