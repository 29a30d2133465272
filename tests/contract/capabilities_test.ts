/** What the capabilities say of the ways to open: by dialog and by path. */
import assert from "node:assert/strict";
import { Harness, type HarnessOptions } from "./harness.ts";

async function asked(options: HarnessOptions, headers: Record<string, string> = {}) {
  await using server = new Harness(options);
  const response = await server.request("/api/v2/capabilities", { headers });
  assert.equal(response.headers.get("cache-control"), "no-store");
  const { dialogAvailable, openByPath } = await response.json();
  const opened = await server.post("/api/v2/open", { path: "/nowhere/x.tif" }, { headers });
  const { error } = await opened.json();
  return { dialogAvailable, openByPath, isRefused: /_not_allowed$/.test(error) };
}

Deno.test("openByPath is what an open of the same asker then finds", async () => {
  const site = { origin: "http://example.org" };
  const rows: [HarnessOptions, Record<string, string>, boolean][] = [
    [{}, {}, true],
    [{}, { origin: "http://127.0.0.1:8767" }, true],
    [{}, { origin: "http://localhost:3000" }, true],
    [{}, site, false],
    [{}, { origin: "null" }, false],
    [{}, { "sec-fetch-site": "cross-site" }, false],
    [{ allowedOrigins: ["http://example.org"] }, site, true],
    [{ allowedOrigins: ["null"] }, { origin: "null" }, true],
    [{ allowedOrigins: ["*"] }, { "sec-fetch-site": "same-site" }, true],
    [{ dialogOnly: true }, {}, false],
    [{ dialogOnly: true, allowedOrigins: ["*"] }, site, false],
  ];
  for (const [options, headers, expected] of rows) {
    const { openByPath, isRefused } = await asked(options, headers);
    assert.deepEqual([openByPath, isRefused], [expected, !expected], JSON.stringify([options, headers]));
  }
});

Deno.test("dialogAvailable is what the picker says", async () => {
  assert.equal((await asked({})).dialogAvailable, true);
  assert.equal((await asked({ dialogAvailable: false })).dialogAvailable, false);
});
