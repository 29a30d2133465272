/**
 * ND2 from before 2010: boxes of JPEG 2000 (ITU-T T.800, annex I), big-endian (u32 length with itself, four letters, content), and
 * at the end
 *
 *     map       u32 count, then for each box four letters of its type, four of its purpose, u64 offset (little-endian)
 *     +0 .. 40  "LABORATORY IMAGING ND BOX MAP 00", u64 distance of the map from the end of the file
 *
 *     LUNK  a codestream: one channel of one frame      VIMD  XML, channels and pixel size of a frame
 *     AIM1  (older: AIMD) XML, loops                    TINF  XML, texts for users
 *
 * The XML names its values in several versions.
 */
import { numberOf } from "../metadata/text.ts";
import { Buffer } from "node:buffer";
import { jpeg2000 } from "../codecs/jpeg2000.ts";
import { type LargestSegment, requireDecodable, wholePicture } from "../codecs/segment.ts";
import { DecodeFailed, PlaneNotFound, quoted } from "../errors.ts";
import type { ByteSource } from "../io/byte_source.ts";
import { MAX_CHANNELS, MAX_PLANE_SAMPLES } from "../io/limits.ts";
import type { RandomAccessFile } from "../io/random_access_file.ts";
import type { StopFlag } from "../io/stop_flag.ts";
import { buildAxes, selectCalibrations } from "../metadata/axes.ts";
import { buildChannels, COLOURS, sampleName } from "../metadata/channels.ts";
import { type Channel, type PlanePlan, type RowRange, type Scenes, sizesOf } from "../reader.ts";
import { SAMPLE_BYTES, SampleArray } from "../samples/to_float32.ts";
import { unlessLost, type Warning } from "../warning.ts";
import {
  decodeMetadataText,
  EMPTY,
  findCount,
  findNumber,
  findObject,
  findPositive,
  findText,
  listItems,
  newVariantBudget,
  parseXmlVariant,
  takeObject,
  type Variant,
  type VariantObject,
} from "./clx.ts";
import { FrameNumbers, type Loop, LOOP_TYPE, makePositionScenes, requireKnownLoop } from "./experiment.ts";
import { MAX_METADATA_BYTES } from "./metadata.ts";
import { formatBgrColor } from "./frames.ts";
import { convertJulianDay, readWallClock } from "./wall_clock.ts";

/** Reads the metadata of a file with boxes. @throws {DecodeFailed | Stopped} */
export function openLegacyScenes(file: RandomAccessFile, stop: StopFlag): Scenes {
  const boxes = readBoxMap(file);
  const places = boxes.get(CODESTREAM) ?? [];
  const first = places[0];
  if (first === undefined) throw new DecodeFailed("it holds no frames");
  const size = readCodestreamSize(file, first);
  const warnings: Warning[] = [];
  const budget = newVariantBudget();
  const read = (purpose: string) =>
    takeObject(
      unlessLost(warnings, "Metadata", () => {
        const bytes = findDocumentBytes(file, boxes, purpose);
        return bytes && parseXmlVariant(bytes, `box ${quoted(purpose)}`, budget, warnings, dropTypePrefix);
      }) ?? undefined,
    );
  const picture = findHolder(read("VIMD"), ["PicturePlanes", "Calibration"]);
  const description = findTextStarting(read("TINF"), "Metadata:");
  const experiment = read(boxes.has("AIM1") ? "AIM1" : "AIMD");
  const listed = findObject(picture, "PicturePlanes");
  const planes = listItems(listed.get("Plane")).map(takeObject).filter((plane) => plane.size > 0);
  const perFrame = findNumber(listed, "Count") ?? Math.max(planes.length, 1);
  if (!Number.isSafeInteger(perFrame) || perFrame < 1 || perFrame > Math.min(places.length, MAX_CHANNELS)) {
    const stored = `the file holds ${places.length} codestreams`;
    throw new DecodeFailed(`frames have ${perFrame} channels, but ${stored}`);
  }
  const numbers = new FrameNumbers(readLegacyLoops(experiment, description));
  const frames = Math.floor(places.length / perFrame);
  warnings.push(...numbers.mismatch(frames));
  const store = { file, places, perFrame, size, stop };
  const channels = buildLegacyChannels(planes, store);
  const pixel = findNumber(picture, "Calibration");
  const [T, Z] = [numbers.size("T"), numbers.size("Z")];
  const sizes = { T, C: channels.length, Z, Y: size.rows, X: size.columns };
  const steps = {
    ...selectCalibrations({ Y: [pixel, "um"], X: [pixel, "um"] }, warnings),
    ...numbers.steps(warnings),
  };
  const axes = buildAxes(sizes, steps);
  return makePositionScenes(numbers, Array(frames).keys(), sizesOf(axes), (scene) => ({
    axes,
    channels,
    ...readWallClock(null, convertJulianDay(findNumber(picture, "TimeAbsolute"))),
    fileSize: file.size,
    reference: null,
    warnings,
    times: null,
    indexBytes: 16 * places.length,
    documents(list) {
      for (const purpose of DOCUMENTS) {
        const bytes = findDocumentBytes(file, boxes, purpose);
        list.add(purpose, "application/xml", bytes && decodeMetadataText(bytes));
      }
    },
    plan: (wanted, position, rows) =>
      Promise.try(() => planStreams(store, numbers.at(position, scene), wanted, rows)),
  }));
}

