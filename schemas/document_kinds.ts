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
  readonly kind: DocumentKindName;
  readonly title: string;
  /** Constant of the field `format`. */
  readonly format: string;
  // deno-lint-ignore no-explicit-any -- the output type of a schema is of no use in a table
  readonly schema: z.ZodType<any>;
  readonly jsonSchema: Readonly<Record<string, unknown>>;
}

function documentKind(
  kind: DocumentKindName,
  title: string,
  schema: z.ZodObject<{ format: z.ZodLiteral<string> }>,
): DocumentKind {
  const { $schema, ...rest } = z.toJSONSchema(schema, { target: "draft-2020-12", io: "input" });
  const jsonSchema = { $schema, $id: `urn:acq-server:schemas:${kind}:1`, title, ...rest };
  const judging = z.preprocess(withStandIns, schema);
  return { kind, title, format: schema.shape.format.value, schema: judging, jsonSchema };
}

/** All kinds, in the order of the specification. */
export const DOCUMENT_KINDS: readonly DocumentKind[] = [
  documentKind("collection", "Collection document", collection as never),
  documentKind("acqimage", "Image document", acqimage as never),
  documentKind("analyses", "Analyses document", analyses as never),
  documentKind("reference-image", "Reference-image document", referenceImage as never),
];

/** The kind of a name. */
export function documentKindOf(name: DocumentKindName): DocumentKind {
  return DOCUMENT_KINDS.find(({ kind }) => kind === name)!;
}
