/** The table of the four kinds of documents, each with its zod schema and its JSON Schema (draft 2020-12). */
import { z } from "zod";
import { analyses } from "./analyses.ts";
import { collection } from "./collection.ts";
import { acqimage } from "./image.ts";
import { withStandIns } from "./proto_key.ts";
import { referenceImage } from "./reference_image.ts";

/** Names of the kinds, as `/schemas/KIND.json` and `acq-server schema KIND` take them. */
export type DocumentKindName = "collection" | "acqimage" | "analyses" | "reference-image";

/** One kind of document. */
export interface DocumentKind {
  /** Its name. */
  readonly kind: DocumentKindName;
  /** Its name for people. */
  readonly title: string;
  /** Constant of the field `format`. */
  readonly format: string;
  /** Judges a document as the JSON Schema does. */
  readonly schema: z.ZodType;
  /** Draft 2020-12. */
  readonly jsonSchema: Readonly<Record<string, unknown>>;
}

function documentKind(
  kind: DocumentKindName,
  title: string,
  schema: z.ZodType & { readonly shape: { readonly format: { readonly value: string } } },
): DocumentKind {
  const { $schema, ...rest } = z.toJSONSchema(schema, { target: "draft-2020-12", io: "input" });
  const jsonSchema = { $schema, $id: `urn:acq-server:schemas:${kind}:1`, title, ...rest };
  const judging = z.preprocess(withStandIns, schema);
  return { kind, title, format: schema.shape.format.value, schema: judging, jsonSchema };
}

const KINDS: Readonly<Record<DocumentKindName, DocumentKind>> = {
  collection: documentKind("collection", "Collection document", collection),
  acqimage: documentKind("acqimage", "Image document", acqimage),
  analyses: documentKind("analyses", "Analyses document", analyses),
  "reference-image": documentKind("reference-image", "Reference-image document", referenceImage),
};

/** All kinds, in the order of the specification. */
export const DOCUMENT_KINDS: readonly DocumentKind[] = Object.values(KINDS);

/** The kind of a name. */
export function documentKindOf(name: DocumentKindName): DocumentKind {
  return KINDS[name];
}
