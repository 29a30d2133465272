import type { MiddlewareHandler } from "@hono/hono";
import type { AppEnv, Services } from "./context.ts";

/** One line a request when its answer was sent: method, path, status, bytes, milliseconds. */
export function accessLog({ log, clock }: Services): MiddlewareHandler<AppEnv> {
  return async (c, next) => {
    const start = clock.now();
    await next();
    const { method, path } = c.req;
    const { status } = c.res;
    const bytes = method === "HEAD" ? 0 : Number(c.res.headers.get("content-length") ?? 0);
    void c.env.info.completed.catch(() => {}).then(() => {
      const milliseconds = Math.round((clock.now() - start) * 10) / 10;
      log.line("info", `${method} ${path} ${status} ${bytes} bytes ${milliseconds} ms`, {
        method,
        path,
        status,
        bytes,
        milliseconds,
      });
    });
  };
}
