/**
 * Measures a stack of images over time or focus: the means of parts of each image, and a projection, which is measured
 * like an image. NaN and infinities do not count. The page, "Measure all" and `acq-server measure` share this module.
 */
import { formatTableUnit, FRAMES, placeAlong } from "./axes.ts";
import {
  describePart,
  type ImageGeometry,
  type ImagePart,
  makeImageRows,
  makeMeanOver,
} from "./image_parts.ts";
import { computeMean, findPercentile, listPairs } from "./traces.ts";
import type { Column, Row } from "./csv.ts";

/** What a projection takes of each sample's values. */
export type ProjectionKind = "max" | "mean";

/** Axis of a stack: time or focus. */
export type Over = "T" | "Z";

/** A projection over an axis. */
export type ProjectionOf = { kind: ProjectionKind; axis: Over };

/** An axis; its `times` lie `step` apart but for pauses and jitter. */
export type SeriesSampling = { name: string; step: number; unit: string; times?: readonly number[] };

/** Number of images, and their axis. */
export type SeriesAxis = { count: number; axis: SeriesSampling };

/** Names of the axes. */
export const OVER: Readonly<Record<Over, string>> = { T: "Time", Z: "Focus" };

const nameAxis = (axis: string): string => axis === "T" || axis === "Z" ? OVER[axis] : axis;

/** Capitalizes the first letter. */
export const capitalize = (text: string): string => text.replace(/^./, (letter) => letter.toUpperCase());

/** Name of a projection, such as `maximum over focus`. */
export const nameProjection = ({ kind, axis }: ProjectionOf): string =>
  `${kind === "max" ? "maximum" : kind} over ${OVER[axis].toLowerCase()}`;

/**
 * Axes along which an acquisition has several images.
 *
 * @param info an open response
 * @returns with the step of the header, which no pause lengthens; images lie at their times if these rise
 */
export function listStackAxes({
  times,
  header: { dims, sizes, physicalUnits, physicalUnitsLabels },
}: {
  times?: readonly number[] | null | undefined;
  header: {
    dims: readonly string[];
    sizes: Readonly<Record<string, number>>;
    physicalUnits: readonly number[];
    physicalUnitsLabels: readonly string[];
  };
}): Map<Over, SeriesAxis> {
  const axisOf = (name: Over) => {
    const at = dims.indexOf(name);
    const axis = { name, step: physicalUnits[at] ?? 1, unit: physicalUnitsLabels[at] ?? "Pixels" };
    if (name === "Z") return axis;
    if (axis.unit === "Pixels") return { name, step: 1, unit: FRAMES };
    const rises = times && times.length === sizes.T && axis.unit === "seconds" &&
      listPairs(times).every(([seconds, next]) => next >= seconds) && measureDuration(times) > 0;
    return rises ? { ...axis, times } : axis;
  };
  const several = (["T", "Z"] as const).filter((name) => (sizes[name] ?? 1) > 1);
  return new Map(several.map((name) => [name, { count: sizes[name] ?? 1, axis: axisOf(name) }]));
}

/** Seconds from the first to the last time; 0 without times. */
const measureDuration = (times: readonly number[]): number => (times.at(-1) ?? 0) - (times.at(0) ?? 0);

/** Axes of positions, with their words. */
const PLACES = [["T", "Time point"], ["Z", "Focus plane"], ["L", "Wavelength"]] as const;

/** Position of an image along the axes with several images, counted from 1. */
export function describePosition(
  sizes: Readonly<Record<string, number>>,
  { t, z, l }: { t: number; z: number; l: number },
): [name: string, value: number][] {
  const position = { T: t, Z: z, L: l };
  return PLACES.filter(([axis]) => (sizes[axis] ?? 1) > 1).map((
    [axis, words],
  ) => [words, position[axis] + 1]);
}

/** The position that {@linkcode describePosition} describes; without an axis that has no such image. */
export const parsePosition = (
  sizes: Readonly<Record<string, number>>,
  words: readonly (readonly [name: string, value: string | number])[],
): { t?: number; z?: number; l?: number } =>
  Object.fromEntries(PLACES.flatMap(([axis, name]) => {
    const value = Number(words.find(([other]) => other === name)?.[1]);
    const isThere = Number.isInteger(value) && value >= 1 && value <= (sizes[axis] ?? 1);
    return isThere ? [[axis.toLowerCase(), value - 1]] : [];
  }));

/**
 * The greatest or the mean value of each sample over the images given to `take`; NaN if no image has a value.
 *
 * @param length samples of an image
 */
function projectImages(kind: ProjectionKind, length: number) {
  const isMean = kind === "mean";
  const [values, counts] = [new Float64Array(length), new Uint32Array(length)];
  return {
    take(image: Float32Array) {
      for (let i = 0; i < length; i += 1) {
        const value = image[i]!;
        if (!Number.isFinite(value)) continue;
        const isFirst = counts[i] === 0;
        counts[i]! += 1;
        if (isMean) values[i]! += value;
        else if (isFirst || value > values[i]!) values[i] = value;
      }
    },
    samples: () =>
      Float32Array.from(values, (value, i) => counts[i] === 0 ? NaN : isMean ? value / counts[i]! : value),
  };
}

