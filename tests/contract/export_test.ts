/** Archives: the order, the link, the stream, and what the server makes of the archive. */
import assert from "node:assert/strict";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { Buffer } from "node:buffer";
import { type Packer, streamZip } from "../../session/archive/archive.ts";
import { OrderMemory } from "../../session/archive/order_memory.ts";
import { encodeOrder } from "../../session/archive/content/parsed_order.ts";
import { validatePath } from "../../cli/verdict.ts";
import { ExportResponse } from "../../schemas/http.ts";
import { FILES, writeCollection } from "../collection_tree.ts";
import { microManagerBytes } from "../fixtures/micromanager_writer.ts";
import { noise, ramp, write, writeChunks, writePlainStore } from "../fixtures/plain_store.ts";
import { grayLayout, tiffBytes } from "../fixtures/tiff_writer.ts";
import { PATIENCE, until, within } from "../deadline.ts";
import { startDecodeWorker } from "../../session/decode_pool.ts";
import type { ToWorker } from "../../session/worker/orders.ts";
import { expectError, Harness, type HarnessOptions, sampleFolder } from "./harness.ts";

const LINE_SCAN = fileURLToPath(new URL("../../examples/line_scan.oir", import.meta.url));
const SPACE = { coordinate_space: "primary-image-full-resolution-pixels" };
const BAND = { id: "band", type: "rectangle", start: [0, 0], stop: [20, 30], ...SPACE };
const CSV = "time_s,velocity_mm_s\n0.1,0.8\n";

interface Folder {
  readonly server: Harness;
  readonly folder: string;
  /** 30 rows and 20 columns in two channels. */
  readonly image: string;
}

async function withServer(
  use: (given: Folder) => Promise<void>,
  options: HarnessOptions = {},
): Promise<void> {
  await using sample = await sampleFolder();
  await using server = new Harness(options);
  await use({ server, ...sample });
}

async function linkTo(server: Harness, order: unknown): Promise<string> {
  const response = await server.post("/api/v2/export", order);
  const body = await response.json();
  assert.equal(response.status, 200, JSON.stringify(body));
  return ExportResponse.parse(body).downloadUrl;
}

/** Exports into a file. */
async function exported(server: Harness, order: unknown, file: string): Promise<Response> {
  const response = await server.request(await linkTo(server, order));
  assert.equal(response.status, 200);
  await Deno.writeFile(file, new Uint8Array(await response.arrayBuffer()));
  return response;
}

async function samples(server: Harness, url: string): Promise<number[]> {
  return [...new Float32Array(await (await server.request(url)).arrayBuffer())];
}

Deno.test("writes a valid archive of the opened image, its regions, analyses and tables", () =>
  withServer(async ({ server, folder }) => {
    const file = join(folder, "archive.zip");
    const opened = await server.open(LINE_SCAN);
    const analysis = {
      id: "a",
      type: "velocity",
      roiId: "band",
      channel: 1,
      parameters: { window: 100 },
      summary: { mean: 0.8 },
      tables: [{ id: "t", name: "Velocities", csv: CSV }],
    };
    const member = {
      sessionId: opened.sessionId,
      id: "m",
      name: "Cell 1",
      accepted: true,
      rois: [BAND],
      analyses: [analysis],
    };
    const response = await exported(server, { name: "Été", members: [member] }, file);
    assert.equal(response.headers.get("content-type"), "application/zip");
    assert.equal(
      response.headers.get("content-disposition"),
      `attachment; filename="_t_.zip"; filename*=UTF-8''%C3%89t%C3%A9.zip`,
    );
    assert.deepEqual((await validatePath(file)).problems, []);
    const again = await server.open(file);
    assert.deepEqual(again.collection!.member, { id: "m", name: "Cell 1", accepted: true });
    assert.deepEqual(again.plane, opened.plane);
    assert.deepEqual(again.channels.map(({ name }) => name), opened.channels.map(({ name }) => name));
    for (const [i, { dataUrl }] of opened.channels.entries()) {
      assert.deepEqual(await samples(server, again.channels[i]!.dataUrl), await samples(server, dataUrl));
    }
    assert.deepEqual(again.reference!.scanPath, opened.reference!.scanPath);
    assert.deepEqual(again.reference!.plane, opened.reference!.plane);
    const documents: { name: string; text: string }[] =
      await (await server.request(`/api/v2/sessions/${again.sessionId}/metadata`)).json();
    const document = (name: string) => documents.find((one) => one.name === name)!.text;
    assert.equal(document("tables/1-1.csv"), CSV);
    assert.deepEqual(JSON.parse(document("analyses/1.json")).analyses, [{
      id: "a",
      type: "velocity",
      roi_id: "band",
      channel: 1,
      parameters: { window: 100 },
      summary: { mean: 0.8, acq_server: { tables: { t: "Velocities" } } },
      resources: [{ id: "t", media_type: "text/csv", path: "tables/1-1.csv" }],
    }]);
    assert.deepEqual(JSON.parse(document("acqimage/1.json")).rois, [BAND]);
  }));

