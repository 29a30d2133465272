/** Who may call: hosts, origins, preflights, and the headers of every answer. */
import assert from "node:assert/strict";
import { expectError, Harness, sampleFolder } from "./harness.ts";

Deno.test("serves only loopback names, on any port", async () => {
  await using server = new Harness();
  for (const host of ["127.0.0.1", "127.0.0.1:1", "localhost:8767", "LOCALHOST", "[::1]", "[::1]:65535"]) {
    assert.equal((await server.request("/api/v2/health", { headers: { host } })).status, 200, host);
  }
  const foreign = [
    "example.org",
    "example.org:8767",
    "127.0.0.1.example.org",
    "localhost.example.org",
    "127.0.0.2",
    "0.0.0.0:8767",
    "::1",
    "localhost:8767, example.org",
    "user@localhost",
    "localhost:",
    "",
  ];
  for (const host of foreign) {
    for (const path of ["/api/v2/health", "/demo/v2/", "/openapi.json", "/nothing"]) {
      await expectError(server.request(path, { headers: { host } }), 403, "host_not_allowed");
    }
  }
});

Deno.test("rejects pages that may not name paths before it checks the path", async () => {
  await using sample = await sampleFolder();
  const answer = async (allowedOrigins: string[], asking: string | null | { site: string }) => {
    await using server = new Harness({ allowedOrigins });
    const headers: Record<string, string> = asking === null
      ? {}
      : typeof asking === "string"
      ? { origin: asking }
      : { "sec-fetch-site": asking.site };
    const { openByPath } = await (await server.request("/api/v2/capabilities", { headers })).json();
    const response = await server.post("/api/v2/open", { path: sample.image }, { headers });
    const text = await response.text();
    const found = `${response.status} ${JSON.parse(text).error ?? "ok"}`;
    const expected = openByPath ? "200 ok" : "403 origin_not_allowed";
    assert.equal(
      found,
      expected,
      [`the capabilities say what an open then finds: ${text}`, ...server.logged].join("\n"),
    );
    const missing = await server.post("/api/v2/open", { path: `${sample.image}.missing` }, { headers });
    if (response.status === 403) await expectError(missing, 403, "origin_not_allowed");
    else await missing.body?.cancel();
    return response.status;
  };
  const cases: [string[], string | null | { site: string }, number][] = [
    [[], null, 200],
    [[], "http://127.0.0.1:8767", 200],
    [[], "http://localhost:3000", 200],
    [[], "https://[::1]:9", 200],
    [[], "null", 403],
    [[], "https://example.org", 403],
    [[], "http://localhost.example.org", 403],
    [[], "http://127.0.0.1.example.org", 403],
    [[], "chrome-extension://localhost", 403],
    [[], "file://", 403],
    [["https://example.org"], "https://example.org", 200],
    [["https://example.org"], "https://example.org:444", 403],
    [["https://example.org"], "http://example.org", 403],
    [["https://example.org"], "null", 403],
    [["moz-extension://0b1c"], "moz-extension://0b1c", 200],
    [["moz-extension://0b1c"], "moz-extension://0b1d", 403],
    [["app://obsidian.md"], "app://obsidian.md", 200],
    [["null"], "null", 200],
    [["null"], "https://example.org", 403],
    [["*"], "https://example.org", 200],
    [["*"], "null", 200],
    // A page that hides its origin.
    [[], { site: "cross-site" }, 403],
    [["null"], { site: "cross-site" }, 403],
    [["https://lab.example"], { site: "cross-site" }, 403],
    [["*"], { site: "same-site" }, 200],
  ];
  for (const [allowed, asking, status] of cases) {
    assert.equal(await answer(allowed, asking), status, JSON.stringify([allowed, asking]));
  }
});

Deno.test("checks the form of a request before its origin, and the origin before the roots", async () => {
  await using server = new Harness({ roots: [{ written: "/nowhere", resolved: "/nowhere" }] });
  const foreign = { headers: { origin: "https://example.org" } };
  await expectError(server.post("/api/v2/open", { path: "a" }, foreign), 422, "request_validation_failed");
  await expectError(server.post("/api/v2/open", { path: "/etc/a.tif" }, foreign), 403, "origin_not_allowed");
  await expectError(server.post("/api/v2/open", { path: "/etc/a.tif" }), 403, "path_not_allowed");
});

