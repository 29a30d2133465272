/** Series of images of NWB, and of the lines of line scans. */
import { DecodeFailed } from "../errors.ts";
import type { Dataset } from "../hdf5/dataset.ts";
import type { Hdf5File } from "../hdf5/file.ts";
import { OptionalMetadata } from "../hdf5/optional.ts";
import { planDatasets } from "../hdf5/planes.ts";
import type { ByteSource } from "../io/byte_source.ts";
import { buildAxes, type Calibration, statedStep } from "../metadata/axes.ts";
import { buildChannels, COLOURS } from "../metadata/channels.ts";
import { MAX_STAMPS, scaleStamps } from "../metadata/time_stamps.ts";
import { ARRAYS } from "../samples/to_float32.ts";
import { type Acquisition, type RowRange, type SceneEntry, sizesOf, type TimeStamps } from "../reader.ts";
import { warnIf, type Warning } from "../warning.ts";
import { readSessionMoment, requireSamples } from "./scene.ts";

/** Longest step that is likely; longer ones are mistakes of the program that wrote them. */
const LONGEST_STEP_UM = 1000;

/** How a series is stored. The lines of a line scan are time points of one row. */
interface SeriesLayout {
  readonly dataset: Dataset;
  /** `null` for lines, which have no rows. */
  readonly rowAxis: number | null;
  readonly columnAxis: number;
  readonly sizes: {
    readonly T: number;
    readonly C: number;
    readonly Z: number;
    readonly Y: number;
    readonly X: number;
  };
}

/** @throws {DecodeFailed} the data are not frames */
function layOutSeries(file: Hdf5File, path: string, metadata: OptionalMetadata): SeriesLayout {
  const dataset = file.dataset(`${path}/data`);
  const { shape } = dataset;
  const [first = 0, second = 0, third = 0, last = 1] = shape;
  const type = file.text(path, "neurodata_type");
  if (type === "TimeSeries" && shape.length === 2) {
    const sizes = { T: first, C: 1, Z: 1, Y: 1, X: second };
    requireSamples(dataset, sizes.T, sizes.X);
    return { dataset, rowAxis: null, columnAxis: 1, sizes };
  }
  if (shape.length !== 3 && shape.length !== 4) {
    throw new DecodeFailed(`${dataset.path} has ${shape.length} axes, frames need 3 or 4`);
  }
  const isExchanged = metadata.read("dimension", () => isRowsFirst(file, path, shape, metadata), false);
  const [rowAxis, columnAxis] = isExchanged ? [1, 2] : [2, 1];
  const areColours = type === "ImageSeries" && dataset.sampleType === "uint8" && (last === 3 || last === 4);
  const sizes = {
    T: first,
    C: areColours ? last : 1,
    Z: areColours ? 1 : last,
    Y: isExchanged ? second : third,
    X: isExchanged ? third : second,
  };
  requireSamples(dataset, sizes.Y, sizes.X);
  return { dataset, rowAxis, columnAxis, sizes };
}

/** Lengths of the axes of a series. @throws {DecodeFailed} its data are not frames */
export const readSeriesLengths = (file: Hdf5File, path: string): SceneEntry["sizes"] =>
  sizesOf(buildAxes(layOutSeries(file, path, new OptionalMetadata()).sizes, {}));