Deno.test("writes all positions, the opened one, or documents alone", () =>
  withServer(async ({ server, folder }) => {
    const path = join(folder, "stack.tif");
    // Page p, which is slice p % 3 of frame p / 3, has samples 100 p + 10 y + x.
    const description = "ImageJ=1.53t\nimages=6\nslices=3\nframes=2\nhyperstack=true\nfinterval=0.5\n";
    const page = (x: number, y: number, _s: number, p: number) => BigInt(100 * p + 10 * y + x);
    await Deno.writeFile(path, tiffBytes(grayLayout(4, 3, 16), page, 6, [[270, 2, description]]));
    const file = join(folder, "archive.zip");
    await exported(server, { members: [{ path }] }, file);
    const all = await server.open(file);
    assert.deepEqual(all.header.sizes, { T: 2, Z: 3, Y: 3, X: 4 });
    assert.deepEqual(all.header.physicalUnits[0], 0.5);
    for (let p = 0; p < 6; p += 1) {
      const [first] = await samples(server, `${all.channels[0]!.dataUrl}?t=${Math.floor(p / 3)}&z=${p % 3}`);
      assert.equal(first, 100 * p);
    }
    await exported(server, { members: [{ path }], images: "opened" }, file);
    assert.deepEqual((await server.open(file)).header.sizes, { Y: 3, X: 4 });
    await exported(server, { members: [{ path, rois: [{ ...BAND, stop: [4, 3] }] }], images: "none" }, file);
    assert.deepEqual((await validatePath(file)).problems, []);
    await expectError(server.post("/api/v2/open", { path: file }), 415, "unsupported_format");
  }));

Deno.test("lists a plane that the recording lacks as missing", () =>
  withServer(async ({ server, folder }) => {
    const path = join(folder, "cut_MMStack_Pos0.ome.tif");
    const summary = { Channels: 2, Slices: 1, Frames: 2, Positions: 1, Width: 4, Height: 3 };
    const planes = [[0, 0, 0, 0, 1], [1, 0, 0, 0, 2], [0, 0, 1, 0, 3]] as const;
    await Deno.writeFile(path, microManagerBytes(grayLayout(4, 3, 16), summary, planes));
    const file = join(folder, "archive.zip");
    await exported(server, { members: [{ path, name: "cut" }] }, file);
    const verdict = await validatePath(file);
    const missing = [{ member: "cut", planes: ["t=1 c=1"] }];
    assert.deepEqual([verdict.problems, verdict.missingPlanes], [[], missing]);
    const { channels } = await server.open(file);
    assert.equal((await samples(server, `${channels[0]!.dataUrl}?t=1`))[0], 3);
    await expectError(server.request(`${channels[1]!.dataUrl}?t=1`), 404, "plane_not_found");
  }));

