/** The planes of an NDTiff data set. `time`, `z` and `channel` are axes; values along any other axis distinguish scenes. */
import { DecodeFailed } from "../../../errors.ts";
import { selectCalibrations } from "../../../metadata/axes.ts";
import { isJsonObject, type JsonObject, parseJsonText } from "../../../metadata/json.ts";
import { chooseMoment, findMoment } from "../../../metadata/moment.ts";
import { differsByPercent } from "../../../metadata/text.ts";
import { scaleStamps } from "../../../metadata/time_stamps.ts";
import type { TimeStamps } from "../../../reader.ts";
import { unlessLost, warnIf, type Warning, warning, type WarningCode } from "../../../warning.ts";
import { decodeText } from "../../directory.ts";
import { MAX_PLANES, type PlaneIndex, type Stack } from "../../stack.ts";
import { StatedNumbers } from "../../../metadata/stated_numbers.ts";
import type { TiffFile } from "../../tiff_file.ts";
import { findJsonText } from "../micromanager/index_map.ts";
import type { NDTiffImage } from "./index_file.ts";

const MAX_AXES = 32;

/** Largest number of scenes of a data set; a mosaic of 300 x 300 tiles has fewer. */
const MAX_SCENES = 100_000;

/** Axes that name scenes even if they have a single value; `row` and `column` are those of tiles. */
const PLACE_AXES = ["position", "row", "column"];

/** Position of a plane. */
export type PlaneAt = Omit<PlaneIndex, "l">;

/** One scene. */
export interface ImageScene {
  readonly name: string | null;
  /** Stored images by plane number, which counts in the order T, C, Z. */
  readonly images: Map<number, NDTiffImage>;
}

function findAxisValue({ axes }: NDTiffImage, axis: string): number | string | undefined {
  if (!Object.hasOwn(axes, axis)) return undefined;
  const value = axes[axis];
  return typeof value === "number" ? value : String(value);
}

/** An axis along which planes are counted: numbers in ascending order, then texts in the order of their first images. */
function buildPlaneAxis(name: string, images: readonly NDTiffImage[]) {
  const found = new Set(images.map((image) => findAxisValue(image, name)));
  const numbers = [...found].filter((value) => typeof value === "number").sort((a, b) => a - b);
  const values = [...numbers, ...[...found].filter((value) => typeof value === "string")];
  const ranks = new Map<number | string | undefined, number>(values.map((value, rank) => [value, rank]));
  return {
    values,
    size: Math.max(1, values.length),
    isPartial: values.length > 0 && found.has(undefined),
    /** Index of an image, 0 if it lacks the axis. */
    at: (image: NDTiffImage) => ranks.get(findAxisValue(image, name)) ?? 0,
  };
}

/** Names of all axes. @throws {DecodeFailed} too many */
function collectAxisNames(images: readonly NDTiffImage[]): Set<string> {
  const names = new Set<string>();
  for (const { axes } of images) {
    for (const name of Object.keys(axes)) names.add(name);
    if (names.size > MAX_AXES) throw new DecodeFailed(`its images have more than ${MAX_AXES} axes`);
  }
  return names;
}

/** Scenes by the values of some axes. */
class SceneTable {
  readonly #axes: readonly string[];
  readonly #scenes = new Map<string, ImageScene>();

  constructor(axes: readonly string[]) {
    this.#axes = axes;
  }

  /** The scene of an image, a new one if needed. @throws {DecodeFailed} too many scenes */
  sceneOf(image: NDTiffImage): ImageScene {
    const values = this.#axes.map((name) => [name, findAxisValue(image, name)] as const);
    const key = JSON.stringify(values.map(([, value]) => value));
    const scene = this.#scenes.getOrInsertComputed(
      key,
      () => ({ name: nameScene(values), images: new Map() }),
    );
    if (this.#scenes.size > MAX_SCENES) {
      throw new DecodeFailed(`its axes "${this.#axes.join(`", "`)}" make more than ${MAX_SCENES} scenes`);
    }
    return scene;
  }

  list(): ImageScene[] {
    return [...this.#scenes.values()];
  }
}

