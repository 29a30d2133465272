/** Which image of an NDTiff data set is which plane: `time`, `z` and `channel` are axes, what else differs makes scenes. */
import { DecodeFailed } from "../../errors.ts";
import { type Warning, warning } from "../../warning.ts";
import { MAX_PLANES } from "../bounds.ts";
import type { PlaneIndex } from "../stack.ts";
import type { AxisColumn, AxisValue, ImageList } from "./ndtiff_images.ts";

/** Scenes of one data set: a mosaic of 300 x 300 tiles stays below it. */
const MAX_SCENES = 100_000;

/** Axes whose values make scenes even where there is one; `row` and `column` are tiles. */
const PLACE_AXES = ["position", "row", "column"];

/** An axis that planes are counted along. */
class PlaneAxis {
  /** Values in ascending order of numbers, then texts in the order of the first image that has each. */
  readonly values: readonly AxisValue[];
  readonly #column: AxisColumn | undefined;
  /** Index along the axis by the number of the value. */
  readonly #ranks: Uint32Array;

  /** `undefined` for an axis that no image has. */
  constructor(column: AxisColumn | undefined) {
    const values = column?.values ?? [];
    const order = values.map((_, number) => number).sort((a, b) => {
      const [one, two] = [values[a]!, values[b]!];
      if (typeof one === "number" && typeof two === "number") return one - two;
      return typeof one === typeof two ? a - b : typeof one === "number" ? -1 : 1;
    });
    this.values = order.map((number) => values[number]!);
    this.#column = column;
    this.#ranks = new Uint32Array(values.length);
    order.forEach((number, rank) => this.#ranks[number] = rank);
  }

  /** Length, 1 at least. */
  get size(): number {
    return Math.max(1, this.values.length);
  }

  /** Index of an image along the axis; the first one where it lacks the axis. */
  at(image: number): number {
    return this.#ranks[this.#column?.at(image) ?? -1] ?? 0;
  }
}

/** One scene. */
export interface ImageScene {
  /** The values that tell it from the others, or `null` where it is the only one. */
  readonly name: string | null;
}

/** The planes of all scenes. */
export class ImagePlanes {
  /** In the order of their first images. */
  readonly scenes: readonly ImageScene[];
  /** Length of each axis, the same in all scenes. */
  readonly sizes: { readonly T: number; readonly C: number; readonly Z: number };
  /** Values along the channel axis; none where no image has it. */
  readonly channels: readonly AxisValue[];
  /** What the axes leave open. */
  readonly warnings: readonly Warning[];
  /** Numbers of the planes that have an image, ascending. */
  readonly #keys: Float64Array;
  /** The image of each. */
  readonly #images: Uint32Array;

  /** Finds the plane of each image. @throws {DecodeFailed} there are too many planes or scenes */
  constructor(images: ImageList) {
    const { axes, length } = images;
    const zName = axes.has("z") ? "z" : "Z";
    const [t, c, z] = ["time", "channel", zName].map((name) => new PlaneAxis(axes.get(name)));
    this.sizes = { T: t!.size, C: c!.size, Z: z!.size };
    this.channels = c!.values;
    const { T, C, Z } = this.sizes;
    if (T * C * Z > MAX_PLANES) {
      throw new DecodeFailed(`its axes declare ${T} x ${C} x ${Z} planes, more than ${MAX_PLANES}`);
    }
    const apart = [...axes].filter(([name, column]) =>
      !["time", "channel", zName].includes(name) &&
      (PLACE_AXES.includes(name) || column.values.length > 1 || column.isPartial(length))
    ).sort(([a], [b]) => rankOf(a) - rankOf(b));
    const { scenes, sceneOf } = scenesBy(apart, length);
    this.scenes = scenes;
    const keys = Float64Array.from(
      { length },
      (_, image) => ((sceneOf[image]! * T + t!.at(image)) * C + c!.at(image)) * Z + z!.at(image),
    );
    const order = Uint32Array.from(keys, (_, image) => image);
    if (keys.some((key, image) => image > 0 && key <= keys[image - 1]!)) {
      order.sort((a, b) => keys[a]! - keys[b]! || a - b);
    }
    // Of several images of one plane the last was taken to replace the others.
    const last = order.filter((image, i) => i + 1 === length || keys[order[i + 1]!] !== keys[image]);
    this.#keys = Float64Array.from(last, (image) => keys[image]!);
    this.#images = last;
    const isPartial = ["time", "channel", zName].some((name) => axes.get(name)?.isPartial(length));
    this.warnings = [
      ...axisWarnings(apart.filter(([name]) => !PLACE_AXES.includes(name))),
      ...isPartial
        ? [warning(
          "axes_assumed",
          `Some images of NDTiff lack an axis that others have; they are taken as the first along it`,
        )]
        : [],
    ];
  }

