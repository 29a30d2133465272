/** The image document, conventionally `acqimage.json`: acceptance, regions of interest, display of the axes. */
import { z } from "zod";
import { freeObject, opaqueId, pixelPoint, text } from "./shared.ts";

const common = {
  id: opaqueId,
  name: text.optional(),
  coordinate_space: z.literal("primary-image-full-resolution-pixels"),
  metadata: freeObject.optional(),
};

/** The fields that regions of every type have. */
export const roiCommon = z.object(common);

/** Values of `type` of a region. */
export const ROI_TYPES: readonly string[] = ["point", "line", "rectangle"];

/** A region of interest. */
const roi = z.discriminatedUnion("type", [
  z.strictObject({ type: z.literal("point"), ...common, position: pixelPoint }),
  z.strictObject({ type: z.literal("line"), ...common, start: pixelPoint, stop: pixelPoint }),
  z.strictObject({ type: z.literal("rectangle"), ...common, start: pixelPoint, stop: pixelPoint }),
]);

/** How an axis is to be shown: its unit and the step per sample in it. */
const axisDisplayEntry = z.strictObject({ type: text, unit: text, scale: z.number().gt(0) });

/** By exact OME axis name. Zod has no rule for the least number of properties, so this one is written twice. */
const axisDisplay = z.record(z.string().min(1), axisDisplayEntry)
  .refine((axes) => Object.keys(axes).length > 0, { error: "must have at least one property" })
  .meta({ minProperties: 1 });

/** One image of a collection. */
export const acqimage = z.strictObject({
  format: z.literal("store-acqimage"),
  version: z.literal(1),
  image_id: opaqueId,
  accepted: z.boolean(),
  rois: z.array(roi),
  experiment_metadata: freeObject.optional(),
  image_metadata: freeObject.optional(),
  axis_display: axisDisplay.optional(),
});

/** A valid {@linkcode acqimage}. */
export type ImageDocument = z.infer<typeof acqimage>;
