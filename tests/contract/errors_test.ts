/** Errors as the app answers them; further codes are in the tests of what they are about. */
import { fileURLToPath } from "node:url";
import assert from "node:assert/strict";
import { basename, join } from "node:path";
import type { ErrorCode } from "../../schemas/served.ts";
import { selectChannels } from "../../readers/metadata/selection.ts";
import { respondWithError } from "../../routes/errors.ts";
import { ClientGone, DialogUnavailable } from "../../session/errors.ts";
import { microManagerBytes } from "../fixtures/micromanager_writer.ts";
import { ramp, writePlainStore } from "../fixtures/plain_store.ts";
import { grayLayout } from "../fixtures/tiff_writer.ts";
import { describedBytes, expectError, Harness, sampleFolder } from "./harness.ts";
import { NO_LINKS } from "../no_links.ts";
import { run } from "../child_process.ts";
import { output, programTest } from "../programs.ts";
import { until } from "../deadline.ts";
import { temporaryFolder } from "../temporary_files.ts";

async function expect(
  response: Response | Promise<Response>,
  status: number,
  code: ErrorCode,
): Promise<string> {
  const body = await expectError(await response, status, code);
  assert.equal(body.details !== null, code === "request_validation_failed");
  for (const detail of body.details ?? []) assert.match(detail.location[0]!, /^(body|path|query)$/);
  assert.match(body.message, /^\S.*[^.]$/s, "a message is a sentence without a full stop");
  return body.message;
}

Deno.test("request_validation_failed: rejects invalid bodies", async () => {
  await using server = new Harness();
  const raw = (body: BodyInit) =>
    server.request("/api/v2/open", { method: "POST", headers: { "content-type": "application/json" }, body });
  const deep = "[".repeat(200_000) + "]".repeat(200_000);
  const bodies: [BodyInit, string[]][] = [
    ["", ["body"]],
    ["{", ["body"]],
    [new Uint8Array([0x22, 0xff, 0x22]), ["body"]],
    ["[]", ["body"]],
    ['"x"', ["body"]],
    ["null", ["body"]],
    [deep, ["body"]],
    [`{"path":${deep}}`, ["body"]],
    ["{}", ["body", "path"]],
    ['{"path":7}', ["body", "path"]],
    ['{"path":""}', ["body", "path"]],
    ['{"path":"  \\t"}', ["body", "path"]],
    ['{"path":"scan.oir"}', ["body", "path"]],
    ['{"path":"~/scan.oir"}', ["body", "path"]],
    ['{"path":"/a\\u0000b"}', ["body", "path"]],
    ['{"path":"/a","channel":0}', ["body", "channel"]],
    ['{"path":"/a","__proto__":{}}', ["body", "__proto__"]],
    ['{"path":"/a","channelIndices":[]}', ["body", "channelIndices"]],
    ['{"path":"/a","channelIndices":[-1]}', ["body", "channelIndices", "0"]],
    ['{"path":"/a","channelIndices":[0,0.5]}', ["body", "channelIndices", "1"]],
    ['{"path":"/a","channelIndices":[1,1]}', ["body", "channelIndices"]],
    ['{"path":"/a","channelIndices":["0"]}', ["body", "channelIndices", "0"]],
    ['{"path":"/a","channelIndices":0}', ["body", "channelIndices"]],
    ['{"path":"/a","channelIndices":[1e300]}', ["body", "channelIndices", "0"]],
  ];
  for (const [body, location] of bodies) {
    const error = await expectError(await raw(body), 422, "request_validation_failed");
    assert.deepEqual(error.details![0]!.location, location, String(body).slice(0, 80));
  }
  const picks: [unknown, string[]][] = [
    [{ extensions: [] }, ["body", "extensions"]],
    [{ extensions: [""] }, ["body", "extensions", "0"]],
    [{ extensions: [" "] }, ["body", "extensions", "0"]],
    [{ extensions: ["tif"] }, ["body", "extensions", "0"]],
    [{ extensions: [".tif", ".TIF"] }, ["body", "extensions"]],
    [{ path: "/a" }, ["body", "path"]],
  ];
  for (const [body, location] of picks) {
    const error = await expectError(
      server.post("/api/v2/pick-and-open", body),
      422,
      "request_validation_failed",
    );
    assert.deepEqual(error.details![0]!.location, location, JSON.stringify(body));
  }
  for (const index of ["x", "1.5", "", "0x1", "1e3", "+1"].filter((i) => i !== "")) {
    const response = await server.request(`/api/v2/sessions/none/channels/${encodeURIComponent(index)}/data`);
    const error = await expectError(response, 422, "request_validation_failed");
    assert.deepEqual(error.details![0]!.location, ["path", "channel_index"]);
  }
});

