/** Binary payloads: ranges, HEAD, leases, expiry, stalled clients. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { SessionInfo } from "../../schemas/http.ts";
import { ramp, writePlainStore } from "../fixtures/plain_store.ts";
import { describedBytes, expectError, Harness, sampleFolder } from "./harness.ts";

Deno.test("answers a single range with its part, anything else with the whole plane", async () => {
  await using sample = await sampleFolder();
  await using server = new Harness();
  const { channels: [channel] } = await server.open(sample.image, [0]);
  const whole = new Uint8Array(await (await server.request(channel!.dataUrl)).arrayBuffer());
  assert.equal(whole.length, 2400);
  const cases: [string, [number, number] | null][] = [
    ["bytes=0-3", [0, 4]],
    ["bytes=4-4", [4, 5]],
    ["bytes=2396-", [2396, 2400]],
    ["bytes=2396-9999999999999999999999", [2396, 2400]],
    ["bytes=-8", [2392, 2400]],
    ["bytes=-2400", [0, 2400]],
    ["bytes=2399-2399", [2399, 2400]],
    ["bytes=-99999", [0, 2400]],
    ["Bytes= 0-1 ", [0, 2]],
    ["bytes=0-3,8-9", null],
    ["bytes=5-2", null],
    ["bytes=-", null],
    ["bytes=1", null],
    ["bytes=a-b", null],
    ["items=0-3", null],
    ["bytes=0-3-5", null],
    ["", null],
  ];
  for (const [range, part] of cases) {
    const response = await server.request(channel!.dataUrl, { headers: { range } });
    const body = new Uint8Array(await response.arrayBuffer());
    const [start, end] = part ?? [0, 2400];
    assert.equal(response.status, part ? 206 : 200, range);
    assert.equal(response.headers.get("content-length"), String(end - start));
    assert.equal(response.headers.get("content-range"), part ? `bytes ${start}-${end - 1}/2400` : null);
    assert.equal(response.headers.get("accept-ranges"), "bytes");
    assert.deepEqual(body, whole.subarray(start, end));
  }
  for (const range of ["bytes=2400-", "bytes=2400-2401", "bytes=-0"]) {
    const refused = await server.request(channel!.dataUrl, { headers: { range } });
    assert.equal(refused.headers.get("content-range"), "bytes */2400");
    await expectError(refused, 416, "range_not_satisfiable");
  }
  const conditional = await server.request(channel!.dataUrl, {
    headers: { range: "bytes=0-3", "if-range": '"x"' },
  });
  assert.equal(conditional.status, 200);
  await conditional.body?.cancel();
});

Deno.test("HEAD answers like GET without a body on every GET route", async () => {
  await using sample = await sampleFolder();
  await using server = new Harness();
  const { sessionId, channels: [channel] } = await server.open(sample.image, [0]);
  const paths = [
    "/api/v2",
    "/api/v2/health",
    "/api/v2/capabilities",
    `/api/v2/sessions/${sessionId}`,
    channel!.dataUrl,
    "/openapi.json",
    "/schemas",
    "/docs",
    "/docs/",
    "/demo/v2/",
    "/",
    "/api/v2/none",
    "/api/v2/sessions/none",
  ];
  await server.completeAll();
  server.logged.length = 0;
  const logged: string[] = [];
  for (const path of paths) {
    const get = await server.request(path);
    const head = await server.request(path, { method: "HEAD" });
    const bytes = (await get.arrayBuffer()).byteLength;
    assert.equal(head.status, get.status, path);
    assert.equal((await head.arrayBuffer()).byteLength, 0);
    assert.equal(head.headers.get("content-length"), String(bytes), path);
    assert.equal(head.headers.get("content-type"), get.headers.get("content-type"), path);
    // Ids are cut.
    const shown = path.replace(sessionId, `${sessionId.slice(0, 8)}…`);
    logged.push(` GET ${shown} ${get.status} ${bytes} bytes `, ` HEAD ${shown} ${get.status} 0 bytes `);
  }
  assert.equal(
    server.store.channel(sessionId, 0).leases,
    1,
    "the GET holds a lease, the HEAD does not",
  );
  await server.completeAll();
  assert.deepEqual(server.logged.map((line) => / [A-Z]+ \/.* bytes /.exec(line)?.[0]), logged);
});

Deno.test("ends a session after its time to live, which nothing extends, and frees its memory by a timer", async () => {
  await using sample = await sampleFolder();
  await using server = new Harness({ sessionTtlSeconds: 10 });
  const { sessionId, channels } = await server.open(sample.image);
  const remaining = async () =>
    SessionInfo.parse(await (await server.request(`/api/v2/sessions/${sessionId}`)).json())
      .ttlSecondsRemaining;
  server.clock.move(4_000);
  assert.equal(await remaining(), 6);
  await (await server.request(channels[0]!.dataUrl)).arrayBuffer();
  await server.completeAll();
  server.clock.move(5_999);
  assert.equal(await remaining(), 0.001);
  assert.equal(server.budget.used - server.pool.openBytes, 4800 + await describedBytes(sample.image));
  server.clock.move(1);
  assert.equal(server.budget.used, 0);
  for (const path of [`/api/v2/sessions/${sessionId}`, channels[0]!.dataUrl]) {
    await expectError(server.request(path), 404, "session_not_found");
  }
});

Deno.test("a running response outlives its session and holds its memory until its end", async () => {
  await using sample = await sampleFolder();
  await using server = new Harness();
  const { sessionId, channels } = await server.open(sample.image);
  const response = await server.request(channels[0]!.dataUrl);
  await server.request(`/api/v2/sessions/${sessionId}`, { method: "DELETE" });
  assert.equal(server.budget.used, 2400, "the plane without a lease is free, the other is not");
  const plane = new Float32Array(await response.arrayBuffer());
  assert.equal(plane.length, 600);
  assert.equal(plane[599], 7 * 29 + 19);
  assert.equal(server.budget.used, 2400, "its bytes may still be on their way");
  await server.completeAll();
  assert.equal(server.budget.used, 0);
});

Deno.test("leaves no session of an open whose client has gone", async () => {
  await using sample = await sampleFolder();
  await using server = new Harness();
  const path = join(sample.folder, "large.ome.zarr");
  await writePlainStore(path, { planes: [ramp(512, 512)], rows: 512, columns: 512 });
  const open = () => server.post("/api/v2/open", { path });
  // Gone after the session was made: before the answer was sent, and during it.
  await (await open()).body!.cancel();
  const reader = (await open()).body!.getReader();
  const { value } = await reader.read();
  assert.equal(JSON.parse(new TextDecoder().decode(value)).ok, true);
  await reader.cancel();
  assert.equal(server.store.size, 0);
  assert.equal(server.budget.used, 0);
  const whole = await (await open()).text();
  assert.match(whole, /^\{"ok":true.*\}\n$/);
  assert.equal(server.store.size, 1);
});

Deno.test("does not look whether the client of a small session still waits, while fewer than 64 such sessions live", async () => {
  await using sample = await sampleFolder();
  await using server = new Harness();
  const open = async () => await (await server.post("/api/v2/open", { path: sample.image })).text();
  const texts: string[] = [];
  for (let i = 0; i < 65; i += 1) texts.push(await open());
  assert.deepEqual(texts.map((text) => text.endsWith("}\n")), [...Array(64).fill(false), true]);
  for (const text of texts.slice(0, 2)) {
    await server.request(`/api/v2/sessions/${JSON.parse(text).sessionId}`, { method: "DELETE" });
  }
  assert(!(await open()).endsWith("\n"));
});