/** A row for each part and channel. */
const makeMeansRows = (
  { parts, plane, channels }: StackOrder,
  means: readonly Float64Array[][],
  { axis, count }: SeriesAxis,
): Row[] =>
  parts.flatMap((part, i) =>
    channels.map((Channel, channel) => {
      const values = means[i]![channel]!;
      const greatest = findPercentile(values, 100);
      return {
        ...describePart(part, plane.axes),
        Channel,
        Over: nameAxis(axis.name),
        Images: count,
        Mean: computeMean(values),
        "Least mean": findPercentile(values, 0),
        "Greatest mean": greatest,
        [`Greatest at (${formatTableUnit(axis)})`]: Number.isNaN(greatest)
          ? NaN
          : placeOn(axis, values.indexOf(greatest)),
      };
    })
  );

/** What to measure in a stack. */
export interface StackOrder {
  /** Plane of the images. */
  plane: ImageGeometry;
  /** Names of the channels. */
  channels: readonly string[];
  /** Axes with several images, by {@linkcode listStackAxes}. */
  along: ReadonlyMap<Over, SeriesAxis>;
  parts: readonly ImagePart[];
  /** Axis of the means; null for no means. */
  over: Over | null;
  projection: ProjectionOf | null;
}

/** What was measured in a stack; null where nothing was ordered. */
export interface StackFound {
  /** Means, by part, channel and image. */
  means: Float64Array[][] | null;
  /** Samples of the projection, by channel. */
  projected: Float32Array[] | null;
}

/** Receives one image of each channel; null if never recorded. */
export type Take = (images: readonly (Float32Array | null)[], index: number) => void;

/**
 * Measures a stack in one pass over the images of each axis.
 *
 * @param eachOf calls `take` for each position along an axis, in any order
 * @throws {RangeError} an axis has only one image, or a line is degenerate
 */
export async function measureStack(
  { plane, channels, along, parts, over, projection }: StackOrder,
  eachOf: (axis: Over, count: number, take: Take) => Promise<void>,
): Promise<StackFound> {
  const found: StackFound = { means: null, projected: null };
  for (const axis of new Set([over, projection?.axis])) {
    if (!axis) continue;
    const count = along.get(axis)?.count;
    if (count === undefined) throw new RangeError(`It has one image over ${OVER[axis].toLowerCase()}`);
    const [rows = 0, columns = 0] = plane.shape;
    const measured = (axis === over ? parts : []).map(({ place }) => ({
      meanOf: makeMeanOver(plane, place),
      means: channels.map(() => new Float64Array(count).fill(NaN)),
    }));
    const projections = projection?.axis === axis
      ? channels.map(() => projectImages(projection.kind, rows * columns))
      : [];
    await eachOf(axis, count, (images, index) =>
      images.forEach((image, channel) => {
        if (image === null) return;
        for (const { meanOf, means } of measured) means[channel]![index] = meanOf(image);
        projections[channel]?.take(image);
      }));
    if (axis === over) found.means = measured.map(({ means }) => means);
    if (projections.length > 0) found.projected = projections.map(({ samples }) => samples());
  }
  return found;
}

/**
 * A row for each part and channel, with the means over the images and of the projection; if neither was ordered, with the
 * means of the opened image. `image` is the opened one by channel.
 */
export function makeStackRows(
  order: StackOrder,
  { means, projected }: StackFound,
  image: readonly Float32Array[],
): Row[] {
  const { plane, channels, parts, along, over, projection } = order;
  const axis = over === null ? undefined : along.get(over);
  const rows = means && axis && makeMeansRows(order, means, axis);
  const named = (planes: readonly Float32Array[]) =>
    planes.map((samples, i) => ({ name: channels[i] ?? "", samples }));
  if (projection === null || projected === null) return rows ?? makeImageRows(parts, plane, named(image));
  const ofProjection = makeImageRows(parts, plane, named(projected));
  return ofProjection.map(({ Mean = NaN, ...place }, i) => ({
    ...place,
    ...rows?.[i],
    Projection: nameProjection(projection),
    "Mean of the projection": Mean,
  }));
}

/** Position of an image along an axis, relative to the first. */
const placeOn = (axis: SeriesSampling, index: number) =>
  axis.times === undefined
    ? placeAlong(index, axis)
    : placeAlong(1, { step: (axis.times[index] ?? NaN) - (axis.times[0] ?? NaN) });

/** A curve for each channel or part over the images. */
export const makeStackColumns = (
  axis: SeriesSampling,
  curves: readonly { name: string; values: ArrayLike<number | null> }[],
): Column[] => [
  {
    name: nameAxis(axis.name),
    unit: formatTableUnit(axis),
    values: Float64Array.from({ length: curves[0]?.values.length ?? 0 }, (_, i) => placeOn(axis, i)),
  },
  ...curves,
];