  /** How many planes a scene may have. */
  get planesOfScene(): number {
    return this.sizes.T * this.sizes.C * this.sizes.Z;
  }

  /** The image of a plane, `undefined` where there is none. */
  find(scene: number, { t, channel, z }: Omit<PlaneIndex, "l">): number | undefined {
    const { T, C, Z } = this.sizes;
    const key = ((scene * T + t) * C + channel) * Z + z;
    const at = this.#from(key);
    return this.#keys[at] === key ? this.#images[at] : undefined;
  }

  /** The images of a scene in the order T, C, Z. */
  imagesOf(scene: number): Uint32Array {
    const planes = this.planesOfScene;
    return this.#images.subarray(this.#from(scene * planes), this.#from((scene + 1) * planes));
  }

  /** The first image of a channel, of all scenes, that meets a condition. */
  firstOf(channel: number, condition: (image: number) => boolean): number | undefined {
    const { C, Z } = this.sizes;
    return this.#images.find((image, i) =>
      Math.floor(this.#keys[i]! / Z) % C === channel && condition(image)
    );
  }

  /** Position of the first image of a scene that meets a condition, in the order T, C, Z. */
  start(scene: number, condition: (image: number) => boolean): Omit<PlaneIndex, "l"> | null {
    const { C, Z } = this.sizes;
    const first = this.#from(scene * this.planesOfScene);
    const at = this.imagesOf(scene).findIndex(condition);
    const key = at < 0 ? undefined : this.#keys[first + at]! % this.planesOfScene;
    return key === undefined
      ? null
      : { t: Math.floor(key / (C * Z)), channel: Math.floor(key / Z) % C, z: key % Z };
  }

  /** Index of the first plane from a number on. */
  #from(key: number): number {
    let [low, high] = [0, this.#keys.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#keys[middle]! < key) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** Bytes of memory, about. */
  get bytes(): number {
    return this.#keys.byteLength + this.#images.byteLength + this.scenes.length * SCENE_BYTES;
  }
}

/** Memory of a scene and its name. */
const SCENE_BYTES = 256;

/** Position first, then the row and column of a tile, then other axes. */
const rankOf = (name: string) => (PLACE_AXES.indexOf(name) + PLACE_AXES.length + 1) % (PLACE_AXES.length + 1);

/** A scene for each combination of values, and the scene of each image. */
function scenesBy(axes: readonly (readonly [string, AxisColumn])[], length: number) {
  const scenes: ImageScene[] = [];
  const numbers = new Map<string, number>();
  const sceneOf = new Uint32Array(length);
  for (let image = 0; image < length; image += 1) {
    const key = axes.map(([, column]) => column.at(image)).join();
    sceneOf[image] = numbers.getOrInsertComputed(key, () => {
      if (scenes.length >= MAX_SCENES) {
        throw new DecodeFailed(`its axes ${listed(axes)} make more than ${MAX_SCENES} scenes`);
      }
      return scenes.push({ name: nameOf(axes, image) }) - 1;
    });
  }
  return { scenes, sceneOf };
}

const listed = (axes: readonly (readonly [string, AxisColumn])[]) =>
  axes.map(([name]) => `"${name}"`).join(", ");

/** `Pos2`, `row 3, column 4`, `Pos2, l 5` */
function nameOf(axes: readonly (readonly [string, AxisColumn])[], image: number): string | null {
  const parts = axes.flatMap(([name, column]) => {
    const value = column.values[column.at(image)];
    if (value === undefined) return [];
    return [name === "position" && typeof value === "string" ? value : `${name} ${value}`];
  });
  return parts.join(", ") || null;
}

/** A warning where an axis that this server does not know makes scenes. */
const axisWarnings = (axes: readonly (readonly [string, AxisColumn])[]): Warning[] =>
  axes.length === 0 ? [] : [
    warning(
      "axes_assumed",
      `Each value of ${listed(axes)} is a scene: what the axis stands for is unknown`,
    ),
  ];