Deno.test("reports all problems of an order at once", () =>
  withServer(async ({ server, image }) => {
    const { sessionId } = await server.open(image);
    const refused = async (order: unknown, ...locations: string[]) => {
      const body = await expectError(
        server.post("/api/v2/export", order, { headers: { "x-acq-session": sessionId } }),
        422,
        "request_validation_failed",
      );
      assert.deepEqual(body.details!.map(({ location }) => location.join(".")), locations);
    };
    const member = (fields: Record<string, unknown>) => ({ members: [{ sessionId, ...fields }] });
    const analysis = { type: "velocity", tables: [{ name: "t", csv: CSV }] };
    await refused({ members: [] }, "body.members");
    await refused({ members: [{}] }, "body.members.0");
    await refused(member({ path: image }), "body.members.0");
    await refused(member({ scene: 1 }), "body.members.0.scene");
    await refused({ members: [{ path: "scan.oir" }] }, "body.members.0.path");
    await refused({ members: [{ sessionId, id: "m" }, { sessionId, id: "m" }] }, "body.members.1.id");
    await refused(member({ rois: [BAND, BAND] }), "body.members.0.rois.1.id");
    await refused(member({ rois: [{ ...BAND, stop: [21, 30] }] }), "body.members.0.rois.0.stop");
    await refused(member({ rois: [{ ...BAND, type: "circle" }] }), "body.members.0.rois.0.type");
    await refused(
      member({ axisDisplay: { z: { type: "space", unit: "um", scale: 1 } } }),
      "body.members.0.axisDisplay.z",
    );
    await refused(member({ analyses: [{ ...analysis, roiId: "band" }] }), "body.members.0.analyses.0.roiId");
    await refused(
      member({ analyses: [{ ...analysis, channel: 2 }] }),
      "body.members.0.analyses.0.channel",
    );
    await refused(
      member({ analyses: [{ ...analysis, tables: [{ name: "t", csv: "a,b\n1" }] }] }),
      "body.members.0.analyses.0.tables.0.csv",
    );
    await refused(member({ analyses: [{ ...analysis, tables: [] }] }), "body.members.0.analyses.0.tables");
    // The readers of documents take 256 levels and 16 MiB.
    const nested = (depth: number): unknown => depth === 0 ? 1 : [nested(depth - 1)];
    await refused(member({ imageMetadata: { nested: nested(300) } }), "body");
    const large = { members: [{ sessionId, experimentMetadata: { text: "x".repeat(17 << 20) } }] };
    await refused(large, "body.members.0");
    const ids = [{ id: "t", name: "a", csv: CSV }, { id: "t", name: "b", csv: CSV }];
    await refused(
      member({ analyses: [{ ...analysis, tables: ids }] }),
      "body.members.0.analyses.0.tables.1.id",
    );
  }));

Deno.test("a link works once, within ten minutes, and a HEAD leaves it", () =>
  withServer(async ({ server, image }) => {
    const order = { members: [{ path: image }] };
    const url = await linkTo(server, order);
    const head = await server.request(url, { method: "HEAD" });
    assert.deepEqual([head.status, head.headers.get("accept-ranges"), head.headers.get("cache-control")], [
      200,
      "none",
      "no-store",
    ]);
    await (await server.request(url, { headers: { "sec-fetch-site": "cross-site" } })).arrayBuffer();
    await expectError(server.request(url), 404, "export_not_found");
    await expectError(server.request("/api/v2/exports/0"), 404, "export_not_found");
    const late = await linkTo(server, order);
    server.clock.move(600_000);
    await expectError(server.request(late), 404, "export_not_found");
  }));

Deno.test("names the file of an archive as every system accepts", () =>
  withServer(async ({ server, image }) => {
    const named = async (name: string) => {
      const url = await linkTo(server, { name, images: "none", members: [{ path: image }] });
      const response = await server.request(url, { method: "HEAD" });
      assert.equal(response.status, 200);
      await (await server.request(url)).arrayBuffer();
      return response.headers.get("content-disposition")!.split("filename*=UTF-8''")[1];
    };
    assert.equal(await named("a/b: c"), "a_b_%20c.zip");
    assert.equal(await named("\ud800"), "%EF%BF%BD.zip");
    // 199 bytes and 4 more, which stay together.
    assert.equal(await named(`${"x".repeat(199)}😀`), `${"x".repeat(199)}.zip`);
    assert.equal(await named("名".repeat(120)), `${"%E5%90%8D".repeat(66)}.zip`);
    assert.equal(await named("..."), "archive.zip");
  }));

