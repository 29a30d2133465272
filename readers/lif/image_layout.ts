/** How the samples of an image lie in its block: which dimensions are rows, columns, positions and channels. */
import { DecodeFailed } from "../errors.ts";
import { MAX_CHANNELS, MAX_PLANE_SAMPLES } from "../io/limits.ts";
import type { Position, SampleType } from "../reader.ts";
import { SAMPLE_BYTES } from "../samples/to_float32.ts";
import { MAX_DIMENSIONS, MAX_EXTENT } from "./bounds.ts";
import type { DescribedChannel, DescribedDimension, ImageDescription } from "./image_description.ts";
import { requireApart, requireOwnBytes } from "./sample_overlap.ts";

/** What `DimID` names. */
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

/** A dimension whose numbers were checked. */
export interface Dimension {
  /** One of {@linkcode DIM}, or unknown. */
  readonly id: number;
  /** Samples, 1 at least. */
  readonly count: number;
  /** Bytes from a sample to the next. */
  readonly step: number;
  /** As the document describes it. */
  readonly described: DescribedDimension;
}

/** Dimensions that are one axis, the slowest first: time points, and the slices that a recording was cut into. */
export type Joined = readonly Dimension[];

/** One channel in the block, in the order in which it is served. */
export interface StoredChannel {
  /** Bytes from the start of the block. */
  readonly offset: number;
  /** 1 red, 2 green, 3 blue of a pixel; 0 else. */
  readonly tag: number;
  /** As the document describes it. */
  readonly described: DescribedChannel;
}

/** What the rows are. */
export type RowAxis = "Y" | "Z" | "T";

/** Where all samples of an image are. */
export interface ImageLayout {
  /** Type of all samples. */
  readonly sampleType: SampleType;
  /** Channels in the order of their bytes; red, green, blue of a pixel in that order. */
  readonly channels: readonly StoredChannel[];
  /** Along a row. */
  readonly columns: Joined;
  /** From row to row. */
  readonly rows: Joined;
  /** What the rows are. */
  readonly rowAxis: RowAxis;
  /** Positions. */
  readonly positions: Readonly<Record<"t" | "z" | "l", Joined>>;
  /** True where the positions along `z` are the indices along Y. */
  readonly zIsY: boolean;
  /** Dimensions of which the first index is served. */
  readonly others: Joined;
  /** Bytes from the first to behind the last sample. */
  readonly bytes: number;
}

/** Samples along joined dimensions. */
export const lengthOf = (joined: Joined): number => joined.reduce((length, { count }) => length * count, 1);

/** Bytes from the first sample along joined dimensions to the one at `index`. */
export function offsetAt(joined: Joined, index: number): number {
  let [offset, rest] = [0, index];
  for (let i = joined.length - 1; i >= 0; i -= 1) {
    const { count, step } = joined[i]!;
    offset += rest % count * step;
    rest = Math.floor(rest / count);
  }
  return offset;
}

/** Bytes from the start of the block to the first sample of a plane. */
export const planeStart = ({ positions }: ImageLayout, { offset }: StoredChannel, at: Position): number =>
  offset + offsetAt(positions.t, at.t) + offsetAt(positions.z, at.z) + offsetAt(positions.l, at.l);

/** The layout that a document describes. @throws {DecodeFailed} it is impossible, or not read */
export function imageLayout(description: ImageDescription): ImageLayout {
  const sampleType = sampleTypeOf(description.channels);
  const width = SAMPLE_BYTES[sampleType];
  const dimensions = dimensionsOf(description.dimensions);
  const channels = channelsOf(description.channels, width);
  requireApart(dimensions, width);
  requireOwnBytes(channels, dimensions, width);
  const axes = axesOf(dimensions);
  requireWholeSamples(axes, width);
  const [rows, columns] = [lengthOf(axes.rows), lengthOf(axes.columns)];
  if (rows * columns > MAX_PLANE_SAMPLES) {
    throw new DecodeFailed(`a plane has ${rows} x ${columns} samples, more than ${MAX_PLANE_SAMPLES}`);
  }
  const last = dimensions.reduce((sum, { count, step }) => sum + (count - 1) * step, 0);
  const bytes = last + Math.max(...channels.map(({ offset }) => offset)) + width;
  if (!Number.isSafeInteger(bytes)) throw new DecodeFailed(`the image has ${bytes} bytes`);
  return { sampleType, channels, ...axes, bytes };
}

