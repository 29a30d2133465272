/** Plans for planes: the components of one frame. */
import type { ByteSource } from "../io/byte_source.ts";
import { MAX_READ_STEP } from "../io/limits.ts";
import { servedLines } from "../metadata/line_scan.ts";
import { NO_WORKING_MEMORY, type PlanePlan, type RowRange } from "../reader.ts";
import { scratchBytes } from "../io/scratch.ts";
import type { StopFlag } from "../io/stop_flag.ts";
import { SAMPLE_BYTES, SampleArray } from "../samples/to_float32.ts";
import { type Warning, warning } from "../warning.ts";
import type { FrameLayout } from "./frame_layout.ts";
import type { StoredChunks } from "./stored_chunks.ts";
import { findFrame, inflatedBytes, inflatedFrame, type StoredFrame } from "./stored_frame.ts";

/** Where frames are and how they are laid out. */
export interface FrameStore {
  /** The file. */
  readonly file: ByteSource;
  /** Its chunks. */
  readonly chunks: StoredChunks;
  /** Layout of each frame. */
  readonly layout: FrameLayout;
  /** True where rows are lines in time, so that a frame that was interrupted is shorter. */
  readonly lineScan: boolean;
  /** Looked at while frames are decoded. */
  readonly stop: StopFlag;
}

/** Which samples are wanted. */
export interface WantedFrame {
  /** Number of the frame. */
  readonly number: number;
  /** Indices of the components, in the order of the planes. */
  readonly components: readonly number[];
  /** Rows; all by default. */
  readonly rows?: RowRange | undefined;
}

/**
 * Plans some components of a frame.
 *
 * @throws {PlaneNotFound} the file does not hold the frame
 * @throws {DecodeFailed} the frame is incomplete
 */
export function planFrame(store: FrameStore, { number, components, rows }: WantedFrame): PlanePlan {
  const { file, chunks, layout, lineScan, stop } = store;
  const frame = findFrame(file, chunks, number, { layout, cut: lineScan });
  const count = frame.zlib || frame.stored >= layout.neededBytes
    ? layout.rows
    : wholeRows(layout, frame.stored);
  const lines = servedLines([count], layout.rows, rows);
  const working = frame.zlib
    ? { bytes: inflatedBytes(frame, layout), endsWithWorker: false }
    : NO_WORKING_MEMORY;
  return {
    ...lines,
    columns: layout.columns,
    warnings: [
      ...lines.warnings,
      ...count === layout.rows ? lackingBytes(frame) : [],
      ...surplusBytes(frame, layout),
      ...(frame.doubt === null ? [] : [frame.doubt]),
    ],
    working,
    overwrites: !frame.zlib,
    async decode(planes) {
      const rowsAt = await rowSource(store, frame);
      for (const block of blocksOf(lines.filled, layout.rowBytes)) {
        stop.check();
        const bytes = rowsAt(block.start * layout.rowBytes, blockBytes(layout, block));
        const target = { planes, components, first: block.start - lines.filled.start };
        placeRows(bytes, block.end - block.start, layout, target);
      }
    },
  };
}

const lackingBytes = ({ lacking, what }: StoredFrame): Warning[] =>
  lacking === 0
    ? []
    : [warning("file_damaged", `${what} extends ${lacking} bytes beyond the end of the file`)];

/** A frame with more bytes than its size accounts for may have more rows. */
function surplusBytes({ surplus, what }: StoredFrame, { rows, rowBytes, bytes }: FrameLayout): Warning[] {
  return surplus === 0 ? [] : [
    warning(
      "metadata_disagree",
      `${what} has ${
        bytes + surplus
      } bytes, but ${rows} rows of ${rowBytes} bytes have ${bytes}; the rest is not served`,
    ),
  ];
}

/** Gives bytes of a frame; those of a raw one hold until the next call. */
async function rowSource(
  { file, layout, stop }: FrameStore,
  frame: StoredFrame,
): Promise<(start: number, length: number) => Uint8Array> {
  if (frame.zlib) {
    const inflated = await inflatedFrame(file, frame, layout, { stop });
    return (start, length) => inflated.subarray(start, start + length);
  }
  return (start, length) => {
    const bytes = scratchBytes(length);
    file.readInto(frame.offset + start, bytes, frame.what);
    return bytes;
  };
}

/** Whole rows in so many bytes; the padding of the last one may be missing. */
const wholeRows = ({ rowBytes, usedRowBytes }: FrameLayout, stored: number) =>
  Math.floor((stored - usedRowBytes) / rowBytes) + 1;

const blockBytes = ({ rowBytes, usedRowBytes }: FrameLayout, { start, end }: RowRange) =>
  (end - start - 1) * rowBytes + usedRowBytes;

/** Rows that are read and converted at once. */
function* blocksOf({ start, end }: RowRange, rowBytes: number): Generator<RowRange> {
  const atOnce = Math.max(1, Math.floor(MAX_READ_STEP / rowBytes));
  for (let first = start; first < end; first += atOnce) {
    yield { start: first, end: Math.min(first + atOnce, end) };
  }
}

/** Planes to fill, the components that fill them, and the row of the planes at which a block begins. */
interface BlockTarget {
  readonly planes: readonly Float32Array[];
  readonly components: readonly number[];
  readonly first: number;
}

/** Converts rows that lie `rowBytes` apart; the last one ends with its last sample. */
function placeRows(bytes: Uint8Array, rows: number, layout: FrameLayout, target: BlockTarget): void {
  const { sampleType, rowBytes, usedRowBytes } = layout;
  const width = SAMPLE_BYTES[sampleType];
  if (rows > 1 && rowBytes % width !== 0) {
    for (let row = 0; row < rows; row += 1) {
      const start = row * rowBytes;
      const one = { ...target, first: target.first + row };
      placeRows(bytes.subarray(start, start + usedRowBytes), 1, layout, one);
    }
    return;
  }
  const { columns, components: step } = layout;
  const samples = new SampleArray({ bytes, sampleType, littleEndian: true });
  for (const [i, component] of target.components.entries()) {
    const plane = target.planes[i];
    if (plane === undefined) continue;
    const at = target.first * columns;
    if (rowBytes === usedRowBytes) {
      samples.convert({ from: component, step, count: rows * columns }, plane, at);
      continue;
    }
    for (let row = 0; row < rows; row += 1) {
      const from = row * rowBytes / width + component;
      samples.convert({ from, step, count: columns }, plane, at + row * columns);
    }
  }
}
