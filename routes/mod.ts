/** Builds the app from the endpoint table. */
import { Hono, type MiddlewareHandler } from "@hono/hono";
import type { AppEnv, RequestContext, Services } from "./context.ts";
import { ROUTES } from "./endpoints.ts";
import { findErrorCode } from "../session/errors.ts";
import { MethodNotAllowed, respondWithError } from "./errors.ts";
import { guard, setCommonHeaders } from "./guard.ts";
import { reportNothingAt } from "./pages.ts";

/** The HTTP surface as a plain fetch handler. */
export function createApp(services: Services): Hono<AppEnv> {
  const app = new Hono<AppEnv>();
  app.use("*", logAccess(services), setCommonHeaders, guard);
  for (const { method, path, handler } of ROUTES) {
    app.on(
      method,
      path.replace("{path...}", ":path{.+}").replace(/\{(\w+)\}/g, ":$1"),
      (c) => handler(c, services),
    );
  }
  app.notFound((c) => respondWithError(explainMissingEndpoint(c)));
  app.onError((error) => {
    if (findErrorCode(error) === null) services.log.line("error", error.stack ?? String(error));
    return respondWithError(error);
  });
  return app;
}

/** Characters of an id in the log: enough to follow a session, too few to use it. */
const LOGGED_ID = 8;

/** A path with its ids cut: whoever knows one can read the session or download the export. */
const withCutIds = (path: string): string =>
  path.replace(
    /(\/(?:sessions|exports)\/)([^/]+)/g,
    (_, before: string, id: string) => before + (id.length > LOGGED_ID ? `${id.slice(0, LOGGED_ID)}…` : id),
  );

/** Logs each request after its answer has been sent. */
function logAccess({ log, clock }: Services): MiddlewareHandler<AppEnv> {
  return async (c, next) => {
    const start = clock.now();
    await next();
    const { method } = c.req;
    const path = withCutIds(c.req.path);
    const { status } = c.res;
    const bytes = method === "HEAD" ? 0 : Number(c.res.headers.get("content-length") ?? 0);
    void c.env.info.completed.catch(() => {}).then(() => {
      const milliseconds = Math.round((clock.now() - start) * 10) / 10;
      const fields = { method, path, status, bytes, milliseconds };
      log.line("info", `${method} ${path} ${status} ${bytes} bytes ${milliseconds} ms`, fields);
    });
  };
}

/** The error for a request without an endpoint: the path is unknown, or has other methods. */
function explainMissingEndpoint(c: RequestContext): Error {
  const { method, path } = c.req;
  const methods = ROUTES.filter((route) => {
    const parts = route.path.split("/");
    // `{path...}` takes the rest of the path.
    const given = parts.at(-1) === "{path...}"
      ? [...path.split("/", parts.length - 1), path.split("/").slice(parts.length - 1).join("/")]
      : path.split("/");
    const isSame = (part: string, i: number) => part.startsWith("{") ? given[i] !== "" : part === given[i];
    return parts.length === given.length && parts.every(isSame);
  }).flatMap(({ method }): string[] => method === "GET" ? ["GET", "HEAD"] : [method]);
  if (methods.length === 0) return reportNothingAt(c);
  return new MethodNotAllowed(
    `${method} is not allowed at ${path.slice(0, 200)}, only ${methods.join(", ")}`,
    methods,
  );
}