Deno.test("counts the documents of an archive as memory until it is sent", () =>
  withServer(async ({ server, image }) => {
    const { sessionId } = await server.open(image);
    const before = server.budget.used;
    const csv = `a\n${"1\n".repeat(100_000)}`;
    const order = { members: [{ sessionId, analyses: [{ type: "trace", tables: [{ name: "t", csv }] }] }] };
    await using socket = server.listen();
    const url = socket.base + await linkTo(server, order);
    assert.ok(server.budget.used >= before + csv.length, `${server.budget.used - before}`);
    await (await fetch(url)).arrayBuffer();
    await until(() => server.budget.used === before, "the memory of the documents");
  }));

Deno.test("parses an order of more than 1 MiB in a worker and checks its tables", async () => {
  const asked: string[] = [];
  const startWorker = () => {
    const worker = startDecodeWorker();
    const post = worker.postMessage.bind(worker);
    worker.postMessage = (message: ToWorker, given?: Transferable[] | StructuredSerializeOptions) => {
      if (message.type === "ask") asked.push(message.question.type);
      post(message, Array.isArray(given) ? { transfer: given } : given);
    };
    return worker;
  };
  await withServer(async ({ server, image }) => {
    const { sessionId } = await server.open(image);
    const tables = [{ name: "good", csv: `a\n${"1\n".repeat(600_000)}` }, { name: "bad", csv: "a,b\n1\n" }];
    const order = { members: [{ sessionId, analyses: [{ type: "trace", tables }] }] };
    const headers = { "content-type": "application/json", "x-acq-session": sessionId };
    const refused = async (body: string) => {
      const response = await server.request("/api/v2/export", { method: "POST", headers, body });
      return (await expectError(response, 422, "request_validation_failed")).details;
    };
    const details = await refused(JSON.stringify(order));
    const location = ["body", "members", "0", "analyses", "0", "tables", "1", "csv"];
    const message = "line 2 has 1 fields, the header has 2";
    assert.deepEqual(details, [{ location, message, type: "invalid_document" }]);
    assert.deepEqual(asked.slice(-2), ["parse", "check"]);
    const [cut] = await refused(JSON.stringify(order).slice(0, -1)) ?? [];
    assert.deepEqual([cut?.location, cut?.type], [["body"], "json_invalid"]);
    const many = { members: [{ sessionId, experimentMetadata: { n: new Array(100_000).fill(1) } }] };
    const [bound] = await refused(JSON.stringify(many)) ?? [];
    assert.deepEqual([bound?.message, bound?.type], [
      "The body has more than 100000 values",
      "json_invalid",
    ]);
  }, { startWorker });
});

Deno.test("limits unread archives to 128 MiB of planes, and lets others wait", () =>
  withServer(async ({ server, folder }) => {
    const path = join(folder, "noise.ome.zarr");
    const side = 2048;
    writePlainStore(path, {
      planes: [1, 2, 3].map(() => noise(side * side)),
      rows: side,
      columns: side,
    });
    const links: string[] = [];
    for (let i = 0; i < 8; i += 1) links.push(await linkTo(server, { members: [{ path }] }));
    const before = server.budget.used;
    const readers = await Promise.all(
      links.map(async (link) => (await server.request(link)).body!.getReader()),
    );
    let begun = 0;
    /** Reads until the samples come, with 1 MiB of them. */
    const begin = async (reader: ReadableStreamDefaultReader<Uint8Array>) => {
      for (let bytes = 0; bytes < 1 << 20;) bytes += (await reader.read()).value!.length;
      begun += 1;
    };
    const beginnings = readers.map(begin);
    await until(() => begun > 0 && server.pool.counts.busy + server.pool.waitingPlanes === 0);
    assert(begun < 8, "all have planes at once");
    assert(server.budget.used - before < 140 << 20, `${(server.budget.used - before) >> 20} MiB`);
    for (const [i, beginning] of beginnings.entries()) {
      await within(PATIENCE, `the samples of archive ${i}`, beginning);
      await readers[i]!.cancel();
    }
    await until(() => server.budget.used === 0);
  }));

