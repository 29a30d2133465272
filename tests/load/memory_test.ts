/** Memory after files with huge metadata. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { FROM_SOURCE, ServerProcess } from "../binary/server_process.ts";
import { grayLayout, tiffBytes } from "../fixtures/tiff_writer.ts";
import { residentOf } from "../child_process.ts";
import { pause, until } from "../deadline.ts";
import { temporaryFolder } from "../temporary_files.ts";

Deno.test({
  name: "memory goes back to idle and 100 MiB within half a minute after metadata of 28 MiB",
  ignore: Deno.build.os !== "linux",
  fn: async () => {
    using temporary = temporaryFolder();
    const folder = temporary.path;
    await using server = await ServerProcess.start(FROM_SOURCE);
    const path = join(folder, "long.ome.tif");
    const xml =
      '<OME xmlns="http://www.openmicroscopy.org/Schemas/OME/2016-06"><Image ID="Image:0"><Pixels ' +
      'ID="Pixels:0" DimensionOrder="XYZCT" Type="uint8" SizeX="8" SizeY="8" SizeZ="1" SizeC="1" SizeT="1">' +
      `<Channel ID="Channel:0:0" Name="${"n".repeat(28 << 20)}" SamplesPerPixel="1"/><TiffData IFD="0"/>` +
      "</Pixels></Image></OME>";
    await Deno.writeFile(path, tiffBytes(grayLayout(8, 8, 8), (x) => BigInt(x), 1, [[270, 2, xml]]));
    const open = async (path: string) => {
      const { status, body } = await server.post("/api/v2/open", { path });
      assert.equal(status, 200, JSON.stringify(body).slice(0, 1000));
      return `${server.baseUrl}/api/v2/sessions/${(body as { sessionId: string }).sessionId}`;
    };
    const remove = async (session: string) =>
      await (await fetch(session, { method: "DELETE" })).body?.cancel();
    // Idle is measured with a worker that has loaded its reader. A session would keep this worker from being replaced.
    const small = join(folder, "small.tif");
    await Deno.writeFile(small, tiffBytes(grayLayout(8, 8, 8), (x) => BigInt(x)));
    const first = await open(small);
    await pause(2000);
    const idle = residentOf(server.pid);
    await remove(first);
    for (let i = 0; i < 6; i += 1) {
      const session = await open(path);
      const metadata = await (await fetch(`${session}/metadata`)).bytes();
      assert(metadata.length > 28 << 20);
      await remove(session);
    }
    // glibc keeps up to 64 MiB of freed blocks below 32 MiB in the arena of each thread. Six answers that stay are 168 MiB.
    await until(() => residentOf(server.pid) < idle + 100, "the memory of the metadata", 30);
  },
});