/** The channels: the codestreams of a frame, or the components of each codestream if they are colours. */
function buildLegacyChannels(
  planes: readonly VariantObject[],
  { perFrame, size }: CodestreamStore,
): readonly Channel[] {
  const described = Array.from({ length: perFrame }, (_, i) => {
    const plane = planes[i] ?? EMPTY;
    const name = findText(plane, "OpticalConfigName") ?? findText(plane, "Description");
    return { name, color: formatBgrColor(findNumber(plane, "Color")) };
  });
  const all = size.components === 1
    ? described
    : described.flatMap(({ name }) =>
      COLOURS.map((colour) => ({ name: sampleName(perFrame > 1 ? name : null, colour) }))
    );
  return buildChannels(all, { ...size, sampleType: chooseLegacyType(size) });
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
export function readCodestreamSize(file: ByteSource, at: number): CodestreamSize {
  const box = readBox(file, at, CODESTREAM);
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

const chooseLegacyType = ({ bits }: CodestreamSize) => bits > 8 ? "uint16" as const : "uint8" as const;

function planStreams(
  { file, places, perFrame, size, stop }: CodestreamStore,
  frame: number,
  channels: readonly number[],
  rows: RowRange | undefined,
): PlanePlan {
  const { components: samples, columns: width } = size;
  const sampleType = chooseLegacyType(size);
  const filled = rows ?? { start: 0, end: size.rows };
  const wanted = Map.groupBy(channels.keys(), (i) => frame * perFrame + Math.floor(channels[i]! / samples));
  const streams = [...wanted].map(([place, indices]) => {
    const at = places[place];
    if (at === undefined) {
      const frames = Math.floor(places.length / perFrame);
      throw new PlaneNotFound(`frame ${frame} is not in the file, which holds ${frames} frames`);
    }
    const { offset, length } = readBox(file, at, CODESTREAM);
    const what = `codestream ${place} at ${at}`;
    const bytes = width * size.rows * samples * SAMPLE_BYTES[sampleType];
    const extent: LargestSegment = { stored: length, width, rows: size.rows, samples, bytes };
    requireDecodable(jpeg2000, extent, what);
    return { offset, what, extent, indices };
  });
  const working = streams.map(({ extent }) => jpeg2000.workingBytes(extent));
  return {
    rows: size.rows,
    columns: width,
    filled,
    warnings: [],
    division: { channels: samples, rows: size.rows },
    working: { bytes: Math.max(...working), endsWithWorker: false },
    async decode(planes) {
      for (const { offset, what, extent, indices } of streams) {
        stop.check();
        const settings = { bits: [size.bits], kind: "uint" } as const;
        const input = file.read(offset, extent.stored, what);
        const bytes = await jpeg2000.decode(input, wholePicture(extent, { settings, what, stop }));
        const array = new SampleArray({ bytes, sampleType, littleEndian: true });
        for (const i of indices) {
          const from = filled.start * width * samples + channels[i]! % samples;
          array.convert({ from, step: samples, count: (filled.end - filled.start) * width }, planes[i]!, 0);
        }
      }
    },
  };
}

const MAP_SIGNATURE = "LABORATORY IMAGING ND BOX MAP 00";
const TAIL_BYTES = 40;
const [BOX_HEAD_BYTES, ENTRY_BYTES] = [8, 16];

/** Largest number of boxes in a file: three with metadata per frame, and one per channel of each frame. */
const MAX_BOXES = 1_000_000;

/** Purpose of boxes with a codestream. */
const CODESTREAM = "LUNK";

/** Purposes of metadata boxes; those of later frames repeat the first. */
const DOCUMENTS: readonly string[] = ["VIMD", "VCAL", "ACAL", "AIM1", "AIMD", "ARTT", "TINF", "IEVE"];

const READ = new Set([CODESTREAM, ...DOCUMENTS]);

/** Offset of the map; `null` for other pictures in boxes of JPEG 2000. */
export function findBoxMap(file: ByteSource): number | null {
  if (file.size < TAIL_BYTES) return null;
  const tail = Buffer.from(file.read(file.size - TAIL_BYTES, TAIL_BYTES, "the end of the file"));
  const signed = tail.toString("latin1", 0, MAP_SIGNATURE.length) === MAP_SIGNATURE;
  return signed ? file.size - Number(tail.readBigUInt64LE(MAP_SIGNATURE.length)) : null;
}

/** Offsets of boxes, by purpose, in file order. */
type BoxMap = ReadonlyMap<string, readonly number[]>;

/** Offsets of the boxes in the map. @throws {DecodeFailed} the map is missing or damaged */
function readBoxMap(file: ByteSource): BoxMap {
  const place = findBoxMap(file);
  if (place === null) throw new DecodeFailed("the file does not end with a box map");
  const count = Buffer.from(file.read(place, 4, "the box map")).readUInt32BE(0);
  if (count > MAX_BOXES) throw new DecodeFailed(`the file has more than ${MAX_BOXES} boxes`);
  const entries = Buffer.from(file.read(place + 4, count * ENTRY_BYTES, "the box map").buffer);
  const found = new Map<string, number[]>();
  for (let at = 0; at < entries.length; at += ENTRY_BYTES) {
    const purpose = entries.toString("latin1", at + 4, at + 8);
    if (!READ.has(purpose)) continue;
    found.getOrInsertComputed(purpose, () => []).push(Number(entries.readBigUInt64LE(at + 8)));
  }
  return found;
}

/** The content of the box at an offset. @throws {DecodeFailed} it lies outside the file */
function readBox(file: ByteSource, at: number, purpose: string) {
  const what = `box ${quoted(purpose)}`;
  const head = Buffer.from(file.read(at, BOX_HEAD_BYTES, what));
  const length = head.readUInt32BE(0) || file.size - at;
  file.require(at + BOX_HEAD_BYTES, length - BOX_HEAD_BYTES, what);
  return { offset: at + BOX_HEAD_BYTES, length: length - BOX_HEAD_BYTES };
}

/** The bytes of the first document of a purpose, or `null`. @throws {DecodeFailed} the document is too long or incomplete */
function findDocumentBytes(file: ByteSource, boxes: BoxMap, purpose: string): Uint8Array | null {
  const at = boxes.get(purpose)?.[0];
  if (at === undefined) return null;
  const { offset, length } = readBox(file, at, purpose);
  if (length > MAX_METADATA_BYTES) {
    throw new DecodeFailed(
      `box ${quoted(purpose)} at ${at} has ${length} bytes, more than ${MAX_METADATA_BYTES}`,
    );
  }
  return file.read(offset, length, `box ${quoted(purpose)}`);
}

/** A name without the prefix for its type: `uiCount` equals `Count`. */
const dropTypePrefix = (name: string): string => name.replace(/^[a-z_]+/, "") || name;

/** The object inside wrappers that has one of these names; else the innermost object. */
function findHolder(value: VariantObject, names: readonly string[]): VariantObject {
  if (names.some((name) => value.has(name))) return value;
  const inner = [...value].filter(([name, one]) => one instanceof Map && name !== "UnknownData");
  return inner.length === 1 ? findHolder(takeObject(inner[0]![1]), names) : value;
}

/** The first text in a value that begins with `start`, or `null`. */
function findTextStarting(value: Variant | undefined, start: string): string | null {
  if (typeof value === "string") return value.startsWith(start) ? value : null;
  if (!(value instanceof Map)) return null;
  for (const one of value.values()) {
    const found = findTextStarting(one, start);
    if (found !== null) return found;
  }
  return null;
}

/** The loops, outermost first. Sizes in the description take precedence over requested ones. @throws {DecodeFailed} unknown loops */
export function readLegacyLoops(experiment: VariantObject, description: string | null): readonly Loop[] {
  // Such as `T(3) x XY(4) x Z(5)`.
  const line = /Dimensions:\s?([^\r\n]{1,300})/.exec(description ?? "")?.[1] ?? "";
  const found = Array.from(line.matchAll(/([A-Za-zλ]+)'?\((\d{1,9})\)/g));
  const sizes = new Map(found.map(([, name = "", count]) => [name === "S" ? "XY" : name, Number(count)]));
  return listLevels(experiment).flatMap((level) => {
    const loop = readLegacyLoop(level, sizes);
    if (loop === null || loop.count < 1) return [];
    const stated = numberOf(/Z Stack Loop: \d+\s+-\s+Step\s+([.,\d]+)/.exec(description ?? "")?.[1]) ?? 0;
    return [loop.kind === "Z" && stated > 0 ? { ...loop, nominal: stated } : loop];
  });
}

/** The levels of an experiment: numbered loops side by side, or a chain of nested loops. */
function listLevels(experiment: VariantObject): readonly VariantObject[] {
  const holder = findHolder(experiment, ["LoopNo00", "LoopPars"]);
  if (holder.has("LoopNo00")) {
    return [...holder].filter(([name]) => /^LoopNo\d+$/.test(name)).sort(([a], [b]) => a < b ? -1 : 1)
      .map(([, level]) => takeObject(level));
  }
  return holder.has("LoopPars") ? [holder, ...listLevels(findObject(holder, "NextLevelEx"))] : [];
}

function readLegacyLoop(level: VariantObject, sizes: ReadonlyMap<string, number>): Loop | null {
  const parameters = findHolder(findObject(level, "LoopPars"), ["Count", "Period", "PosX", "ZStep"]);
  const type = findNumber(level, "Type") ?? 0;
  const count = findCount(parameters, "Count");
  const loop = { measured: null, nominal: null, names: [] };
  if (type === LOOP_TYPE.positions) {
    return { ...loop, kind: "P", count: sizes.get("XY") ?? (count || findObject(parameters, "PosX").size) };
  }
  if (type === LOOP_TYPE.focus) {
    const [low, high, step] = ["ZLow", "ZHigh", "ZStep"].map((name) => findNumber(parameters, name) ?? 0);
    // Without a step the range counts.
    const fromRange = count > 1 ? (high! - low!) / (count - 1) : 0;
    return { ...loop, kind: "Z", count, nominal: Math.abs(step || fromRange) || null };
  }
  requireKnownLoop(type);
  if (type === LOOP_TYPE.custom) {
    throw new DecodeFailed("the experiment has a custom loop, which is not supported");
  }
  if (type !== LOOP_TYPE.time && type !== LOOP_TYPE.phases) return null;
  const phases = listItems(parameters.get("Period")).map(takeObject).filter((phase) => phase.size > 0);
  const stated = sizes.get("T");
  const fitting = phases.find((phase) => findNumber(phase, "Count") === stated) ?? phases[0] ?? parameters;
  return {
    ...loop,
    kind: "T",
    count: stated ?? findCount(fitting, "Count"),
    measured: findPositive(fitting, "AvgPeriodDiff"),
    nominal: findPositive(fitting, "Period"),
  };
}
