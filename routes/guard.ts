/** Access control: the Host rule, origins, preflights and the headers of every answer. */
import type { Next } from "@hono/hono";
import { quoted } from "../readers/errors.ts";
import { HostNotAllowed, OriginNotAllowed } from "./errors.ts";
import type { RequestContext } from "./context.ts";

const LOOPBACK_HOST = /^(127\.0\.0\.1|localhost|\[::1\])(:\d{1,5})?$/i;

/** Headers of every answer. */
export const EVERY_ANSWER: Readonly<Record<string, string>> = {
  "Access-Control-Allow-Origin": "*",
  "Access-Control-Expose-Headers": "Content-Range, Accept-Ranges, Retry-After, Allow, Content-Disposition",
  "X-Content-Type-Options": "nosniff",
};

/**
 * Refuses foreign hosts and a second Origin, and answers preflights under `/api/v2`. It reads the Host header, which holds the
 * page's own host even if that name was rebound to loopback; the host of `request.url` comes from the request target.
 */
export async function guard(c: RequestContext, next: Next): Promise<Response | void> {
  const host = c.req.header("host");
  if (host === undefined || !LOOPBACK_HOST.test(host)) {
    throw new HostNotAllowed(
      `This server only answers to 127.0.0.1, localhost and [::1], not to ${
        host === undefined ? "a request without a Host" : quoted(host)
      }`,
    );
  }
  // The host of an absolute request target is not used, but must parse.
  if (!URL.canParse(c.req.url)) {
    throw new HostNotAllowed(`The request target ${quoted(c.req.url)} is not a valid URL`);
  }
  // Headers of one name arrive joined, and programs disagree about which of them counts.
  if (c.req.header("origin")?.includes(",")) {
    throw new OriginNotAllowed("The request has more than one Origin");
  }
  const allowed = answerPreflight(c.req.raw);
  if (allowed !== null) return allowed;
  if (c.req.header("service-worker") !== undefined) return withoutServiceWorker();
  return await next();
}

/**
 * Removes a service worker that another program on this port left in the browser and that would answer in place of this server.
 * The browser fetches the script of a worker again at each navigation; this script replaces it and unregisters itself.
 */
function withoutServiceWorker(): Response {
  const script = `addEventListener("install", () => skipWaiting());
addEventListener("activate", (event) =>
  event.waitUntil((async () => {
    await registration.unregister();
    for (const page of await clients.matchAll({ type: "window" })) page.navigate(page.url);
  })()));
`;
  return new Response(script, {
    headers: {
      "Content-Type": "text/javascript; charset=utf-8",
      "Content-Length": String(script.length),
      "Cache-Control": "no-store",
    },
  });
}

/** Sets the common headers on every answer, including those of {@linkcode guard}. */
export async function setCommonHeaders(c: RequestContext, next: Next): Promise<void> {
  await next();
  for (const [name, value] of Object.entries(EVERY_ANSWER)) c.res.headers.set(name, value);
}

/** The answer to a preflight, or `null` for another request. */
function answerPreflight(request: Request): Response | null {
  const isPreflight = request.method === "OPTIONS" &&
    /^\/api\/v2(\/|$)/.test(new URL(request.url).pathname) &&
    request.headers.has("origin") && request.headers.has("access-control-request-method");
  if (!isPreflight) return null;
  const headers = new Headers({
    "Access-Control-Allow-Methods": "GET, HEAD, POST, DELETE",
    "Access-Control-Max-Age": "600",
    Vary: "Access-Control-Request-Headers",
  });
  const requested = request.headers.get("access-control-request-headers");
  if (requested !== null) headers.set("Access-Control-Allow-Headers", requested);
  if (request.headers.get("access-control-request-private-network") === "true") {
    headers.set("Access-Control-Allow-Private-Network", "true");
  }
  return new Response(null, { status: 204, headers });
}

/** Stands for the origin of a page that hides it. */
const NAMELESS = "";

/**
 * Origin of the page that sent the request, or `undefined` for a script. A page that hides its `Origin` still sends
 * `Sec-Fetch-Site` (Fetch Metadata, section 2.3).
 */
export function findAskingOrigin(headers: Headers): string | undefined {
  const origin = headers.get("origin");
  if (origin !== null) return origin;
  const site = headers.get("sec-fetch-site");
  return site === null || /^(same-origin|none)$/i.test(site) ? undefined : NAMELESS;
}

/**
 * Whether the sender of a request may name a path: a script, a page on loopback, or an origin of `--allow-origin`; `*` admits all,
 * `null` pages without an address.
 */
export function mayOpenByPath(origin: string | undefined, allowed: readonly string[]): boolean {
  return origin === undefined || allowed.includes("*") || allowed.includes(origin) ||
    isLoopbackOrigin(origin);
}

/** Throws unless {@linkcode mayOpenByPath} holds. @throws {OriginNotAllowed} */
export function checkOrigin(origin: string | undefined, allowed: readonly string[]): void {
  if (origin === undefined || mayOpenByPath(origin, allowed)) return;
  const nowhere = origin === "null" || origin === NAMELESS;
  throw new OriginNotAllowed(
    `Pages ${
      nowhere ? "without an address" : `from ${quoted(origin)}`
    } may not open files by path; let the user choose ` +
      `with POST /api/v2/pick-and-open, or start the server with --allow-origin ${
        quoted(origin === NAMELESS ? "*" : origin)
      }`,
  );
}

/** True for an origin on this machine, with any port. */
export function isLoopbackOrigin(origin: string): boolean {
  const url = URL.parse(origin);
  if (url === null || !/^https?:$/.test(url.protocol)) return false;
  return url.hostname === "localhost" || url.hostname === "[::1]" ||
    /^127\.\d+\.\d+\.\d+$/.test(url.hostname);
}
