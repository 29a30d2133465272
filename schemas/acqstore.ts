/**
 * The documents of a collection in the layout of acqstore 0.2.0: the list of images, and the sidecar and the manifest of each image.
 * Fields that nothing reads may be there, too, and are kept.
 */
import { z } from "zod";
import { freeObject, opaqueId, relativePath, text } from "./shared.ts";

/** Constant of the field `format` of the list of images. */
export const IMAGE_LIST_FORMAT = "acqstore-acq-image-collection";

const listedImage = z.looseObject({
  id: opaqueId,
  name: z.string(),
  source: z.looseObject({ filename: z.string().nullable().optional() }).optional(),
  ome_zarr_path: relativePath,
  sidecar_path: relativePath,
  manifest_path: relativePath,
  reference_image_path: relativePath.nullable().optional(),
  summary: freeObject.optional(),
});

/** The list of images, `acqstore/acq_image_collection.json`. */
export const imageList = z.looseObject({
  format: z.literal(IMAGE_LIST_FORMAT),
  version: z.literal(1),
  name: text,
  created_utc: z.string().optional(),
  acqstore_version: z.string().optional(),
  acq_images: z.array(listedImage),
  analysis_tables: z.record(z.string().min(1), z.union([relativePath, z.looseObject({ csv: relativePath })]))
    .optional(),
});

/** A valid {@linkcode imageList}. */
export type ImageList = z.infer<typeof imageList>;

const channel = z.int().min(0);

/** Says which analysis an entry of the sidecar or of the manifest is about. */
const analysisKey = {
  analysis_name: text,
  channel,
  roi_id: z.union([z.int(), text]),
};

const sidecarAnalysis = z.looseObject({
  ...analysisKey,
  summary: freeObject.nullable().optional(),
  detection_params: freeObject.nullable().optional(),
});

/** The sidecar of an image, `acqstore/acq_image.json`. Regions are judged one by one. */
export const sidecar = z.looseObject({
  version: z.literal(2),
  accepted: z.boolean(),
  rois: z.array(freeObject),
  analysis: z.array(sidecarAnalysis),
  experiment_metadata: freeObject.nullable().optional(),
  image_header_metadata: freeObject.optional(),
  image_contrast: freeObject.optional(),
  reference_image_metadata: freeObject.nullable().optional(),
});

/** A valid {@linkcode sidecar}. */
export type Sidecar = z.infer<typeof sidecar>;

const resource = relativePath.nullable().optional();

/** The manifest of an image, `acqstore/manifest.json`. Its paths are relative to the folder of the image. */
export const manifest = z.looseObject({
  format: z.literal("acqstore-native-ome-zarr"),
  version: z.literal(2),
  reference_image: relativePath.nullable().optional(),
  analyses: z.array(z.looseObject({
    id: opaqueId,
    ...analysisKey,
    resources: z.looseObject({ table: resource, peaks: resource }).nullable().optional(),
  })),
});

/** A valid {@linkcode manifest}. */
export type Manifest = z.infer<typeof manifest>;

const pixel = z.int().min(0);
const region = { roi_id: z.union([z.int(), text]), name: z.string().optional() };

/** A region of a sidecar, in rows and columns. */
export const foreignRegion = z.discriminatedUnion("roi_type", [
  z.looseObject({
    roi_type: z.literal("rectroi"),
    ...region,
    data: z.looseObject({ row_start: pixel, row_stop: pixel, col_start: pixel, col_stop: pixel }),
  }),
  z.looseObject({
    roi_type: z.literal("linesegmentroi"),
    ...region,
    data: z.looseObject({ row0: pixel, col0: pixel, row1: pixel, col1: pixel }),
  }),
]);

/** The scan path of a reference image, in its pixels. */
export const foreignPath = z.looseObject({
  has_scan_path: z.boolean(),
  scan_path_num_points: z.int().min(0).optional(),
  scan_path_x_pixels: z.array(z.number()),
  scan_path_y_pixels: z.array(z.number()),
});
