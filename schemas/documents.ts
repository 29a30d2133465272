/** The four kinds of collection documents, each with its zod schema and its JSON Schema (draft 2020-12). */
import { z } from "zod";
import { isJsonObject } from "./json_object.ts";
import {
  csvResource,
  dateTime,
  freeObject,
  opaqueId,
  pixelPoint,
  producer,
  relativePath,
  text,
} from "./shared.ts";

const member = z.strictObject({
  id: opaqueId,
  name: text,
  ome_zarr: relativePath,
  resources: z.strictObject({ acqimage: relativePath, analyses: relativePath.optional() }),
  reference_image: z.strictObject({ ome_zarr: relativePath, metadata: relativePath }).optional(),
  summary: freeObject.optional(),
});

/** Largest number of members of a collection; an acquisition of a day has some thousand. */
export const MAX_MEMBERS = 100_000;

/** The problem of a collection document with too many members, or `null`. Judging them would take hundreds of bytes of heap each. */
export function findMemberCountProblem(value: unknown): string | null {
  const members = isJsonObject(value) ? value["members"] : null;
  return Array.isArray(members) && members.length > MAX_MEMBERS
    ? `it has ${members.length} members, more than ${MAX_MEMBERS}`
    : null;
}

/** The collection document, conventionally `collection.json`. */
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

const common = {
  id: opaqueId,
  name: text.optional().describe("Name for people"),
  coordinate_space: z.literal("primary-image-full-resolution-pixels").describe("Pixels of the image"),
  metadata: freeObject.optional().describe("Anything else"),
};

/** Fields of every region. */
export const roiCommon = z.object(common);

/** Values of `type` of a region. */
export const ROI_TYPES: readonly string[] = ["point", "line", "rectangle"];

const roiType = <Type extends string>(type: Type) => z.literal(type).describe("Kind of region");

/** A region of interest. */
export const roi = z.discriminatedUnion("type", [
  z.strictObject({ type: roiType("point"), ...common, position: pixelPoint }),
  z.strictObject({ type: roiType("line"), ...common, start: pixelPoint, stop: pixelPoint }),
  z.strictObject({ type: roiType("rectangle"), ...common, start: pixelPoint, stop: pixelPoint }),
]);

const axisDisplayEntry = z.strictObject({
  type: text.describe("Such as time or space"),
  unit: text.describe("Unit of the scale"),
  scale: z.number().gt(0).describe("Step between two pixels"),
});

/** Entries by OME axis name. Zod has no rule for `minProperties`. */
export const axisDisplay = z.record(z.string().min(1), axisDisplayEntry)
  .refine((axes) => Object.keys(axes).length > 0, { error: "must have at least one property" })
  .meta({ minProperties: 1 });

/** The image document, conventionally `acqimage.json`. */
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

/** One analysis of an image with its tables. */
export const analysis = z.strictObject({
  id: opaqueId,
  type: text,
  roi_id: opaqueId.optional(),
  channel: z.int().min(0).optional(),
  parameters: freeObject.optional(),
  summary: freeObject.optional(),
  resources: z.array(csvResource).min(1),
});

/** The analyses document, conventionally `analyses.json`. */
export const analyses = z.strictObject({
  format: z.literal("store-analyses"),
  version: z.literal(1),
  image_id: opaqueId,
  analyses: z.array(analysis),
});

/** Analyses that are opened, also those without tables. */
const openedAnalyses = analyses.extend({
  analyses: z.array(analysis.extend({ resources: z.array(csvResource).optional() })),
});

/** Valid {@linkcode analyses}, or the same without tables. */
export type AnalysesDocument = z.infer<typeof openedAnalyses>;

/** The reference-image document, conventionally `reference-image.json`. */
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

/** Names of the kinds, as in `/schemas/KIND.json` and `acq-server schema KIND`. */
export type DocumentKindName = "collection" | "acqimage" | "analyses" | "reference-image";

/** One kind of document. */
export interface DocumentKind {
  readonly kind: DocumentKindName;
  readonly title: string;
  /** Constant of the field `format`. */
  readonly format: string;
  /** Constant in the documents of acqstore, which are otherwise the same. */
  readonly foreignFormat: string;
  readonly schema: z.ZodType;
  /** Schema for opening, which is more lenient than for `validate`. */
  readonly openedSchema: z.ZodType;
  readonly jsonSchema: Readonly<Record<string, unknown>>;
}

function defineKind(
  kind: DocumentKindName,
  title: string,
  schema: z.ZodType & { readonly shape: { readonly format: { readonly value: string } } },
  openedSchema: z.ZodType = schema,
): DocumentKind {
  const { $schema, ...rest } = z.toJSONSchema(schema, { target: "draft-2020-12", io: "input" });
  const jsonSchema = { $schema, $id: `urn:acq-server:schemas:${kind}:1`, title, ...rest };
  const format = schema.shape.format.value;
  const foreignFormat = format.replace(/^store-/, "acqstore-");
  return { kind, title, format, foreignFormat, schema, openedSchema, jsonSchema };
}

const KINDS: Readonly<Record<DocumentKindName, DocumentKind>> = {
  collection: defineKind("collection", "Collection document", collection),
  acqimage: defineKind("acqimage", "Image document", acqimage),
  analyses: defineKind("analyses", "Analyses document", analyses, openedAnalyses),
  "reference-image": defineKind("reference-image", "Reference-image document", referenceImage),
};

/** All kinds, in the order of the specification. */
export const DOCUMENT_KINDS: readonly DocumentKind[] = Object.values(KINDS);

/** The kind with this name. */
export function findDocumentKind(name: DocumentKindName): DocumentKind {
  return KINDS[name];
}
