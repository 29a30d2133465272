/** One table of requests over a socket. */
import assert from "node:assert/strict";
import { describedBytes, Harness, sampleFolder } from "./harness.ts";
import { until } from "../deadline.ts";

const JSON_TYPE = { "content-type": "application/json" };

/** Requests with their status, and for failures the code. `SESSION` stands for the id of an open session, `IMAGE` for a path. */
const TABLE: readonly (readonly [request: string, init: RequestInit, status: number, code?: string])[] = [
  ["GET /api/v2", {}, 200],
  ["GET /api/v2/health", {}, 200],
  ["HEAD /api/v2/health", {}, 200],
  ["GET /api/v2/capabilities", {}, 200],
  ["GET /openapi.json", {}, 200],
  ["GET /demo/v2/", {}, 200],
  ["GET /", { redirect: "manual" }, 302],
  ["POST /api/v2/open", { headers: JSON_TYPE, body: '{"path":"IMAGE","channelIndices":[1]}' }, 200],
  ["POST /api/v2/open", { headers: JSON_TYPE, body: "{" }, 422, "request_validation_failed"],
  ["POST /api/v2/open", { body: "{}" }, 415, "unsupported_media_type"],
  ["POST /api/v2/open", { headers: JSON_TYPE, body: " ".repeat(1 << 21) }, 413, "payload_too_large"],
  ["POST /api/v2/open", { headers: JSON_TYPE, body: '{"path":"/nowhere/a.tif"}' }, 404, "path_not_found"],
  ["POST /api/v2/pick-and-open", {}, 200, "cancelled"],
  ["POST /api/v2/sessions/SESSION/open", { headers: JSON_TYPE, body: "{}" }, 200],
  ["GET /api/v2/sessions/SESSION", {}, 200],
  ["GET /api/v2/sessions/SESSION/metadata", {}, 200],
  ["GET /api/v2/sessions/SESSION/channels/0/data", {}, 200],
  ["HEAD /api/v2/sessions/SESSION/channels/0/data", {}, 200],
  ["GET /api/v2/sessions/SESSION/channels/1/data", { headers: { range: "bytes=4-11" } }, 206],
  [
    "GET /api/v2/sessions/SESSION/channels/0/data",
    { headers: { range: "bytes=9999-" } },
    416,
    "range_not_satisfiable",
  ],
  ["GET /api/v2/sessions/SESSION/channels/9/data", {}, 404, "channel_not_found"],
  ["GET /api/v2/sessions/SESSION/channels/0/data?t=1", {}, 422, "position_out_of_range"],
  ["GET /api/v2/sessions/none", {}, 404, "session_not_found"],
  ["GET /nothing", {}, 404, "not_found"],
  ["PUT /api/v2/open", {}, 405, "method_not_allowed"],
  ["DELETE /api/v2/sessions/SESSION", {}, 200],
  ["DELETE /api/v2/sessions/SESSION", {}, 404, "session_not_found"],
];

Deno.test("Deno.serve answers the table of requests", async () => {
  await using sample = await sampleFolder();
  await using server = new Harness();
  await using socket = server.listen();
  const { sessionId } = await server.open(sample.image);
  for (const [request, init, status, code = null] of TABLE) {
    const [method = "", path = ""] = request.replace("SESSION", sessionId).split(" ");
    const body = typeof init.body === "string" ? init.body.replace("IMAGE", sample.image) : null;
    const response = await fetch(socket.base + path, { ...init, method, body });
    const { headers } = response;
    const bytes = new Uint8Array(await response.arrayBuffer());
    assert.equal(response.status, status, request);
    assert.equal(headers.get("access-control-allow-origin"), "*", request);
    if (method !== "HEAD") assert.equal(headers.get("content-length"), String(bytes.length), request);
    const isJson = headers.get("content-type") === "application/json" && method !== "HEAD";
    const answer = isJson ? JSON.parse(new TextDecoder().decode(bytes)) : null;
    assert.equal(answer?.error ?? null, code, request);
    if (!path.endsWith("/data") || method !== "GET" || status >= 400) continue;
    const [first, count] = status === 206 ? [1001, 2] : [0, 600];
    const plane = new Float32Array(bytes.buffer);
    assert.deepEqual([plane[0], plane.length], [first, count]);
  }
  // The table left a session of one channel, and one of 16 KiB that shares its two channels with the deleted one.
  const described = await describedBytes(sample.image, [1]) + await describedBytes(sample.image);
  await until(() => server.budget.used - server.pool.openBytes === 3 * 2400 + (16 << 10) + described);
});
