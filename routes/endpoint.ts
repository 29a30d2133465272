/** What a row of the endpoint table tells. */
import type { z } from "zod";
import type * as schemas from "../schemas/http.ts";
import type { Handler } from "./context.ts";

/** The schemas of bodies, which are loaded when the first of them is needed: `schemas/http.ts`. */
export type Schemas = typeof schemas;

/** Name of one of them. */
export type SchemaName = {
  [Name in keyof Schemas]: Schemas[Name] extends z.ZodType ? Name : never;
}[keyof Schemas];

/** What a success looks like. */
export interface Success {
  /** HTTP status. */
  readonly status: 200 | 302;
  /** What the answer is. */
  readonly description: string;
  /** Media type of the body; absent where there is none. */
  readonly mediaType?: string;
  /** Schema of a JSON body. */
  readonly schema?: SchemaName;
  /** A body, for the document. */
  readonly example?: unknown;
}

/** One resource with one method. */
export interface Endpoint {
  /** HTTP method. */
  readonly method: "GET" | "POST" | "DELETE";
  /** Path with its parameters in braces. */
  readonly path: string;
  /** Name of the operation in the OpenAPI document. */
  readonly id: string;
  /** Group in the OpenAPI document. */
  readonly tag: "service" | "acquisitions" | "sessions" | "pages";
  /** What it does. */
  readonly summary: string;
  /** Schema of the JSON body of the request. */
  readonly request?: SchemaName;
  /** Bodies, for the document, by what they ask for. */
  readonly requestExamples?: Readonly<Record<string, unknown>>;
  /** Its answer when all is well. */
  readonly success: Success;
  /** True for what is no part of the contract: short paths that people type, files that a page names. */
  readonly isUndocumented?: boolean;
  /** True where a single byte range can be asked for (206). */
  readonly ranges?: boolean;
  /** True where the query chooses a plane along T, Z and L. */
  readonly positions?: boolean;
  /** Codes that this endpoint answers besides those of every endpoint. */
  readonly errors: readonly schemas.ErrorCode[];
  /** Answers it. */
  readonly handler: Handler;
}
