import type { z } from "zod";

/** The kinds of collection documents. */
export const DOCUMENT_KINDS: readonly {
  kind: string;
  format: string;
  schema: z.ZodType;
  jsonSchema: object;
}[] = [];
