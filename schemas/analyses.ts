/** The analyses document, conventionally `analyses.json`. */
import { z } from "zod";
import { csvResource, freeObject, opaqueId, text } from "./shared.ts";

/** One analysis of an image with the tables that it gave. */
export const analysis = z.strictObject({
  id: opaqueId,
  type: text,
  roi_id: opaqueId.optional(),
  channel: z.int().min(0).optional(),
  parameters: freeObject.optional(),
  summary: freeObject.optional(),
  resources: z.array(csvResource).min(1),
});

/** The analyses of one image. */
export const analyses = z.strictObject({
  format: z.literal("store-analyses"),
  version: z.literal(1),
  image_id: opaqueId,
  analyses: z.array(analysis),
});