Deno.test("gives a short answer to a body with many faults", async () => {
  await using server = new Harness();
  const many = (item: string, n: number) => `[${new Array(n).fill(item).join(",")}]`;
  const bodies = [
    ["/api/v2/open", `{"path":"/x","channelIndices":${many("-1", 340_000)}}`],
    ["/api/v2/open", `{"path":"/x","channelIndices":${many('""', 9_999)}}`],
    ["/api/v2/pick-and-open", `{"extensions":${many('""', 300_000)}}`],
    ["/api/v2/open", `{${Array.from({ length: 80_000 }, (_, i) => `"k${i}":0`).join(",")}}`],
    ["/api/v2/open", `{"${"k".repeat(500_000)}":0}`],
    ["/api/v2/open", `{"path":"${"x".repeat(900_000)}"}`],
  ] as const;
  for (const [path, body] of bodies) {
    const init = { method: "POST", headers: { "content-type": "application/json" }, body };
    const response = await server.request(path, init);
    assert.ok(Number(response.headers.get("content-length")) < 10_000, body.slice(0, 60));
    await expect(response, 422, "request_validation_failed");
  }
  for (const path of [`/${"a".repeat(900_000)}`, `/${"a/".repeat(400_000)}`]) {
    const response = await server.post("/api/v2/open", { path });
    assert.ok(Number(response.headers.get("content-length")) < 10_000);
    await expect(response, 404, "path_not_found");
  }
});

Deno.test("unsupported_media_type and payload_too_large: rejects other types and large bodies", async () => {
  await using server = new Harness({ pick: () => Promise.resolve(null) });
  const post = (path: string, type: string | null, body: BodyInit | null, headers = {}) =>
    server.request(path, {
      ...(body instanceof ReadableStream && { duplex: "half" }),
      method: "POST",
      headers: { ...(type && { "content-type": type }), ...headers },
      body,
    });
  for (
    const type of [
      null,
      "text/plain",
      "application/x-www-form-urlencoded",
      "application/json; charset=latin1",
    ]
  ) {
    const body = type === null ? new TextEncoder().encode('{"path":"/a"}') : '{"path":"/a"}';
    await expect(post("/api/v2/open", type, body), 415, "unsupported_media_type");
  }
  for (const type of ["application/json; charset=utf-8", 'Application/JSON; charset="UTF-8"; x=1']) {
    await expect(post("/api/v2/open", type, '{"path":"/nowhere/a"}'), 404, "path_not_found");
  }
  // An empty body counts as {} without an Origin only: a page could send one without asking for permission.
  await expect(post("/api/v2/pick-and-open", null, null), 200, "cancelled");
  await expect(
    post("/api/v2/pick-and-open", null, new ReadableStream({ start: (c) => c.close() })),
    200,
    "cancelled",
  );
  await expect(post("/api/v2/pick-and-open", null, null, { origin: "null" }), 415, "unsupported_media_type");
  await expect(
    post("/api/v2/pick-and-open", "text/plain", "{}", { origin: "https://example.org" }),
    415,
    "unsupported_media_type",
  );
  const large = `{"path":"/${"a".repeat(1 << 20)}"}`;
  await expect(post("/api/v2/open", "application/json", large), 413, "payload_too_large");
  const endless = new ReadableStream({ pull: (c) => c.enqueue(new Uint8Array(1 << 18).fill(0x20)) });
  const init = {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: endless,
    duplex: "half",
  };
  await expect(server.request("/api/v2/open", init as RequestInit), 413, "payload_too_large");
});

