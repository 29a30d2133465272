/**
 * A kymograph: the samples along a line in each image of a T series, one row per image. It has the form of a line scan
 * (rows are time, columns are positions along the line) with one of the images as its reference and the line as its
 * path. Rows of images that have not arrived are NaN.
 */
import type { Axis } from "./axes.ts";
import { findPixelSides, type LinePoint, makeLineProfile, measurePolyline } from "./line_profile.ts";

/** Geometry of planes: `[rows, columns]`, and the axes of rows and columns. */
export type PlaneFacts = { shape: readonly [number, number]; axes: readonly [Axis, Axis] };

interface KymographSeries {
  /** Plane of the images. */
  plane: PlaneFacts;
  channels: readonly unknown[];
  /** Images along time. */
  count: number;
  /** Step between images. */
  time: Axis;
}

/** Largest number of samples per channel of a kymograph. */
const MOST_SAMPLES = 2 ** 28;

/** A kymograph that is filled while images arrive. */
export class Kymograph {
  readonly #profile;
  readonly #series;
  readonly #done;
  readonly points: readonly LinePoint[];
  readonly width: number;
  /** Samples of each channel, row-major. */
  readonly samples: Float32Array<ArrayBuffer>[];

  /**
   * @param points of the line, in samples of the images
   * @param width samples across the line
   * @throws {RangeError} the line is degenerate or the kymograph too large
   */
  constructor(series: KymographSeries, points: readonly LinePoint[], width: number) {
    this.#series = series;
    this.points = points;
    this.width = width;
    this.#profile = makeLineProfile(points, width, series.plane.shape, findPixelSides(series.plane.axes));
    const { count, channels } = series;
    const { length } = this.#profile.places;
    if (!(count >= 1 && count * length <= MOST_SAMPLES)) {
      throw new RangeError(`A kymograph of ${count} images and ${length} positions is too large`);
    }
    this.samples = channels.map(() => new Float32Array(count * length).fill(NaN));
    this.#done = channels.map(() => new Set());
  }

  /** Number of rows complete in every channel. */
  get done(): number {
    return Math.min(...this.#done.map(({ size }) => size));
  }

  get isWhole(): boolean {
    return this.done === this.#series.count;
  }

  /**
   * Adds one image.
   *
   * @param channel index among the channels of the series
   * @param image row-major plane
   */
  take(channel: number, t: number, image: Float32Array): void {
    this.samples[channel]!.set(this.#profile.of(image), t * this.#profile.places.length);
    this.#done[channel]!.add(t);
  }

  /** The plane as an open response describes it. */
  get plane(): PlaneFacts {
    const { count, plane, time: { name, step: lineTime, unit } } = this.#series;
    const [row, column] = plane.axes as readonly [Axis, Axis];
    const isOneUnit = row.unit === column.unit;
    const step = isOneUnit
      ? measurePolyline(this.points, column.step, row.step) / Math.max(1, this.#profile.places.length - 1)
      : 1;
    const position = { name: "X", step, unit: isOneUnit ? column.unit : "Pixels" };
    return { shape: [count, this.#profile.places.length], axes: [{ name, step: lineTime, unit }, position] };
  }

  /** The path over the image, one point for each position. */
  get path(): {
    x: number[];
    y: number[];
  } {
    return { x: this.#profile.places.map(({ x }) => x), y: this.#profile.places.map(({ y }) => y) };
  }
}
