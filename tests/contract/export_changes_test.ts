/** A recording that changes between its open and the end of its archive: no archive holds other samples than its session. */
import assert from "node:assert/strict";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { ExportResponse } from "../../schemas/http.ts";
import { microManagerBytes } from "../fixtures/micromanager_writer.ts";
import { omeImage, omeXml, tiffData } from "../fixtures/ome_xml.ts";
import { noise, ramp, write, writeChunks } from "../fixtures/plain_store.ts";
import { filledPages, grayLayout } from "../fixtures/tiff_writer.ts";
import { copy, inFolder } from "../temporary_files.ts";
import { expectError, Harness } from "./harness.ts";

const FIXTURES = fileURLToPath(new URL("../fixtures/", import.meta.url));

function* filesBelow(folder: string): Generator<string> {
  for (const { name, isDirectory } of Deno.readDirSync(folder)) {
    const path = join(folder, name);
    if (isDirectory) yield* filesBelow(path);
    else yield path;
  }
}

const AXES = [{ name: "t", type: "time" }, { name: "y", type: "space" }, { name: "x", type: "space" }];

/** A Zarr image of three time points, one chunk each. */
function writeSeries(path: string): void {
  const chunks = [ramp(3, 4), ramp(3, 4, 100), ramp(3, 4, 200)];
  writeChunks(path, { axes: AXES, shape: [3, 3, 4], scale: [1, 1, 1], chunks });
}

const CHUNKS = [0, 1, 2].map((t) => join("0/c", String(t), "0/0"));

async function order(server: Harness, body: unknown): Promise<string> {
  const response = await server.post("/api/v2/export", body);
  const answer = await response.json();
  assert.equal(response.status, 200, JSON.stringify(answer));
  return ExportResponse.parse(answer).downloadUrl;
}

/** Asks whether a link still works, which a HEAD does not use up. */
const statusOf = async (server: Harness, url: string) =>
  (await server.request(url, { method: "HEAD" })).status;

const refused = (answer: Promise<Response>) => expectError(answer, 409, "acquisition_changed");

/** Changes a file in one way after the other, and back: another time, gone. */
async function withEachChange(file: string, check: (how: string) => Promise<void>): Promise<void> {
  const { atime, mtime } = Deno.statSync(file);
  Deno.utimeSync(file, atime!, new Date(mtime!.getTime() + 5000));
  await check(`${file} was written`);
  Deno.utimeSync(file, atime!, mtime!);
  Deno.renameSync(file, `${file}_away`);
  await check(`${file} is gone`);
  Deno.renameSync(`${file}_away`, file);
}

/** Writes a set into a folder. @returns the path to open */
type WriteSet = (folder: string) => string;

/** A copy of fixtures; `open` is a path in the folder. */
const copied = (names: readonly string[], open: string): WriteSet => (folder) => {
  for (const name of names) copy(join(FIXTURES, name), join(folder, basename(name)));
  return join(folder, open);
};

const GRAY = grayLayout(12, 8, 16);

const SETS: Readonly<Record<string, WriteSet>> = {
  "Prairie series": copied(
    ["prairie/TSeries-01022020-1030-003"],
    "TSeries-01022020-1030-003/TSeries-01022020-1030-003.xml",
  ),
  "Prairie line scan": copied(
    ["prairie/LineScan-03052014-1015-007"],
    "LineScan-03052014-1015-007/LineScan-03052014-1015-007.xml",
  ),
  OIF: copied(["oif/series.oif", "oif/series.oif.files"], "series.oif"),
  NDTiff: copied(["ndtiff/explored"], "explored"),
  CZI: copied(["czi/split.czi", "czi/split(2).czi"], "split.czi"),
  OIR: copied(["oir/long.oir", "oir/long_00001"], "long.oir"),
  OME(folder) {
    const planes = [0, 1, 2, 3].map((t) => tiffData({ FirstT: t }, `t${t}.ome.tif`, t));
    const xml = (t: number) => omeXml(omeImage({ SizeT: 4 }, planes), t);
    for (let t = 0; t < 4; t += 1) {
      write(join(folder, `t${t}.ome.tif`), filledPages(1, [[270, 2, xml(t)]], t, GRAY));
    }
    return join(folder, "t0.ome.tif");
  },
  "Micro-Manager"(folder) {
    const Prefix = "run";
    const summary = { Channels: 1, Slices: 1, Frames: 4, Positions: 1, Width: 12, Height: 8, Prefix };
    const bytes = (from: number) =>
      microManagerBytes(GRAY, summary, [[0, 0, from, 0, 1], [0, 0, from + 1, 0, 2]]);
    write(join(folder, "run_MMStack_Pos0.ome.tif"), bytes(0));
    write(join(folder, "run_MMStack_Pos0_1.ome.tif"), bytes(2));
    return join(folder, "run_MMStack_Pos0.ome.tif");
  },
};

