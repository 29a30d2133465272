/** What the JSON of the images of an NDTiff data set says of a scene: steps, times, names, date. */
import { calibrationsOf } from "../../axes.ts";
import { DecodeFailed } from "../../errors.ts";
import { isJsonObject, type JsonObject, parseJson } from "../../json.ts";
import { firstMoment, momentOf } from "../../moment.ts";
import { type Warning, warning } from "../../warning.ts";
import type { Stack } from "../stack.ts";
import type { ImagePlace } from "./ndtiff_images.ts";
import type { ImagePlanes } from "./ndtiff_planes.ts";
import type { TiffFile } from "../tiff_file.ts";

/** Bytes of the JSON of one image; the properties of all devices take some thousand. */
const MAX_NOTE_BYTES = 1 << 20;

/** Images along an axis whose JSON is read; of a longer one the first and the last tell the step. */
const MAX_NOTES = 10_000;

/** Channels whose names are looked up in images. */
const MAX_NAMES = 64;

/** Share by which two values of one thing may differ. */
const TOLERANCE = 0.01;

/** The text of an image as it stands in its file. @throws {DecodeFailed} it does not lie there, or is too long */
export function noteBytes(
  { file }: TiffFile,
  { noteOffset, noteLength }: ImagePlace,
  most: number,
): Uint8Array {
  if (noteLength > most) throw new DecodeFailed(`the metadata of the image have ${noteLength} bytes`);
  const bytes = file.read(noteOffset, noteLength, "the metadata of the image");
  const end = bytes.indexOf(0);
  return end < 0 ? bytes : bytes.subarray(0, end);
}

/** The JSON of an image. @throws {DecodeFailed} it is damaged or cannot be read */
export function readNote(tiff: TiffFile, place: ImagePlace): JsonObject {
  const note = parseJson(noteBytes(tiff, place, MAX_NOTE_BYTES), "the metadata of the image");
  if (!isJsonObject(note)) throw new DecodeFailed("the metadata of the image are no object");
  return note;
}

/** What is known of a scene. */
export interface DescribedScene extends Pick<Stack, "calibrations" | "names" | "times" | "moment"> {
  /** What is doubtful about it; more may be added. */
  readonly warnings: Warning[];
}

/** Where the JSON of the images is found. */
export interface NoteSource {
  /** Which image is which plane. */
  readonly planes: ImagePlanes;
  /** The summary of the acquisition, empty where it cannot be read. */
  readonly summary: JsonObject;
  /** The JSON of an image; `null` where the image is not there. @throws {DecodeFailed} it is damaged */
  note(image: number): JsonObject | null;
  /** The first image of a channel, of all scenes, that is there. */
  firstImage(channel: number): number | undefined;
  /** True for a reduced level of a pyramid. */
  readonly reduced: boolean;
}

/**
 * Describes a scene by its images.
 *
 * @param start first plane of the scene that is there
 */