/** `Pos2`, `row 3, column 4`, `Pos2, l 5`; `null` without a value. */
function nameScene(values: readonly (readonly [name: string, value: number | string | undefined])[]) {
  const parts = values.filter(([, value]) => value !== undefined).map(([name, value]) =>
    name === "position" && typeof value === "string" ? value : `${name} ${value}`
  );
  return parts.join(", ") || null;
}

/** The planes of all scenes. */
export class ImagePlanes {
  readonly scenes: readonly ImageScene[];
  readonly sizes: Readonly<Record<"T" | "C" | "Z", number>>;
  readonly channels: readonly (number | string)[];
  readonly warnings: readonly Warning[];

  /**
   * Finds the plane of each image; of several images of one plane, the last one that is stored counts. `isStored` says whether the
   * samples of an image are in an existing file. @throws {DecodeFailed} too many axes, planes or scenes
   */
  constructor(images: readonly NDTiffImage[], isStored: (image: NDTiffImage) => boolean) {
    const names = collectAxisNames(images);
    const zName = names.has("z") ? "z" : "Z";
    const time = buildPlaneAxis("time", images);
    const channel = buildPlaneAxis("channel", images);
    const slice = buildPlaneAxis(zName, images);
    const [T, C, Z] = [time.size, channel.size, slice.size];
    if (T * C * Z > MAX_PLANES) {
      throw new DecodeFailed(`its axes declare ${T} x ${C} x ${Z} planes, more than ${MAX_PLANES}`);
    }
    this.sizes = { T, C, Z };
    this.channels = channel.values;
    const places = PLACE_AXES.filter((name) => names.has(name));
    const unknown = [...names].filter((name) =>
      !["time", "channel", zName, ...places].includes(name) &&
      new Set(images.map((image) => findAxisValue(image, name))).size > 1
    );
    const scenes = new SceneTable([...places, ...unknown]);
    let repeated = 0;
    for (const image of images) {
      const scene = scenes.sceneOf(image);
      const number = this.#number({ t: time.at(image), channel: channel.at(image), z: slice.at(image) });
      if (!isStored(image)) continue;
      if (scene.images.has(number)) repeated += 1;
      scene.images.set(number, image);
    }
    this.scenes = scenes.list();
    this.warnings = [
      ...warnIf(
        unknown.length > 0,
        "axes_assumed",
        `Each value of "${unknown.join(`", "`)}" is a scene: what the axis stands for is unknown`,
      ),
      ...warnIf(
        time.isPartial || channel.isPartial || slice.isPartial,
        "axes_assumed",
        "Some images of NDTiff lack an axis that others have; they are taken as the first along it",
      ),
      ...warnIf(
        repeated > 0,
        "planes_repeated",
        `Some images of NDTiff have the axes of a later one, which is served instead: ${repeated}`,
      ),
    ];
  }

  #number({ t, channel, z }: PlaneAt): number {
    const { C, Z } = this.sizes;
    return (t * C + channel) * Z + z;
  }

  find({ images }: ImageScene, at: PlaneAt): NDTiffImage | undefined {
    return images.get(this.#number(at));
  }

  first(scene: ImageScene): NDTiffImage {
    return this.find(scene, this.start(scene))!;
  }

  firstOf(channel: number): NDTiffImage | undefined {
    const { C, Z } = this.sizes;
    return this.scenes.values().flatMap(({ images }) => images)
      .find(([number]) => Math.floor(number / Z) % C === channel)?.[1];
  }

  start({ images }: ImageScene): PlaneAt {
    const { C, Z } = this.sizes;
    const first = images.keys().reduce((least, number) => Math.min(least, number));
    return { t: Math.floor(first / (C * Z)), channel: Math.floor(first / Z) % C, z: first % Z };
  }
}