for (const [format, writeSet] of Object.entries(SETS)) {
  Deno.test(`${format}: an export is refused if any file of the set changed since the open`, () =>
    inFolder(async (_, folder) => {
      await using server = new Harness();
      const { sessionId } = await server.open(writeSet(folder));
      const members = [{ sessionId }];
      const url = await order(server, { members });
      const files = [...filesBelow(folder)];
      assert.ok(files.length > 1);
      for (const file of files) {
        await withEachChange(file, async (how) => {
          const { status } = await server.post("/api/v2/export", { members });
          assert.deepEqual([status, await statusOf(server, url)], [409, 409], how);
        });
      }
      await order(server, { members });
    }));
}

Deno.test("OME-Zarr: an export is refused if a chunk of an opened plane changed, vanished or appeared", () =>
  inFolder(async (_, folder) => {
    const path = join(folder, "series.ome.zarr");
    writeSeries(path);
    Deno.renameSync(join(path, CHUNKS[1]!), join(folder, "second"));
    await using server = new Harness();
    const { sessionId, channels } = await server.open(path);
    const members = [{ sessionId }];
    // The second plane, whose chunk is absent, is read later.
    assert.equal((await server.request(`${channels[0]!.dataUrl}?t=1`)).status, 200);
    const url = await order(server, { members });
    const check = async () => {
      await refused(server.post("/api/v2/export", { members }));
      assert.equal(await statusOf(server, url), 409);
    };
    await withEachChange(join(path, CHUNKS[0]!), check);
    Deno.renameSync(join(folder, "second"), join(path, CHUNKS[1]!));
    await check();
  }));

Deno.test("OME-Zarr: a chunk that changes after the order ends the archive", () =>
  inFolder(async (_, folder) => {
    const path = join(folder, "series.ome.zarr");
    writeSeries(path);
    await using server = new Harness();
    const { sessionId } = await server.open(path);
    for (const member of [{ sessionId }, { path }]) {
      for (const chunk of CHUNKS) {
        await withEachChange(join(path, chunk), async () => {});
        const url = await order(server, { members: [member] });
        const { atime, mtime } = Deno.statSync(join(path, chunk));
        Deno.utimeSync(join(path, chunk), atime!, new Date(mtime!.getTime() + 5000));
        await refused(server.request(url));
        await expectError(server.request(url), 404, "export_not_found");
        Deno.utimeSync(join(path, chunk), atime!, mtime!);
      }
    }
  }));

Deno.test("OME-Zarr: a chunk that vanishes while the archive is sent cuts it", () =>
  inFolder(async (_, folder) => {
    const path = join(folder, "noise.ome.zarr");
    const chunks = Array.from({ length: 6 }, () => noise(1 << 20));
    writeChunks(path, { axes: AXES, shape: [6, 1024, 1024], scale: [1, 1, 1], chunks });
    await using server = new Harness();
    for (const chunk of ["0", "5"]) {
      const reader = (await server.request(await order(server, { members: [{ path }] }))).body!.getReader();
      await reader.read();
      const file = join(path, "0/c", chunk, "0/0");
      Deno.renameSync(file, join(folder, "away"));
      await assert.rejects(async () => {
        while (!(await reader.read()).done);
      });
      assert.match(server.logged.at(-1)!, /An archive was cut: .*was changed since it was opened/);
      Deno.renameSync(join(folder, "away"), file);
    }
  }));

Deno.test("a file that joins a set after the open refuses its export", () =>
  inFolder(async (_, folder) => {
    copy(join(FIXTURES, "ndtiff/explored"), join(folder, "set"));
    const last = join(folder, "set/explored_NDTiffStack_2.tif");
    Deno.renameSync(last, join(folder, "last"));
    await using server = new Harness();
    const { sessionId } = await server.open(join(folder, "set"));
    const members = [{ sessionId }];
    await order(server, { members });
    Deno.renameSync(join(folder, "last"), last);
    await refused(server.post("/api/v2/export", { members }));
  }));
