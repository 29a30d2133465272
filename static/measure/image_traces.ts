/**
 * The means of parts of images over time in the form of a line scan, with a line for each image and a column for each part: what
 * measures bands of a line scan then measures regions of images.
 */
import { type ImagePart, type ImageSampling, placeText } from "./image_parts.ts";
import type { Row } from "./csv.ts";
import type { SeriesSampling as StackAxis, StackOrder } from "./stack.ts";
import type { Recording, RecordingRegion, TracedRow } from "./recording.ts";

/** The means of a part in all images. */
export interface PartMeans {
  /** Id of its region; empty for the whole image. */
  id: string;
  /** Where it lay when it was measured. */
  place: ImagePart["place"];
  /** By channel and image; null for an image without values. */
  means: readonly (readonly (number | null)[])[];
}

/**
 * The measured means of parts, ready to be stored as JSON.
 *
 * @param values means by part, channel and image; NaN for an image without values
 */
export const storePartMeans = (
  parts: readonly ImagePart[],
  values: readonly (readonly Float64Array[])[],
): PartMeans[] =>
  parts.map(({ id, place }, i) => ({
    id,
    place,
    means: values[i]!.map((means) => Array.from(means, (mean) => Number.isFinite(mean) ? mean : null)),
  }));

/** Axis of the columns, which have no distance from each other. */
const PARTS = { name: "Region", step: 1, unit: "Pixels" };

/** Tolerance of the time of an image against its index, in steps. */
const UNEVEN = 0.5;

/**
 * The means as a line scan.
 *
 * @param channels names
 * @param axis of the images; times that differ from its step are not followed ({@linkcode describeUnevenness})
 */
export function makeTracedScan(
  all: readonly PartMeans[],
  channels: readonly string[],
  axis: StackAxis,
): Recording {
  const { name, step, unit } = axis;
  const count = all[0]?.means[0]?.length ?? 0;
  const timing = describeUnevenness(axis);
  return {
    shape: [count, all.length],
    axes: [{ name, step, unit }, PARTS],
    channels: channels.map((name, channel) => ({
      name,
      samples: Float64Array.from(
        { length: count * all.length },
        (_, i) => all[i % all.length]!.means[channel]?.[Math.floor(i / all.length)] ?? NaN,
      ),
    })),
    pixelTime: 0,
    isTyped: false,
    noun: "region",
    ...timing !== "" && { timing },
  };
}

/** The columns of parts, without those that were moved or removed after they were measured. @param axes of an image */
export function selectTracedRegions(
  all: readonly PartMeans[],
  parts: readonly ImagePart[],
  axes: ImageSampling,
): RecordingRegion[] {
  return all.flatMap(({ id, place }, column) => {
    const part = parts.find((one) => one.id === id && isSamePartPlace(one.place, place));
    return part === undefined
      ? []
      : [{ id, name: part.name, columns: [column, column + 1] as const, place: placeText(part, axes) }];
  });
}

/** The parts that have traces: the line and rectangles, or the whole image without any. */
export const selectPartsToTrace = (parts: readonly ImagePart[]): readonly ImagePart[] =>
  parts.length > 1 ? parts.slice(1) : parts;

/**
 * The rows of parts and channels with what was measured in their traces. Regions may share a name, and so may channels.
 *
 * @param rows one for each part and channel
 */
export const withTraces = (
  rows: readonly Row[],
  { parts, channels }: Pick<StackOrder, "parts" | "channels">,
  traced: readonly TracedRow[],
): Row[] =>
  rows.map((row, i) => {
    const [part, at] = [parts[Math.floor(i / channels.length)], i % channels.length];
    const own = traced.find(({ region, channel }) => region.id === part?.id && channel === at);
    // Columns of both, with the mean over the images as it is.
    return { ...row, ...own?.row, ...row };
  });

const isSamePartPlace = (one: ImagePart["place"], other: ImagePart["place"]) =>
  JSON.stringify(one) === JSON.stringify(other);

/** Says that the images are not a step apart, while times in traces and events count steps; empty if they are. */
export function describeUnevenness({ step, times }: StackAxis): string {
  if (times === undefined) return "";
  const [first = 0] = times;
  const off = times.reduce((most, time, i) => Math.max(most, Math.abs(time - first - i * step)), 0);
  return off > UNEVEN * step
    ? `The images are not evenly timed: traces and events count ${
      Number(step.toPrecision(4))
    } s for each, up to ${Number(off.toPrecision(3))} s from its time`
    : "";
}
