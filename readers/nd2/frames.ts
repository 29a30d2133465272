/**
 * The frames: layout of their samples; channels and steps of rows and columns from the metadata of the first frame; plans of planes.
 * A frame is a time in milliseconds followed by its rows, raw or as a zlib stream.
 */
import { SURPLUS, wholePicture } from "../codecs/segment.ts";
import { deflate } from "../codecs/zlib.ts";
import { DecodeFailed, PlaneNotFound } from "../errors.ts";
import { type ByteSource, DecodedBytes } from "../io/byte_source.ts";
import { MAX_CHANNELS, MAX_PLANE_SAMPLES } from "../io/limits.ts";
import type { StopFlag } from "../io/stop_flag.ts";
import { type Calibration, convertStep, keepCalibrated, statedStep } from "../metadata/axes.ts";
import {
  BLACK,
  buildChannels,
  COLOUR_HEX,
  COLOURS,
  formatHexColor,
  type NamedChannel,
  sampleName,
} from "../metadata/channels.ts";
import {
  type AxisLetter,
  type Channel,
  NO_WORKING_MEMORY,
  type PlanePlan,
  type RowRange,
  type SampleType,
  servedLines,
} from "../reader.ts";
import { readStrided } from "../samples/strided.ts";
import { SAMPLE_BYTES } from "../samples/to_float32.ts";
import { warnIf, type Warning, warning } from "../warning.ts";
import { requireChunk, type StoredChunks } from "./chunk_map.ts";
import {
  findCount,
  findNumber,
  findObject,
  findPositive,
  findText,
  listItems,
  takeObject,
  type VariantObject,
} from "./clx.ts";

/** Largest frame with all components in bytes, the size of the largest float32 plane. */
const MAX_FRAME_BYTES = 4 * MAX_PLANE_SAMPLES;

/** Layout of a frame: rows of pixels, each with all components one after the other. */
export interface FrameLayout {
  readonly columns: number;
  readonly rows: number;
  /** Number of samples per pixel: channels including their colours. */
  readonly components: number;
  readonly sampleType: SampleType;
  /** Bytes from one row to the next; writers pad rows to four bytes. */
  readonly rowBytes: number;
  readonly usedRowBytes: number;
  /** Number of bytes of a frame, including the padding of its last row. */
  readonly bytes: number;
  /** Number of bytes of a frame up to its last sample. */
  readonly neededBytes: number;
  readonly zlib: boolean;
  readonly warnings: readonly Warning[];
}

/** Writers pad rows to multiples of this. */
const ROW_ALIGNMENT = 4;

const COMPRESSION = { zlib: 0, lossy: 1 } as const;

/** Values of the pixel type. Without it, samples are unsigned integers, or floats if they have 32 bits. */
const PIXEL_TYPE = { signed: 0, real: 2 } as const;

/** The layout according to the attributes. @throws {DecodeFailed} an attribute is missing, impossible or not supported */
export function readFrameLayout(attributes: VariantObject): FrameLayout {
  const columns = requireFrameSize(attributes, "uiWidth", MAX_PLANE_SAMPLES);
  const rows = requireFrameSize(attributes, "uiHeight", MAX_PLANE_SAMPLES);
  const components = requireFrameSize(attributes, "uiComp", MAX_CHANNELS);
  const sampleType = chooseSampleType(attributes);
  if (rows * columns > MAX_PLANE_SAMPLES) {
    throw new DecodeFailed(`frames have ${rows} x ${columns} pixels, more than ${MAX_PLANE_SAMPLES}`);
  }
  const usedRowBytes = columns * components * SAMPLE_BYTES[sampleType];
  // For tiles the program writes 0.
  const stated = findNumber(attributes, "uiWidthBytes") || null;
  const rowBytes = stated ?? Math.ceil(usedRowBytes / ROW_ALIGNMENT) * ROW_ALIGNMENT;
  if (!Number.isSafeInteger(rowBytes) || rowBytes < usedRowBytes || rows * rowBytes > MAX_FRAME_BYTES) {
    throw new DecodeFailed(`rows of ${usedRowBytes} bytes of samples are declared with ${rowBytes} bytes`);
  }
  const compression = findNumber(attributes, "eCompression");
  if (compression === COMPRESSION.lossy) {
    const help = "docs/formats/nd2.md#what-is-refused";
    throw new DecodeFailed(`frames with lossy compression are not supported (${help})`);
  }
  const doubts = stated === null
    ? "The file does not state the distance between rows; they are read as padded"
    : `Rows have ${stated} bytes, but their samples need only ${usedRowBytes}`;
  const signed = "The file declares signed samples, which microscopes do not write";
  return {
    columns,
    rows,
    components,
    sampleType,
    rowBytes,
    usedRowBytes,
    bytes: rows * rowBytes,
    neededBytes: (rows - 1) * rowBytes + usedRowBytes,
    zlib: compression === COMPRESSION.zlib,
    warnings: [
      ...warnIf(stated === null, "metadata_missing", doubts),
      ...warnIf(rowBytes - usedRowBytes >= ROW_ALIGNMENT, "metadata_disagree", doubts),
      ...warnIf(sampleType.startsWith("int"), "samples_doubtful", signed),
    ],
  };
}

function requireFrameSize(attributes: VariantObject, name: string, most: number): number {
  const value = findNumber(attributes, name);
  if (value === null || !Number.isSafeInteger(value) || value < 1 || value > most) {
    throw new DecodeFailed(`${name} is ${value ?? "missing"} instead of 1 to ${most}`);
  }
  return value;
}

