/** A line scan of an OIR file from its path to a deleted session. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { SessionInfo } from "../../schemas/http.ts";
import { lineScan, ramp } from "../fixtures/oir_files.ts";
import { withFiles } from "../temporary_files.ts";
import { writeOir } from "../fixtures/oir_writer.ts";
import { expectError, Harness } from "./harness.ts";

const LINES = 40;

Deno.test("an OIR line scan is opened, fetched with its reference, read as a session and deleted", async () => {
  const bytes = writeOir(lineScan(LINES));
  await withFiles({ "scan.oir": bytes }, async (_, folder) => {
    await using server = new Harness();
    const path = await Deno.realPath(join(folder, "scan.oir"));
    const opened = await server.open(path, [1, 0]);
    assert.deepEqual(opened.channels.map((c) => [c.index, c.name]), [[1, "CH2"], [0, "CH1"]]);
    assert.deepEqual(opened.warnings, []);

    const fetched = async (channel: { dataUrl: string; byteLength: number }) => {
      const response = await server.request(channel.dataUrl);
      assert.equal(response.status, 200);
      const body = await response.arrayBuffer();
      assert.equal(body.byteLength, channel.byteLength);
      const view = new DataView(body);
      return Array.from({ length: body.byteLength / 4 }, (_, i) => view.getFloat32(4 * i, true));
    };
    assert.deepEqual(await fetched(opened.channels[0]!), [...ramp(LINES * 6, 10_000)]);
    assert.deepEqual(await fetched(opened.channels[1]!), [...ramp(LINES * 6, 0)]);

    const reference = opened.reference!;
    assert.deepEqual([reference.lineRoi, reference.scanPath], [[1, 2, 4, 6], { x: [1, 4], y: [2, 6] }]);
    assert.deepEqual(await fetched(reference.channels[0]!), [...ramp(64, 1)]);
    assert.deepEqual(await fetched(reference.channels[1]!), [...ramp(64, 5000)]);

    const session = `/api/v2/sessions/${opened.sessionId}`;
    const info = SessionInfo.parse(await (await server.request(session)).json());
    assert.deepEqual([info.channelIndices, info.referenceChannelIndices], [[0, 1], [0, 1]]);
    assert.equal(info.totalBytes, 4 * (2 * LINES * 6 + 2 * 64));
    const deleted = await (await server.request(session, { method: "DELETE" })).json();
    assert.deepEqual(deleted, { ok: true, sessionId: opened.sessionId, deleted: true });
    await expectError(await server.request(opened.channels[0]!.dataUrl), 404, "session_not_found");
  });
});