/** Longest JSON of an image in bytes; the properties of all devices take some thousand. */
const MAX_NOTE_BYTES = 1 << 20;

/** Number of images along an axis whose JSON is read. Of more along T, the first ones are read; along Z, the first and the last. */
const MAX_NOTES = 10_000;

/** Number of channels whose names are read from images. */
const MAX_NAMES = 64;

/** The stored text of an image. @throws {DecodeFailed} the text lies outside the file, or is too long */
export function readNoteText(
  { file }: TiffFile,
  { noteOffset, noteLength }: NDTiffImage,
  most: number,
): string {
  if (noteLength > most) throw new DecodeFailed(`the metadata of the image have ${noteLength} bytes`);
  // In tag 51123 the text ends with a NUL.
  return decodeText(file.read(noteOffset, noteLength, "the metadata of the image"));
}

/** The JSON of an image. @throws {DecodeFailed} it is damaged or cannot be read */
export function readNote(tiff: TiffFile, image: NDTiffImage): JsonObject {
  const note = parseJsonText(readNoteText(tiff, image, MAX_NOTE_BYTES), "the metadata of the image");
  if (!isJsonObject(note)) throw new DecodeFailed("the metadata of the image are not an object");
  return note;
}

/** Steps, times, names and date by the summary and the JSON of the images. The pixel size of a reduced level is unknown. */
export function describeNDTiffScene(
  planes: ImagePlanes,
  scene: ImageScene,
  summary: JsonObject,
  isReduced: boolean,
  note: (image: NDTiffImage) => JsonObject,
): Pick<Stack, "calibrations" | "names" | "stamps" | "moment" | "warnings"> {
  const { T, C, Z } = planes.sizes;
  const notes = new SceneNotes(planes, scene, note);
  const { first, numbers, warnings } = notes;
  const pixel = readPixelSide(notes, summary, isReduced);
  const depth = readSliceDistance(notes, summary, Z);
  const { interval, stamps } = readTiming(notes, summary, T);
  const side = [pixel, "um"] as const;
  return {
    calibrations: selectCalibrations({
      X: side,
      Y: side,
      Z: [Z > 1 ? depth : null, "um"],
      T: [T > 1 ? interval : null, "ms"],
    }, []),
    names: Array.from({ length: C }, (_, channel) => notes.nameOf(channel)),
    stamps,
    moment: chooseMoment(...[first.Time, summary.DateAndTime].map((text) => findMoment(findJsonText(text)))),
    warnings: [...warnings, ...numbers.warnings],
  };
}

/** The JSON of the images of a scene, which is read where it is asked for. */
class SceneNotes {
  readonly warnings: Warning[] = [];
  readonly numbers = new StatedNumbers("The metadata of NDTiff");
  /** The JSON of the first image. */
  readonly first: JsonObject;
  readonly #planes: ImagePlanes;
  readonly #scene: ImageScene;
  readonly #note: (image: NDTiffImage) => JsonObject;
  readonly #start: PlaneAt;

  constructor(planes: ImagePlanes, scene: ImageScene, note: (image: NDTiffImage) => JsonObject) {
    this.#planes = planes;
    this.#scene = scene;
    this.#note = note;
    this.#start = planes.start(scene);
    this.first = this.#read(planes.find(scene, this.#start));
  }

