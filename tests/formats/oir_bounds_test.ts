/** Files at the bounds of what the reader builds: each is refused or cut short, and the process lives. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { MAX_BLOCKS } from "../../readers/oir/container.ts";
import { frame, loadPath, openBytes, ramp } from "../fixtures/oir_files.ts";
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

const ONE = Uint8Array.of(1);
const channelName = (axes: string, channel: number) => `${axes}_0_1_c${channel}_0`;
const manyChannels = (count: number) =>
  Array.from({ length: count }, (_, i) => chunkBlocks(channelName("t001", i), 0, ONE)).flat();

Deno.test("more blocks than the bound are refused", async () => {
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

Deno.test("more channels than the bound are refused", async () => {
  await assert.rejects(openBytes(oirFile(manyChannels(1001))), /the file has more than 1000 channels/);
});

Deno.test("planes count with the places that they leave free", async () => {
  const sparse = Array.from({ length: 1001 }, (_, i) => chunkBlocks(channelName(`t${i + 1000}`, 999), 0, ONE))
    .flat();
  await assert.rejects(
    openBytes(oirFile([...manyChannels(1000), ...sparse])),
    /the file has more than 1000000 planes/,
  );
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
  const crowded = documentsBlock(
    concat(
      ...Array.from({ length: 4097 }, () => concat(words(empty.length), new TextEncoder().encode(empty))),
    ),
  );
  const documents = await openBytes(oirFile([...oirBlocks(frame()), crowded]));
  assert.deepEqual(codesOf(documents.summary.warnings), ["metadata_damaged"]);
  assert.equal(documents.summary.date, "20230506", "the block before it is read");

  const blocks = oirBlocks(frame());
  const repeated = Array.from({ length: 3000 }, () => documentsBlock(Uint8Array.of(1)));
  const last = await openBytes(oirFile([...blocks.slice(0, -1), ...repeated, blocks.at(-1)!]));
  assert.equal(last.summary.date, "20230506");
});

Deno.test("more continuation files than are opened at once are refused", async () => {
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