Deno.test("path_not_found: rejects paths to nothing", async () => {
  await using sample = await sampleFolder();
  await using server = new Harness();
  const at = (name: string) => join(sample.folder, name);
  if (!NO_LINKS) {
    await Deno.symlink(at("gone.tif"), at("dangling.tif"));
    await Deno.symlink(at("loop.tif"), at("loop.tif"));
  }
  await Deno.writeTextFile(at("file.tif"), "x");
  const paths = [
    at("missing.tif"),
    at("missing.docx"),
    at("dangling.tif"),
    at("loop.tif"),
    at(`${"n".repeat(300)}.tif`),
    at(join("file.tif", "below.tif")),
    `${at("file.tif")}/`,
    `${at("file.tif")}/.`,
    `/${"x/".repeat(3000)}y.tif`,
    ...(Deno.build.os === "linux" ? ["/proc/self/maps", "/sys/kernel/notes"] : []),
  ];
  for (const path of paths) await expect(server.post("/api/v2/open", { path }), 404, "path_not_found");
});

Deno.test("path_not_allowed: rejects paths outside every root, existing or not", async () => {
  await using sample = await sampleFolder();
  await using outside = await sampleFolder();
  const root = { written: sample.folder, resolved: sample.folder };
  await using server = new Harness({ roots: [root], pick: () => Promise.resolve(outside.image) });
  const at = (name: string) => join(sample.folder, name);
  if (!NO_LINKS) {
    await Deno.symlink(outside.image, at("link.ome.zarr"));
    await Deno.symlink(join(outside.folder, "missing"), at("dangling"));
    await Deno.symlink(outside.folder, at("folder"));
  }
  const paths = [
    outside.image,
    join(outside.folder, "missing.tif"),
    join(sample.folder, "..", "x.tif"),
    `${sample.folder}2/x.tif`,
    ...(NO_LINKS ? [] : ["link.ome.zarr", "dangling", "folder/scan.ome.zarr", "folder/missing.tif"]).map(at),
    "/",
  ];
  for (const path of paths) await expect(server.post("/api/v2/open", { path }), 403, "path_not_allowed");
  await expect(server.post("/api/v2/open", { path: at("missing.tif") }), 404, "path_not_found");
  await expect(server.post("/api/v2/open", { path: at("a/".repeat(200_000)) }), 404, "path_not_found");
  await server.open(sample.image);
  await server.open(join(sample.folder, "..", basename(sample.folder), "scan.ome.zarr"));
  assert.equal((await server.post("/api/v2/pick-and-open", {})).status, 200, "the dialog stays free");

  await using dialogOnly = new Harness({ dialogOnly: true, pick: () => Promise.resolve(sample.image) });
  await expect(dialogOnly.post("/api/v2/open", { path: sample.image }), 403, "path_not_allowed");
  const chosen = await dialogOnly.post("/api/v2/pick-and-open", {});
  assert.equal(chosen.status, 200, [await chosen.text(), ...dialogOnly.logged].join("\n"));
});

Deno.test("reads no chunk through a link that leaves the root", { ignore: NO_LINKS }, async () => {
  await using sample = await sampleFolder();
  await using outside = await sampleFolder();
  const chunk = join(sample.image, "0", "c", "0", "0", "0");
  await Deno.remove(chunk);
  await Deno.symlink(join(outside.image, "0", "c", "0", "0", "0"), chunk);
  await using server = new Harness({ roots: [{ written: sample.folder, resolved: sample.folder }] });
  const response = await server.post("/api/v2/open", { path: sample.image, channelIndices: [0] });
  if (response.status === 200) {
    // Outside counts as missing, and a missing chunk is the fill value, 0.
    const { channels } = await response.json();
    const plane = new Float32Array(await (await server.request(channels[0].dataUrl)).arrayBuffer());
    assert.ok(plane.every((sample) => sample === 0));
  } else await expect(response, 500, "decode_failed");
});

