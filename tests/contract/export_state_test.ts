/** What clients learn of an archive whose bytes they do not see, and archives of recordings of which one is damaged. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { validatePath } from "../../cli/verdict.ts";
import { ExportResponse, ExportState } from "../../schemas/http.ts";
import { ramp, writeChunks } from "../fixtures/plain_store.ts";
import { grayLayout, tiffBytes } from "../fixtures/tiff_writer.ts";
import { until } from "../deadline.ts";
import { expectError, Harness, sampleFolder } from "./harness.ts";

const UNITS = fileURLToPath(new URL("../fixtures/hdf5/units.mesc", import.meta.url));

interface Given {
  readonly server: Harness;
  readonly folder: string;
  readonly image: string;
}

async function withServer(use: (given: Given) => Promise<void>): Promise<void> {
  await using sample = await sampleFolder();
  await using server = new Harness();
  await use({ server, ...sample });
}

async function linkTo(server: Harness, order: unknown) {
  const response = await server.post("/api/v2/export", order);
  const body = await response.json();
  assert.equal(response.status, 200, JSON.stringify(body));
  return ExportResponse.parse(body);
}

async function stateOf(server: Harness, url: string): Promise<[state: string, message: string | null]> {
  const response = await server.request(`${url}/state`, { headers: { "sec-fetch-site": "cross-site" } });
  const body = await response.json();
  assert.equal(response.status, 200, JSON.stringify(body));
  const { state, message } = ExportState.parse(body);
  return [state, message];
}

/** A series of two planes, of which the one at `t` ends early. */
function writeDamaged(path: string, t: number): string {
  const axes = [{ name: "t", type: "time" }, { name: "y", type: "space" }, { name: "x", type: "space" }];
  writeChunks(path, { axes, shape: [2, 3, 4], scale: [1, 1, 1], chunks: [ramp(3, 4), ramp(3, 4)] });
  Deno.truncateSync(join(path, `0/c/${t}/0/0`), 10);
  return path;
}

Deno.test("the state of an archive is waiting, streaming, done, and known for ten minutes", () =>
  withServer(async ({ server, image }) => {
    const { downloadUrl } = await linkTo(server, { members: [{ path: image }] });
    assert.deepEqual(await stateOf(server, downloadUrl), ["waiting", null]);
    await server.request(downloadUrl, { method: "HEAD" });
    assert.deepEqual(await stateOf(server, downloadUrl), ["waiting", null]);
    const response = await server.request(downloadUrl);
    assert.deepEqual(await stateOf(server, downloadUrl), ["streaming", null]);
    await response.arrayBuffer();
    assert.deepEqual(await stateOf(server, downloadUrl), ["done", null]);
    server.clock.move(599_000);
    assert.deepEqual(await stateOf(server, downloadUrl), ["done", null]);
    server.clock.move(2_000);
    await expectError(server.request(`${downloadUrl}/state`), 404, "export_not_found");
    await expectError(server.request("/api/v2/exports/0/state"), 404, "export_not_found");
  }));

Deno.test("the state of an archive that is not downloaded, left or outdated is failed, with the reason", () =>
  withServer(async ({ server, image }) => {
    const order = { members: [{ path: image }] };
    const late = await linkTo(server, order);
    server.clock.move(600_000);
    assert.deepEqual(await stateOf(server, late.downloadUrl), [
      "failed",
      "It was not downloaded within 600 s",
    ]);
    const left = await linkTo(server, order);
    const response = await server.request(left.downloadUrl);
    await response.body!.cancel();
    assert.deepEqual(await stateOf(server, left.downloadUrl), [
      "failed",
      "The client left before the end of the archive",
    ]);
    const changed = await linkTo(server, order);
    Deno.writeTextFileSync(
      join(image, "zarr.json"),
      `${Deno.readTextFileSync(join(image, "zarr.json"))} `,
    );
    await expectError(server.request(changed.downloadUrl), 409, "acquisition_changed");
    const [state, message] = await stateOf(server, changed.downloadUrl);
    assert.equal(state, "failed");
    assert.match(message!, /changed/);
  }));

