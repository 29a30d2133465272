/** The layout of an image in its block: which dimensions are rows, columns, positions and channels. */
import { DecodeFailed } from "../errors.ts";
import { MAX_CHANNELS, MAX_PLANE_SAMPLES } from "../io/limits.ts";
import type { Position, SampleType } from "../reader.ts";
import { SAMPLE_BYTES } from "../samples/to_float32.ts";
import type { DescribedChannel, DescribedDimension, ImageDescription } from "./document.ts";

/** Largest number of dimensions of an image; eleven kinds exist. */
export const MAX_DIMENSIONS = 32;

/** Largest number of samples along a dimension. */
const MAX_EXTENT = 2 ** 31 - 1;

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
export interface Dimension {
  /** One of {@linkcode DIM}, or an unknown id. */
  readonly id: number;
  /** Number of samples, at least 2. */
  readonly count: number;
  /** Bytes from one sample to the next. */
  readonly step: number;
  /** Length from the first sample to the last, in `unit`. */
  readonly length: number | null;
  readonly unit: string;
}

/** Dimensions that are served as one axis, slowest first, for example time points and the slices of a recording. */
export type Joined = readonly Dimension[];

/** A channel in the block. */
export interface StoredChannel {
  readonly offset: number;
  /** 1, 2 or 3 for red, green or blue of a colour pixel; else 0. */
  readonly tag: number;
  readonly lut: string;
}

