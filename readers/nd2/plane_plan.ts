/** Plans planes: components of a frame, which is a time in milliseconds followed by its rows, raw or as a zlib stream. */
import { SURPLUS, wholePicture } from "../codecs/segment.ts";
import { deflate } from "../codecs/zlib.ts";
import { DecodeFailed, PlaneNotFound } from "../errors.ts";
import type { ByteSource } from "../io/byte_source.ts";
import { MAX_READ_STEP } from "../io/limits.ts";
import { SampleArray, scratchBytes } from "../samples/to_float32.ts";
import type { StopFlag } from "../io/stop_flag.ts";
import { NO_WORKING_MEMORY, type PlanePlan, type RowRange, servedLines } from "../reader.ts";
import { type Warning, warning } from "../warning.ts";
import { requireChunk, type StoredChunks } from "./chunk_map.ts";
import type { FrameLayout } from "./frame_layout.ts";

/** Number of bytes of the time before the samples. */
const TIME_BYTES = 8;

/** The samples of a frame in the file. */
interface StoredFrame {
  /** Offset of the first byte after the time. */
  readonly offset: number;
  /** Declared number of bytes. */
  readonly length: number;
  /** Number of declared bytes that are in the file. */
  readonly stored: number;
  /** True for a zlib stream. */
  readonly zlib: boolean;
  /** Name in messages: `frame 3 at 81920`. */
  readonly what: string;
}

/**
 * Locates a frame and checks its length. The frame of a line scan may lack rows at its end.
 *
 * @throws {PlaneNotFound} the frame is not in the file
 * @throws {DecodeFailed} the frame is incomplete, or something else is at its offset
 */
function findFrame({ file, chunks: { frames }, layout, lineScan }: FrameStore, number: number): StoredFrame {
  const at = frames.get(number);
  if (at === undefined) {
    throw new PlaneNotFound(`frame ${number} is not in the file, which holds ${frames.size} frames`);
  }
  const chunk = requireChunk(file, `ImageDataSeq|${number}!`, at);
  const what = `frame ${number} at ${at}`;
  const length = chunk.length - TIME_BYTES;
  const stored = chunk.stored - TIME_BYTES;
  const offset = chunk.offset + TIME_BYTES;
  const zlib = isZlib(file, { offset, length, stored, what }, layout);
  const needed = zlib ? Math.max(length, 0) : layout.neededBytes;
  if (stored < needed && !(lineScan && !zlib && stored >= layout.usedRowBytes)) {
    throw new DecodeFailed(`${what} is incomplete: ${Math.max(stored, 0)} of ${needed} bytes are stored`);
  }
  // A stream of this length cannot hold the frame, so nothing is allocated for it.
  if (zlib && stored * deflate.maxExpansion < layout.neededBytes) {
    throw new DecodeFailed(
      `${what} is incomplete: ${stored} bytes of zlib cannot hold ${layout.neededBytes} bytes`,
    );
  }
  return { offset, length, stored, zlib, what };
}

/** True for a zlib stream. Some programs declare the wrong compression, which length and first bytes reveal. */
function isZlib(
  file: ByteSource,
  frame: Omit<StoredFrame, "zlib">,
  { zlib, bytes, neededBytes }: FrameLayout,
): boolean {
  const asRaw = frame.length === bytes || frame.length === neededBytes;
  if (zlib ? !asRaw : frame.length >= neededBytes) return zlib;
  if (frame.stored < 2) return zlib;
  const [first = 0, second = 0] = file.read(frame.offset, 2, frame.what);
  // RFC 1950, section 2.2: method 8, and a checksum of both bytes.
  return (first & 0x0f) === 8 && (first * 256 + second) % 31 === 0;
}

/** Inflates the rows of a frame. @throws {DecodeFailed} the stream is damaged or of another length */
async function inflatedFrame(
  { file, layout, stop }: FrameStore,
  { offset, stored, what }: StoredFrame,
): Promise<Uint8Array> {
  const { columns: width, rows, components: samples, bytes: mostBytes, neededBytes: bytes } = layout;
  const settings = { bits: [], kind: "uint" } as const;
  const picture = wholePicture({ stored, width, rows, samples, bytes }, { settings, what, stop });
  return await deflate.decode(file.read(offset, stored, what), { ...picture, mostBytes });
}