Deno.test("unsupported_format: rejects other files, and extensions that are not allowed", async () => {
  await using sample = await sampleFolder();
  await using server = new Harness();
  const at = (name: string) => join(sample.folder, name);
  await Deno.writeTextFile(at("notes.docx"), "PK");
  await Deno.writeTextFile(at("noextension"), "hello");
  await Deno.mkdir(at("folder"));
  await Deno.mkdir(at("folder.tif"));
  for (const name of ["notes.docx", "noextension", "folder", "folder.tif"]) {
    await expect(server.post("/api/v2/open", { path: at(name) }), 415, "unsupported_format");
  }
  if (Deno.build.os !== "windows") {
    await expect(server.post("/api/v2/open", { path: "/dev/null" }), 415, "unsupported_format");
  }
  await using tiffOnly = new Harness({ allowedExtensions: [".tif"] });
  await expect(tiffOnly.post("/api/v2/open", { path: sample.image }), 415, "unsupported_format");
  await expect(server.post("/api/v2/pick-and-open", { extensions: [".docx"] }), 415, "unsupported_format");
});

programTest(["mkfifo"], {
  name: "unsupported_format: rejects a FIFO",
  ignore: Deno.build.os === "windows",
  async fn([mkfifo]) {
    await using sample = await sampleFolder();
    await using server = new Harness();
    const path = join(sample.folder, "pipe.tif");
    await output(mkfifo!, [path]);
    await expect(server.post("/api/v2/open", { path }), 415, "unsupported_format");
  },
});

Deno.test("decode_failed: rejects other, empty or truncated content under an accepted extension", async () => {
  await using sample = await sampleFolder();
  await using server = new Harness();
  const at = (name: string) => join(sample.folder, name);
  await Deno.writeTextFile(at("empty.tif"), "");
  await Deno.writeTextFile(at("text.tif"), "this is not a TIFF");
  await Deno.writeFile(at("cut.tif"), Uint8Array.of(0x49, 0x49, 42, 0, 8));
  await Deno.mkdir(at("bare.ome.zarr"));
  for (const name of ["empty.tif", "text.tif", "cut.tif", "bare.ome.zarr"]) {
    const message = await expect(server.post("/api/v2/open", { path: at(name) }), 500, "decode_failed");
    assert.ok(message.startsWith(`Cannot read "${name}": `), message);
  }
});

Deno.test("unknown sessions and channels", async () => {
  await using sample = await sampleFolder();
  await using server = new Harness();
  const { sessionId } = await server.open(sample.image, [0]);
  const at = (rest: string) => server.request(`/api/v2/sessions/${rest}`);
  for (const id of ["x", sessionId.toUpperCase(), "0".repeat(32), "%00", "__proto__", "z".repeat(5000)]) {
    await expect(at(id), 404, "session_not_found");
    await expect(at(`${id}/channels/0/data`), 404, "session_not_found");
    await expect(at(`${id}/reference/channels/0/data`), 404, "session_not_found");
  }
  await expect(at("none/channels/-1/data"), 422, "channel_out_of_range");
  await expect(at("none/reference/channels/-1/data"), 422, "channel_out_of_range");
  const again = await server.post("/api/v2/open", { path: sample.image, channelIndices: [0, 2] });
  assert.match(await expect(again, 422, "channel_out_of_range"), /Channel 2 .* channels 0 to 1/);
  await expect(at(`${sessionId}/channels/1/data`), 404, "channel_not_found");
  await expect(at(`${sessionId}/channels/99999999999999999999/data`), 404, "channel_not_found");
  await expect(at(`${sessionId}/reference/channels/0/data`), 404, "reference_channel_not_found");
});

