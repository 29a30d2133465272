/** How much of a file is read, where, and when reading ends: stacks, files above 4 GB, stops. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { Stopped } from "../../readers/errors.ts";
import { scenes } from "../../readers/oir/mod.ts";
import { FIRST_POSITION } from "../../readers/reader.ts";
import { FileAccess } from "../../readers/io/random_access.ts";
import { StopFlag } from "../../readers/io/stop_flag.ts";
import { CHANNEL_A, frame, lineScan, loadPath, ramp } from "../fixtures/oir_files.ts";
import { withFiles } from "../temporary_files.ts";
import { concat, words } from "../fixtures/bytes.ts";
import { oirBlocks, writeOir } from "../fixtures/oir_writer.ts";
import { NO_LINKS } from "../no_links.ts";
import { codesOf } from "../warning_codes.ts";

Deno.test({
  name: "planes after 4 GB are read by their place",
  // NTFS would fill the hole, and the file takes what it says.
  ignore: Deno.build.os === "windows",
  fn: async () => {
    const hole = 3_000_000_000;
    await withFiles({}, async (_, folder) => {
      const path = join(folder, "large.oir");
      const blocks = oirBlocks(lineScan(23));
      const file = await Deno.open(path, { write: true, create: true });
      const starts: number[] = [];
      let at = 96;
      const put = async (bytes: Uint8Array, length = bytes.length) => {
        await file.seek(at, Deno.SeekMode.Start);
        for (let done = 0; done < bytes.length;) done += await file.write(bytes.subarray(done));
        at += length;
      };
      // Two unwritten thumbnails of 3 GB.
      for (let n = 0; n < 2; n += 1) {
        starts.push(at);
        await put(words(hole, 2), 8 + hole);
      }
      for (const { kind, payload } of blocks) {
        starts.push(at);
        await put(concat(words(payload.length, kind), payload));
      }
      const index = at;
      const entries = new BigUint64Array(starts.map(BigInt));
      await put(concat(words(0xffff_ffff), new Uint8Array(entries.buffer)));
      const header = writeOir(lineScan(1)).slice(0, 96);
      const view = new DataView(header.buffer);
      view.setBigUint64(32, BigInt(at), true);
      view.setBigUint64(40, BigInt(index), true);
      at = 0;
      await put(header);
      file.close();

      for (const indexOffset of [index, 0]) {
        const patch = new Uint8Array(new BigUint64Array([BigInt(indexOffset)]).buffer);
        const opened = await Deno.open(path, { write: true });
        await opened.seek(40, Deno.SeekMode.Start);
        await opened.write(patch);
        opened.close();
        const { planes, referencePlanes, summary, counts } = await loadPath(path);
        assert.deepEqual([...planes[1]!], [...ramp(138, 10_000)]);
        assert.deepEqual([...referencePlanes[0]!], [...ramp(64, 1)]);
        assert.ok(summary.fileSize! > 6e9 && counts.bytes < 60_000, `${counts.bytes} bytes were read`);
      }
    });
  },
});

Deno.test("a stop ends an open and a decode", async () => {
  await withFiles({ "scan.oir": writeOir(lineScan(23)) }, async (_, folder) => {
    const stop = new StopFlag();
    const files = new FileAccess(null, stop);
    try {
      const path = join(folder, "scan.oir");
      const acquisition = await (await scenes({ path, files })).open(0);
      const plan = await acquisition.plan([0], FIRST_POSITION);
      stop.raise();
      await assert.rejects(plan.decode([new Float32Array(138)]), Stopped);
      await assert.rejects(scenes({ path, files }), Stopped);
    } finally {
      files.close();
    }
  });
});

Deno.test("a neighbour outside the roots counts as missing", { ignore: NO_LINKS }, async () => {
  const series = ["t001", "t002"].map((axes) => ({ axes, planes: [ramp(20, 0), ramp(20, 9)] }));
  const main = writeOir(frame({ frames: series.slice(0, 1) }));
  await withFiles({ "a_00001": writeOir(frame({ frames: series.slice(1) })) }, async (path) => {
    await withFiles({ "a.oir": main }, async (_, inside) => {
      await Deno.symlink(path, join(inside, "a_00001"));
      const lengths = [];
      for (const roots of [null, [await Deno.realPath(inside)]]) {
        const files = new FileAccess(roots);
        const { axes } = await (await scenes({ path: join(inside, "a.oir"), files })).open(0);
        lengths.push(axes.find((a) => a.name === "T")?.size ?? 1);
        files.close();
      }
      assert.deepEqual(lengths, [2, 1]);
    });
  });
});

Deno.test("a reference image that the first file lacks is taken from a later one", async () => {
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

Deno.test("a neighbour of another format is left out", async () => {
  const contents = { "a.oir": writeOir(frame()), "a_00001": new TextEncoder().encode(CHANNEL_A.repeat(9)) };
  await withFiles(contents, async (_, folder) => {
    const { summary, planes } = await loadPath(join(folder, "a.oir"));
    assert.equal(planes.length, 2);
    assert.deepEqual(codesOf(summary.warnings), ["file_unreadable"]);
  });
});
