/**
 * What the images of a stack over time or focus have in common: projections, and means of a region in each image. NaN and
 * infinities do not count.
 *
 * @typedef {"maximum" | "mean"} ProjectionKind
 */
import { LineProfile } from "./line_profile.js";

/** @import { Point } from "./line_profile.js" */

/** The greatest or the mean value of each sample over the images taken. */
export class Projection {
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

  /** NaN where no image has a value. */
  get samples() {
    const isMean = this.#kind === "mean";
    return Float32Array.from(this.#values, (value, i) => {
      const count = this.#counts[i];
      return count === 0 ? NaN : isMean ? value / count : value;
    });
  }
}

/**
 * Mean of a part of an image.
 *
 * @typedef {{start: readonly number[], stop: readonly number[]}} Rectangle columns and rows; `stop` is not included
 *
 * @param {readonly number[]} shape rows and columns
 * @param {Rectangle | {points: readonly Point[], width: number}} part
 * @returns {(image: Float32Array) => number} NaN without a value
 * @throws {RangeError} the line is degenerate
 */
export function meanOver(shape, part) {
  if ("points" in part) {
    const profile = new LineProfile(part.points, part.width, shape);
    return (image) => meanOf(profile.of(image));
  }
  const [rows, columns] = shape;
  const [[left, top], [right, bottom]] = [part.start, part.stop];
  return (image) => {
    let [sum, count] = [0, 0];
    for (let row = Math.max(0, top); row < Math.min(rows, bottom); row += 1) {
      for (
        let at = row * columns + Math.max(0, left);
        at < row * columns + Math.min(columns, right);
        at += 1
      ) {
        if (!Number.isFinite(image[at])) continue;
        sum += image[at];
        count += 1;
      }
    }
    return sum / count;
  };
}

/** @param {Float32Array} values */
function meanOf(values) {
  const there = values.filter(Number.isFinite);
  return there.reduce((sum, value) => sum + value, 0) / there.length;
}
