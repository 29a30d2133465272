/** Where a session of a recording opens that lacks its first planes, and what an omitted index of a data URL means. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { OpenResponse } from "../../schemas/http.ts";
import { grayLayout, tiffBytes } from "../fixtures/tiff_writer.ts";
import { expectError, Harness } from "./harness.ts";
import { temporaryFolder } from "../temporary_files.ts";

/** Three channels, two slices, three time points; sample = 1 + page, in the order C, Z, T of ImageJ. */
const STACK = tiffBytes(grayLayout(4, 3, 16), (_x, _y, _sample, page) => BigInt(1 + page), 18, [
  [270, 2, "ImageJ=1.54f\nimages=18\nchannels=3\nslices=2\nframes=3\nhyperstack=true\n"],
]);

const sampleAt = (t: number, z: number, c: number) => 1 + (t * 2 + z) * 3 + c;

const startWorker = () =>
  new Worker(new URL("./incomplete_worker.ts", import.meta.url).href, { type: "module", name: "decode" });

async function withStack(run: (server: Harness, path: string) => Promise<void>): Promise<void> {
  using temporary = temporaryFolder();
  const { path: folder } = temporary;
  const path = join(folder, "stack.tif");
  await Deno.writeFile(path, STACK);
  await using server = new Harness({ startWorker });
  await run(server, path);
}

Deno.test("opens at the first planes, the default of an omitted index", () =>
  withStack(async (server, path) => {
    const { sessionId, position, channels, source, warnings, warningCodes } = await server.open(path);
    assert.deepEqual(position, { t: 1, z: 0, l: 0 });
    // The channel without planes is not loaded; the others keep index and name.
    assert.deepEqual(channels.map(({ index, name }) => [index, name]), [[0, "CH1"], [1, "CH2"]]);
    assert.equal(source.numChannels, 3);
    assert.deepEqual(warningCodes, ["channel_missing", "opened_elsewhere"]);
    assert.equal(warnings.length, warningCodes.length);
    assert.match(warnings[1]!, /T 1/);

    const first = async (channel: number, query = "") => {
      const url = `/api/v2/sessions/${sessionId}/channels/${channel}/data${query}`;
      const response = await server.request(url);
      if (!response.ok) return (await response.json()).error;
      return new Float32Array(await response.arrayBuffer())[0];
    };
    assert.equal(await first(1), sampleAt(1, 0, 1));
    assert.equal(await first(1, "?t=1"), sampleAt(1, 0, 1));
    assert.equal(await first(1, "?z=1"), sampleAt(1, 1, 1));
    assert.equal(await first(1, "?t=2"), sampleAt(2, 0, 1));
    assert.equal(await first(1, "?t=0"), "plane_not_found");
    assert.equal(await first(2), "channel_not_found");
    assert.equal(await first(2, "?t=1"), "channel_not_found");
  }));

Deno.test("rejects a requested channel without planes, by path and on reopening", () =>
  withStack(async (server, path) => {
    const asked = { path, channelIndices: [2, 0] };
    const { message } = await expectError(server.post("/api/v2/open", asked), 500, "decode_failed");
    assert.match(message, /channel 2 \("CH3"\) has no plane in any file; "channelIndices": \[0\] works$/);
    const { sessionId, source: { fingerprint } } = await server.open(path);
    const again = `/api/v2/sessions/${sessionId}/open`;
    await expectError(server.post(again, { channelIndices: [2] }), 500, "decode_failed");
    const opened = OpenResponse.parse(await (await server.post(again, { channelIndices: [1] })).json());
    assert.deepEqual(opened.position, { t: 1, z: 0, l: 0 });
    assert.equal(opened.source.fingerprint, fingerprint);
  }));