const WIDTHS = [8, 16, 32, 64] as const;
const TYPES: Readonly<Record<number, Readonly<Record<number, SampleType>>>> = {
  0: { 8: "uint8", 16: "uint16", 32: "uint32", 64: "uint64" },
  1: { 16: "float16", 32: "float32", 64: "float64" },
};

/** The type that all channels have. */
function sampleTypeOf(channels: readonly DescribedChannel[]): SampleType {
  if (channels.length === 0) throw new DecodeFailed("the image has no channels");
  if (channels.length > MAX_CHANNELS) {
    throw new DecodeFailed(`the image has ${channels.length} channels, more than ${MAX_CHANNELS}`);
  }
  const types = new Set(channels.map(({ dataType, bits }) => {
    const wide = bits !== null && bits > 0 ? WIDTHS.find((width) => bits <= width) : undefined;
    const type = TYPES[dataType ?? -1]?.[wide ?? 0];
    if (!type) throw new DecodeFailed(`samples of ${bits} bits of data type ${dataType} are not read`);
    return type;
  }));
  const [type, other] = types;
  if (type === undefined || other !== undefined) {
    throw new DecodeFailed(`its channels have different types: ${[...types].join(", ")}`);
  }
  return type;
}

/** Those with more than one sample, by their bytes, the slowest first. */
function dimensionsOf(described: readonly DescribedDimension[]): Dimension[] {
  if (described.length === 0 || described.length > MAX_DIMENSIONS) {
    throw new DecodeFailed(
      `the image has ${described.length} dimensions, of 1 to ${MAX_DIMENSIONS} that are read`,
    );
  }
  const all = described.map((one): Dimension => {
    const id = one.id ?? 0;
    const count = whole(one.count, 1, MAX_EXTENT, `the number of elements along dimension ${id}`);
    const least = count > 1 ? 1 : 0;
    const step = whole(
      one.bytesInc ?? (count > 1 ? null : 0),
      least,
      Number.MAX_SAFE_INTEGER,
      `BytesInc of dimension ${id}`,
    );
    requireBytes(one.bitInc, `dimension ${id}`);
    return { id, count, step, described: one };
  });
  return all.filter(({ count }) => count > 1).sort((a, b) => b.step - a.step);
}

function whole(value: number | null, least: number, most: number, what: string): number {
  if (value === null || !Number.isSafeInteger(value) || value < least || value > most) {
    throw new DecodeFailed(`${what} is ${value ?? "missing"}, and has to be between ${least} and ${most}`);
  }
  return value;
}

function requireBytes(bitInc: number, what: string): void {
  if (bitInc !== 0) throw new DecodeFailed(`BitInc of ${what} is ${bitInc}: packed samples are not read`);
}

/** Samples that are read together lie whole samples apart. */
function requireWholeSamples({ columns, rows }: Axes, width: number): void {
  for (const { id, step } of [...columns, ...rows]) {
    if (step % width !== 0) {
      throw new DecodeFailed(
        `BytesInc of dimension ${id} is ${step}, no multiple of the ${width} bytes of a sample`,
      );
    }
  }
}

/** By their bytes; three of different colours that are neighbours as red, green, blue. */
function channelsOf(described: readonly DescribedChannel[], width: number): StoredChannel[] {
  const stored = described.map((one, i): StoredChannel => {
    requireBytes(one.bitInc, `channel ${i}`);
    const { tag } = one;
    const offset = whole(
      one.bytesInc ?? (described.length === 1 ? 0 : null),
      0,
      Number.MAX_SAFE_INTEGER,
      `BytesInc of channel ${i}`,
    );
    return { offset, tag: tag === 1 || tag === 2 || tag === 3 ? tag : 0, described: one };
  }).sort((a, b) => a.offset - b.offset);
  stored.forEach(({ offset }, i) => {
    if (i > 0 && offset - stored[i - 1]!.offset < width) {
      throw new DecodeFailed(`two channels share the bytes at ${offset}`);
    }
  });
  return inColourOrder(stored);
}

function inColourOrder(stored: readonly StoredChannel[]): StoredChannel[] {
  const ordered: StoredChannel[] = [];
  for (let i = 0; i < stored.length;) {
    const three = stored.slice(i, i + 3);
    const colours = new Set(three.map(({ tag }) => tag));
    const pixel = colours.size === 3 && !colours.has(0);
    // A colour that stands alone is no sample of a pixel.
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

/**
 * Columns are X; rows are the fastest of Y, Z and time; the others are positions.
 *
 * @param dimensions by their bytes, the slowest first
 */
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