/** Opens a series. @throws {DecodeFailed} its data are not frames */
export function openNwbSeries(file: Hdf5File, source: ByteSource, path: string): Acquisition {
  const metadata = new OptionalMetadata();
  const { dataset, rowAxis, columnAxis, sizes } = layOutSeries(file, path, metadata);
  const { shape, sampleType } = dataset;
  const { T: frames, C: colours, Z: slices, Y: rows, X: columns } = sizes;
  const plane = `${path}/imaging_plane`;
  // Damaged values are warnings; nobody knows what belongs to a series whose groups cannot be listed.
  if (file.kindOf(plane) === "group") file.names(plane);
  const { step, stamps } = metadata.read("The times", () => readSeriesTimes(file, path, frames, metadata), {
    step: undefined,
    stamps: null,
  });
  const steps = metadata.read(
    "The imaging plane",
    () => readSpatialSteps(file, path, [columns, rows, slices], metadata),
    {},
  );
  const [scale, offset] = ["conversion", "offset"].map((name) =>
    metadata.read(name, () => file.numbers(dataset.path, name)?.[0], undefined)
  );
  const isConverted = scale !== undefined && scale !== 1 || offset !== undefined && offset !== 0;
  metadata.warn(
    ...warnIf(
      isConverted,
      "samples_doubtful",
      `Stored samples are served; the series states that values are ${scale ?? 1} x + ${offset ?? 0}`,
    ),
  );
  const channel = metadata.read("The optical channel", () => findOpticalChannel(file, path), null);
  /** A plane for each channel, at a time point and slice. */
  const planesAt = (wanted: readonly number[], t: number, z: number, rowAxis: number) =>
    wanted.map((c) => ({
      dataset,
      rowAxis,
      columnAxis,
      at: [t, 0, 0, colours > 1 ? c : z].slice(0, shape.length),
      columns,
    }));
  const planLines = (wanted: readonly number[], lines: RowRange) =>
    planDatasets(source, { rows: lines.end, columns }, planesAt(wanted, 0, 0, 0), lines);
  const names = colours > 1 ? [...COLOURS, "Alpha"].slice(0, colours) : [channel];
  return {
    axes: buildAxes(sizes, { ...steps, ...step && { T: step } }),
    channels: buildChannels(names.map((name) => ({ name })), { sampleType: sampleType!, rows, columns }),
    ...readSessionMoment(file, metadata),
    fileSize: source.size,
    reference: null,
    warnings: metadata.warnings,
    stamps,
    indexBytes: 1000,
    documents: (list) =>
      list.add("series", "application/json", describeConversion(path, { scale, offset, channel })),
    plan: (wanted, { t, z }, rowRange) =>
      Promise.try(() => {
        if (rowAxis === null) return planLines(wanted, { start: t, end: t + 1 });
        return planDatasets(source, { rows, columns }, planesAt(wanted, t, z, rowAxis), rowRange);
      }),
    planLines: (wanted, _position, lines) => Promise.try(() => planLines(wanted, lines)),
  };
}

const describeConversion = (path: string, { scale = 1, offset = 0, channel }: {
  scale: number | undefined;
  offset: number | undefined;
  channel: string | null;
}) => JSON.stringify({ path, conversion: scale, offset, opticalChannel: channel });

/** Whether `dimension` (numbers of columns, rows and slices) shows that rows are stored before columns. */
function isRowsFirst(
  file: Hdf5File,
  path: string,
  [, first, second]: readonly number[],
  metadata: OptionalMetadata,
): boolean {
  const stated = file.value(`${path}/dimension`);
  if (!stated || typeof stated[0] !== "number" || stated.length < 2) return false;
  const [columns, rows] = stated as readonly number[];
  const isExchanged = columns === second && rows === first && columns !== rows;
  const fits = columns === first && rows === second;
  metadata.warn(
    ...warnIf(
      isExchanged,
      "axis_replaced",
      "The series states its sizes in an order that puts rows before columns",
    ),
    ...warnIf(
      !isExchanged && !fits,
      "metadata_disagree",
      `The series states ${columns} x ${rows} pixels and stores ${first} x ${second}`,
    ),
  );
  return isExchanged;
}