Deno.test("allows a foreign page what a dialog or a session ID grants", async () => {
  await using sample = await sampleFolder();
  await using server = new Harness({ pick: () => Promise.resolve(sample.image) });
  for (const origin of ["null", "https://example.org"]) {
    const headers = { origin };
    const opened = await server.post("/api/v2/pick-and-open", {}, { headers });
    assert.equal(opened.status, 200);
    const { sessionId, channels } = await opened.json();
    for (
      const path of [
        "/api/v2/health",
        "/api/v2/capabilities",
        `/api/v2/sessions/${sessionId}`,
        channels[0].dataUrl,
      ]
    ) {
      const response = await server.request(path, { headers });
      assert.equal(response.status, 200, path);
      assert.equal(response.headers.get("access-control-allow-origin"), "*");
      await response.body?.cancel();
    }
    assert.equal(
      (await server.request(`/api/v2/sessions/${sessionId}`, { method: "DELETE", headers })).status,
      200,
    );
  }
});

Deno.test("every answer carries the common headers and no credentials", async () => {
  await using server = new Harness();
  const preflight = {
    method: "OPTIONS",
    headers: { origin: "null", "access-control-request-method": "POST" },
  };
  const answers = [
    await server.request("/api/v2"),
    await server.request("/"),
    await server.request("/demo/v2/"),
    await server.request("/api/v2/none"),
    await server.request("/api/v2/health", { headers: { host: "example.org" } }),
    await server.request("/api/v2/open", preflight),
  ];
  for (const { headers, body } of answers) {
    assert.equal(headers.get("access-control-allow-origin"), "*");
    assert.equal(
      headers.get("access-control-expose-headers"),
      "Content-Range, Accept-Ranges, Retry-After, Allow, Content-Disposition",
    );
    assert.equal(headers.get("access-control-allow-credentials"), null);
    assert.equal(headers.get("x-content-type-options"), "nosniff");
    await body?.cancel();
  }
});

Deno.test("the capabilities state whether a dialog and a path can be opened", async () => {
  for (const [dialogAvailable, dialogOnly] of [[true, false], [false, true]] as const) {
    await using server = new Harness({ dialogAvailable, dialogOnly, allowedOrigins: ["*"] });
    const response = await server.request("/api/v2/capabilities");
    assert.equal(response.headers.get("cache-control"), "no-store");
    const body = await response.json();
    assert.deepEqual([body.dialogAvailable, body.openByPath], [dialogAvailable, !dialogOnly]);
  }
});

Deno.test("answers every preflight under /api/v2 with 204", async () => {
  await using server = new Harness();
  for (const path of ["/api/v2", "/api/v2/open", "/api/v2/sessions/x", "/api/v2/anything"]) {
    for (const privateNetwork of [false, true]) {
      const response = await server.request(path, {
        method: "OPTIONS",
        headers: {
          origin: "https://example.org",
          "access-control-request-method": "POST",
          "access-control-request-headers": "content-type, x-lab",
          ...(privateNetwork && { "access-control-request-private-network": "true" }),
        },
      });
      assert.equal(response.status, 204);
      assert.equal(response.headers.get("access-control-allow-methods"), "GET, HEAD, POST, DELETE");
      assert.equal(response.headers.get("access-control-allow-headers"), "content-type, x-lab");
      assert.equal(response.headers.get("access-control-max-age"), "600");
      assert.equal(
        response.headers.get("access-control-allow-private-network"),
        privateNetwork ? "true" : null,
      );
    }
  }
  await expectError(
    await server.request("/api/v2/open", {
      method: "OPTIONS",
      headers: { host: "example.org", origin: "http://example.org", "access-control-request-method": "POST" },
    }),
    403,
    "host_not_allowed",
  );
});

Deno.test("the server's own pages have a policy against frames", async () => {
  await using server = new Harness();
  for (const path of ["/demo/v2/", "/docs", "/client/v2/acq-client.js"]) {
    const response = await server.request(path);
    assert.equal(response.status, 200, path);
    assert.match(
      response.headers.get("content-security-policy")!,
      /default-src 'none'.*frame-ancestors 'none'/,
    );
    await response.body?.cancel();
  }
  const short = { "/docs/": "/docs", "/manual": "/README.md", "/manual/": "/README.md" };
  const demo = Object.fromEntries(["/", "/demo", "/demo/", "/demo/v2"].map((path) => [path, "/demo/v2/"]));
  for (const [path, target] of Object.entries({ ...demo, ...short })) {
    const response = await server.request(path);
    assert.equal(response.status, 302);
    assert.equal(response.headers.get("location"), target);
  }
});
