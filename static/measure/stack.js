/**
 * Measures a stack of images over time or focus: the means of parts of each image, and a projection, which is measured
 * like an image. NaN and infinities do not count. The page, "Measure all" and `acq-server measure` share this module.
 *
 * @typedef {"max" | "mean"} ProjectionKind
 * @typedef {"T" | "Z"} Over
 * @typedef {{kind: ProjectionKind, axis: Over}} ProjectionOf
 * @typedef {{name: string, step: number, unit: string, times?: readonly number[]}} Axis `step` is the mean step if there are `times`
 * @typedef {{count: number, axis: Axis}} Along number of images, and their axis
 */
import { FRAMES, tableUnit } from "./axes.js";
import { imageRows, meanOver, placeRow } from "./image_parts.js";
import { mean, percentile } from "./traces.js";

/** @import { Column } from "./csv.js" */
/** @import { Part, Plane, Row } from "./image_parts.js" */

/** @type {Readonly<Record<string, string>>} */
export const OVER = { T: "Time", Z: "Focus" };

/** Capitalizes the first letter. @param {string} text */
export const capitalized = (text) => text.replace(/^./, (letter) => letter.toUpperCase());

/** Name of a projection, such as `maximum over focus`. @param {ProjectionOf} projection */
export const projectionWords = ({ kind, axis }) =>
  `${kind === "max" ? "maximum" : kind} over ${OVER[axis].toLowerCase()}`;

/**
 * Axes along which an acquisition has several images.
 *
 * @param {{times?: readonly number[] | null | undefined, header: {dims: readonly string[], sizes: Readonly<Record<string, number>>, physicalUnits: readonly number[], physicalUnitsLabels: readonly string[]}}} info an open response
 * @returns {Map<Over, Along>} images lie at their times if known, otherwise at the header's step
 */
export function stackAxes({ times, header: { dims, sizes, physicalUnits, physicalUnitsLabels } }) {
  const axisOf = (/** @type {Over} */ name) => {
    const at = dims.indexOf(name);
    const axis = { name, step: physicalUnits[at] ?? 1, unit: physicalUnitsLabels[at] ?? "Pixels" };
    if (name === "Z") return axis;
    const [first = NaN, last = NaN] = [times?.[0], times?.at(-1)];
    if (times && times.length === sizes.T && last > first) {
      return { name, step: (last - first) / (times.length - 1), unit: "seconds", times };
    }
    return axis.unit === "Pixels" ? { name, step: 1, unit: FRAMES } : axis;
  };
  const several = /** @type {const} */ (["T", "Z"]).filter((name) => (sizes[name] ?? 1) > 1);
  return new Map(several.map((name) => [name, { count: sizes[name] ?? 1, axis: axisOf(name) }]));
}

/**
 * Position of an image along the axes with several images, counted from 1.
 *
 * @type {(sizes: Readonly<Record<string, number>>, position: {t: number, z: number, l: number}) => [name: string, value: number][]}
 */
export function positionWords(sizes, { t, z, l }) {
  const places =
    /** @type {const} */ ([["T", "Time point", t], ["Z", "Focus plane", z], ["L", "Wavelength", l]]);
  return places.filter(([axis]) => (sizes[axis] ?? 1) > 1).map(([, words, index]) => [words, index + 1]);
}

/** The greatest or the mean value of each sample over the images given to `take`. */
class Projection {
  #kind;
  #values;
  #counts;

  /** @param {ProjectionKind} kind @param {number} length samples of an image */
  constructor(kind, length) {
    this.#kind = kind;
    this.#values = new Float64Array(length);
    this.#counts = new Uint32Array(length);
  }

  /** @param {Float32Array} image */
  take(image) {
    for (let i = 0; i < image.length; i += 1) {
      const value = image[i];
      if (!Number.isFinite(value)) continue;
      this.#counts[i] += 1;
      if (this.#kind === "mean") this.#values[i] += value;
      else if (this.#counts[i] === 1 || value > this.#values[i]) this.#values[i] = value;
    }
  }

  /** The projection; NaN if no image has a value. */
  get samples() {
    const isMean = this.#kind === "mean";
    return Float32Array.from(this.#values, (value, i) => {
      const count = this.#counts[i];
      return count === 0 ? NaN : isMean ? value / count : value;
    });
  }
}

/** Means of parts of each image; the images may arrive in any order. */
export class StackMeans {
  #plane;
  #along;
  #parts;
  #channels;
  /** Means by part, channel and image. @type {Float64Array[][]} */
  #values;

  /**
   * @param {Plane} plane of the images
   * @param {Along} along
   * @param {readonly Part[]} parts
   * @param {readonly string[]} channels their names
   * @throws {RangeError} a line is degenerate
   */
  constructor(plane, along, parts, channels) {
    this.#plane = plane;
    this.#along = along;
    this.#channels = channels;
    this.#parts = parts.map((part) => ({ part, meanOf: meanOver(plane.shape, part.place) }));
    this.#values = parts.map(() => channels.map(() => new Float64Array(along.count).fill(NaN)));
  }

