/** The layout of an image in its block: which dimensions are rows, columns, positions and channels; and plans of its planes. */
import { StatedNumbers } from "../metadata/stated_numbers.ts";
import { DecodeFailed, PlaneNotFound } from "../errors.ts";
import type { ByteSource } from "../io/byte_source.ts";
import { MAX_CHANNELS, MAX_PLANE_SAMPLES } from "../io/limits.ts";
import type { StopFlag } from "../io/stop_flag.ts";
import {
  type Acquisition,
  NO_WORKING_MEMORY,
  type PlanePlan,
  type Position,
  type SampleType,
  servedLines,
} from "../reader.ts";
import { numberOf } from "../metadata/text.ts";
import { findChild, findChildren, type XmlElement } from "../metadata/xml.ts";
import { readStrided } from "../samples/strided.ts";
import { isSampleType, SAMPLE_BYTES } from "../samples/to_float32.ts";
import type { MemoryBlock } from "./container.ts";

/** Values of `DimID`. */
export const DIM = {
  x: 1,
  y: 2,
  z: 3,
  t: 4,
  emission: 5,
  rotation: 6,
  lineSlices: 7,
  timeSlices: 8,
  excitation: 9,
  mosaic: 10,
  loop: 11,
} as const;

/** A dimension with validated numbers. */
export interface LifDimension {
  /** One of {@linkcode DIM}, or an unknown id. */
  readonly id: number;
  /** Number of samples, at least 2. */
  readonly count: number;
  readonly step: number;
  /** Length from the first sample to the last, in `unit`. */
  readonly length: number | null;
  readonly unit: string;
}

/** Dimensions that are served as one axis, slowest first, for example time points and the slices of a recording. */
export type Joined = readonly LifDimension[];

/** A channel in the block. */
export interface LifChannel {
  readonly offset: number;
  /** 1, 2 or 3 for red, green or blue of a colour pixel; else 0. */
  readonly tag: number;
  readonly lut: string;
  /** Name of the dye, as LAS X 4 states it for a channel; else `null`. */
  readonly dye: string | null;
}

/** The layout of an image. */
export interface ImageLayout {
  readonly sampleType: SampleType;
  /** Channels by offset; the samples of a colour pixel are in the order red, green, blue. */
  readonly channels: readonly LifChannel[];
  /** All dimensions with two or more samples, slowest first. */
  readonly dimensions: Joined;
  readonly columns: Joined;
  readonly rows: Joined;
  readonly rowAxis: "Y" | "Z" | "T";
  readonly positions: Readonly<Record<"t" | "z" | "l", Joined>>;
  readonly zIsY: boolean;
  /** Dimensions that are served only at their first index. */
  readonly others: Joined;
  /** Number of bytes from the start of the block to the end of the last sample. */
  readonly bytes: number;
}

/** Number of samples along joined dimensions. */
export const countJoined = (joined: Joined): number =>
  joined.reduce((length, { count }) => length * count, 1);

/** Offset of the sample at `index` along joined dimensions, relative to the first sample. */
export function computeOffset(joined: Joined, index: number): number {
  let [offset, rest] = [0, index];
  for (let i = joined.length - 1; i >= 0; i -= 1) {
    const { count, step } = joined[i]!;
    offset += rest % count * step;
    rest = Math.floor(rest / count);
  }
  return offset;
}

/** Offset of a plane in the block. */
export const computePlaneStart = ({ positions }: ImageLayout, { offset }: LifChannel, at: Position): number =>
  offset + computeOffset(positions.t, at.t) + computeOffset(positions.z, at.z) +
  computeOffset(positions.l, at.l);

