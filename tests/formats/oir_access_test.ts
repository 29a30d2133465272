/** How much of an OIR file is read, where, when reading ends, and the bounds of what the reader builds. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { Stopped } from "../../readers/errors.ts";
import { scenes } from "../../readers/oir/mod.ts";
import { FIRST_POSITION } from "../../readers/reader.ts";
import { FileAccess } from "../../readers/io/file_access.ts";
import { StopFlag } from "../../readers/io/stop_flag.ts";
import { CHANNEL_A, frame, lineScan, loadPath, openBytes, ramp } from "../fixtures/oir_files.ts";
import { withFiles } from "../temporary_files.ts";
import { concat, words } from "../fixtures/bytes.ts";
import {
  chunkBlocks,
  continuationBlocks,
  documentsBlock,
  oirBlocks,
  oirFile,
  writeOir,
  xmlDocument,
} from "../fixtures/oir_writer.ts";
import { codesOf } from "../warning_codes.ts";
import { MAX_BLOCKS } from "../../readers/oir/container.ts";

Deno.test({
  name: "reads planes after 4 GB by their offset",
  // NTFS would fill the hole, and the file takes what it says.
  ignore: Deno.build.os === "windows",
  fn: async () => {
    const hole = 3_000_000_000;
    await withFiles({}, async (_, folder) => {
      const path = join(folder, "large.oir");
      const file = await Deno.open(path, { write: true, create: true });
      const put = async (at: number, bytes: Uint8Array) => {
        await file.seek(at, Deno.SeekMode.Start);
        for (let done = 0; done < bytes.length;) done += await file.write(bytes.subarray(done));
        return at + bytes.length;
      };
      const header = writeOir(lineScan(1)).slice(0, 96);
      // Two unwritten thumbnails of 3 GB.
      let at = await put(0, header);
      for (let n = 0; n < 2; n += 1) at = hole + await put(at, words(hole, 2));
      for (const { kind, payload } of oirBlocks(lineScan(23))) {
        at = await put(at, concat(words(payload.length, kind), payload));
      }
      const end = await put(at, words(0xffff_ffff));
      for (const indexOffset of [at, 0]) {
        await put(32, new Uint8Array(new BigUint64Array([end, indexOffset].map(BigInt)).buffer));
        const { planes, referencePlanes, summary, counts } = await loadPath(path);
        assert.deepEqual([...planes[1]!], [...ramp(138, 10_000)]);
        assert.deepEqual([...referencePlanes[0]!], [...ramp(64, 1)]);
        assert.ok(summary.fileSize! > 6e9 && counts.bytes < 60_000, `${counts.bytes} bytes were read`);
      }
      file.close();
    });
  },
});

Deno.test("a stop ends an open and a decode", async () => {
  await withFiles({ "scan.oir": writeOir(lineScan(23)) }, async (_, folder) => {
    const stop = new StopFlag();
    using files = new FileAccess(null, stop);
    const path = join(folder, "scan.oir");
    const acquisition = await (await scenes({ path, files })).open(0);
    const plan = await acquisition.plan([0], FIRST_POSITION);
    stop.raise();
    await assert.rejects(plan.decode([new Float32Array(138)]), Stopped);
    await assert.rejects(scenes({ path, files }), Stopped);
  });
});

Deno.test("takes a reference image that the first file lacks from a later one", async () => {
  const [first, second] = ["t001", "t002"].map((axes, i) => ({
    axes,
    planes: [ramp(20, 100 * i), ramp(20, 100 * i)],
  }));
  const overview = { scanners: { Galvano: 2 }, overview: { width: 8, height: 8 } };
  const reference = { width: 8, height: 8, planes: { [CHANNEL_A]: ramp(64, 1) } };
  const contents = {
    "a.oir": writeOir(frame({ ...overview, frames: [first!] })),
    "a_00001": writeOir(frame({ ...overview, frames: [second!], reference })),
  };
  await withFiles(contents, async (_, folder) => {
    const { summary, referencePlanes } = await loadPath(join(folder, "a.oir"));
    assert.deepEqual(referencePlanes.map((plane) => [...plane]), [[...ramp(64, 1)]]);
    assert.deepEqual(codesOf(summary.warnings), []);
  });
});

Deno.test("leaves out a neighbour of another format", async () => {
  const contents = { "a.oir": writeOir(frame()), "a_00001": new TextEncoder().encode(CHANNEL_A.repeat(9)) };
  await withFiles(contents, async (_, folder) => {
    const { summary, planes } = await loadPath(join(folder, "a.oir"));
    assert.equal(planes.length, 2);
    assert.deepEqual(codesOf(summary.warnings), ["file_unreadable"]);
  });
});

const ONE = Uint8Array.of(1);
const channelName = (axes: string, channel: number) => `${axes}_0_1_c${channel}_0`;
const manyChannels = (count: number) =>
  Array.from({ length: count }, (_, i) => chunkBlocks(channelName("t001", i), 0, ONE)).flat();

Deno.test("rejects more blocks than the bound", async () => {
  await withFiles(
    { "scan.oir": oirFile([], { declaredSize: 0n, indexOffset: 0n, marker: 0 }) },
    async (_, folder) => {
      const path = join(folder, "scan.oir");
      // A hole of zeros is a chain of empty documents blocks of 8 bytes.
      await Deno.truncate(path, 96 + 8 * (MAX_BLOCKS + 1));
      await assert.rejects(loadPath(path), /the file has more than 4000000 blocks/);
    },
  );
});

Deno.test("rejects more channels than the bound", async () => {
  await assert.rejects(openBytes(oirFile(manyChannels(1001))), /the file has more than 1000 channels/);
});

Deno.test("leaves out reference channels and documents over the bounds", async () => {
  const references = Array.from(
    { length: 1100 },
    (_, i) => chunkBlocks(`REF_LSM0_r${i}_0`, 0, Uint8Array.of(i, 0)),
  ).flat();
  const many = await openBytes(oirFile([...oirBlocks(frame()), ...references]));
  assert.equal(many.referencePlanes.length, 1000);
  assert.deepEqual(codesOf(many.summary.warnings), ["file_damaged"]);

  const empty = xmlDocument("a", [], "");
  const record = concat(words(empty.length), new TextEncoder().encode(empty));
  const crowded = documentsBlock(concat(...Array.from({ length: 4097 }, () => record)));
  const documents = await openBytes(oirFile([...oirBlocks(frame()), crowded]));
  assert.deepEqual(codesOf(documents.summary.warnings), ["metadata_damaged"]);
  assert.equal(documents.summary.date, "20230506", "the block before it is read");

  const blocks = oirBlocks(frame());
  const repeated = Array.from({ length: 3000 }, () => documentsBlock(Uint8Array.of(1)));
  const last = await openBytes(oirFile([...blocks.slice(0, -1), ...repeated, blocks.at(-1)!]));
  assert.equal(last.summary.date, "20230506");
});

Deno.test("rejects more continuation files than are opened at once", async () => {
  const oir = frame({
    channels: [{ id: "c", name: "CH1" }],
    frames: [{ axes: "t001", planes: [ramp(20, 0)] }],
  });
  const files = Object.fromEntries(
    Array.from({ length: 501 }, (_, i) => [
      `a_${String(i + 1).padStart(5, "0")}`,
      oirFile(
        continuationBlocks(oir, [{ axes: `t${String(i + 2).padStart(3, "0")}`, planes: [ramp(20, i)] }]),
      ),
    ]),
  );
  await withFiles({ "a.oir": writeOir(oir), ...files }, async (_, folder) => {
    await assert.rejects(loadPath(join(folder, "a.oir")), /goes on in more than 500 files/);
    await Deno.remove(join(folder, "a_00501"));
    const { summary } = await loadPath(join(folder, "a.oir"));
    assert.equal(summary.axes[0]!.size, 501);
  });
});
