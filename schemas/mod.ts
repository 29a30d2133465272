/** The documents of a collection: their kinds, zod schemas and JSON Schemas. */
export {
  DOCUMENT_KINDS,
  type DocumentKind,
  type DocumentKindName,
  documentKindOf,
} from "./document_kinds.ts";