export function describeScene(
  source: NoteSource,
  scene: number,
  start: { readonly t: number; readonly channel: number; readonly z: number },
): DescribedScene {
  const { planes, summary, reduced } = source;
  const { T, C, Z } = planes.sizes;
  const damaged: string[] = [];
  const noteOf = (image: number): JsonObject => {
    try {
      return source.note(image) ?? {};
    } catch (error) {
      if (!(error instanceof DecodeFailed)) throw error;
      damaged.push(error.message);
      return {};
    }
  };
  const noteAt = (at: Partial<typeof start>): JsonObject => {
    const image = planes.find(scene, { ...start, ...at });
    return image === undefined ? {} : noteOf(image);
  };
  const along = (axis: "t" | "z", size: number, key: string): Sample[] => {
    const read = size <= MAX_NOTES ? Array.from({ length: size }, (_, i) => i) : [0, size - 1];
    return read.flatMap((index) => {
      const value = finite(noteAt({ [axis]: index })[key]);
      return value === null ? [] : [{ index, value }];
    });
  };
  const first = noteAt({});
  const warnings: Warning[] = [];
  const pixel = finite(first.PixelSizeUm) ?? finite(first.PixelSize_um) ?? finite(summary.PixelSize_um);
  warnings.push(...pixelWarnings(pixel, finite(summary.PixelSize_um), reduced));
  const heights = Z > 1 ? along("z", Z, "ZPosition_um_Intended") : [];
  const declared = Math.abs(finite(summary["z-step_um"]) ?? 0);
  const depth = meanDistance(heights) ?? declared;
  if (Z > 1) warnings.push(...depthWarnings(heights, depth, declared));
  const moments = T > 1 ? along("t", T, "ElapsedTime-ms") : [];
  const interval = meanDistance(moments) ?? finite(summary.Interval_ms);
  if (T > 1 && !(interval !== null && interval > 0)) {
    warnings.push(warning("step_unknown", "The images of NDTiff do not say when they were taken"));
  }
  const names = Array.from({ length: C }, (_, channel) => {
    const value = planes.channels[channel];
    if (typeof value === "string") return value;
    const image = channel < MAX_NAMES ? source.firstImage(channel) : undefined;
    return image === undefined ? null : textOf(noteOf(image).Channel) || null;
  });
  if (damaged.length > 0) {
    const more = damaged.length > 1 ? ` (and of ${damaged.length - 1} more images)` : "";
    warnings.push(warning("metadata_damaged", `Metadata of NDTiff are left out: ${damaged[0]}${more}`));
  }
  return {
    calibrations: calibrationsOf({
      X: [reduced ? null : pixel, "um"],
      Y: [reduced ? null : pixel, "um"],
      Z: [Z > 1 ? depth : null, "um"],
      T: [T > 1 ? interval : null, "ms"],
    }),
    names,
    times: moments.length === T ? moments.map(({ value }) => (value - moments[0]!.value) / 1000) : null,
    moment: firstMoment(...[first.Time, summary.DateAndTime].map((text) => momentOf(textOf(text)))),
    warnings,
  };
}

/** A value at an index along an axis. */
interface Sample {
  readonly index: number;
  readonly value: number;
}

const finite = (value: unknown): number | null =>
  typeof value === "number" && Number.isFinite(value) ? value : null;

const textOf = (value: unknown): string => typeof value === "string" ? value : "";

/** Mean distance from one index to the next, or `null`. */
function meanDistance(samples: readonly Sample[]): number | null {
  const [first, last] = [samples[0], samples.at(-1)];
  if (first === undefined || last === undefined || first.index === last.index) return null;
  return Math.abs(last.value - first.value) / (last.index - first.index) || null;
}

function pixelWarnings(pixel: number | null, declared: number | null, reduced: boolean): Warning[] {
  if (reduced) return [];
  if (pixel === null || pixel <= 0) {
    return [warning("step_unknown", "PixelSizeUm is not set, so the step of X and Y is unknown")];
  }
  const warnings: Warning[] = [];
  if (pixel === 1) {
    warnings.push(
      warning(
        "step_unknown",
        "PixelSizeUm is exactly 1, which Micro-Manager also writes where no size was set",
      ),
    );
  }
  if (declared !== null && declared > 0 && differ(pixel, declared)) {
    warnings.push(
      warning(
        "metadata_disagree",
        `The image says PixelSizeUm ${pixel}, the summary ${declared}; that of the image counts`,
      ),
    );
  }
  return warnings;
}

function depthWarnings(heights: readonly Sample[], depth: number, declared: number): Warning[] {
  if (depth <= 0) {
    return [warning("step_unknown", "The images of NDTiff do not say how far apart they are in Z")];
  }
  const warnings: Warning[] = [];
  if (heights.length > 1 && declared > 0 && differ(depth, declared)) {
    warnings.push(
      warning(
        "metadata_disagree",
        `The images are ${depth} um apart in Z, the summary says ${declared}; the images count`,
      ),
    );
  }
  const uneven = heights.find(({ index, value }, i) => {
    const before = heights[i - 1];
    return before !== undefined && differ(Math.abs(value - before.value) / (index - before.index), depth);
  });
  if (uneven !== undefined) {
    warnings.push(
      warning("step_uneven", `The distances in Z differ, as at z ${uneven.index}; the step is their mean`),
    );
  }
  return warnings;
}

const differ = (one: number, other: number) => Math.abs(one - other) > TOLERANCE * Math.max(one, other);