/** The layout of an image. */
export interface ImageLayout {
  readonly sampleType: SampleType;
  /** Channels by offset; the samples of a colour pixel are in the order red, green, blue. */
  readonly channels: readonly StoredChannel[];
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
export const lengthOf = (joined: Joined): number => joined.reduce((length, { count }) => length * count, 1);

/** Offset of the sample at `index` along joined dimensions, relative to the first sample. */
export function offsetAt(joined: Joined, index: number): number {
  let [offset, rest] = [0, index];
  for (let i = joined.length - 1; i >= 0; i -= 1) {
    const { count, step } = joined[i]!;
    offset += rest % count * step;
    rest = Math.floor(rest / count);
  }
  return offset;
}

/** Offset of a plane in the block. */
export const planeStart = ({ positions }: ImageLayout, { offset }: StoredChannel, at: Position): number =>
  offset + offsetAt(positions.t, at.t) + offsetAt(positions.z, at.z) + offsetAt(positions.l, at.l);

/** The layout of a described image. @throws {DecodeFailed} it is impossible or unsupported */
export function imageLayout(description: ImageDescription): ImageLayout {
  const sampleType = sampleTypeOf(description.channels);
  const width = SAMPLE_BYTES[sampleType];
  const dimensions = dimensionsOf(description.dimensions);
  const channels = channelsOf(description.channels, width);
  const axes = axesOf(dimensions);
  for (const { id, step } of [...axes.columns, ...axes.rows]) {
    if (step % width !== 0) {
      throw new DecodeFailed(
        `BytesInc of dimension ${id} is ${step}, not a multiple of the ${width} bytes of a sample`,
      );
    }
  }
  const [rows, columns] = [lengthOf(axes.rows), lengthOf(axes.columns)];
  if (rows * columns > MAX_PLANE_SAMPLES) {
    throw new DecodeFailed(`a plane has ${rows} x ${columns} samples, more than ${MAX_PLANE_SAMPLES}`);
  }
  const bytes = extentOf(dimensions, width) + Math.max(...channels.map(({ offset }) => offset));
  if (!Number.isSafeInteger(bytes)) throw new DecodeFailed(`the image has ${bytes} bytes`);
  // A small file must not describe more samples than it has bytes for.
  const samples = lengthOf(dimensions) * channels.length;
  if (samples * width > bytes) {
    throw new DecodeFailed(`the channels share samples: ${samples} of ${width} bytes lie in ${bytes} bytes`);
  }
  return { sampleType, channels, dimensions, ...axes, bytes };
}

/** Number of bytes from the first to the end of the last sample of a channel. @throws {DecodeFailed} two samples share bytes */
function extentOf(slowestFirst: Joined, width: number): number {
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

const WIDTHS = [8, 16, 32, 64] as const;
const TYPES: Readonly<Record<number, Readonly<Record<number, SampleType>>>> = {
  0: { 8: "uint8", 16: "uint16", 32: "uint32", 64: "uint64" },
  1: { 16: "float16", 32: "float32", 64: "float64" },
};

function sampleTypeOf(channels: readonly DescribedChannel[]): SampleType {
  if (channels.length === 0) throw new DecodeFailed("the image has no channels");
  if (channels.length > MAX_CHANNELS) {
    throw new DecodeFailed(`the image has ${channels.length} channels, more than ${MAX_CHANNELS}`);
  }
  const types = new Set(channels.map(({ dataType, bits }) => {
    const wide = bits !== null && bits > 0 ? WIDTHS.find((width) => bits <= width) : undefined;
    const type = TYPES[dataType ?? -1]?.[wide ?? 0];
    if (!type) throw new DecodeFailed(`samples of ${bits} bits of data type ${dataType} are not supported`);
    return type;
  }));
  const [type, other] = types;
  if (type === undefined || other !== undefined) {
    throw new DecodeFailed(`its channels have different types: ${[...types].join(", ")}`);
  }
  return type;
}

function dimensionsOf(described: readonly DescribedDimension[]): Dimension[] {
  if (described.length === 0 || described.length > MAX_DIMENSIONS) {
    throw new DecodeFailed(`the image has ${described.length} dimensions, not 1 to ${MAX_DIMENSIONS}`);
  }
  const all = described.map((one): Dimension => {
    const id = one.id ?? 0;
    const count = whole(one.count, 1, MAX_EXTENT, `the number of elements along dimension ${id}`);
    const step = count === 1
      ? 0
      : whole(one.bytesInc, 1, Number.MAX_SAFE_INTEGER, `BytesInc of dimension ${id}`);
    requireBytes(one.bitInc, `dimension ${id}`);
    return { id, count, step, length: one.length, unit: one.unit };
  });
  return all.filter(({ count }) => count > 1).sort((a, b) => b.step - a.step);
}

function whole(value: number | null, least: number, most: number, what: string): number {
  if (value === null || !Number.isSafeInteger(value) || value < least || value > most) {
    throw new DecodeFailed(`${what} is ${value ?? "missing"}, not between ${least} and ${most}`);
  }
  return value;
}

function requireBytes(bitInc: number, what: string): void {
  if (bitInc !== 0) {
    throw new DecodeFailed(`BitInc of ${what} is ${bitInc}: packed samples are not supported`);
  }
}

function channelsOf(described: readonly DescribedChannel[], width: number): StoredChannel[] {
  const stored = described.map((one, i): StoredChannel => {
    requireBytes(one.bitInc, `channel ${i}`);
    const { tag, lut } = one;
    const stated = one.bytesInc ?? (described.length === 1 ? 0 : null);
    const offset = whole(stated, 0, Number.MAX_SAFE_INTEGER, `BytesInc of channel ${i}`);
    return { offset, tag: tag === 1 || tag === 2 || tag === 3 ? tag : 0, lut };
  }).sort((a, b) => a.offset - b.offset);
  stored.forEach(({ offset }, i) => {
    if (i > 0 && offset - stored[i - 1]!.offset < width) {
      throw new DecodeFailed(`two channels share the bytes at ${offset}`);
    }
  });
  const ordered: StoredChannel[] = [];
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

type Axes = Pick<ImageLayout, "columns" | "rows" | "rowAxis" | "positions" | "zIsY" | "others">;

/** Assigns the dimensions: columns are X; rows are the fastest of Y, Z and time; the others are positions. */
function axesOf(dimensions: readonly Dimension[]): Axes {
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
