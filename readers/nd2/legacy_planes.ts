/** Planes in files of JPEG 2000 boxes: a codestream for each channel of each frame. */
import type { ByteSource } from "../io/byte_source.ts";
import { jpeg2000 } from "../codecs/jpeg2000.ts";
import type { Extent } from "../codecs/segment.ts";
import { DecodeFailed, PlaneNotFound } from "../errors.ts";
import { MAX_PLANE_SAMPLES } from "../io/limits.ts";
import type { Channel, PlanePlan, RowRange } from "../reader.ts";
import type { StopFlag } from "../io/stop_flag.ts";
import { SAMPLE_BYTES, SampleArray } from "../samples/to_float32.ts";
import { type Box, boxAt } from "./legacy_boxes.ts";

/** The header of a codestream (ITU-T T.800, annex A.5.1). */
export interface CodestreamSize {
  /** Columns. */
  readonly columns: number;
  /** Rows. */
  readonly rows: number;
  /** Components: 1, or 3 for colours. */
  readonly components: number;
  /** Bits of the samples. */
  readonly bits: number;
}

/** Bytes that are searched for the header of a codestream: boxes may hold whole JP2 files. */
const SEARCHED = 4096;

/** Reads the header of a codestream. @throws {DecodeFailed} it is missing, or of an unsupported size */
export function codestreamSize(file: ByteSource, at: number): CodestreamSize {
  const box = boxAt(file, at, "LUNK");
  const bytes = file.read(box.offset, Math.min(box.length, SEARCHED), "the first codestream");
  let start = 0;
  while (start + 43 < bytes.length && !isStart(bytes, start)) start += 1;
  if (start + 43 >= bytes.length) throw new DecodeFailed(`the box at ${at} holds no codestream`);
  const view = new DataView(bytes.buffer, bytes.byteOffset + start);
  const columns = view.getUint32(8) - view.getUint32(16);
  const rows = view.getUint32(12) - view.getUint32(20);
  const components = view.getUint16(40);
  const bits = (view.getUint8(42) & 0x7f) + 1;
  if (columns < 1 || rows < 1 || columns * rows > MAX_PLANE_SAMPLES || components !== 1 && components !== 3) {
    throw new DecodeFailed(`the codestream at ${at} is ${rows} x ${columns} x ${components}`);
  }
  if (bits > 16) throw new DecodeFailed(`the codestream at ${at} has samples of ${bits} bits`);
  return { columns, rows, components, bits };
}

/** The markers SOC and SIZ. */
const isStart = (bytes: Uint8Array, at: number) =>
  bytes[at] === 0xff && bytes[at + 1] === 0x4f && bytes[at + 2] === 0xff && bytes[at + 3] === 0x51;

/** All codestreams of a file. */
export interface CodestreamStore {
  /** The file. */
  readonly file: ByteSource;
  /** Offsets of their boxes, frame by frame. */
  readonly places: readonly number[];
  /** Codestreams of a frame. */
  readonly perFrame: number;
  /** Size of each. */
  readonly size: CodestreamSize;
  /** Checked while they are decoded. */
  readonly stop: StopFlag;
}

/** One codestream with its wanted components. */
interface WantedStream {
  readonly box: Box;
  readonly what: string;
  readonly wanted: { readonly component: number; readonly plane: number }[];
}

/**
 * Plans some channels of a frame.
 *
 * @throws {PlaneNotFound} the file does not hold the frame
 * @throws {DecodeFailed} a codestream is incomplete, or too large to decode
 */
export function planStreams(
  store: CodestreamStore,
  frame: number,
  channels: readonly Channel[],
  rows: RowRange | undefined,
): PlanePlan {
  const { size } = store;
  const streams = new Map<number, WantedStream>();
  for (const [plane, { index }] of channels.entries()) {
    const place = frame * store.perFrame + Math.floor(index / size.components);
    const stream = streams.getOrInsertComputed(place, () => wantedStream(store, frame, place));
    stream.wanted.push({ component: index % size.components, plane });
  }
  const filled = rows ?? { start: 0, end: size.rows };
  const working = [...streams.values()].map(({ box, what }) =>
    jpeg2000.workingBytes(checked(extentOf(size, box), what))
  );
  return {
    rows: size.rows,
    columns: size.columns,
    filled,
    warnings: [],
    division: { channels: size.components, rows: size.rows },
    working: { bytes: Math.max(...working), endsWithWorker: false },
    async decode(planes) {
      for (const stream of streams.values()) {
        store.stop.check();
        await decodeStream(store, stream, filled, planes);
      }
    },
  };
}

function wantedStream(
  { file, places, perFrame }: CodestreamStore,
  frame: number,
  place: number,
): WantedStream {
  const at = places[place];
  if (at === undefined) {
    const frames = Math.floor(places.length / perFrame);
    throw new PlaneNotFound(`frame ${frame} is not in the file, which holds ${frames} frames`);
  }
  return { box: boxAt(file, at, "LUNK"), what: `codestream ${place} at ${at}`, wanted: [] };
}

const sampleTypeOf = ({ bits }: CodestreamSize) => bits > 8 ? "uint16" as const : "uint8" as const;

const extentOf = (size: CodestreamSize, { length }: Box): Extent => ({
  stored: length,
  width: size.columns,
  rows: size.rows,
  samples: size.components,
  bytes: size.columns * size.rows * size.components * SAMPLE_BYTES[sampleTypeOf(size)],
});

/** Applies the bounds of the decoder. @throws {DecodeFailed} the codestream is over them */
function checked(extent: Extent, what: string): Extent {
  const { maxSamples = 0, maxStored = 0 } = jpeg2000.webAssembly ?? {};
  const samples = extent.width * extent.rows * extent.samples;
  if (
    samples <= maxSamples && extent.stored <= maxStored &&
    extent.bytes <= extent.stored * jpeg2000.maxExpansion
  ) {
    return extent;
  }
  const most = `at most ${maxSamples} in ${maxStored} can be decoded`;
  throw new DecodeFailed(`${what} has ${samples} samples in ${extent.stored} bytes; ${most}`);
}

async function decodeStream(
  { file, size, stop }: CodestreamStore,
  { box, what, wanted }: WantedStream,
  rows: RowRange,
  planes: readonly Float32Array[],
): Promise<void> {
  const { width, samples, bytes } = extentOf(size, box);
  const decoded = await jpeg2000.decode(file.read(box.offset, box.length, what), {
    width,
    rows: size.rows,
    samples,
    fullRows: size.rows,
    bytes,
    mostBytes: bytes,
    settings: { bits: [size.bits], kind: "uint" },
    what,
    stop,
  });
  const array = new SampleArray({ bytes: decoded, sampleType: sampleTypeOf(size), littleEndian: true });
  for (const { component, plane } of wanted) {
    const from = rows.start * width * samples + component;
    const count = (rows.end - rows.start) * width;
    array.convert({ from, step: samples, count }, planes[plane]!, 0);
  }
}