/** The layout of an `Image` element. @throws {DecodeFailed} it is impossible or unsupported */
export function layOutImage(
  image: XmlElement,
  numbers = new StatedNumbers("The document"),
): ImageLayout {
  const description = findChild(image, "ImageDescription");
  const described = findChildren(findChild(description, "Channels"), "ChannelDescription");
  const sampleType = requireSampleType(described);
  const width = SAMPLE_BYTES[sampleType];
  const dimensions = readLifDimensions(
    findChildren(findChild(description, "Dimensions"), "DimensionDescription"),
    numbers,
  );
  const channels = readLifChannels(described);
  const axes = assignDimensions(dimensions);
  for (const { id, step } of [...axes.columns, ...axes.rows]) {
    if (step % width !== 0) {
      throw new DecodeFailed(
        `BytesInc of dimension ${id} is ${step}, not a multiple of the ${width} bytes of a sample`,
      );
    }
  }
  const [rows, columns] = [countJoined(axes.rows), countJoined(axes.columns)];
  if (rows * columns > MAX_PLANE_SAMPLES) {
    throw new DecodeFailed(`a plane has ${rows} x ${columns} samples, more than ${MAX_PLANE_SAMPLES}`);
  }
  const bytes = measureChannel(dimensions, width) + Math.max(...channels.map(({ offset }) => offset));
  if (!Number.isSafeInteger(bytes)) throw new DecodeFailed(`the image has ${bytes} bytes`);
  // A small file must not describe more samples than it has bytes for.
  const samples = countJoined(dimensions) * channels.length;
  if (samples * width > bytes) {
    throw new DecodeFailed(`the channels share samples: ${samples} of ${width} bytes lie in ${bytes} bytes`);
  }
  return { sampleType, channels, dimensions, ...axes, bytes };
}

/** Number of bytes from the first to the end of the last sample of a channel. @throws {DecodeFailed} two samples share bytes */
function measureChannel(slowestFirst: Joined, width: number): number {
  let bytes = width;
  for (const { id, count, step } of slowestFirst.toReversed()) {
    if (step < bytes) {
      throw new DecodeFailed(
        `samples overlap: BytesInc of dimension ${id} is ${step}, but the faster dimensions take ${bytes} bytes`,
      );
    }
    bytes += (count - 1) * step;
  }
  return bytes;
}

function requireSampleType(channels: readonly XmlElement[]): SampleType {
  if (channels.length === 0) throw new DecodeFailed("the image has no channels");
  if (channels.length > MAX_CHANNELS) {
    throw new DecodeFailed(`the image has ${channels.length} channels, more than ${MAX_CHANNELS}`);
  }
  const types = new Set(channels.map(({ attributes: { DataType, Resolution } }) => {
    const bits = numberOf(Resolution) ?? 0;
    const wide = [8, 16, 32, 64].find((width) => bits > 0 && bits <= width);
    const type = `${DataType === "1" ? "float" : DataType === "0" ? "uint" : ""}${wide}`;
    if (isSampleType(type)) return type;
    throw new DecodeFailed(`samples of ${bits} bits of data type ${DataType} are not supported`);
  }));
  const [type, other] = types;
  if (type === undefined || other !== undefined) {
    throw new DecodeFailed(`its channels have different types: ${[...types].join(", ")}`);
  }
  return type;
}

function readLifDimensions(described: readonly XmlElement[], numbers: StatedNumbers): LifDimension[] {
  if (described.length === 0) throw new DecodeFailed("the image has no dimensions");
  const all = described.map(({ attributes }): LifDimension => {
    const id = numberOf(attributes["DimID"]) ?? 0;
    const what = `dimension ${id}`;
    const count = requireWhole(attributes["NumberOfElements"], 1, `the number of elements along ${what}`);
    const step = count === 1 ? 0 : readBytesInc(attributes, 1, what);
    return {
      id,
      count,
      step,
      length: numbers.step("Length", attributes["Length"]),
      unit: attributes["Unit"] ?? "",
    };
  });
  return all.filter(({ count }) => count > 1).sort((a, b) => b.step - a.step);
}

function requireWhole(text: string | undefined, least: number, what: string): number {
  const value = numberOf(text);
  if (value === null || !Number.isSafeInteger(value) || value < least) {
    throw new DecodeFailed(`${what} is ${value ?? "missing"}, not an integer from ${least} on`);
  }
  return value;
}

function readBytesInc({ BytesInc, BitInc }: XmlElement["attributes"], least: number, what: string): number {
  if ((numberOf(BitInc) ?? 0) !== 0) {
    throw new DecodeFailed(`BitInc of ${what} is ${BitInc}: packed samples are not supported`);
  }
  return requireWhole(BytesInc, least, `BytesInc of ${what}`);
}