Deno.test("session_memory_exceeded: rejects an open before any allocation, and evicts nothing", async () => {
  await using sample = await sampleFolder();
  const maxSessionMemory = 3 * 2400 + await describedBytes(sample.image) +
    await describedBytes(sample.image, [0]);
  await using server = new Harness({ maxSessionMemory });
  const { sessionId } = await server.open(sample.image);
  await expect(server.post("/api/v2/open", { path: sample.image }), 507, "session_memory_exceeded");
  assert.equal((await server.request(`/api/v2/sessions/${sessionId}`)).status, 200);
  await server.open(sample.image, [0]);
  assert.equal(server.budget.used, maxSessionMemory);
});

Deno.test("session_memory_exceeded: counts the memory of a decoder beside the plane", async () => {
  const path = fileURLToPath(new URL("../fixtures/tiff/lerc_largest.tif", import.meta.url));
  // The plane alone, 4 bytes for each of 8192 x 8192 samples, would fit with its description.
  await using server = new Harness({ maxSessionMemory: 4 * 8192 * 8192 + 16_384 });
  const refused = await server.post("/api/v2/open", { path });
  assert.match(
    (await refused.clone().json()).message,
    /^The decoders, beside the planes, need \d+ MiB, but only 0\.0 MiB/,
  );
  await expect(refused, 507, "session_memory_exceeded");
  assert.equal(server.budget.used, 0);
});

Deno.test("dialogs: reports cancelled, unavailable and busy ones", async () => {
  const answers: (() => Promise<string | null>)[] = [
    () => Promise.resolve(null),
    () => Promise.reject(new DialogUnavailable("There is no display")),
  ];
  await using server = new Harness({ pick: () => answers.shift()?.() ?? Promise.resolve(null) });
  const response = await server.post("/api/v2/pick-and-open", {});
  assert.deepEqual(Object.keys(await response.clone().json()), ["ok", "error", "message", "details"]);
  await expect(response, 200, "cancelled");
  await expect(server.post("/api/v2/pick-and-open", {}), 501, "dialog_unavailable");
  // Foreign pages, each of an origin of its own, had three dialogs cancelled within 60 s.
  const ask = (headers: Record<string, string>) => server.post("/api/v2/pick-and-open", {}, { headers });
  await expect(ask({ origin: "https://a.example.org" }), 200, "cancelled");
  await expect(ask({ "sec-fetch-site": "cross-site" }), 200, "cancelled");
  server.clock.move(59_000);
  await expect(ask({ origin: "null" }), 200, "cancelled");
  const foreign = [
    { origin: "https://b.example.org" },
    { origin: "https://example.org", "sec-fetch-site": "same-origin" },
    { "sec-fetch-site": "same-site" },
    { "sec-fetch-site": "Cross-Site" },
    { origin: "" },
  ];
  for (const headers of foreign) {
    const busy = await ask(headers);
    assert.equal(busy.headers.get("retry-after"), "30");
    await expect(busy, 409, "dialog_busy");
  }
  const own = [{ origin: "http://127.0.0.1:8767" }, { "sec-fetch-site": "same-origin" }, {}, {}, {}];
  for (const headers of own) await expect(ask(headers as Record<string, string>), 200, "cancelled");
  server.clock.move(30_000);
  // That at 59 s counts still, the earlier ones no longer.
  for (const headers of foreign.slice(0, 2)) await expect(ask(headers), 200, "cancelled");
  await expect(ask(foreign[0]!), 409, "dialog_busy");
});

Deno.test("dialogs: counts those whose page left as cancelled", async () => {
  await using server = new Harness({ pick: () => Promise.reject(new ClientGone("The client went away")) });
  const foreign = { headers: { origin: "https://example.org" } };
  for (let n = 0; n < 3; n += 1) await server.post("/api/v2/pick-and-open", {}, foreign);
  await expect(server.post("/api/v2/pick-and-open", {}, foreign), 409, "dialog_busy");
});

