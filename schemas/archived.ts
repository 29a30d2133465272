/**
 * What this program keeps of a recording under the key `acq_server` in the free objects of an archive's documents, so that the
 * archive opens like the recording. Others may have written there, too: each field is read alone, and one that does not fit is left out.
 */
import { z } from "zod";
import { isJsonObject } from "./json_object.ts";

const seconds = z.number().positive().nullable();
const color = z.string().regex(/^#[0-9a-f]{6}$/).nullable();
const points = z.array(z.number());

/** Fields in an image document. */
const IMAGE = {
  /** The file that was recorded, not an archive of it. `name` has no folder. */
  source: z.object({ name: z.string(), format: z.string(), fingerprint: z.string().nullable() }),
  /** Index of the scene in that file. */
  scene: z.int().nonnegative(),
  date: z.string().regex(/^(?:\d{4}(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01]))?$/),
  time: z.string().regex(/^(?:(?:[01]\d|2[0-3]):[0-5]\d:(?:[0-5]\d|60))?$/),
  lineScan: z.object({
    secondsPerLine: seconds,
    secondsPerPixel: seconds,
    bidirectional: z.boolean().nullable(),
  }).nullable(),
  /** Seconds of each time point, or of each line; as many as a recording has at most. */
  times: z.array(z.number()).max(200_000).nullable(),
  /** Sample type in that file. */
  sourceDtype: z.string(),
  /** Sample type of each channel in that file. */
  sample_types: z.array(z.string()),
  /** Colour of each written channel in that file. */
  colors: z.array(color),
  /** `[x0, y0, x1, y1]` in pixels of the reference image. */
  lineRoi: z.tuple([z.number(), z.number(), z.number(), z.number()]).nullable(),
  warnings: z.array(z.object({ code: z.string(), text: z.string() })).max(1000),
  /** The only time point and focus plane that were written. */
  position: z.object({ t: z.int().nonnegative(), z: z.int().nonnegative() }),
  /** Wavelengths of each channel, which are written as channels. */
  spectral: z.object({ size: z.int().positive(), index: z.string() }),
} as const;

/** Fields in the document of a reference image. */
const REFERENCE = {
  scan_path: z.object({ x: points, y: points }).nullable(),
  colors: z.array(color),
  sample_types: z.array(z.string()),
  /** Steps that the image cannot express, by axis. */
  axis_display: z.record(z.string(), z.object({ unit: z.string(), scale: z.number().positive() })),
} as const;

type LooseFields<Shape extends Readonly<Record<string, z.ZodType>>> = {
  readonly [Key in keyof Shape]?: z.infer<Shape[Key]>;
};

/** What an image document keeps. */
export type ArchivedImage = LooseFields<typeof IMAGE>;

/** What the document of a reference image keeps. */
export type ArchivedReference = LooseFields<typeof REFERENCE>;

/** The fields under `acq_server` that fit, and the names of the others that are known. */
export interface ArchivedFields<T> {
  readonly fields: T;
  readonly damaged: readonly string[];
}

/** Reads `acq_server` in the `image_metadata` of an image document. */
export const readArchivedImage = (owner: unknown): ArchivedFields<ArchivedImage> =>
  readFittingFields(owner, IMAGE);

/** Reads `acq_server` in the `metadata` of the document of a reference image. */
export const readArchivedReference = (owner: unknown): ArchivedFields<ArchivedReference> =>
  readFittingFields(owner, REFERENCE);

function readFittingFields<Shape extends Readonly<Record<string, z.ZodType>>>(
  owner: unknown,
  shape: Shape,
): ArchivedFields<LooseFields<Shape>> {
  const own = isJsonObject(owner) ? owner["acq_server"] : undefined;
  const fields: Record<string, unknown> = {};
  const damaged: string[] = [];
  for (const [key, schema] of Object.entries(shape)) {
    const value = isJsonObject(own) ? own[key] : undefined;
    if (value === undefined) continue;
    const { success, data } = schema.safeParse(value);
    if (success) fields[key] = data;
    else damaged.push(key);
  }
  return { fields: fields as LooseFields<Shape>, damaged };
}