/** Name of a dye without the folder of Leica's database: `Leica/FITC`. `null` for none. */
export function shortenDyeName(written: string | undefined): string | null {
  const name = written?.trim().replace(/^Leica\//i, "") ?? "";
  return name === "" || /^none$/i.test(name) ? null : name;
}

/** The user's name, else the dye, among the properties of a channel, which have a key and a value. */
function statedName(channel: XmlElement): string | null {
  const properties = findChildren(channel, "ChannelProperty");
  const valueOf = (key: string) =>
    findChild(properties.find((one) => findChild(one, "Key")?.text === key), "Value")?.text;
  const names = [channel.attributes["UserDefName"], valueOf("UserDefName"), valueOf("DyeName")];
  return names.map(shortenDyeName).find((name) => name !== null) ?? null;
}

function readLifChannels(described: readonly XmlElement[]): LifChannel[] {
  const stored = described.map((channel, i): LifChannel => {
    const { attributes } = channel;
    const { ChannelTag, LUTName = "", IsLUTInverted, BytesInc = described.length === 1 ? "0" : "" } =
      attributes;
    const offset = readBytesInc({ ...attributes, BytesInc }, 0, `channel ${i}`);
    const tag = ["1", "2", "3"].indexOf(ChannelTag ?? "") + 1;
    return { offset, tag, lut: IsLUTInverted === "1" ? "" : LUTName, dye: statedName(channel) };
  }).sort((a, b) => a.offset - b.offset);
  const ordered: LifChannel[] = [];
  for (let i = 0; i < stored.length;) {
    const three = stored.slice(i, i + 3);
    const colours = new Set(three.map(({ tag }) => tag));
    const pixel = colours.size === 3 && !colours.has(0);
    // A colour without the other two becomes a channel of its own.
    ordered.push(
      ...pixel
        ? three.sort((a, b) => a.tag - b.tag)
        : three.slice(0, 1).map((channel) => ({ ...channel, tag: 0 })),
    );
    i += pixel ? 3 : 1;
  }
  return ordered;
}

const TIME: readonly number[] = [DIM.t, DIM.lineSlices, DIM.timeSlices];
const SPECTRAL: readonly number[] = [DIM.emission, DIM.excitation];

type AssignedAxes = Pick<ImageLayout, "columns" | "rows" | "rowAxis" | "positions" | "zIsY" | "others">;

/** Assigns the dimensions: columns are X; rows are the fastest of Y, Z and time; the others are positions. */
function assignDimensions(dimensions: readonly LifDimension[]): AssignedAxes {
  const left = new Set(dimensions);
  const one = (id: number): Joined => {
    const found = dimensions.findLast((dimension) => dimension.id === id && left.delete(dimension));
    return found ? [found] : [];
  };
  const joined = (ids: readonly number[]): Joined =>
    dimensions.filter((dimension) => ids.includes(dimension.id) && left.delete(dimension));
  const columns = one(DIM.x);
  const rowIds: readonly number[] = [DIM.y, DIM.z, ...TIME];
  const fastest = dimensions.findLast(({ id }) => rowIds.includes(id))?.id ?? DIM.y;
  const rowAxis = TIME.includes(fastest) ? "T" : fastest === DIM.z ? "Z" : "Y";
  const rows = rowAxis === "T" ? joined(TIME) : one(fastest);
  const t = joined(TIME);
  const z = one(DIM.z);
  const y = z.length === 0 ? one(DIM.y) : [];
  const l = joined(SPECTRAL);
  const positions = { t, z: y.length > 0 ? y : z, l };
  return { columns, rows, rowAxis, positions, zIsY: y.length > 0, others: [...left] };
}

/** An image with its samples. */
export interface LifImage {
  readonly file: ByteSource;
  readonly block: MemoryBlock;
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
  { file, block, layout, stop }: LifImage,
  [channels, position, rows]: Parameters<Acquisition["plan"]>,
): PlanePlan {
  const { sampleType, rowAxis } = layout;
  const starts = channels.map((index) => computePlaneStart(layout, layout.channels[index]!, position));
  const declared = countJoined(layout.rows);
  const columns = countJoined(layout.columns);
  const stored = starts.map((start) => countWholeRows(layout, block.stored - start));
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
          const first = block.offset + computeOffset(layout.rows, row);
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
function countWholeRows({ rows, columns, sampleType }: ImageLayout, bytes: number): number {
  const rowBytes = computeOffset(columns, countJoined(columns) - 1) + SAMPLE_BYTES[sampleType];
  // A binary search, since offsets increase with the index.
  let [whole, missing] = [0, countJoined(rows) + 1];
  while (missing - whole > 1) {
    const middle = Math.floor((whole + missing) / 2);
    if (computeOffset(rows, middle - 1) + rowBytes <= bytes) whole = middle;
    else missing = middle;
  }
  return whole;
}
