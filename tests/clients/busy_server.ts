/** A server before another one that is too busy for the first of some requests. */

export interface Refusals {
  /** Method and path of what is refused, such as `POST /api/v2/open`. */
  readonly of: RegExp;
  readonly times: number;
  /** Seconds in `Retry-After`; `null` for an answer without it. */
  readonly retryAfter: number | null;
}

/** `asked` has the milliseconds at which each request of a kind that is refused came, by method and path. */
export function busyServer(target: string, { of, times, retryAfter }: Refusals) {
  const asked = new Map<string, number[]>();
  const local = { hostname: "127.0.0.1", port: 0, onListen: () => {} };
  const server = Deno.serve(local, async (request) => {
    const { pathname, search } = new URL(request.url);
    const what = `${request.method} ${pathname}${search}`;
    const before = asked.get(what) ?? [];
    if (of.test(what)) asked.set(what, [...before, performance.now()]);
    if (of.test(what) && before.length < times) {
      const body = { ok: false, error: "too_many_opens", message: "Too busy", details: null };
      const headers: Record<string, string> = retryAfter === null
        ? {}
        : { "Retry-After": String(retryAfter) };
      return Response.json(body, { status: 503, headers });
    }
    const { method, headers } = request;
    const kept = new Headers({ "Content-Type": headers.get("content-type") ?? "" });
    return await fetch(target + pathname + search, {
      method,
      headers: kept,
      ...(method === "POST" && { body: await request.text() }),
    });
  });
  return {
    base: `http://127.0.0.1:${server.addr.port}`,
    asked,
    [Symbol.asyncDispose]: () => server.shutdown(),
  };
}
