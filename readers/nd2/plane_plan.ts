/** Plans planes: components of a frame, which is a time in milliseconds followed by its rows, raw or as a zlib stream. */
import { SURPLUS, wholePicture } from "../codecs/segment.ts";
import { deflate } from "../codecs/zlib.ts";
import { DecodeFailed, PlaneNotFound } from "../errors.ts";
import { type ByteSource, DecodedBytes } from "../io/byte_source.ts";
import type { StopFlag } from "../io/stop_flag.ts";
import { NO_WORKING_MEMORY, type PlanePlan, type RowRange, servedLines } from "../reader.ts";
import { readStrided } from "../samples/strided.ts";
import { SAMPLE_BYTES } from "../samples/to_float32.ts";
import { warnIf } from "../warning.ts";
import { requireChunk, type StoredChunks } from "./chunk_map.ts";
import type { FrameLayout } from "./picture.ts";

/** Bytes of the time before the samples. */
const TIME_BYTES = 8;

/** The frames of a file. */
export interface FrameStore {
  readonly file: ByteSource;
  readonly chunks: StoredChunks;
  readonly layout: FrameLayout;
  /** True if rows are lines in time; an interrupted frame is then shorter. */
  readonly lineScan: boolean;
  readonly stop: StopFlag;
}

/** Locates the samples of a frame, of whose `length` bytes `stored` are in the file. A line scan may lack rows at its end. */
function findFrame({ file, chunks: { frames }, layout, lineScan }: FrameStore, number: number) {
  const at = frames.get(number);
  if (at === undefined) {
    throw new PlaneNotFound(`frame ${number} is not in the file, which holds ${frames.size} frames`);
  }
  const chunk = requireChunk(file, `ImageDataSeq|${number}!`, at);
  const what = `frame ${number} at ${at}`;
  const length = chunk.length - TIME_BYTES;
  const stored = chunk.stored - TIME_BYTES;
  const offset = chunk.offset + TIME_BYTES;
  // Some programs declare the wrong compression, which length and first bytes reveal.
  const { bytes, neededBytes } = layout;
  const doubtful = layout.zlib ? length === bytes || length === neededBytes : length < neededBytes;
  const zlib = doubtful && stored >= 2 ? startsZlib(file.read(offset, 2, what)) : layout.zlib;
  const needed = zlib ? Math.max(length, 0) : neededBytes;
  if (stored < needed && !(lineScan && !zlib && stored >= layout.usedRowBytes)) {
    throw new DecodeFailed(`${what} is incomplete: ${Math.max(stored, 0)} of ${needed} bytes are stored`);
  }
  // A stream of this length cannot hold the frame, so nothing is allocated for it.
  if (zlib && stored * deflate.maxExpansion < neededBytes) {
    throw new DecodeFailed(
      `${what} is incomplete: ${stored} bytes of zlib cannot hold ${neededBytes} bytes`,
    );
  }
  return { offset, length, stored, zlib, what };
}

/** RFC 1950, section 2.2: method 8, and a checksum of both bytes. */
const startsZlib = ([first = 0, second = 0]: Uint8Array) =>
  (first & 0x0f) === 8 && (first * 256 + second) % 31 === 0;

/** Plans some components of a frame. @throws {PlaneNotFound} it is not in the file @throws {DecodeFailed} it is incomplete */
export function planFrame(
  store: FrameStore,
  number: number,
  components: readonly number[],
  rows?: RowRange,
): PlanePlan {
  const { file, layout, stop } = store;
  const { rowBytes, usedRowBytes, bytes, sampleType, columns, components: samples } = layout;
  const { zlib, offset, stored, length, what } = findFrame(store, number);
  // The last of the stored rows may lack its padding.
  const whole = Math.floor((stored - usedRowBytes) / rowBytes) + 1;
  const count = zlib || stored >= layout.neededBytes ? layout.rows : whole;
  const lines = servedLines([count], layout.rows, rows);
  const text = `${what} has ${length} bytes, but ${layout.rows} rows of ${rowBytes} bytes need only ${bytes}`;
  const working = { bytes: stored + 2 * (bytes + SURPLUS), endsWithWorker: false };
  return {
    ...lines,
    columns,
    warnings: [...lines.warnings, ...warnIf(!zlib && length > bytes, "metadata_disagree", text)],
    working: zlib ? working : NO_WORKING_MEMORY,
    overwrites: !zlib,
    async decode(planes) {
      let [source, first] = [file, offset];
      if (zlib) {
        const settings = { bits: [], kind: "uint" } as const;
        const extent = { stored, width: columns, rows: layout.rows, samples, bytes: layout.neededBytes };
        const picture = wholePicture(extent, { settings, what, stop });
        const stream = { ...picture, mostBytes: bytes };
        source = new DecodedBytes(await deflate.decode(file.read(offset, stored, what), stream), what);
        first = 0;
      }
      const { start, end } = lines.filled;
      const width = SAMPLE_BYTES[sampleType];
      const strided = {
        ...{ file: source, sampleType, what, stop },
        offsets: components.map((component) => first + start * rowBytes + component * width),
        rows: { count: end - start, step: rowBytes },
        columns: { count: columns, step: samples * width },
      };
      readStrided(strided, planes, 0);
    },
  };
}
