/** What the handlers work with. */
import type { Context } from "@hono/hono";
import type { DialogManners } from "../session/dialog/manners.ts";
import type { Opener } from "../session/opener.ts";
import type { PickRequest } from "../session/dialog/picker.ts";
import type { PositionReader } from "../session/position_reader.ts";
import type { SessionStore } from "../session/store.ts";
import type { Clock } from "../session/clock.ts";
import type { RequestError } from "./errors.ts";

/** Shows a file dialog; `session/dialog/picker.ts` has the real one. */
export interface DialogPicker {
  /** The absolute path that the user chose, or `null` when they cancelled. */
  pick(request: PickRequest): Promise<string | null>;
  /** Whether a dialog can be shown at all, as far as that is known before it is. */
  isAvailable(): boolean;
}

/** Takes lines of the log; `cli/log.ts` writes them. */
export interface Log {
  /** Writes a line; `fields` are its values, for logs that programs read. */
  line(
    level: "error" | "warn" | "info",
    message: string,
    fields?: Readonly<Record<string, string | number>>,
  ): void;
}

/** Everything behind the routes, made once by `main.ts`. */
export interface Services {
  /** Version of the program. */
  readonly version: string;
  /** Time, which tests move by hand. */
  readonly clock: Clock;
  /** Takes a line per request. */
  readonly log: Log;
  /** Live sessions. */
  readonly store: SessionStore;
  /** Opens by path. */
  readonly opener: Opener;
  /** Decodes planes at other positions than the opened one. */
  readonly positions: PositionReader;
  /** Asks the user for a path. */
  readonly picker: DialogPicker;
  /** Limits the dialogs of foreign pages. */
  readonly manners: DialogManners;
  /** Extensions that the operator lets in, sorted. */
  readonly allowedExtensions: readonly string[];
  /** Origins that may open by path, besides loopback. */
  readonly allowedOrigins: readonly string[];
  /** True when nothing may be opened by path. */
  readonly dialogOnly: boolean;
  /** True once the server is stopping. */
  isStopping(): boolean;
}

/** What the listener tells of a request. */
export interface ServeInfo {
  /** Settles when the answer was sent or the client went away. */
  readonly completed: Promise<void>;
  /** Why the request is refused, judged by its head as it was sent. */
  readonly refusal?: RequestError | null;
}

/** Types of the app for Hono. */
export interface AppEnv {
  /** What the listener hands over with a request. */
  Bindings: { info: ServeInfo };
}

/** Context of a request. */
export type RequestContext = Context<AppEnv>;

/** A parameter in the path of an endpoint, which every request that reaches the endpoint has. */
export function pathParameter(c: RequestContext, name: string): string {
  return c.req.param(name) ?? "";
}

/** Answers one endpoint. */
export type Handler = (c: RequestContext, services: Services) => Response | Promise<Response>;
