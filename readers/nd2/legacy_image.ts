/**
 * ND2 from before 2010: boxes of JPEG 2000, big-endian (u32 length with itself, four letters, content), and at the end
 *
 *     map       u32 count, then for each box four letters of its type, four of its purpose, u64 offset (little-endian)
 *     +0 .. 40  "LABORATORY IMAGING ND BOX MAP 00", u64 distance of the map from the end of the file
 *
 *     LUNK  a codestream: one channel of one frame      VIMD  XML, channels and pixel size of a frame
 *     AIM1  (older: AIMD) XML, loops                    TINF  XML, texts for users
 */
import { Buffer } from "node:buffer";
import { jpeg2000 } from "../codecs/jpeg2000.ts";
import { type Extent, requireDecodable, wholePicture } from "../codecs/segment.ts";
import { DecodeFailed, PlaneNotFound } from "../errors.ts";
import type { ByteSource } from "../io/byte_source.ts";
import { MAX_CHANNELS, MAX_PLANE_SAMPLES } from "../io/limits.ts";
import type { RandomAccessFile } from "../io/random_access.ts";
import type { StopFlag } from "../io/stop_flag.ts";
import { axesOf, calibrationsOf } from "../metadata/axes.ts";
import { channelsOf, COLOURS, sampleName } from "../metadata/channels.ts";
import { type Channel, type PlanePlan, type RowRange, type Scenes, sizesOf } from "../reader.ts";
import { SAMPLE_BYTES, SampleArray } from "../samples/to_float32.ts";
import { unlessLost, type Warning } from "../warning.ts";
import { variantBudget } from "./clx_lite.ts";
import { metadataText } from "./clx_xml.ts";
import { FrameNumbers, positionScenes } from "./experiment.ts";
import {
  type Box,
  boxAt,
  documentBytes,
  documentOf,
  DOCUMENTS,
  holderOf,
  legacyLoops,
  numberOf,
  readBoxMap,
  textStarting,
} from "./legacy_documents.ts";
import { colorOf } from "./picture.ts";
import { EMPTY, itemsOf, objectIn, objectOf, type VariantObject } from "./variant.ts";
import { julianMilliseconds, wallClock } from "./wall_clock.ts";

/** Reads the metadata of a file with boxes. @throws {DecodeFailed | Stopped} */
export function legacyScenes(file: RandomAccessFile, stop: StopFlag): Scenes {
  const boxes = readBoxMap(file);
  const places = boxes.get("LUNK") ?? [];
  const first = places[0];
  if (first === undefined) throw new DecodeFailed("it holds no frames");
  const size = codestreamSize(file, first);
  const warnings: Warning[] = [];
  const { xml } = variantBudget();
  const read = (purpose: string) =>
    unlessLost(warnings, "Metadata", () => documentOf(file, boxes, purpose, xml, warnings)) ?? EMPTY;
  const picture = holderOf(read("VIMD"), ["PicturePlanes", "Calibration"]);
  const description = textStarting(read("TINF"), "Metadata:");
  const experiment = read(boxes.has("AIM1") ? "AIM1" : "AIMD");
  const listed = objectIn(picture, "PicturePlanes");
  const planes = itemsOf(listed.get("Plane")).map(objectOf).filter((plane) => plane.size > 0);
  const perFrame = numberOf(listed, "Count") ?? Math.max(planes.length, 1);
  if (!Number.isSafeInteger(perFrame) || perFrame < 1 || perFrame > Math.min(places.length, MAX_CHANNELS)) {
    const stored = `the file holds ${places.length} codestreams`;
    throw new DecodeFailed(`frames have ${perFrame} channels, but ${stored}`);
  }
  const numbers = new FrameNumbers(legacyLoops(experiment, description));
  const frames = Math.floor(places.length / perFrame);
  warnings.push(...numbers.mismatch(frames));
  const store = { file, places, perFrame, size, stop };
  const channels = channelList(planes, store);
  const pixel = numberOf(picture, "Calibration");
  const [T, Z] = [numbers.size("T"), numbers.size("Z")];
  const sizes = { T, C: channels.length, Z, Y: size.rows, X: size.columns };
  const steps = { ...calibrationsOf({ Y: [pixel, "um"], X: [pixel, "um"] }), ...numbers.steps() };
  const axes = axesOf(sizes, steps);
  return positionScenes(numbers, Array(frames).keys(), sizesOf(axes), (scene) => ({
    axes,
    channels,
    ...wallClock(null, julianMilliseconds(numberOf(picture, "TimeAbsolute"))),
    fileSize: file.size,
    reference: null,
    warnings,
    times: null,
    indexBytes: 16 * places.length,
    documents(list) {
      for (const purpose of DOCUMENTS) {
        const at = boxes.get(purpose)?.[0];
        if (at === undefined) continue;
        list.add(purpose, "application/xml", metadataText(documentBytes(file, at, purpose)));
      }
    },
    plan: (wanted, position, rows) =>
      Promise.try(() => planStreams(store, numbers.at(position, scene), wanted, rows)),
  }));
}

