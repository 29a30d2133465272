/** Plans for planes: where their samples are, and how many rows of them the file holds. */
import type { ByteSource } from "../io/byte_source.ts";
import { DecodeFailed, PlaneNotFound } from "../errors.ts";
import { servedLines } from "../metadata/line_scan.ts";
import { NO_WORKING_MEMORY, type PlanePlan, type Position, type RowRange } from "../reader.ts";
import type { StopFlag } from "../io/stop_flag.ts";
import { SAMPLE_BYTES } from "../samples/to_float32.ts";
import type { Block } from "./container.ts";
import { type ImageLayout, type Joined, lengthOf, offsetAt, planeStart } from "./image_layout.ts";
import { StridedReader } from "./strided_samples.ts";

/** An image and where it is. */
export interface StoredImage {
  /** The file. */
  readonly file: ByteSource;
  /** Its samples. */
  readonly block: Block;
  /** How they lie there. */
  readonly layout: ImageLayout;
  /** Looked at while planes are read. */
  readonly stop: StopFlag;
}

/** Which samples are wanted. */
export interface WantedPlane {
  /** Indices of channels, in the order of the planes. */
  readonly channels: readonly number[];
  /** Where. */
  readonly position: Position;
  /** Rows; all by default. */
  readonly rows?: RowRange | undefined;
}

/**
 * Plans some channels of a plane. Of a line scan the rows count that every channel has.
 *
 * @throws {PlaneNotFound} the block ends before the plane
 * @throws {DecodeFailed} it ends inside of the plane
 */
export function planPlane(image: StoredImage, { channels, position, rows }: WantedPlane): PlanePlan {
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

/** Rows whose samples end within so many bytes from the first one. */
function rowsIn(layout: ImageLayout, bytes: number): number {
  const { rows, columns, sampleType } = layout;
  const rowBytes = offsetAt(columns, lengthOf(columns) - 1) + SAMPLE_BYTES[sampleType];
  const declared = lengthOf(rows);
  if (bytes < rowBytes) return 0;
  if (offsetAt(rows, declared - 1) + rowBytes <= bytes) return declared;
  // Offsets rise with the index: slices lie apart from each other.
  let [whole, missing] = [1, declared];
  while (missing - whole > 1) {
    const middle = Math.floor((whole + missing) / 2);
    if (offsetAt(rows, middle - 1) + rowBytes <= bytes) whole = middle;
    else missing = middle;
  }
  return whole;
}

/** @throws {PlaneNotFound | DecodeFailed} fewer rows are stored than may be served */
function requireEnough({ block, layout }: StoredImage, start: number, stored: number): void {
  if (layout.rowAxis === "T" && stored > 0) return;
  const where = `the block at ${block.offset} has ${block.stored} of the ${layout.bytes} bytes of the image`;
  if (start >= block.stored) throw new PlaneNotFound(where);
  throw new DecodeFailed(`the plane is incomplete: ${where}`);
}

/** Rows that lie equally far apart: all, or those of each slice. */
function* partsOf(rows: Joined, { start, end }: RowRange): Generator<RowRange> {
  const inner = rows.length > 1 ? rows.at(-1)!.count : Infinity;
  for (let first = start; first < end;) {
    const last = Math.min(end, (Math.floor(first / inner) + 1) * inner);
    yield { start: first, end: last };
    first = last;
  }
}
