/**
 * Parts of an image that are measured (the whole image, the line drawn over it, and rectangles), and their values in one
 * image or projection. NaN and infinities do not count.
 */
import type { Sampling } from "./line_scan.ts";
import { chooseUnitSymbol, formatDigits, formatTableUnit, placeAlong } from "./axes.ts";
import { findPixelSides, type LinePoint, makeLineProfile, measurePolyline } from "./line_profile.ts";
import { makeNamesDistinct } from "./part_names.ts";
import { computeMean } from "./traces.ts";
import type { Column, Row } from "./csv.ts";

/** Column and row of two corners; `stop` is excluded. */
export type Rectangle = { start: readonly [number, number]; stop: readonly [number, number] };

/** `width` is the number of samples across the line. */
export type DrawnLine = { points: readonly LinePoint[]; width: number };

/** A part of an image, with its name. */
export interface ImagePart {
  /** Id of its region; empty for the whole image. */
  id: string;
  name: string;
  /** Null for the whole image. */
  place: Rectangle | DrawnLine | null;
}

/** A region of an image document; `start` and `stop` are `[column, row]`. */
export type DocumentRegion = {
  id: string;
  name?: string | undefined;
  type: string;
  start?: readonly [number, number] | undefined;
  stop?: readonly [number, number] | undefined;
};

/** Axes of rows and columns. */
export type ImageSampling = readonly [rows: Sampling, columns: Sampling];

/** Geometry of planes: `[rows, columns]` and their axes. */
export type ImageGeometry = { shape: readonly [number, number]; axes: ImageSampling };

/** A named channel; samples are row-major. */
export type NamedSamples = { name: string; samples: Float32Array };

/** Id of the region for the line over an image. */
export const LINE_ID = "kymograph-line";

/** The whole image, its line and its rectangles. */
export function listImageParts(
  { kymograph = null, regions = [] }: {
    kymograph?: DrawnLine | null | undefined;
    regions?: readonly DocumentRegion[] | undefined;
  },
): ImagePart[] {
  const drawn = regions.flatMap(({ id, name, type, start, stop }) =>
    type === "rectangle" && start && stop ? [{ id, name, place: withCorners(start, stop) }] : []
  );
  const names = makeNamesDistinct(drawn.map(({ name }) => name), "Rectangle");
  const rectangles = drawn.map((part, i) => ({ ...part, name: names[i]! }));
  const line = kymograph === null || !(measurePolyline(kymograph.points) > 0)
    ? []
    : [{ id: LINE_ID, name: "the line", place: { points: kymograph.points, width: kymograph.width } }];
  return [{ id: "", name: "whole image", place: null }, ...line, ...rectangles];
}

/** The rectangle between two corners, whichever comes first. */
const withCorners = (
  [x0, y0]: readonly [number, number],
  [x1, y1]: readonly [number, number],
): Rectangle => ({
  start: [Math.min(x0, x1), Math.min(y0, y1)],
  stop: [Math.max(x0, x1), Math.max(y0, y1)],
});

/**
 * Returns a function that computes the mean of a part of an image, NaN without a value.
 *
 * @throws {RangeError} the line is degenerate
 */
export function makeMeanOver(
  { shape, axes }: ImageGeometry,
  place: ImagePart["place"],
): (image: Float32Array) => number {
  if (place !== null && "points" in place) {
    const { of } = makeLineProfile(place.points, place.width, shape, findPixelSides(axes));
    return (image) => computeMean(of(image));
  }
  const [rows, columns] = shape;
  const { start: [left, top], stop: [right, bottom] } = place ?? { start: [0, 0], stop: [columns, rows] };
  return (image) => {
    let [sum, count] = [0, 0];
    for (let row = Math.max(0, top); row < Math.min(rows, bottom); row += 1) {
      const end = row * columns + Math.min(columns, right);
      for (let at = row * columns + Math.max(0, left); at < end; at += 1) {
        if (!Number.isFinite(image[at])) continue;
        sum += image[at]!;
        count += 1;
      }
    }
    return sum / count;
  };
}

/** Length of a line, in pixels if rows and columns have different units. */
export function measureLineIn(
  points: readonly LinePoint[],
  [row, column]: ImageSampling,
): { value: number; unit: string } {
  return row.unit === column.unit
    ? { value: measurePolyline(points, column.step, row.step), unit: column.unit }
    : { value: measurePolyline(points), unit: "Pixels" };
}

/** Name and place of a part as columns of a table. */
export function describePart({ name, place }: ImagePart, axes: ImageSampling): Row {
  const isLine = place !== null && "points" in place;
  const { value, unit } = measureLineIn(isLine ? place.points : [], axes);
  const [start, stop] = place === null || isLine
    ? [[NaN, NaN], [NaN, NaN]] as const
    : [place.start, place.stop];
  return {
    Region: name,
    "First column": start[0],
    "Last column": stop[0] - 1,
    "First row": start[1],
    "Last row": stop[1] - 1,
    [`Length (${formatTableUnit({ unit })})`]: isLine ? value : NaN,
    "Width (px)": isLine ? place.width : NaN,
  };
}

/** Name and place of a part, such as `Cell, columns 10 to 29, rows 22 to 26`. */
export function placeText({ name, place }: ImagePart, axes: ImageSampling): string {
  if (place === null) return name;
  if ("points" in place) {
    const { value, unit } = measureLineIn(place.points, axes);
    return `${name}, ${formatDigits(value)} ${chooseUnitSymbol(unit)} long, ${place.width} px wide`;
  }
  const [[left, top], [right, bottom]] = [place.start, place.stop];
  return `${name}, columns ${left} to ${right - 1}, rows ${top} to ${bottom - 1}`;
}

/** A row for each part and channel of one image. @throws {RangeError} a line is degenerate */
export const makeImageRows = (
  parts: readonly ImagePart[],
  { shape, axes }: ImageGeometry,
  channels: readonly NamedSamples[],
): Row[] =>
  parts.flatMap((part) => {
    const meanOf = makeMeanOver({ shape, axes }, part.place);
    const place = describePart(part, axes);
    return channels.map(({ name, samples }) => ({ ...place, Channel: name, Mean: meanOf(samples) }));
  });

/** Values along the line, from its first point. @throws {RangeError} the line is degenerate */
export function makeProfileColumns(
  { points, width }: DrawnLine,
  { shape, axes }: ImageGeometry,
  channels: readonly NamedSamples[],
): Column[] {
  const profile = makeLineProfile(points, width, shape, findPixelSides(axes));
  const { value, unit } = measureLineIn(points, axes);
  const step = value / Math.max(1, profile.places.length - 1);
  return [
    {
      name: "Position",
      unit: formatTableUnit({ unit }),
      values: Float64Array.from({ length: profile.places.length }, (_, i) => placeAlong(i, { step })),
    },
    ...channels.map(({ name, samples }) => ({ name, values: profile.of(samples) })),
  ];
}