  /** A number of the image at an index along an axis; of the other axes, at those of the first image. */
  valueAt(axis: keyof PlaneAt, index: number, key: string): number | null {
    const image = this.#planes.find(this.#scene, { ...this.#start, [axis]: index });
    return this.numbers.value(key, this.#read(image)[key]);
  }

  nameOf(channel: number): string | null {
    const value = this.#planes.channels[channel];
    if (typeof value === "string") return value;
    const image = channel < MAX_NAMES ? this.#planes.firstOf(channel) : undefined;
    return findJsonText(this.#read(image).Channel) || null;
  }

  warn(code: WarningCode, text: string): void {
    this.warnings.push(warning(code, text));
  }

  /** Warns if the images and the summary state different lengths in micrometres. */
  compare(what: string, images: number, declared: number): void {
    if (images <= 0 || declared <= 0 || !differsByPercent(images, declared)) return;
    const text = `The images say that ${what} is ${images} um, the summary says ${declared}`;
    this.warn("metadata_disagree", `${text}; the images count`);
  }

  #read(image: NDTiffImage | undefined): JsonObject {
    return image && unlessLost(this.warnings, "The metadata of an image", () => this.#note(image)) || {};
  }
}

/** Side of a pixel in micrometres; `null` for a reduced level. */
function readPixelSide(notes: SceneNotes, summary: JsonObject, isReduced: boolean): number | null {
  const { first, numbers } = notes;
  const declared = numbers.value("PixelSize_um", summary.PixelSize_um) ?? 0;
  const pixel = numbers.value("PixelSizeUm", first.PixelSizeUm) ??
    numbers.value("PixelSize_um", first.PixelSize_um) ?? declared;
  if (isReduced) return null;
  if (!(pixel > 0)) notes.warn("step_unknown", "PixelSizeUm is not set, so the step of X and Y is unknown");
  const unset = "PixelSizeUm is exactly 1, which Micro-Manager also writes where no size was set";
  if (pixel === 1) notes.warn("step_unknown", unset);
  notes.compare("a pixel", pixel, declared);
  return pixel;
}

/** Distance of slices in micrometres, by the heights of the images or else the summary. */
function readSliceDistance(notes: SceneNotes, summary: JsonObject, slices: number): number {
  const read = slices <= MAX_NOTES ? [...Array(slices).keys()] : [0, slices - 1];
  const heights = read.flatMap((index): Sample[] => {
    const value = slices < 2 ? null : notes.valueAt("z", index, "ZPosition_um_Intended");
    return value === null ? [] : [{ index, value }];
  });
  const declared = Math.abs(notes.numbers.value("z-step_um", summary["z-step_um"]) ?? 0);
  const depth = computeMeanDistance(heights) ?? declared;
  if (slices < 2) return depth;
  if (!(depth > 0)) notes.warn("step_unknown", "The images of NDTiff do not say how far apart they are in Z");
  notes.compare("a step in Z", depth, declared);
  const uneven = heights.find((_, i) =>
    i > 0 && differsByPercent(computeMeanDistance(heights.slice(i - 1, i + 1)) ?? 0, depth)
  );
  const text = `The distances in Z differ, as at z ${uneven?.index}; the step is their mean`;
  if (uneven !== undefined) notes.warn("step_uneven", text);
  return depth;
}

/** The interval that the summary states, in milliseconds, and the times of the images, if they state some. */
function readTiming(
  notes: SceneNotes,
  summary: JsonObject,
  times: number,
): { interval: number; stamps: TimeStamps | null } {
  const length = times < 2 ? 0 : Math.min(times, MAX_NOTES);
  const moments = Array.from({ length }, (_, t) => notes.valueAt("t", t, "ElapsedTime-ms") ?? NaN);
  const isTimed = moments.some(Number.isFinite);
  const interval = notes.numbers.value("Interval_ms", summary.Interval_ms) ?? 0;
  const untimed = "The images of NDTiff do not say when they were taken";
  if (times > 1 && !isTimed && !(interval > 0)) notes.warn("step_unknown", untimed);
  return { interval, stamps: isTimed ? scaleStamps(moments, 1000, length < times) : null };
}

type Sample = Readonly<Record<"index" | "value", number>>;

/** Mean distance from one index to the next; `null` if it is unknown or 0. */
function computeMeanDistance(samples: readonly Sample[]): number | null {
  const [first, last] = [samples[0], samples.at(-1)];
  if (first === undefined || last === undefined || first.index === last.index) return null;
  return Math.abs(last.value - first.value) / (last.index - first.index) || null;
}
