/** What handlers work with, and the row of an endpoint. */
import type { Context } from "@hono/hono";
import type { z } from "zod";
import type * as schemas from "../schemas/http.ts";
import type { Clock } from "../session/clock.ts";
import type { DialogManners } from "../session/dialog/manners.ts";
import type { PickRequest } from "../session/dialog/picker.ts";
import type { Exporter } from "../session/exporter.ts";
import type { FolderLister } from "../session/folder_listing.ts";
import type { Opener } from "../session/opener.ts";
import type { PositionReader } from "../session/position_reader.ts";
import type { SessionStore } from "../session/store.ts";
import type { RequestError } from "./errors.ts";

/** Shows a file dialog, as `session/dialog/picker.ts` does. */
export interface DialogPicker {
  /** The absolute path that the user chose, or `null` if they cancelled. */
  pick(request: PickRequest): Promise<string | null>;
  /** Whether a dialog can be shown, as far as known before it is. */
  isAvailable(): boolean;
}

/** Takes lines of the log, as `cli/log.ts` does. */
export interface Log {
  /** Writes a line; `fields` are its values, for logs that programs read. */
  line(
    level: "error" | "warn" | "info",
    message: string,
    fields?: Readonly<Record<string, string | number>>,
  ): void;
}

/** What `main.ts` hands to the routes. */
export interface Services {
  readonly version: string;
  /** Time, which tests move by hand. */
  readonly clock: Clock;
  readonly log: Log;
  readonly store: SessionStore;
  readonly opener: Opener;
  readonly folders: FolderLister;
  readonly exporter: Exporter;
  /** Reads planes at other positions than the opened one. */
  readonly positions: PositionReader;
  readonly picker: DialogPicker;
  /** Limits the dialogs of foreign pages. */
  readonly manners: DialogManners;
  readonly allowedExtensions: readonly string[];
  /** Origins that may open by path, besides loopback. */
  readonly allowedOrigins: readonly string[];
  /** True when nothing may be opened by path. */
  readonly dialogOnly: boolean;
  /** True once the server is stopping. */
  isStopping(): boolean;
}

/** What the listener knows of a request; `Deno.serve` passes the same `completed`. */
export interface ServeInfo {
  /** Settles when the answer was sent or the client left. */
  readonly completed: Promise<void>;
  /** Why HTTP refuses the request, judged by its head as sent. */
  readonly refusal?: RequestError | null;
}

/** Types of the app for Hono. */
export interface AppEnv {
  /** Passed with each request. */
  Bindings: { info: ServeInfo };
}

/** Context of a request. */
export type RequestContext = Context<AppEnv>;

/** Answers an endpoint. */
export type Handler = (c: RequestContext, services: Services) => Response | Promise<Response>;

/** The schemas of bodies, `schemas/http.ts`, which is loaded when first needed. */
export type Schemas = typeof schemas;

/** Name of a schema. */
export type SchemaName = {
  [Name in keyof Schemas]: Schemas[Name] extends z.ZodType ? Name : never;
}[keyof Schemas];

/** The answer of a success. */
export interface Success {
  readonly status: 200 | 302;
  readonly description: string;
  /** Media type of the body; absent without a body. */
  readonly mediaType?: string;
  /** Schema of a JSON body. */
  readonly schema?: SchemaName;
  /** A body, for the OpenAPI document. */
  readonly example?: unknown;
}

/** One resource with one method. */
export interface Endpoint {
  /** HTTP method; a GET also answers HEAD. */
  readonly method: "GET" | "POST" | "DELETE";
  /** Path with its parameters in braces. */
  readonly path: string;
  /** Name of the operation in the OpenAPI document. */
  readonly id: string;
  /** Group in the OpenAPI document. */
  readonly tag: "service" | "acquisitions" | "sessions" | "pages";
  readonly summary: string;
  /** What its user should know beside the summary; every documented endpoint has one. */
  readonly description?: string;
  /** Schema of the JSON body of the request. */
  readonly request?: SchemaName;
  /** Bodies for the OpenAPI document, by what they ask for. */
  readonly requestExamples?: Readonly<Record<string, unknown>>;
  /** Its answer to a valid request. */
  readonly success: Success;
  /** True outside the contract: short paths that people type, files of a page. */
  readonly isUndocumented?: boolean;
  /** True where a single byte range can be asked for (206). */
  readonly ranges?: boolean;
  /** True where the query chooses a plane along T, Z and L. */
  readonly positions?: boolean;
  /** Error codes besides those of every endpoint. */
  readonly errors: readonly schemas.ErrorCode[];
  readonly handler: Handler;
}

/** A parameter in the path of an endpoint. */
export function pathParameter(c: RequestContext, name: string): string {
  return c.req.param(name) ?? "";
}

const encoder = new TextEncoder();

/** A JSON answer with an explicit length, which HEAD answers too. */
export function jsonResponse(
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