/** The step between frames, and the stamps of frames. */
function readSeriesTimes(
  file: Hdf5File,
  path: string,
  frames: number,
  metadata: OptionalMetadata,
): { step: Calibration | undefined; stamps: TimeStamps | null } {
  const start = `${path}/starting_time`;
  const rate = file.kindOf(start) === "dataset" ? file.numbers(start, "rate")?.[0] : undefined;
  const doubts: Warning[] = [];
  const step = rate === undefined ? undefined : statedStep("T", rate > 0 ? 1 / rate : rate, "s", doubts);
  metadata.warn(...doubts);
  const stamps = `${path}/timestamps`;
  if (file.kindOf(stamps) === "nothing") {
    const text = "The series has neither a rate nor time stamps";
    metadata.warn(...warnIf(rate === undefined && frames > 1, "step_unknown", text));
    return { step, stamps: null };
  }
  const dataset = file.dataset(stamps);
  const count = Math.min(dataset.shape[0] ?? 0, MAX_STAMPS);
  return {
    step,
    stamps: scaleStamps(readFirstNumbers(file, dataset, count), 1, count < (dataset.shape[0] ?? 0)),
  };
}

/** The first numbers of a dataset along one axis. @throws {DecodeFailed} it holds no floats */
function readFirstNumbers(file: Hdf5File, dataset: Dataset, count: number): Float64Array {
  const { path, shape, sampleType } = dataset;
  if (shape.length !== 1 || sampleType !== "float64" && sampleType !== "float32") {
    throw new DecodeFailed(`${path} holds no times`);
  }
  if (count === 0) throw new DecodeFailed(`${path} is empty`);
  const words = file.fetch(dataset, { from: [0], count: [count] });
  return Float64Array.from(new ARRAYS[sampleType](words.slice().buffer));
}

/** Steps along columns, rows and slices, from the imaging plane or else the field of view. */
function readSpatialSteps(
  file: Hdf5File,
  path: string,
  sizes: readonly [columns: number, rows: number, slices: number],
  metadata: OptionalMetadata,
): Partial<Record<"X" | "Y" | "Z", Calibration>> {
  const plane = `${path}/imaging_plane`;
  const spacing = file.kindOf(plane) === "group" ? readSmallDataset(file, `${plane}/grid_spacing`) : null;
  const view = readSmallDataset(file, `${path}/field_of_view`);
  const unit = spacing === null ? "meters" : file.text(`${plane}/grid_spacing`, "unit") || "meters";
  const values = spacing ?? view?.map((length, axis) => length / sizes[axis]!) ?? [];
  const doubts: Warning[] = [];
  const hasManifold = spacing === null && view === null && file.kindOf(`${plane}/manifold`) === "dataset";
  const steps = (["X", "Y", "Z"] as const).map((axis, i) =>
    [axis, statedStep(axis, values[i], unit, doubts)] as const
  )
    .filter((entry): entry is [typeof entry[0], Calibration] => entry[1] !== undefined);
  metadata.warn(...doubts);
  const long = steps.filter(([, { step, unit }]) => unit === "um" && step > LONGEST_STEP_UM);
  metadata.warn(
    ...warnIf(
      long.length > 0,
      "samples_doubtful",
      `Pixels are more than 1 mm apart: the file states ${values.join(", ")} ${unit}`,
    ),
    ...warnIf(
      hasManifold,
      "step_unknown",
      "Positions of pixels (manifold) are not read: the steps are unknown",
    ),
  );
  return Object.fromEntries(steps);
}

/** The numbers of a small dataset; `null` without one. @throws {DecodeFailed} it holds no numbers */
function readSmallDataset(file: Hdf5File, path: string): readonly number[] | null {
  const value = file.value(path);
  if (value === undefined) return null;
  if (value === null || typeof value[0] !== "number") throw new DecodeFailed(`${path} holds no numbers`);
  return value as readonly number[];
}

/** The name of the optical channel, if there is one only. */
function findOpticalChannel(file: Hdf5File, path: string): string | null {
  const plane = `${path}/imaging_plane`;
  if (file.kindOf(plane) !== "group") return null;
  const channels = file.names(plane).filter((name) =>
    file.kindOf(`${plane}/${name}`) === "group" &&
    file.text(`${plane}/${name}`, "neurodata_type") === "OpticalChannel"
  );
  return channels.length === 1 ? channels[0]! : null;
}