const TYPES: Readonly<Record<number, Partial<Record<"int" | "uint" | "float", SampleType>>>> = {
  8: { int: "int8", uint: "uint8" },
  16: { int: "int16", uint: "uint16", float: "float16" },
  32: { int: "int32", uint: "uint32", float: "float32" },
  64: { float: "float64" },
};

/** The sample type: samples with 32 significant bits are floats for any pixel type. */
function chooseSampleType(attributes: VariantObject): SampleType {
  const bits = findNumber(attributes, "uiBpcInMemory");
  const significant = findNumber(attributes, "uiBpcSignificant") ?? bits;
  const stated = findNumber(attributes, "ePixelType");
  const kind = stated === PIXEL_TYPE.real || bits === 32 && significant === 32
    ? "float"
    : stated === PIXEL_TYPE.signed
    ? "int"
    : "uint";
  const type = TYPES[bits ?? 0]?.[kind];
  if (type !== undefined) return type;
  throw new DecodeFailed(
    `samples have ${bits ?? "an unknown number of"} bits and are of pixel type ${stated}`,
  );
}

/** The components of a pixel as channels, with the names and colours of their picture planes. */
export function buildNd2Channels(
  picture: VariantObject,
  layout: FrameLayout,
): { readonly channels: readonly Channel[]; readonly warnings: readonly Warning[] } {
  const pictures = findObject(picture, "sPicturePlanes");
  const newer = listItems(pictures.get("sPlaneNew"));
  // Older files call the planes `sPlane`.
  const planes = (newer.length > 0 ? newer : listItems(pictures.get("sPlane"))).map(takeObject);
  const stated = findCount(pictures, "uiCount");
  const shares = planes.length > 0 ? shareOf(planes, layout.components) : null;
  const components = shares === null
    ? []
    : planes.flatMap((plane, i) => nameComponents(plane, shares[i] ?? 1, planes.length > 1));
  const disagree = planes.length > 0 && (shares === null || stated !== 0 && stated !== planes.length);
  const described = `${planes.length} of ${stated} channels are described`;
  const text = `${described}, but pixels have ${layout.components} samples`;
  const named = Array.from({ length: layout.components }, (_, i) => components[i] ?? { name: null });
  return {
    channels: buildChannels(named, layout),
    warnings: warnIf(disagree, "metadata_disagree", text),
  };
}

/** Number of components of each plane; `null` if their total differs from the number of components per pixel. */
function shareOf(planes: readonly VariantObject[], components: number): readonly number[] | null {
  const stated = planes.map((plane) => Math.max(findCount(plane, "uiCompCount"), 1));
  if (stated.reduce((sum, count) => sum + count, 0) === components) return stated;
  const equal = components / planes.length;
  return Number.isInteger(equal) ? planes.map(() => equal) : null;
}

/** The components of a plane: one channel, the blue, green and red of a camera, or numbered channels. */
function nameComponents(plane: VariantObject, count: number, several: boolean): readonly NamedChannel[] {
  const name = findText(plane, "sDescription")?.trim() ?? null;
  const color = formatBgrColor(findNumber(plane, "uiColor"));
  if (count === 1) return [{ name, color }];
  if (count !== COLOURS.length) {
    return Array.from({ length: count }, (_, i) => ({ name: name && `${name} ${i + 1}`, color }));
  }
  const colours = COLOURS.map((colour, i) => ({
    name: sampleName(several ? name : null, colour),
    color: COLOUR_HEX[i],
  }));
  return colours.reverse();
}

/** `#rrggbb` of a number with red in its lowest byte; `null` for black. */
export function formatBgrColor(value: number | null): string | null {
  if (value === null || !Number.isInteger(value)) return null;
  const color = formatHexColor(value, value >>> 8, value >>> 16);
  return color === BLACK ? null : color;
}

/** Values of `ePictureXAxis` and `ePictureYAxis` other than the axes of the picture. */
const [TIME, DEPTH, POINT] = [2, 3, 4];

/** Steps of rows and columns. */
export interface PictureAxes {
  readonly steps: Partial<Record<AxisLetter, Calibration>>;
  readonly lineScan: boolean;
  readonly warnings: readonly Warning[];
}

/** Steps of rows and columns, and warnings about those that are not spatial. Pixels are square; time and depth have separate steps. */
export function readPictureAxes(picture: VariantObject): PictureAxes {
  const stepOf = (name: string, unit: string) =>
    keepCalibrated(convertStep(findPositive(picture, name), unit));
  const warnings: Warning[] = [];
  const pixel = findNumber(picture, "bCalibrated") === 0
    ? undefined
    : statedStep("X", findNumber(picture, "dCalibration"), "um", warnings);
  const axes: Readonly<Record<number, readonly [runs: string, step: Calibration | undefined]>> = {
    [TIME]: ["points in time", stepOf("dTimeAxisCalibration", "ms")],
    [DEPTH]: ["focus planes", stepOf("dZAxisCalibration", "um")],
    [POINT]: ["points in time at one place", undefined],
  };
  const steps: Partial<Record<AxisLetter, Calibration>> = {};
  const lineScan = findNumber(picture, "ePictureYAxis") === TIME;
  for (const [letter, what] of [["Y", "Rows"], ["X", "Columns"]] as const) {
    const axis = findNumber(picture, `ePicture${letter}Axis`) ?? 0;
    const [runs, step] = axes[axis] ?? [null, pixel];
    if (step) steps[letter] = step;
    if (runs === null) continue;
    const text = `${what} are ${runs}`;
    if (!step && axis !== POINT) {
      warnings.push(warning("step_unknown", `${text}, but the file does not state the step between them`));
    } else if (letter === "X" || !lineScan) warnings.push(warning("axis_replaced", text));
  }
  return { steps, lineScan, warnings };
}

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