Deno.test("dialogs: passes on the origin and the requested extensions", async () => {
  const asked: [string, readonly string[]][] = [];
  await using server = new Harness({
    allowedExtensions: [".ome.zarr", ".tif"],
    pick: ({ title, extensions }) => {
      asked.push([title, extensions]);
      return Promise.resolve(null);
    },
  });
  const ask = (body: unknown, origin?: string) =>
    server.post("/api/v2/pick-and-open", body, origin === undefined ? {} : { headers: { origin } });
  await ask({});
  await ask({ extensions: [".TIF", ".docx"] }, "http://127.0.0.1:8767");
  await ask({}, "null");
  await ask({}, "http://127.0.0.1:3000");
  await ask({}, "https://lab.example");
  assert.deepEqual(asked, [
    ["Open an acquisition", [".ome.zarr", ".tif"]],
    ["Open an acquisition", [".tif"]],
    ["Open an acquisition for a page without an address", [".ome.zarr", ".tif"]],
    ["Open an acquisition for http://127.0.0.1:3000", [".ome.zarr", ".tif"]],
    ["Open an acquisition for https://lab.example", [".ome.zarr", ".tif"]],
  ]);
});

Deno.test("load_timeout, too_many_opens, shutting_down, internal_error: reports misbehaving workers", async () => {
  await using sample = await sampleFolder();
  const idle = new URL("data:text/javascript,self.onmessage=()=>{}");
  const failing = new URL("data:text/javascript,self.onmessage=()=>{throw new Error('broken')}");
  const start = (url: URL) => () => new Worker(url.href, { type: "module" });
  {
    await using server = new Harness({ startWorker: start(idle), loadTimeoutSeconds: 5 });
    const open = server.post("/api/v2/open", { path: sample.image });
    await until(() => server.pool.counts.busy > 0);
    const queue = Array.from({ length: 32 }, () => server.post("/api/v2/open", { path: sample.image }));
    await until(() => server.pool.counts.waiting === 32);
    const refused = await server.post("/api/v2/open", { path: sample.image });
    assert.equal(refused.headers.get("retry-after"), "2");
    await expect(refused, 503, "too_many_opens");
    server.clock.move(5_000);
    for (const response of [open, ...queue]) await expect(response, 504, "load_timeout");
    assert.equal(server.pool.counts.waiting, 0);
    assert.equal(server.clock.waiting, 1, "only the grace time of the one worker is waited for");
    server.clock.move(2_000);
    assert.deepEqual(server.pool.counts, { idle: 0, busy: 0, lost: 1, waiting: 0 });
  }
  {
    await using server = new Harness({ startWorker: start(idle) });
    const open = server.post("/api/v2/open", { path: sample.image });
    await until(() => server.pool.counts.busy > 0);
    server.stopping = true;
    server.stopWork();
    await expect(open, 503, "shutting_down");
    await expect(server.post("/api/v2/open", { path: sample.image }), 503, "shutting_down");
  }
  {
    await using server = new Harness({ startWorker: start(failing) });
    const message = await expect(server.post("/api/v2/open", { path: sample.image }), 500, "internal_error");
    assert.ok(!message.includes("broken"), "the answer has no stack and no inner message");
    assert.ok(server.logged.some((line) => line.includes("broken")), "the log has it");
    assert.deepEqual(server.pool.counts, { idle: 0, busy: 0, lost: 0, waiting: 0 });
  }
});

Deno.test("not_found and method_not_allowed: rejects other paths and methods", async () => {
  await using server = new Harness();
  for (
    const path of [
      "/api/v2/",
      "/api/v2/x",
      "/api/v3",
      "/favicon.ico",
      "/demo/v2/none.js",
      "/docs/..%2fdemo",
      "/demo/v2/.x",
    ]
  ) {
    await expect(server.request(path), 404, "not_found");
  }
  const cases: [string, string, string][] = [
    ["PUT", "/api/v2/open", "POST"],
    ["GET", "/api/v2/open", "POST"],
    ["POST", "/api/v2/health", "GET, HEAD"],
    ["PATCH", "/api/v2/sessions/x", "GET, HEAD, DELETE"],
    ["OPTIONS", "/api/v2/open", "POST"],
    ["DELETE", "/openapi.json", "GET, HEAD"],
  ];
  for (const [method, path, allow] of cases) {
    const response = await server.request(path, { method });
    assert.equal(response.headers.get("allow"), allow);
    await expect(response, 405, "method_not_allowed");
  }
});