Deno.test("names no folder in the warnings of an archive", () =>
  withServer(async ({ server, folder }) => {
    const file = join(folder, "archive.zip");
    for (const name of ["Anna's data", ...Deno.build.os === "windows" ? [] : ['Anna\'s "best" data']]) {
      const root = join(folder, name, "set");
      writeCollection(root);
      write(join(root, FILES.acqimage), "[]");
      const { warnings } = await server.open(root);
      assert.ok(warnings.some((text) => text.includes(folder)), warnings.join());
      await exported(server, { members: [{ path: root }] }, file);
      const opened = await server.open(file);
      const response = await server.request(`/api/v2/sessions/${opened.sessionId}/metadata`);
      const text = await response.text();
      assert.match(text, /The document .{0,4}acqimage.json.{0,4} cannot be used/);
      assert.ok(!text.includes("Anna") && !text.includes(basename(folder)), text);
    }
  }));

Deno.test("checks members by path like an open, and serves members by session to any page", () =>
  withServer(async ({ server, image }) => {
    const { sessionId } = await server.open(image);
    const foreign = { headers: { origin: "https://example.org" } };
    const byPath = { members: [{ path: image }] };
    await expectError(server.post("/api/v2/export", byPath, foreign), 403, "origin_not_allowed");
    assert.equal((await server.post("/api/v2/export", { members: [{ sessionId }] }, foreign)).status, 200);
    await expectError(
      server.post("/api/v2/export", { members: [{ sessionId: "0" }] }),
      404,
      "session_not_found",
    );
    await expectError(
      server.post("/api/v2/export", { members: [{ path: `${image}x` }] }),
      404,
      "path_not_found",
    );
  }));

Deno.test("keeps the link after its session, and reports changed files", () =>
  withServer(async ({ server, folder, image }) => {
    const { sessionId } = await server.open(image);
    const first = await linkTo(server, { members: [{ sessionId }] });
    const second = await linkTo(server, { members: [{ sessionId }] });
    await server.request(`/api/v2/sessions/${sessionId}`, { method: "DELETE" });
    const file = join(folder, "archive.zip");
    await Deno.writeFile(file, new Uint8Array(await (await server.request(first)).arrayBuffer()));
    assert.deepEqual((await validatePath(file)).problems, []);
    await Deno.writeTextFile(
      join(image, "zarr.json"),
      `${await Deno.readTextFile(join(image, "zarr.json"))} `,
    );
    await expectError(server.request(second), 409, "acquisition_changed");
  }));

Deno.test("accepts a body of 1 MiB, and of 32 MiB with a live session", () =>
  withServer(async ({ server, image }) => {
    const { sessionId } = await server.open(image);
    const csv = `a\n${"1\n".repeat(600_000)}`;
    const order = { members: [{ sessionId, analyses: [{ type: "trace", tables: [{ name: "t", csv }] }] }] };
    await expectError(server.post("/api/v2/export", order), 413, "payload_too_large");
    const headers = { "x-acq-session": sessionId };
    assert.equal((await server.post("/api/v2/export", order, { headers })).status, 200);
    await expectError(
      server.post("/api/v2/export", order, { headers: { "x-acq-session": "0" } }),
      413,
      "payload_too_large",
    );
  }));

Deno.test("reports a truncated plane before the first byte", () =>
  withServer(async ({ server, folder }) => {
    const path = join(folder, "two.tif");
    const bytes = tiffBytes(grayLayout(4, 3, 16), () => 7n, 2);
    const view = new DataView(bytes.buffer);
    const second = view.getUint32(
      view.getUint32(4, true) + 2 + 12 * view.getUint16(view.getUint32(4, true), true),
      true,
    );
    for (let i = 0; i < view.getUint16(second, true); i += 1) {
      const entry = second + 2 + 12 * i;
      // StripOffsets of the second page.
      if (view.getUint16(entry, true) === 273) view.setUint32(entry + 8, bytes.length - 4, true);
    }
    await Deno.writeFile(path, bytes);
    await expectError(server.post("/api/v2/export", { members: [{ path }] }), 500, "decode_failed");
  }));

