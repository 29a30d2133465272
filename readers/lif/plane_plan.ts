/** Plans planes: locates their samples, and counts the rows that the file holds. */
import type { ByteSource } from "../io/byte_source.ts";
import { DecodeFailed, PlaneNotFound } from "../errors.ts";
import { type Acquisition, NO_WORKING_MEMORY, type PlanePlan, servedLines } from "../reader.ts";
import type { StopFlag } from "../io/stop_flag.ts";
import { readStrided } from "../samples/strided.ts";
import { SAMPLE_BYTES } from "../samples/to_float32.ts";
import type { Block } from "./container.ts";
import { type ImageLayout, lengthOf, offsetAt, planeStart } from "./image_layout.ts";

/** An image with its samples. */
export interface StoredImage {
  readonly file: ByteSource;
  readonly block: Block;
  readonly layout: ImageLayout;
  readonly stop: StopFlag;
}

/**
 * Plans some channels at one position. Rows may be missing only in a truncated line scan.
 *
 * @throws {PlaneNotFound} the block ends before the plane
 * @throws {DecodeFailed} the block ends inside the plane
 */
export function planPlane(
  { file, block, layout, stop }: StoredImage,
  [channels, position, rows]: Parameters<Acquisition["plan"]>,
): PlanePlan {
  const { sampleType, rowAxis } = layout;
  const starts = channels.map((index) => planeStart(layout, layout.channels[index]!, position));
  const declared = lengthOf(layout.rows);
  const columns = lengthOf(layout.columns);
  const stored = starts.map((start) => rowsIn(layout, block.stored - start));
  const lines = servedLines(stored, declared, rows);
  if (lines.rows < declared && (rowAxis !== "T" || lines.rows === 0)) {
    const where =
      `the block at ${block.offset} has ${block.stored} of the ${layout.bytes} bytes of the image`;
    if (Math.min(...starts) >= block.stored) throw new PlaneNotFound(where);
    throw new DecodeFailed(`the plane is incomplete: ${where}`);
  }
  return {
    ...lines,
    columns,
    working: NO_WORKING_MEMORY,
    overwrites: true,
    decode: (planes) =>
      Promise.try(() => {
        const what = `samples of the block at ${block.offset}`;
        const { start, end } = lines.filled;
        // There are gaps between the slices of a line scan.
        const slice = layout.rows.length > 1 ? layout.rows.at(-1)!.count : Infinity;
        for (let row = start, next = row; row < end; row = next) {
          next = Math.min(end, (Math.floor(row / slice) + 1) * slice);
          const first = block.offset + offsetAt(layout.rows, row);
          const samples = {
            ...{ file, sampleType, what, stop },
            offsets: starts.map((offset) => first + offset),
            rows: { count: next - row, step: layout.rows.at(-1)?.step ?? 0 },
            columns: { count: columns, step: layout.columns[0]?.step ?? SAMPLE_BYTES[sampleType] },
          };
          readStrided(samples, planes, (row - start) * columns);
        }
      }),
  };
}

/** Number of rows that end within `bytes` bytes from the start of a plane. */
function rowsIn({ rows, columns, sampleType }: ImageLayout, bytes: number): number {
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