Deno.test("scene_out_of_range, position_out_of_range, plane_not_found, acquisition_changed: are reported", async () => {
  using temporary = temporaryFolder();
  const { path: folder } = temporary;
  const path = join(folder, "run_MMStack.tif");
  // Frame 1 of slice 1 was never taken.
  const planes = [[0, 0, 0, 0, 1], [0, 1, 0, 0, 2], [0, 0, 1, 0, 3]] as const;
  const summary = { Channels: 1, Slices: 2, Frames: 2 };
  await Deno.writeFile(path, microManagerBytes(grayLayout(4, 3, 16), summary, planes));
  await using server = new Harness();
  await expect(server.post("/api/v2/open", { path, scene: 1 }), 422, "scene_out_of_range");
  const { channels: [channel], warnings } = await server.open(path);
  assert.match(warnings.join(), /declares 4 planes, but 3 are there/);
  const at = (query: string) => server.request(channel!.dataUrl + query);
  await expect(at("?z=2"), 422, "position_out_of_range");
  const missing = await expect(at("?t=1&z=1"), 404, "plane_not_found");
  assert.match(missing, /"run_MMStack.tif" does not hold this plane: .*T=1 C=0 Z=1/);
  assert.equal((await server.request(`${channel!.dataUrl}?t=1&z=1`, { method: "HEAD" })).status, 404);
  // The plane is judged before the range.
  const range = { headers: { range: "bytes=9999-" } };
  await expect(server.request(`${channel!.dataUrl}?t=1&z=1`, range), 404, "plane_not_found");
  assert.equal(new Float32Array(await (await at("?t=1")).arrayBuffer())[0], 3);
  await Deno.writeFile(path, new Uint8Array(1), { append: true });
  await expect(at("?t=1"), 409, "acquisition_changed");
});

Deno.test("too_many_exports", async () => {
  await using sample = await sampleFolder();
  await using server = new Harness();
  const link = () => server.post("/api/v2/export", { members: [{ path: sample.image }] });
  for (let i = 0; i < 8; i += 1) assert.equal((await link()).status, 200);
  await expect(link(), 503, "too_many_exports");
});

programTest(["setpriv"], {
  name: "path_not_found: reports a file without read permission",
  ignore: Deno.build.os !== "linux" || Deno.uid() !== 0,
  fn: ([setpriv]) => openUnreadable(setpriv!),
});

async function openUnreadable(setpriv: string): Promise<void> {
  await using sample = await sampleFolder();
  const path = join(sample.folder, "secret.ome.zarr");
  await writePlainStore(path, { planes: [ramp(2, 2)], rows: 2, columns: 2 });
  await Deno.chmod(sample.folder, 0o700);
  const script = new URL("./open_as_nobody.ts", import.meta.url).pathname;
  const { stdout, stderr } = await run(setpriv, {
    args: [
      "--reuid=65534",
      "--regid=65534",
      "--clear-groups",
      Deno.execPath(),
      "run",
      "-q",
      "--cached-only",
      "-A",
      script,
      path,
    ],
  });
  assert.match(
    new TextDecoder().decode(stdout),
    /PathNotFound: Cannot open ".*": the server may not read it/,
    new TextDecoder().decode(stderr),
  );
}

Deno.test("invalid_channel_indices: refuses channels that differ in shape", () => {
  // No format has such channels.
  const channel = (index: number, rows: number) =>
    ({ index, name: "", sampleType: "uint8", rows, columns: 2, color: null }) as const;
  assert.throws(() => selectChannels("a.czi", [channel(0, 2), channel(1, 3)], null), (error) => {
    assert.equal(respondWithError(error).status, 422);
    return (error as { tag: string }).tag === "invalid_channel_indices";
  });
});
