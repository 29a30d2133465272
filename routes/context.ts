/** The services that handlers use, and the row type of the endpoint table. */
import type { Context } from "@hono/hono";
import type { z } from "zod";
import type * as schemas from "../schemas/http.ts";
import type { ErrorCode } from "../schemas/served.ts";
import type { Clock } from "../session/clock.ts";
import type { DialogLimits } from "../session/dialog/dialog_limits.ts";
import type { Picker } from "../session/dialog/picker.ts";
import type { Sessions } from "../session/sessions.ts";

/** Writes lines of the log, as `cli/log.ts` does. */
export interface Log {
  line(
    level: "error" | "warn" | "info",
    message: string,
    fields?: Readonly<Record<string, string | number>>,
  ): void;
}

/** The services that `main.ts` passes to the routes. */
export interface Services extends Pick<Sessions, "store" | "opener" | "exporter" | "positions"> {
  readonly version: string;
  readonly clock: Clock;
  readonly log: Log;
  readonly picker: Pick<Picker, "pick" | "isAvailable">;
  readonly dialogLimits: DialogLimits;
  readonly allowedExtensions: readonly string[];
  /** Origins that may open by path, besides loopback. */
  readonly allowedOrigins: readonly string[];
  readonly dialogOnly: boolean;
  isStopping(): boolean;
}

/** What `Deno.serve` says of a request. */
export interface ServeInfo {
  /** Settles when the runtime has taken the whole answer or the client has left; never while a client does neither. */
  readonly completed: Promise<void>;
}

/** Hono's types for the app. */
export interface AppEnv {
  Bindings: { info: ServeInfo };
}

/** Context of a request. */
export type RequestContext = Context<AppEnv>;

/** Answers an endpoint. */
export type Handler = (c: RequestContext, services: Services) => Response | Promise<Response>;

/** The schemas of bodies in `schemas/http.ts`, which is loaded on first use. */
export type Schemas = typeof schemas;

/** Name of a schema. */
export type SchemaName = {
  [Name in keyof Schemas]: Schemas[Name] extends z.ZodType ? Name : never;
}[keyof Schemas];

/** The answer of a success. */
export interface Success {
  readonly status: 200 | 302;
  readonly description: string;
  /** Media type of the body; absent if there is no body. */
  readonly mediaType?: string;
  readonly schema?: SchemaName;
  readonly example?: unknown;
}

/** One method of one resource. */
export interface Endpoint {
  /** HTTP method; a GET also answers HEAD. */
  readonly method: "GET" | "POST" | "DELETE";
  /** Path with its parameters in braces. */
  readonly path: string;
  readonly id: string;
  readonly tag: "service" | "acquisitions" | "sessions" | "pages";
  readonly summary: string;
  /** What users should know besides the summary. */
  readonly description: string;
  readonly request?: SchemaName;
  readonly requestExamples?: Readonly<Record<string, unknown>>;
  readonly success: Success;
  readonly ranges?: boolean;
  /** True if the query selects a plane along T, Z and L. */
  readonly positions?: boolean;
  /** True if one of them may be a range. */
  readonly runs?: boolean;
  /** Error codes besides those of every endpoint. */
  readonly errors: readonly ErrorCode[];
  readonly handler: Handler;
}

/** A parameter in the path of an endpoint. */
export function readPathParameter(c: RequestContext, name: string): string {
  return c.req.param(name) ?? "";
}

const encoder = new TextEncoder();

/** A JSON answer with an explicit length, so that it also serves HEAD. */
export function respondWithJson(
  body: unknown,
  status = 200,
  headers: Readonly<Record<string, string>> = {},
): Response {
  const bytes = encoder.encode(JSON.stringify(body));
  return new Response(bytes, {
    status,
    headers: { "Content-Type": "application/json", "Content-Length": String(bytes.length), ...headers },
  });
}
