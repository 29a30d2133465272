/** The planes of an NDTiff data set: `time`, `z` and `channel` are axes, other values distinguish scenes. */
import { DecodeFailed } from "../../errors.ts";
import { type Warning, warning } from "../../warning.ts";
import { MAX_PLANES } from "../bounds.ts";
import type { PlaneIndex } from "../stack.ts";
import type { NDTiffImage } from "./ndtiff_index.ts";

/** Axes of a data set. */
const MAX_AXES = 32;

/** Scenes of one data set: a mosaic of 300 x 300 tiles stays below it. */
const MAX_SCENES = 100_000;

/** Axes that name scenes even with a single value; `row` and `column` are tiles. */
const PLACE_AXES = ["position", "row", "column"];

/** Position of a plane. */
export type PlaneAt = Omit<PlaneIndex, "l">;

/** One scene. */
export interface ImageScene {
  /** The values that distinguish it, or `null` for a single scene. */
  readonly name: string | null;
  /** Stored images by number of the plane, counted in the order T, C, Z. */
  readonly images: Map<number, NDTiffImage>;
}

/** The value of an image along an axis; `undefined` where it lacks the axis. */
export type AxisValue = number | string | undefined;

function valueOf({ axes }: NDTiffImage, axis: string): AxisValue {
  if (!Object.hasOwn(axes, axis)) return undefined;
  const value = axes[axis];
  return typeof value === "number" ? value : String(value);
}

/** An axis along which planes are counted. */
class PlaneAxis {
  /** Numbers in ascending order, then texts in the order of their first images. */
  readonly values: readonly AxisValue[];
  /** Whether some images lack the axis. */
  readonly isPartial: boolean;
  readonly #name: string;
  readonly #ranks: ReadonlyMap<AxisValue, number>;

  constructor(name: string, images: readonly NDTiffImage[]) {
    const found = new Set(images.map((image) => valueOf(image, name)));
    const numbers = [...found].filter((value) => typeof value === "number").sort((a, b) => a - b);
    this.#name = name;
    this.values = [...numbers, ...[...found].filter((value) => typeof value === "string")];
    this.isPartial = this.values.length > 0 && found.has(undefined);
    this.#ranks = new Map(this.values.map((value, rank) => [value, rank]));
  }

  /** Length, 1 at least. */
  get size(): number {
    return Math.max(1, this.values.length);
  }

  /** Index of an image along the axis, 0 where it lacks the axis. */
  at(image: NDTiffImage): number {
    return this.#ranks.get(valueOf(image, this.#name)) ?? 0;
  }
}

/** The planes of all scenes. */
export class ImagePlanes {
  /** In the order of their first images. */
  readonly scenes: readonly ImageScene[];
  /** Length of each axis, the same in all scenes. */
  readonly sizes: { readonly T: number; readonly C: number; readonly Z: number };
  /** Values along the channel axis. */
  readonly channels: readonly AxisValue[];
  /** Doubts about the axes. */
  readonly warnings: readonly Warning[];

  /**
   * Finds the plane of each image. The last of several images of one plane replaces the others.
   *
   * @param isStored whether the samples of an image lie in an existing file
   * @throws {DecodeFailed} there are too many axes, planes or scenes
   */
  constructor(images: readonly NDTiffImage[], isStored: (image: NDTiffImage) => boolean) {
    const names = new Set<string>();
    for (const { axes } of images) {
      for (const name of Object.keys(axes)) names.add(name);
      if (names.size > MAX_AXES) throw new DecodeFailed(`its images have more than ${MAX_AXES} axes`);
    }
    const zName = names.has("z") ? "z" : "Z";
    const [time, channel, slice] = ["time", "channel", zName].map((name) => new PlaneAxis(name, images)) as [
      PlaneAxis,
      PlaneAxis,
      PlaneAxis,
    ];
    const [T, C, Z] = [time.size, channel.size, slice.size];
    if (T * C * Z > MAX_PLANES) {
      throw new DecodeFailed(`its axes declare ${T} x ${C} x ${Z} planes, more than ${MAX_PLANES}`);
    }
    this.sizes = { T, C, Z };
    this.channels = channel.values;
    const places = PLACE_AXES.filter((name) => names.has(name));
    const unknown = [...names].filter((name) =>
      !["time", "channel", zName, ...places].includes(name) &&
      new Set(images.map((image) => valueOf(image, name))).size > 1
    );
    const apart = [...places, ...unknown];
    const scenes = new Map<string, ImageScene>();
    for (const image of images) {
      const values = apart.map((name) => valueOf(image, name));
      const scene = scenes.getOrInsertComputed(JSON.stringify(values), () => ({
        name: nameOf(apart, values),
        images: new Map(),
      }));
      if (scenes.size > MAX_SCENES) {
        throw new DecodeFailed(`its axes "${apart.join(`", "`)}" make more than ${MAX_SCENES} scenes`);
      }
      const number = this.#number({ t: time.at(image), channel: channel.at(image), z: slice.at(image) });
      if (isStored(image)) scene.images.set(number, image);
      else scene.images.delete(number);
    }
    this.scenes = [...scenes.values()];
    const text = `Each value of "${unknown.join(`", "`)}" is a scene: what the axis stands for is unknown`;
    const lacking =
      "Some images of NDTiff lack an axis that others have; they are taken as the first along it";
    this.warnings = [
      ...unknown.length > 0 ? [warning("axes_assumed", text)] : [],
      ...[time, channel, slice].some(({ isPartial }) => isPartial) ? [warning("axes_assumed", lacking)] : [],
    ];
  }

  #number({ t, channel, z }: PlaneAt): number {
    const { C, Z } = this.sizes;
    return (t * C + channel) * Z + z;
  }

  /** The stored image of a plane, or `undefined`. */
  find({ images }: ImageScene, at: PlaneAt): NDTiffImage | undefined {
    return images.get(this.#number(at));
  }

  /** A stored image of a channel, of any scene. */
  firstOf(channel: number): NDTiffImage | undefined {
    const { C, Z } = this.sizes;
    return this.scenes.values().flatMap(({ images }) => images)
      .find(([number]) => Math.floor(number / Z) % C === channel)?.[1];
  }

  /** Position of the first stored plane of a scene that has images. */
  start({ images }: ImageScene): PlaneAt {
    const { C, Z } = this.sizes;
    const first = images.keys().reduce((least, number) => Math.min(least, number));
    return { t: Math.floor(first / (C * Z)), channel: Math.floor(first / Z) % C, z: first % Z };
  }
}

/** `Pos2`, `row 3, column 4`, `Pos2, l 5` */
function nameOf(axes: readonly string[], values: readonly AxisValue[]): string | null {
  const parts = axes.map((name, i) =>
    name === "position" && typeof values[i] === "string" ? values[i] : `${name} ${values[i]}`
  );
  return parts.filter((_, i) => values[i] !== undefined).join(", ") || null;
}
