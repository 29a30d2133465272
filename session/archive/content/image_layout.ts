/** How an acquisition is written as OME-Zarr 0.5: sample type, axes, chunks, channels. */
import { chooseDefaultLut, findRampColor } from "../../../static/measure/channel_colors.ts";
import type { ChunkLayout, WrittenAxis } from "./archive_orders.ts";
import type { AcquisitionSummary } from "../../acquisition_summary.ts";
import type { Axis, AxisLetter, Channel, Position, SampleType } from "../../../readers/reader.ts";
import { PACKED_TYPES, type PackedType } from "../../../readers/samples/packed_plane.ts";
import { SAMPLE_BYTES } from "../../../readers/samples/to_float32.ts";
import { lengthOfAxis, listPositions } from "../../../readers/metadata/selection.ts";

/** A larger plane is cut into several chunks of whole rows. */
const MAX_CHUNK_BYTES = 16 << 20;

/** Types that each written type represents exactly. */
const REPRESENTED: Readonly<Record<PackedType, readonly SampleType[]>> = {
  uint8: ["bool", "uint8"],
  int8: ["bool", "int8"],
  uint16: ["bool", "uint8", "uint16"],
  int16: ["bool", "uint8", "int8", "int16"],
  float16: ["bool", "uint8", "int8", "float16"],
  float32: ["bool", "uint8", "int8", "uint16", "int16", "float16", "float32"],
};

/** One channel of the written array. */
export interface WrittenChannel {
  /** Name, with the index along L if there are several. */
  readonly label: string;
  /** Six hexadecimal digits: the colour in the file, or else the page's. */
  readonly color: string;
  /** Colour in the file, `#rrggbb`, or `null`. */
  readonly ownColor: string | null;
}

/** A written array. */
export interface WrittenImage extends ChunkLayout {
  readonly channels: readonly WrittenChannel[];
  /** Steps in other units, by OME axis name, for the image document. */
  readonly axisDisplay: Readonly<Record<string, { type: string; unit: string; scale: number }>>;
}

/** The part of a layout that placing chunks needs. */
export const selectChunkLayout = ({ axes, packed, spectral, isRounded }: WrittenImage): ChunkLayout => ({
  axes,
  packed,
  spectral,
  isRounded,
});

/** An image as the server serves it. */
export type Served = Pick<AcquisitionSummary, "axes" | "rows" | "columns"> & {
  readonly channels: readonly Channel[];
};

/** Whether a written sample type represents every sample of another type exactly. */
export const represents = (written: PackedType, type: SampleType): boolean =>
  REPRESENTED[written].includes(type);

/** The layout of an image with these channels. `isWhole` is false if only one position of T and Z is written. */
export function layOutWrittenImage(
  { axes, rows, columns, channels }: Served,
  isWhole: boolean,
): WrittenImage {
  const exact = PACKED_TYPES.find((type) =>
    channels.every(({ sampleType, servedType = sampleType }) => represents(type, servedType))
  );
  const sampleType = exact ?? "float32";
  const chunkRows = Math.floor(MAX_CHUNK_BYTES / (columns * SAMPLE_BYTES[sampleType]));
  const spectral = lengthOfAxis(axes, "L");
  const size = { T: isWhole ? lengthOfAxis(axes, "T") : 1, Z: isWhole ? lengthOfAxis(axes, "Z") : 1 };
  const axisDisplay: Record<string, { type: string; unit: string; scale: number }> = {};
  const axis = (letter: AxisLetter, size: number): WrittenAxis => {
    const { written, display } = chooseWrittenStep(letter, axes.find(({ name }) => name === letter));
    const name = letter.toLowerCase() as WrittenAxis["name"];
    if (display) axisDisplay[name] = display;
    return { name, type: letter === "T" ? "time" : letter === "C" ? "channel" : "space", size, ...written };
  };
  return {
    axes: [
      ...size.T > 1 ? [axis("T", size.T)] : [],
      axis("C", channels.length * spectral),
      ...size.Z > 1 ? [axis("Z", size.Z)] : [],
      axis("Y", rows),
      axis("X", columns),
    ],
    channels: channels.flatMap(({ name, color }, i) =>
      Array.from({ length: spectral }, (_, l) => ({
        label: spectral > 1 ? `${name} l=${l}` : name,
        color: (color ?? findRampColor(chooseDefaultLut(i, name, channels.length))).slice(1).toUpperCase(),
        ownColor: color,
      }))
    ),
    packed: { sampleType, rows, columns, chunkRows: Math.min(rows, Math.max(1, chunkRows)) },
    axisDisplay,
    spectral,
    isRounded: exact === undefined,
  };
}

const UNCALIBRATED = { unit: null, scale: 1 };

/** Step and unit of an axis: for the array if OME has the unit, else for the image document. */
function chooseWrittenStep(letter: AxisLetter, axis: Axis | undefined) {
  if (axis === undefined || letter === "C" || axis.unit === "Pixels") {
    return { written: UNCALIBRATED, display: null };
  }
  const { step, unit } = axis;
  if (letter === "T" && unit === "seconds") {
    return { written: { unit: "second", scale: step }, display: null };
  }
  if (letter !== "T" && unit === "um") return { written: { unit: "micrometer", scale: step }, display: null };
  // Rows of a line scan: OME-Zarr has no unit of time for a spatial axis, but other programs read the scale.
  const written = letter === "Y" && unit === "seconds" ? { unit: null, scale: step } : UNCALIBRATED;
  const type = letter === "T" || unit === "seconds" ? "time" : "space";
  const display = step > 0 && unit !== ""
    ? { type, unit: unit === "seconds" ? "s" : unit, scale: step }
    : null;
  return { written, display };
}

/** Positions to write, in the order T, Z and, folded into `c`, L. @param opened the only T and Z to write; `null` for all */
export function listWrittenPositions(
  axes: readonly Axis[],
  opened: Position | null,
): Iterable<Position> {
  return opened === null
    ? listPositions(axes)
    : listPositions(axes.filter(({ name }) => name === "L")).map(({ l }) => ({ ...opened, l }));
}

/** Chunk indices of the first chunk of a plane along the axes before `y`. */
export function computeChunkIndices(
  { axes, spectral }: ChunkLayout,
  { t, z, l }: Position,
  channel: number,
): Readonly<Record<string, number>> {
  const all: Record<string, number> = { t, c: channel * spectral + l, z };
  return Object.fromEntries(axes.slice(0, -2).map(({ name }) => [name, all[name] ?? 0]));
}