/** The frames of a file. */
export interface FrameStore {
  readonly file: ByteSource;
  readonly chunks: StoredChunks;
  readonly layout: FrameLayout;
  /** True if rows are lines in time; an interrupted frame is then shorter. */
  readonly lineScan: boolean;
  readonly stop: StopFlag;
}

/**
 * Plans some components of a frame.
 *
 * @param number of the frame
 * @param components their indices, in the order of the planes
 * @param rows wanted rows; all by default
 * @throws {PlaneNotFound} the frame is not in the file
 * @throws {DecodeFailed} the frame is incomplete
 */
export function planFrame(
  store: FrameStore,
  number: number,
  components: readonly number[],
  rows?: RowRange,
): PlanePlan {
  const { layout, stop } = store;
  const frame = findFrame(store, number);
  const count = frame.zlib || frame.stored >= layout.neededBytes
    ? layout.rows
    : wholeRows(layout, frame.stored);
  const lines = servedLines([count], layout.rows, rows);
  const inflated = { bytes: frame.stored + 2 * (layout.bytes + SURPLUS), endsWithWorker: false };
  return {
    ...lines,
    columns: layout.columns,
    warnings: [...lines.warnings, ...surplusBytes(frame, layout)],
    working: frame.zlib ? inflated : NO_WORKING_MEMORY,
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

/** Warns about a raw frame with more bytes than its rows need. */
function surplusBytes(
  { length, zlib, what }: StoredFrame,
  { rows, rowBytes, bytes }: FrameLayout,
): Warning[] {
  if (zlib || length <= bytes) return [];
  const text = `${what} has ${length} bytes, but ${rows} rows of ${rowBytes} bytes need only ${bytes}`;
  return [warning("metadata_disagree", text)];
}

/** Returns a function that reads bytes of a frame. The bytes of a raw frame are valid until its next call. */
async function rowSource(
  store: FrameStore,
  frame: StoredFrame,
): Promise<(start: number, length: number) => Uint8Array> {
  if (frame.zlib) {
    const inflated = await inflatedFrame(store, frame);
    return (start, length) => inflated.subarray(start, start + length);
  }
  return (start, length) => {
    const bytes = scratchBytes(length);
    store.file.readInto(frame.offset + start, bytes, frame.what);
    return bytes;
  };
}

/** Number of whole rows in the stored bytes; the last row may lack its padding. */
const wholeRows = ({ rowBytes, usedRowBytes }: FrameLayout, stored: number) =>
  Math.floor((stored - usedRowBytes) / rowBytes) + 1;

const blockBytes = ({ rowBytes, usedRowBytes }: FrameLayout, { start, end }: RowRange) =>
  (end - start - 1) * rowBytes + usedRowBytes;

/** Blocks of rows that are read and converted together. */
function* blocksOf({ start, end }: RowRange, rowBytes: number): Generator<RowRange> {
  const atOnce = Math.max(1, Math.floor(MAX_READ_STEP / rowBytes));
  for (let first = start; first < end; first += atOnce) {
    yield { start: first, end: Math.min(first + atOnce, end) };
  }
}

/** Planes to fill, their components, and the row of the planes at which a block begins. */
interface BlockTarget {
  readonly planes: readonly Float32Array[];
  readonly components: readonly number[];
  readonly first: number;
}

/** Converts rows that are `rowBytes` apart; the last row ends with its last sample. */
function placeRows(
  bytes: Uint8Array,
  rows: number,
  { sampleType, columns, components: step, rowBytes, usedRowBytes }: FrameLayout,
  { planes, components, first }: BlockTarget,
): void {
  const padded = rowBytes !== usedRowBytes;
  const [runs, count] = padded ? [rows, columns] : [1, rows * columns];
  for (let run = 0; run < runs; run += 1) {
    const row = padded ? bytes.subarray(run * rowBytes, run * rowBytes + usedRowBytes) : bytes;
    const samples = new SampleArray({ bytes: row, sampleType, littleEndian: true });
    for (const [i, from] of components.entries()) {
      samples.convert({ from, step, count }, planes[i]!, (first + run) * columns);
    }
  }
}
