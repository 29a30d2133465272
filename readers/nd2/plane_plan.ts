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

/** The samples of a frame in the file: `length` bytes are declared, of which `stored` are in the file. */
interface StoredFrame {
  readonly offset: number;
  readonly length: number;
  readonly stored: number;
  readonly zlib: boolean;
  /** Name in messages: `frame 3 at 81920`. */
  readonly what: string;
}

/** Locates a frame and checks its length. The frame of a line scan may lack rows at its end. */
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
  const zlib = isZlib(file, { offset, length, stored }, layout);
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
  frame: Pick<StoredFrame, "offset" | "length" | "stored">,
  { zlib, bytes, neededBytes }: FrameLayout,
): boolean {
  const asRaw = frame.length === bytes || frame.length === neededBytes;
  if (zlib ? !asRaw : frame.length >= neededBytes) return zlib;
  if (frame.stored < 2) return zlib;
  const [first = 0, second = 0] = file.read(frame.offset, 2, "the start of a frame");
  // RFC 1950, section 2.2: method 8, and a checksum of both bytes.
  return (first & 0x0f) === 8 && (first * 256 + second) % 31 === 0;
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

/** Plans some components of a frame. @throws {PlaneNotFound} it is not in the file @throws {DecodeFailed} it is incomplete */
export function planFrame(
  store: FrameStore,
  number: number,
  components: readonly number[],
  rows?: RowRange,
): PlanePlan {
  const { file, layout, stop } = store;
  const frame = findFrame(store, number);
  const { rowBytes, usedRowBytes, bytes, sampleType } = layout;
  const { zlib, stored, length, what } = frame;
  // The last of the stored rows may lack its padding.
  const whole = Math.floor((stored - usedRowBytes) / rowBytes) + 1;
  const count = zlib || stored >= layout.neededBytes ? layout.rows : whole;
  const lines = servedLines([count], layout.rows, rows);
  const text = `${what} has ${length} bytes, but ${layout.rows} rows of ${rowBytes} bytes need only ${bytes}`;
  const working = { bytes: stored + 2 * (bytes + SURPLUS), endsWithWorker: false };
  return {
    ...lines,
    columns: layout.columns,
    warnings: [...lines.warnings, ...warnIf(!zlib && length > bytes, "metadata_disagree", text)],
    working: zlib ? working : NO_WORKING_MEMORY,
    overwrites: !zlib,
    async decode(planes) {
      const { start, end } = lines.filled;
      const width = SAMPLE_BYTES[sampleType];
      const source = zlib ? await inflated(store, frame) : file;
      const first = (zlib ? 0 : frame.offset) + start * rowBytes;
      const samples = {
        ...{ file: source, sampleType, what, stop },
        offsets: components.map((component) => first + component * width),
        rows: { count: end - start, step: rowBytes },
        columns: { count: layout.columns, step: layout.components * width },
      };
      readStrided(samples, planes, 0);
    },
  };
}

async function inflated(
  { file, layout, stop }: FrameStore,
  { offset, stored, what }: StoredFrame,
): Promise<ByteSource> {
  const { columns: width, rows, components: samples, bytes: mostBytes, neededBytes: bytes } = layout;
  const settings = { bits: [], kind: "uint" } as const;
  const picture = wholePicture({ stored, width, rows, samples, bytes }, { settings, what, stop });
  const decoded = await deflate.decode(file.read(offset, stored, what), { ...picture, mostBytes });
  return new DecodedBytes(decoded, what);
}
