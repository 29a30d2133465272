/** The measured picture: its planes with their axes and origin. */
import {
  type Axis,
  chooseUnitSymbol,
  formatRounded,
  isTime,
  showGreek,
  titleAxes,
} from "../../../measure/axes.ts";
import { describePosition, type SeriesAxis } from "../../../measure/stack.ts";
import { computeTimeAlongLine, makeTypedScan, type TypedScan } from "../../../measure/typed_scan.ts";
import type { ChannelGroup } from "../picture/channel_group.ts";
import type { LineScanInfo, OpenResponse, PlaneInfo, PositionInfo } from "../../../client/v2/acq-client.ts";
import { formatNumber, type Quantity } from "../../../measure/measurement.ts";
import type { Recording } from "../../../measure/recording.ts";
import type { Samples } from "../../../measure/line_scan.ts";

/** Facts about numbers, such as their settings and origin, above every saved table. */
export type About = [name: string, value: string | number][];

/** A channel with its samples. */
export type ScanChannel<Of extends Samples> = { index: number; name: string; samples: Of };

/** A line scan, an image or a kymograph to measure; with 64 bits also the means of regions of images. */
export interface Scan<Of extends Samples = Float32Array> {
  group: Pick<ChannelGroup, "plane"> & {
    readonly channels: readonly ScanChannel<Of>[];
    readonly shown: readonly ScanChannel<Of>[];
  };
  /** Axes of rows and columns; of a line scan time and position. */
  axes: readonly [Axis, Axis];
  /** What its columns are divided into. */
  noun: "band" | "region";
  /** Says that lines do not lie a step apart; missing if they do. */
  timing?: string;
  fileName: string;
  /** Path on the server's computer. */
  path: string;
  /** Whether rows are time. */
  isLineScan: boolean;
  /** Whether the user typed the calibration. */
  isTyped: boolean;
  /** Seconds from one pixel of a line to the next, by the file or as typed; 0 if unknown. */
  pixelTime: number;
  /** Describes the shown part of the file. */
  place: () => About;
  /** Names the shown projection or kymograph in names of saved files; empty for the file's own samples. */
  derived: () => string;
  /** Text that everything saved contains. */
  note: string;
}

/** The shown planes as a {@linkcode Scan}. */
export function makeScan(
  {
    group,
    file: { name, path },
    lineScan,
    typed = null,
    place,
    derived = () => "",
    note,
  }: {
    group: Scan["group"];
    file: { name: string; path: string };
    lineScan: LineScanInfo | null;
    typed?: TypedScan | null;
    place: Scan["place"];
    derived?: Scan["derived"];
    note: string;
  },
): Scan {
  const axes = group.plane.axes as [Axis, Axis];
  return {
    group,
    axes,
    noun: "band",
    fileName: name,
    path,
    isLineScan: isTime(axes[0]),
    isTyped: typed !== null,
    pixelTime: computeTimeAlongLine(typed ?? lineScan, axes[0], group.plane.shape[1]),
    place,
    derived,
    note,
  };
}

/** Facts about planes: the typed calibration if there is one, scene and position if the file has several. */
export function placeInFile(
  { scene = 0, scenes = [], header: { sizes } }: OpenResponse,
  position: PositionInfo,
  typed: TypedScan | null,
): About {
  const name = scenes.find(({ index }) => index === scene)?.name || `Scene ${scene + 1}`;
  const calibration = typed?.textFile === undefined ? "typed" : `typed, from ${typed.textFile}`;
  return [
    ...(typed === null ? [] : [["Calibration", calibration] as About[number]]),
    ...(scenes.length > 1 ? [["Scene", name] as About[number]] : []),
    ...describePosition(sizes, position),
  ];
}

/** `[rows, columns]`. */
export const findShape = ({ group }: Pick<Scan<Samples>, "group">): readonly [number, number] =>
  group.plane.shape;

/** The scan as measurements take it. */
export const makeRecording = (
  { axes, group: { plane: { shape }, channels }, pixelTime, isTyped, noun, timing }: Scan<Samples>,
): Recording => ({
  shape,
  axes,
  channels,
  pixelTime,
  isTyped,
  noun,
  ...timing !== undefined && { timing },
});

/** Scene and position of the samples as a string, for comparison. */
export const describeScanPlace = (scan: Pick<Scan, "place">): string => JSON.stringify(scan.place());

/** Means of the shown channels, such as `GCaMP 12.3, Red 4`; only the number if there is one channel. */
export const formatMeans = (
  { group: { channels, shown } }: Scan,
  meanOf: (samples: Float32Array) => number,
): string =>
  shown.map(({ name, samples }) =>
    `${channels.length > 1 ? `${name} ` : ""}${formatRounded(meanOf(samples))}`
  )
    .join(", ");

/** Names and values of quantities with their units, such as `Median diameter` and `12.3 µm`; without missing ones. */
export const formatQuantities = (quantities: readonly Quantity[]): [name: string, value: string][] =>
  quantities.filter(({ value, isCount }) => !(Number.isNaN(value) || isCount && value === 0))
    .map(({ name, value, unit = "" }) => [
      name,
      `${formatNumber({ value, unit })} ${showGreek(unit)}`.trim(),
    ]);

/** Name of a file without its extension, for saved files. */
export const makeFileStem = ({ fileName }: Pick<Scan, "fileName">): string =>
  fileName.replace(/(\.ome)?\.[^.]+$/, "");

/** Origin of the numbers, above every saved table. */
export function describeOrigin(
  { fileName, path, axes, noun, isLineScan, place, note }: Scan<Samples>,
): About {
  const [rows, columns] = axes;
  const step = (axis: Axis) => `${axis.step} ${chooseUnitSymbol(axis.unit)}`;
  return [
    ["File", fileName],
    ["Path", path],
    ...(note === "" ? [] : [["Note", note] as [string, string]]),
    ...place(),
    ...noun === "region"
      ? [[isLineScan ? "Time per image" : "Step between images", step(rows)] as About[number]]
      : [
        [isLineScan ? "Time per line" : "Row step", step(rows)] as About[number],
        [isLineScan ? "Distance per column" : "Column step", step(columns)] as About[number],
      ],
  ];
}

/**
 * Planes of an image as those of a line scan, with the typed calibration.
 *
 * @throws {RangeError} a step is not positive
 */
export function typedPlanes<Channel extends { samples: Float32Array }>(
  { plane, channels }: { plane: PlaneInfo; channels: readonly Channel[] },
  typed: TypedScan,
): { plane: PlaneInfo; channels: Channel[] } {
  const scans = channels.map(({ samples }) => makeTypedScan({ samples, shape: plane.shape }, typed));
  const [{ plane: { shape }, axes }] = scans as [typeof scans[number]];
  const described = plane.axes.map((axis, i) => ({ ...axis, ...axes[i], size: shape[i] ?? 1 }));
  return {
    plane: { ...plane, shape, axes: titleAxes(described as typeof plane.axes) },
    channels: channels.map((channel, i) => ({ ...channel, samples: scans[i]!.plane.samples })),
  };
}

/** Whether it has traces: rows are lines over time, or the images of a series. */
export const isTraced = ({ isLineScan, noun }: Pick<Scan, "isLineScan" | "noun">): boolean =>
  isLineScan || noun === "region";

/** Its lines along time. */
export const findTimeAxisOfScan = (scan: Pick<Scan<Samples>, "axes" | "group">): SeriesAxis => ({
  count: findShape(scan)[0],
  axis: scan.axes[0],
});