/** The channels: the codestreams of a frame, or the components of each codestream if they are colours. */
function channelList(
  planes: readonly VariantObject[],
  { perFrame, size }: CodestreamStore,
): readonly Channel[] {
  const described = Array.from({ length: perFrame }, (_, i) => {
    const plane = planes[i] ?? EMPTY;
    const name = plane.get("OpticalConfigName") ?? plane.get("Description");
    return { name: typeof name === "string" ? name : null, color: colorOf(numberOf(plane, "Color")) };
  });
  const all = size.components === 1
    ? described
    : described.flatMap(({ name }) =>
      COLOURS.map((colour) => ({ name: sampleName(perFrame > 1 ? name : null, colour) }))
    );
  return channelsOf(all, { ...size, sampleType: sampleTypeOf(size) });
}

/** The header of a codestream (ITU-T T.800, annex A.5.1). */
export interface CodestreamSize {
  readonly columns: number;
  readonly rows: number;
  /** Components: 1, or 3 for colours. */
  readonly components: number;
  readonly bits: number;
}

/** Bytes that are searched for a codestream's header, since boxes may hold whole JP2 files. */
const SEARCHED = 4096;

/** Reads the header of a codestream. @throws {DecodeFailed} the header is missing, or its size is not supported */
export function codestreamSize(file: ByteSource, at: number): CodestreamSize {
  const box = boxAt(file, at, "LUNK");
  const bytes = file.read(box.offset, Math.min(box.length, SEARCHED), "the first codestream");
  // The markers SOC and SIZ.
  const start = Buffer.from(bytes).indexOf("ff4fff51", 0, "hex");
  if (start < 0 || start + 43 >= bytes.length) {
    throw new DecodeFailed(`the box at ${at} holds no codestream`);
  }
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

interface CodestreamStore {
  readonly file: ByteSource;
  /** Offsets of the boxes of the codestreams, frame by frame. */
  readonly places: readonly number[];
  readonly perFrame: number;
  readonly size: CodestreamSize;
  readonly stop: StopFlag;
}

interface WantedStream {
  readonly box: Box;
  readonly what: string;
  readonly wanted: { readonly component: number; readonly plane: number }[];
}

function planStreams(
  store: CodestreamStore,
  frame: number,
  channels: readonly number[],
  rows: RowRange | undefined,
): PlanePlan {
  const { file, places, perFrame, size } = store;
  const streams = new Map<number, WantedStream>();
  for (const [plane, index] of channels.entries()) {
    const place = frame * perFrame + Math.floor(index / size.components);
    const at = places[place];
    if (at === undefined) {
      const frames = Math.floor(places.length / perFrame);
      throw new PlaneNotFound(`frame ${frame} is not in the file, which holds ${frames} frames`);
    }
    const what = `codestream ${place} at ${at}`;
    const stream = streams.getOrInsertComputed(
      place,
      () => ({ box: boxAt(file, at, "LUNK"), what, wanted: [] }),
    );
    stream.wanted.push({ component: index % size.components, plane });
  }
  const filled = rows ?? { start: 0, end: size.rows };
  const working = [...streams.values()].map(({ box, what }) => {
    const extent = extentOf(size, box);
    requireDecodable(jpeg2000, extent, what);
    return jpeg2000.workingBytes(extent);
  });
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

const sampleTypeOf = ({ bits }: CodestreamSize) => bits > 8 ? "uint16" as const : "uint8" as const;

const extentOf = (size: CodestreamSize, { length }: Box): Extent => ({
  stored: length,
  width: size.columns,
  rows: size.rows,
  samples: size.components,
  bytes: size.columns * size.rows * size.components * SAMPLE_BYTES[sampleTypeOf(size)],
});

async function decodeStream(
  { file, size, stop }: CodestreamStore,
  { box, what, wanted }: WantedStream,
  rows: RowRange,
  planes: readonly Float32Array[],
): Promise<void> {
  const extent = extentOf(size, box);
  const settings = { bits: [size.bits], kind: "uint" } as const;
  const input = file.read(box.offset, box.length, what);
  const bytes = await jpeg2000.decode(input, wholePicture(extent, { settings, what, stop }));
  const array = new SampleArray({ bytes, sampleType: sampleTypeOf(size), littleEndian: true });
  const { width, samples: step } = extent;
  for (const { component, plane } of wanted) {
    const run = { from: rows.start * width * step + component, step, count: (rows.end - rows.start) * width };
    array.convert(run, planes[plane]!, 0);
  }
}