Deno.test("cuts the archive before its directory if a plane cannot be decoded", () =>
  withServer(async ({ server, folder }) => {
    const path = join(folder, "series.ome.zarr");
    const axes = [{ name: "t", type: "time" }, { name: "y", type: "space" }, { name: "x", type: "space" }];
    const chunks = [ramp(3, 4), ramp(3, 4)];
    writeChunks(path, { axes, shape: [2, 3, 4], scale: [1, 1, 1], chunks });
    await Deno.truncate(join(path, "0/c/1/0/0"), 10);
    const url = await linkTo(server, { members: [{ path }] });
    await using socket = server.listen();
    const response = await fetch(socket.base + url);
    assert.equal(response.status, 200);
    const received: Uint8Array[] = [];
    await assert.rejects(async () => {
      for await (const part of response.body!) received.push(part);
    });
    const file = join(folder, "cut.zip");
    await Deno.writeFile(file, Buffer.concat(received));
    assert.notEqual(received.length, 0);
    await expectError(server.post("/api/v2/open", { path: file }), 500, "decode_failed");
    assert.match(server.logged.join(), /An archive was cut: .*10 bytes instead of 24/);
  }));

/** A series of planes of 2 MiB that hardly compress, more than any connection holds. */
function writeNoise(path: string): void {
  const axes = [{ name: "t", type: "time" }, { name: "y", type: "space" }, { name: "x", type: "space" }];
  const chunks = Array.from({ length: 24 }, () => noise(1 << 20));
  writeChunks(path, { axes, shape: [24, 1024, 1024], scale: [1, 1, 1], chunks });
}

Deno.test("frees the planes of a cut archive, also those of the next position", () =>
  withServer(async ({ server, image }) => {
    const { signal } = new AbortController();
    using memory = new OrderMemory();
    const options = { chosenByUser: false, version: "0", memory };
    const order = encodeOrder({ members: [{ path: image }] });
    const [member] = (await server.exporter.prepare(order, options, signal)).members;
    assert.ok(member);
    const { recording } = member;
    const axes = [...recording.summary.axes, { name: "T", size: 3, step: 1, unit: "seconds" } as const];
    const longer = { ...recording, summary: { ...recording.summary, axes } };
    const members = [{ ...member, recording: longer }];
    const archive = { id: "a", name: "a", hasImages: true, members, leftOut: 0, warnings: [], version: "0" };
    const chunks: Uint8Array[] = [];
    let released = 0;
    const packer: Packer = {
      pack: (_, { channels }) => {
        const planes = channels.map(() => [new Uint8Array(1 << 20)]);
        chunks.push(...planes.flat());
        return Promise.resolve({ planes, contrasts: [], release: () => released += 1 });
      },
      write: () => Promise.resolve([]),
      hold: () => () => {},
    };
    const reader = streamZip(archive, packer, () => {}).getReader();
    for (let read = 0; read < 1 << 19;) read += (await reader.read()).value!.length;
    await reader.cancel().catch(() => {});
    await until(() => released === 2, "the release");
    assert.deepEqual(chunks.map(({ length }) => length), [0, 0, 0, 0]);
  }));

Deno.test("ends the work of a client that leaves", () =>
  withServer(async ({ server, folder }) => {
    const path = join(folder, "series.ome.zarr");
    writeNoise(path);
    await using socket = server.listen();
    const gone = new AbortController();
    const response = await fetch(socket.base + await linkTo(server, { members: [{ path }] }), {
      signal: gone.signal,
    });
    const reader = response.body!.getReader();
    await reader.read();
    gone.abort();
    await until(() => server.budget.used === 0, "the end of the work");
    await reader.cancel().catch(() => {});
  }));

Deno.test("cuts an archive whose client does not read for a minute", () =>
  withServer(async ({ server, folder }) => {
    const path = join(folder, "series.ome.zarr");
    writeNoise(path);
    const response = await server.request(await linkTo(server, { members: [{ path }] }));
    const reader = response.body!.getReader();
    await reader.read();
    server.clock.move(60_000);
    await assert.rejects(reader.read(), /moved no byte for 60 s/);
    await until(() => server.budget.used === 0, "the end of the work");
  }));

Deno.test("cuts an archive if a file changes after the link was used", () =>
  withServer(async ({ server, image }) => {
    const response = await server.request(await linkTo(server, { members: [{ path: image }] }));
    const document = join(image, "0", "zarr.json");
    await Deno.writeTextFile(document, `${await Deno.readTextFile(document)} `);
    await assert.rejects(response.arrayBuffer());
    assert.match(server.logged.join(), /An archive was cut: .*changed/);
  }));
