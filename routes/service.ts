/** Index, health and capabilities. */
import type { z } from "zod";
import { SUPPORTED_EXTENSIONS } from "../readers/formats.ts";
import type { Capabilities, Health, Index } from "../schemas/http.ts";
import { SERVED } from "../schemas/served.ts";
import { findAskingOrigin, mayOpenByPath } from "./guard.ts";
import { type RequestContext, respondWithJson, type Services } from "./context.ts";

/** Links of the index, by their ids in the endpoint table. */
export const LINKS: z.infer<typeof Index>["links"] = {
  health: {
    href: "/api/v2/health",
    method: "GET",
    description: "Whether the server is available, and its versions",
  },
  capabilities: {
    href: "/api/v2/capabilities",
    method: "GET",
    description: "What can be opened and how planes are served",
  },
  open: { href: "/api/v2/open", method: "POST", description: "Open an acquisition by its path" },
  pickAndOpen: {
    href: "/api/v2/pick-and-open",
    method: "POST",
    description: "Open an acquisition that the user chooses in a native file dialog",
  },
  openapi: { href: "/openapi.json", method: "GET", description: "This contract in OpenAPI 3.1" },
  docs: { href: "/docs", method: "GET", description: "Interactive documentation" },
  demo: { href: "/demo/v2/", method: "GET", description: "Reference browser client" },
  schemas: { href: "/schemas", method: "GET", description: "JSON Schemas of the collection documents" },
};

/** Body of the index. */
export const INDEX: z.infer<typeof Index> = {
  ok: true,
  apiVersion: "v2",
  description: "Local acquisition server: opens microscope files and serves each channel as a float32 plane",
  links: LINKS,
};

/** Whether the server is available. */
export function answerHealth(_c: RequestContext, { version }: Services): Response {
  const body: z.infer<typeof Health> = { ok: true, api_version: "v2", server_version: version };
  return respondWithJson(body, 200, { "Cache-Control": "no-store" });
}

/** What can be opened, and how planes are served. */
export function answerCapabilities(c: RequestContext, services: Services): Response {
  const { allowedExtensions, allowedOrigins, dialogOnly, picker, store } = services;
  const body: z.infer<typeof Capabilities> = {
    ok: true,
    apiVersion: "v2",
    supportedImportExtensions: [...SUPPORTED_EXTENSIONS],
    allowedImportExtensions: [...allowedExtensions],
    binary: SERVED,
    sessionTtlSeconds: store.ttlSeconds,
    dialogAvailable: picker.isAvailable(),
    openByPath: !dialogOnly && mayOpenByPath(findAskingOrigin(c.req.raw.headers), allowedOrigins),
  };
  // The answer depends on the origin of the request.
  return respondWithJson(body, 200, { "Cache-Control": "no-store" });
}