Deno.test("the state of an archive that breaks off names the file and the plane", () =>
  withServer(async ({ server, folder }) => {
    const path = writeDamaged(join(folder, "series.ome.zarr"), 1);
    const { downloadUrl } = await linkTo(server, { members: [{ path }] });
    await using socket = server.listen();
    const response = await fetch(socket.base + downloadUrl);
    assert.equal(response.status, 200);
    await assert.rejects(response.arrayBuffer());
    await until(async () => (await stateOf(server, downloadUrl))[0] === "failed", "the end");
    const [, message] = await stateOf(server, downloadUrl);
    assert.match(message!, /"series\.ome\.zarr".*10 bytes instead of 24/);
  }));

Deno.test("a damaged first plane is an error, not a cut archive", () =>
  withServer(async ({ server, folder, image }) => {
    const path = writeDamaged(join(folder, "first.ome.zarr"), 0);
    const { downloadUrl } = await linkTo(server, { members: [{ path }, { path: image }] });
    const { message } = await expectError(server.request(downloadUrl), 500, "decode_failed");
    assert.match(message, /^"first\.ome\.zarr" cannot be archived: .*10 bytes instead of 24/);
    assert.deepEqual(await stateOf(server, downloadUrl), ["failed", message]);
    assert.equal(server.budget.used, 0);
  }));

Deno.test("a recording that cannot be read is named, and the others are archived", () =>
  withServer(async ({ server, folder, image }) => {
    const cut = join(folder, "cut.tif");
    const bytes = tiffBytes(grayLayout(4, 3, 16), () => 7n, 2);
    Deno.writeFileSync(cut, bytes.subarray(0, 40));
    const unknown = join(folder, "notes.txt");
    Deno.writeTextFileSync(unknown, "no image");
    const members = [{ path: cut }, { path: image, name: "good" }, { path: unknown }];
    const { downloadUrl, warnings } = await linkTo(server, { members });
    assert.equal(warnings.length, 2);
    assert.match(warnings[0]!, /"cut\.tif".*; it is left out$/);
    assert.match(warnings[1]!, /notes\.txt".*; it is left out$/);
    const file = join(folder, "archive.zip");
    Deno.writeFileSync(file, await (await server.request(downloadUrl)).bytes());
    assert.deepEqual((await validatePath(file)).problems, []);
    const opened = await server.open(file);
    assert.deepEqual([opened.sceneCount, opened.collection!.member.name], [1, "good"]);
    await expectError(server.post("/api/v2/export", { members: [{ path: cut }] }), 500, "decode_failed");
    const both = { members: [{ path: cut }, { path: unknown }] };
    await expectError(server.post("/api/v2/export", both), 500, "decode_failed");
  }));

/** A copy of the sample whose conversion, -1 x + 65535, has another offset in its attributes, which are doubles. */
function withOffset(offset: number): Uint8Array {
  const bytes = Deno.readFileSync(UNITS);
  const view = new DataView(bytes.buffer);
  let changed = 0;
  for (let at = 0; at + 8 <= bytes.length; at += 1) {
    if (view.getFloat64(at, true) !== 65535) continue;
    view.setFloat64(at, offset, true);
    changed += 1;
  }
  assert.ok(changed > 0);
  return bytes;
}

Deno.test("samples that a conversion takes out of the stored type are archived as float32, bit for bit", () =>
  withServer(async ({ server, folder }) => {
    for (const [offset, dtype] of [[0.5, "float32"], [65534, "float32"], [65535, "uint16"]] as const) {
      const path = join(folder, "units.mesc");
      Deno.writeFileSync(path, withOffset(offset));
      const file = join(folder, "archive.zip");
      const { downloadUrl } = await linkTo(server, { members: [{ path, scene: 1 }] });
      Deno.writeFileSync(file, await (await server.request(downloadUrl)).bytes());
      const [own, archived] = [
        await (await server.post("/api/v2/open", { path, scene: 1 })).json(),
        await server.open(file),
      ];
      assert.deepEqual([own.header.dtype, archived.header.dtype], ["uint16", dtype]);
      assert.equal(archived.source.sourceDtype, "uint16");
      for (const [i, { dataUrl }] of own.channels.entries()) {
        for (const t of [0, 4]) {
          const [before, after] = await Promise.all(
            [dataUrl, archived.channels[i]!.dataUrl].map(async (url) =>
              await (await server.request(`${url}?t=${t}`)).bytes()
            ),
          );
          assert.deepEqual(before, after);
        }
      }
    }
  }));
