/**
 * Parts of an image that are measured (the whole image, the line drawn over it, and rectangles), and their values in one
 * image or projection. NaN and infinities do not count.
 *
 * @typedef {{start: readonly number[], stop: readonly number[]}} Rectangle column and row of two corners; `stop` is excluded
 * @typedef {{points: readonly Point[], width: number}} DrawnLine `width` is the number of samples across the line
 * @typedef {object} Part
 * @property {string} id of its region; empty for the whole image
 * @property {string} name
 * @property {Rectangle | DrawnLine | null} place null for the whole image
 *
 * @typedef {{id: string, name?: string | undefined, type: string, start?: readonly number[] | undefined, stop?: readonly number[] | undefined}} Region
 * @typedef {readonly {step: number, unit: string}[]} Axes of rows and columns
 * @typedef {{shape: readonly number[], axes: Axes}} Plane
 * @typedef {{name: string, samples: Float32Array}} Channel
 */
import { formatNumber, tableUnit, unitSymbol } from "./axes.js";
import { lengthOf, lineProfile } from "./line_profile.js";
import { mean } from "./traces.js";

/** @import { Column, Row } from "./csv.js" */
/** @import { Point } from "./line_profile.js" */

/** Id of the region for the line over an image. */
export const LINE_ID = "kymograph-line";

/** The whole image, its line and its rectangles. @type {(drawn: {kymograph?: DrawnLine | null | undefined, regions?: readonly Region[] | undefined}) => Part[]} */
export function partsOf({ kymograph = null, regions = [] }) {
  const rectangles = regions.flatMap(({ id, name, type, start, stop }) =>
    type === "rectangle" && start && stop ? [{ id, name: name || id, place: { start, stop } }] : []
  );
  const line = kymograph === null || !(lengthOf(kymograph.points) > 0)
    ? []
    : [{ id: LINE_ID, name: "the line", place: { points: kymograph.points, width: kymograph.width } }];
  return [{ id: "", name: "whole image", place: null }, ...line, ...rectangles];
}

/**
 * Returns a function that computes the mean of a part of an image, NaN without a value.
 *
 * @type {(shape: readonly number[], place: Part["place"]) => (image: Float32Array) => number}
 * @throws {RangeError} the line is degenerate
 */
export function meanOver([rows, columns], place) {
  if (place !== null && "points" in place) {
    const { of } = lineProfile(place.points, place.width, [rows, columns]);
    return (image) => mean(of(image));
  }
  const { start: [left, top], stop: [right, bottom] } = place ?? { start: [0, 0], stop: [columns, rows] };
  return (image) => {
    let [sum, count] = [0, 0];
    for (let row = Math.max(0, top); row < Math.min(rows, bottom); row += 1) {
      const end = row * columns + Math.min(columns, right);
      for (let at = row * columns + Math.max(0, left); at < end; at += 1) {
        if (!Number.isFinite(image[at])) continue;
        sum += image[at];
        count += 1;
      }
    }
    return sum / count;
  };
}

/** Length of a line, in pixels if rows and columns have different units. @type {(points: readonly Point[], axes: Axes) => {value: number, unit: string}} */
export function lengthIn(points, [row, column]) {
  return row.unit === column.unit
    ? { value: lengthOf(points, column.step, row.step), unit: column.unit }
    : { value: lengthOf(points), unit: "Pixels" };
}

/** Name and place of a part as columns of a table. @param {Part} part @param {Axes} axes @returns {Row} */
export function placeRow({ name, place }, axes) {
  const isLine = place !== null && "points" in place;
  const { value, unit } = lengthIn(isLine ? place.points : [], axes);
  const [start, stop] = place === null || isLine ? [[NaN, NaN], [NaN, NaN]] : [place.start, place.stop];
  return {
    Region: name,
    "First column": start[0],
    "Last column": stop[0] - 1,
    "First row": start[1],
    "Last row": stop[1] - 1,
    [`Length (${tableUnit({ unit })})`]: isLine ? value : NaN,
    "Width (px)": isLine ? place.width : NaN,
  };
}

/** Name and place of a part, such as `Cell, columns 10 to 29, rows 22 to 26`. @param {Part} part @param {Axes} axes */
export function placeText({ name, place }, axes) {
  if (place === null) return name;
  if ("points" in place) {
    const { value, unit } = lengthIn(place.points, axes);
    return `${name}, ${formatNumber(value)} ${unitSymbol(unit)} long, ${place.width} px wide`;
  }
  const [[left, top], [right, bottom]] = [place.start, place.stop];
  return `${name}, columns ${left} to ${right - 1}, rows ${top} to ${bottom - 1}`;
}

/**
 * A row for each part and channel of one image.
 *
 * @type {(parts: readonly Part[], plane: Plane, channels: readonly Channel[]) => Row[]}
 * @throws {RangeError} a line is degenerate
 */
export const imageRows = (parts, { shape, axes }, channels) =>
  parts.flatMap((part) => {
    const meanOf = meanOver(shape, part.place);
    const place = placeRow(part, axes);
    return channels.map(({ name, samples }) => ({ ...place, Channel: name, Mean: meanOf(samples) }));
  });

/**
 * Values along the line, from its first point.
 *
 * @type {(line: DrawnLine, plane: Plane, channels: readonly Channel[]) => Column[]}
 * @throws {RangeError} the line is degenerate
 */
export function profileColumns({ points, width }, { shape, axes }, channels) {
  const profile = lineProfile(points, width, shape);
  const { value, unit } = lengthIn(points, axes);
  const step = value / Math.max(1, profile.places.length - 1);
  return [
    {
      name: "Position",
      unit: tableUnit({ unit }),
      values: Float64Array.from({ length: profile.places.length }, (_, i) => i * step),
    },
    ...channels.map(({ name, samples }) => ({ name, values: profile.of(samples) })),
  ];
}
