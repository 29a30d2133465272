import assert from "node:assert/strict";
import { join } from "node:path";
import { OpenResponse, SessionDeleted, SessionInfo } from "../../schemas/http.ts";
import { ramp } from "../fixtures/plain_store.ts";
import { expectError, Harness, sampleFolder } from "./harness.ts";
import { NO_LINKS } from "../no_links.ts";

Deno.test("answers an open with source, header, plane and channels", async () => {
  await using sample = await sampleFolder();
  await using server = new Harness();
  const response = await server.post("/api/v2/open", { path: sample.image });
  assert.equal(response.status, 200);
  const body = OpenResponse.parse(await response.json());
  assert.match(body.sessionId, /^[0-9a-f]{32}$/);
  assert.deepEqual(body.source, {
    path: sample.image,
    name: "scan.ome.zarr",
    format: "ome.zarr",
    fingerprint: body.source.fingerprint,
    sourceDtype: "uint16",
    numChannels: 2,
  });
  assert.match(body.source.fingerprint!, /^[0-9a-f]{32}$/);
  assert.deepEqual(body.header, {
    shape: [2, 30, 20],
    dims: ["C", "Y", "X"],
    sizes: { C: 2, Y: 30, X: 20 },
    dtype: "uint16",
    numChannels: 2,
    physicalUnits: [1, 0.0025, 0.25],
    physicalUnitsLabels: ["Pixels", "seconds", "um"],
    date: "",
    time: "",
    fileSize: "",
  });
  assert.deepEqual(body.plane, {
    shape: [30, 20],
    axes: [
      { arrayDimension: 0, name: "Y", size: 30, step: 0.0025, unit: "seconds" },
      { arrayDimension: 1, name: "X", size: 20, step: 0.25, unit: "um" },
    ],
    servedDtype: "float32",
    encoding: "raw-f32-le",
    layout: "row-major",
    mediaType: "application/octet-stream",
  });
  assert.deepEqual(
    body.channels,
    ["Calcium", "Dextran"].map((name, index) => ({
      index,
      name,
      color: null,
      byteLength: 4 * 30 * 20,
      dataUrl: `/api/v2/sessions/${body.sessionId}/channels/${index}/data`,
    })),
  );
  assert.equal(body.reference, null);
  assert.deepEqual([body.warnings, body.warningCodes], [[], []]);
  assert.deepEqual(body.position, { t: 0, z: 0, l: 0 });
  assert.deepEqual([body.scene, body.sceneCount, body.times], [0, 1, null]);
  assert.deepEqual(body.scenes, [{ index: 0, name: "Scene 1", sizes: { C: 2, Y: 30, X: 20 } }]);
});

Deno.test("keeps the requested order of channels in the answer, and lists them ascending in the session", async () => {
  await using sample = await sampleFolder();
  await using server = new Harness();
  const body = await server.open(sample.image, [1, 0]);
  assert.deepEqual(body.channels.map((channel) => channel.index), [1, 0]);
  assert.equal(body.source.numChannels, 2);
  const info = SessionInfo.parse(await (await server.request(`/api/v2/sessions/${body.sessionId}`)).json());
  assert.deepEqual(info, {
    ok: true,
    sessionId: body.sessionId,
    ttlSecondsRemaining: 600,
    channelIndices: [0, 1],
    referenceChannelIndices: [],
    totalBytes: 2 * 4 * 600,
  });
});

Deno.test("neither loads nor serves a channel that was not requested", async () => {
  await using sample = await sampleFolder();
  // Channel 0 has no readable chunk: it must not be looked at.
  await Deno.writeFile(join(sample.image, "0", "c", "0", "0", "0"), new Uint8Array(3));
  await using server = new Harness();
  const body = await server.open(sample.image, [1]);
  const { summaryBytes } = server.store.get(body.sessionId);
  assert.deepEqual(body.channels.map((channel) => channel.index), [1]);
  assert.equal(body.source.numChannels, 2);
  await expectError(
    server.request(`/api/v2/sessions/${body.sessionId}/channels/0/data`),
    404,
    "channel_not_found",
  );
  await expectError(server.post("/api/v2/open", { path: sample.image }), 500, "decode_failed");
  const held = server.budget.used - server.pool.openBytes;
  assert.equal(held, 4 * 600 + summaryBytes, "a failed open gives its memory back");
});

Deno.test("serves exact little-endian float32 planes in row-major order", async () => {
  await using sample = await sampleFolder();
  await using server = new Harness();
  const body = await server.open(sample.image);
  for (const channel of body.channels) {
    const response = await server.request(channel.dataUrl);
    assert.equal(response.status, 200);
    assert.equal(response.headers.get("content-type"), "application/octet-stream");
    assert.equal(response.headers.get("cache-control"), "no-store");
    assert.equal(response.headers.get("content-length"), String(channel.byteLength));
    const bytes = await response.arrayBuffer();
    const view = new DataView(bytes);
    const expected = ramp(30, 20, 1000 * channel.index);
    assert.equal(bytes.byteLength, 4 * expected.length);
    expected.forEach((value, i) => assert.equal(view.getFloat32(4 * i, true), value));
  }
});

Deno.test("DELETE ends the session and frees its memory", async () => {
  await using sample = await sampleFolder();
  await using server = new Harness();
  const { sessionId, channels } = await server.open(sample.image);
  const { summaryBytes } = server.store.get(sessionId);
  assert.equal(server.budget.used - server.pool.openBytes, 2 * 4 * 600 + summaryBytes);
  const response = await server.request(`/api/v2/sessions/${sessionId}`, { method: "DELETE" });
  assert.deepEqual(SessionDeleted.parse(await response.json()), { ok: true, sessionId, deleted: true });
  assert.equal(server.budget.used, 0);
  for (const path of [`/api/v2/sessions/${sessionId}`, channels[0]!.dataUrl]) {
    await expectError(server.request(path), 404, "session_not_found");
  }
  await expectError(
    server.request(`/api/v2/sessions/${sessionId}`, { method: "DELETE" }),
    404,
    "session_not_found",
  );
});

Deno.test("opens the store of a marker file", async () => {
  await using sample = await sampleFolder();
  await using server = new Harness();
  const { source } = await server.open(join(sample.image, "zarr.json"));
  assert.equal(source.name, "scan.ome.zarr");
  assert.equal(source.format, "ome.zarr");
});

Deno.test("follows links and answers with the resolved path", { ignore: NO_LINKS }, async () => {
  await using sample = await sampleFolder();
  await using server = new Harness();
  const link = join(sample.folder, "link.ome.zarr");
  await Deno.symlink(sample.image, link);
  assert.equal((await server.open(link)).source.path, sample.image);
});
