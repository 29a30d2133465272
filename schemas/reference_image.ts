/** The reference-image document, conventionally `reference-image.json`. */
import { z } from "zod";
import { freeObject, opaqueId, pixelPoint } from "./shared.ts";

/** What the overview of a line scan is, and the way of the laser in it. */
export const referenceImage = z.strictObject({
  format: z.literal("store-reference-image"),
  version: z.literal(1),
  image_id: opaqueId,
  scan_path: z.strictObject({
    coordinate_space: z.literal("reference-image-full-resolution-pixels"),
    points: z.array(pixelPoint).min(2),
  }).optional(),
  metadata: freeObject.optional(),
});

/** A valid {@linkcode referenceImage}. */
export type ReferenceImageDocument = z.infer<typeof referenceImage>;
