/** The collection document, conventionally `collection.json`. */
import { z } from "zod";
import { csvResource, dateTime, freeObject, opaqueId, producer, relativePath, text } from "./shared.ts";

/** One OME-Zarr image with its companions. */
const member = z.strictObject({
  id: opaqueId,
  name: text,
  ome_zarr: relativePath,
  resources: z.strictObject({ acqimage: relativePath, analyses: relativePath.optional() }),
  reference_image: z.strictObject({ ome_zarr: relativePath, metadata: relativePath }).optional(),
  summary: freeObject.optional(),
});

/** A set of members. */
export const collection = z.strictObject({
  format: z.literal("store-ome-zarr-collection"),
  version: z.literal(1),
  id: opaqueId,
  name: text,
  created: dateTime.optional(),
  producer: producer.optional(),
  members: z.array(member),
  resources: z.strictObject({ tables: z.array(csvResource).optional() }).optional(),
  metadata: freeObject.optional(),
});

/** A valid {@linkcode member}. */
export type Member = z.infer<typeof member>;

/** A valid {@linkcode collection}. */
export type Collection = z.infer<typeof collection>;