  /** @param {readonly (Float32Array | null)[]} images of all channels; null if never recorded @param {number} index */
  take(images, index) {
    this.#parts.forEach(({ meanOf }, i) =>
      images.forEach((image, channel) => {
        const values = this.#values[i][channel];
        if (image !== null && values !== undefined) values[index] = meanOf(image);
      })
    );
  }

  /** Means of a part, by channel and image. @param {number} part */
  of(part) {
    return this.#values[part];
  }

  /** A row for each part and channel. @returns {Row[]} */
  get rows() {
    const { axis, count } = this.#along;
    return this.#parts.flatMap(({ part }, i) =>
      this.#channels.map((Channel, channel) => {
        const values = this.#values[i][channel];
        const there = values.filter(Number.isFinite);
        const greatest = percentile(there, 100);
        return {
          ...placeRow(part, this.#plane.axes),
          Channel,
          Over: OVER[axis.name],
          Images: count,
          Mean: mean(there),
          "Least mean": percentile(there, 0),
          "Greatest mean": greatest,
          [`Greatest at (${tableUnit(axis)})`]: there.length > 0
            ? placeOn(axis, values.indexOf(greatest))
            : NaN,
        };
      })
    );
  }
}

/**
 * @typedef {object} StackOrder
 * @property {Plane} plane of the images
 * @property {readonly string[]} channels their names
 * @property {ReadonlyMap<Over, Along>} along by {@linkcode stackAxes}
 * @property {readonly Part[]} parts
 * @property {Over | null} over axis of the means; null for no means
 * @property {ProjectionOf | null} projection
 *
 * @typedef {{means: StackMeans | null, projected: Float32Array[] | null}} StackFound `projected` by channel
 */

/**
 * Measures a stack in one pass over the images of each axis.
 *
 * @param {StackOrder} order
 * @param {(axis: Over, count: number, take: (images: readonly (Float32Array | null)[], index: number) => void) => Promise<void>} eachOf
 *   calls `take` with the images of all channels, for each position along an axis, in any order
 * @returns {Promise<StackFound>}
 * @throws {RangeError} an axis has only one image, or a line is degenerate
 */
export async function measuredStack({ plane, channels, along, parts, over, projection }, eachOf) {
  /** @type {StackMeans | null} */
  let means = null;
  /** @type {Projection[] | null} */
  let projections = null;
  for (const axis of new Set([over, projection?.axis ?? null])) {
    if (axis === null) continue;
    const found = along.get(axis);
    if (found === undefined) throw new RangeError(`It has one image over ${OVER[axis].toLowerCase()}`);
    const meansHere = axis === over ? means = new StackMeans(plane, found, parts, channels) : null;
    const { kind } = projection?.axis === axis ? projection : { kind: null };
    const projectionsHere = kind &&
      (projections = channels.map(() => new Projection(kind, plane.shape[0] * plane.shape[1])));
    await eachOf(axis, found.count, (images, index) => {
      meansHere?.take(images, index);
      images.forEach((image, channel) => image && projectionsHere?.[channel]?.take(image));
    });
  }
  return { means, projected: projections?.map(({ samples }) => samples) ?? null };
}

/**
 * A row for each part and channel, with the means over the images and of the projection; if neither was ordered, with the
 * means of the opened image.
 *
 * @type {(order: StackOrder, found: StackFound, image: readonly Float32Array[]) => Row[]} `image` is the opened one by channel
 */
export function stackRows({ plane, channels, parts, projection }, { means, projected }, image) {
  const named = (/** @type {readonly Float32Array[]} */ planes) =>
    channels.map((name, i) => ({ name, samples: planes[i] }));
  if (projection === null || projected === null) return means?.rows ?? imageRows(parts, plane, named(image));
  const ofProjection = imageRows(parts, plane, named(projected));
  return ofProjection.map(({ Mean, ...place }, i) => ({
    ...place,
    ...means?.rows[i],
    Projection: projectionWords(projection),
    "Mean of the projection": Mean,
  }));
}

/** Position of an image along an axis, relative to the first. @param {Axis} axis @param {number} index */
const placeOn = ({ step, times }, index) => times === undefined ? index * step : times[index] - times[0];

/** A curve for each channel or part over the images. @param {Axis} axis @param {readonly {name: string, values: ArrayLike<number | null>}[]} curves @returns {Column[]} */
export const stackColumns = (axis, curves) => [
  {
    name: OVER[axis.name],
    unit: tableUnit(axis),
    values: Float64Array.from({ length: curves[0]?.values.length ?? 0 }, (_, i) => placeOn(axis, i)),
  },
  ...curves,
];
