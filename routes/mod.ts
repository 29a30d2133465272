/** Builds the app from the endpoint table. */
import { Hono } from "@hono/hono";
import type { Endpoint } from "./endpoint.ts";
import { ENDPOINTS } from "./endpoints.ts";
import { errorResponse, isKnownError } from "./error_table.ts";
import { MethodNotAllowed } from "./errors.ts";
import { accessLog } from "./access_log.ts";
import { commonHeaders, guard } from "./guard.ts";
import { nothingAt } from "./pages.ts";
import type { AppEnv, RequestContext, Services } from "./context.ts";

/** The whole HTTP surface over some services. */
export function createApp(services: Services): Hono<AppEnv> {
  const app = new Hono<AppEnv>();
  app.use("*", accessLog(services), commonHeaders, guard);
  for (const { method, path, handler } of ENDPOINTS) {
    app.on(method, path.replace(/\{(\w+)\}/g, ":$1"), (c) => handler(c, services));
  }
  app.notFound((c) => errorResponse(missing(c)));
  app.onError((error) => {
    if (!isKnownError(error)) services.log.line("error", error.stack ?? String(error));
    return errorResponse(error);
  });
  return app;
}

/** Why no endpoint answered: the path is unknown, or it has other methods. */
function missing(c: RequestContext): Error {
  const methods = methodsAt(c.req.path);
  if (methods.length === 0) return nothingAt(c);
  const text = `${c.req.method} is not possible at ${c.req.path.slice(0, 200)}, which takes ${
    methods.join(", ")
  }`;
  return new MethodNotAllowed(text, methods);
}

function methodsAt(path: string): string[] {
  const methods = ENDPOINTS.filter((endpoint) => matches(endpoint, path)).map((endpoint): string =>
    endpoint.method
  );
  return methods.flatMap((method) => method === "GET" ? ["GET", "HEAD"] : [method]);
}

function matches(endpoint: Endpoint, path: string): boolean {
  const parts = endpoint.path.split("/");
  const given = path.split("/");
  return parts.length === given.length &&
    parts.every((part, i) => part.startsWith("{") ? given[i] !== "" : part === given[i]);
}
