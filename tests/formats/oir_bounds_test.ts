/** Files at the bounds of what the reader builds: each is refused or cut short, and the process lives. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { MAX_BLOCKS } from "../../readers/oir/container.ts";
import { frame, lineScan, loadPath, openBytes, ramp } from "../fixtures/oir_files.ts";
import { withFiles } from "../temporary_files.ts";
import { concat, words } from "../fixtures/bytes.ts";
import {
  chunkBlocks,
  continuationBlocks,
  documentRecord,
  documentsBlock,
  oirBlocks,
  oirFile,
  writeOir,
  xmlDocument,
} from "../fixtures/oir_writer.ts";
import { run } from "../child_process.ts";
import { LOCKED } from "../binary/server_process.ts";
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

Deno.test("further channels of a reference, documents and documents blocks are left out", async () => {
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

/** The heap of a worker is that of its process, so a reader that builds too much ends both. */
Deno.test("documents at their bounds do not exhaust the heap", async () => {
  // Two blocks, each with 16 copies of the properties of a million elements, and 300,000 intervals.
  const blocks = oirBlocks(lineScan(23));
  const wide = xmlDocument("lsmimage:imageProperties", ["lsmimage"], "<q/>".repeat(999_990));
  const crowd = documentsBlock(...new Array<Uint8Array>(16).fill(documentRecord(2, wide)));
  const intervals = xmlDocument(
    "lsmimage:imageProperties",
    ["lsmimage"],
    "<seriesInterval>1</seriesInterval>".repeat(300_000),
  );
  const attributes = xmlDocument(
    "lsmimage:imageProperties",
    ["lsmimage"],
    "",
    Array.from({ length: 900_000 }, (_, i) => ` a${i}=""`).join(""),
  );
  const files = {
    "crowd.oir": oirFile([...blocks, crowd, crowd]),
    "intervals.oir": oirFile([...blocks, documentsBlock(documentRecord(2, intervals))]),
    "attributes.oir": oirFile([...blocks, documentsBlock(documentRecord(2, attributes))]),
  };
  await withFiles(files, async (_, folder) => {
    const program = join(folder, "load.ts");
    const fixtures = new URL("../fixtures/oir_files.ts", import.meta.url).href;
    await Deno.writeTextFile(
      program,
      `import { loadPath } from ${JSON.stringify(fixtures)};
       for (const path of Deno.args) {
         const { summary } = await loadPath(path);
         console.log(JSON.stringify([summary.axes.map((a) => a.unit), summary.warnings.map((w) => w.text)]));
       }`,
    );
    const { code, stdout, stderr } = await run(Deno.execPath(), {
      args: ["run", "-q", ...LOCKED, "--no-prompt", "--config", join(import.meta.dirname!, "../../deno.json")]
        .concat("--allow-read", "--v8-flags=--max-old-space-size=192", program)
        .concat(Object.keys(files).map((name) => join(folder, name))),
    });
    assert.equal(code, 0, new TextDecoder().decode(stderr));
    const opened = new TextDecoder().decode(stdout).trim().split("\n").map((line) => JSON.parse(line));
    const units = ["Pixels", "seconds", "um"];
    for (const [i, name] of Object.keys(files).entries()) {
      const [found, warnings] = opened[i];
      // The copy of the properties that is within the bounds counts.
      assert.deepEqual(found, units, name);
      assert.match(warnings.join(), /has more than 50000 nodes/, name);
    }
  });
});
