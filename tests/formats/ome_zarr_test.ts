/** OME-Zarr images that zarr-python wrote, compared with what zarr-python reads back (fixtures/ome_zarr/make.py). */
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { fileURLToPath } from "node:url";
import { type LoadedAcquisition, loadHere, planHere } from "../load_here.ts";
import { codesOf } from "../warning_texts.ts";

const FIXTURES = fileURLToPath(new URL("../fixtures/ome_zarr/", import.meta.url));

interface Expected {
  readonly file: string;
  readonly shape: number[];
  readonly axes: string;
  readonly dtype: string;
  readonly rows: number;
  readonly columns: number;
  readonly sha256_f32le: string[];
}

const load = (path: string, channelIndices: number[] | null = null) => loadHere(path, { channelIndices });

/** NaN compares by its bits; both sides keep the quiet NaN of IEEE 754. */
const hashes = ({ planes }: LoadedAcquisition) =>
  planes.map((plane) => createHash("sha256").update(new Uint8Array(plane.buffer)).digest("hex"));

const expected: Expected[] = JSON.parse(Deno.readTextFileSync(FIXTURES + "expected.json"));

for (const entry of expected) {
  Deno.test(`OME-Zarr fixture ${entry.file}`, async () => {
    const loaded = await load(FIXTURES + entry.file);
    const { summary } = loaded;
    assert.deepEqual([summary.rows, summary.columns], [entry.rows, entry.columns]);
    assert.equal(summary.channels[0]!.sampleType, entry.dtype);
    assert.equal(summary.format, entry.file.endsWith(".zip") ? "ome.zarr.zip" : "ome.zarr");
    for (const [i, letter] of [...entry.axes.toUpperCase()].entries()) {
      const size = summary.axes.find((axis) => axis.name === letter)?.size ?? 1;
      assert.equal(size, entry.shape[i], `axis ${letter}`);
    }
    assert.deepEqual(hashes(loaded), entry.sha256_f32le);
    assert.deepEqual(codesOf(summary.warnings), []);
  });
}

Deno.test("a wanted channel alone gives its plane, in requested order", async () => {
  const entry = expected.find((e) => e.file === "v3_shard.ome.zarr")!;
  const both = await load(FIXTURES + entry.file, [1, 0]);
  assert.deepEqual(hashes(both), entry.sha256_f32le.toReversed());
  assert.deepEqual(both.summary.loaded.map((channel) => channel.name), ["Red", "Green"]);
  assert.deepEqual(hashes(await load(FIXTURES + entry.file, [1])), [entry.sha256_f32le[1]]);
});

Deno.test("one channel of an unsharded store opens the chunks of that channel only", async () => {
  const entry = expected.find((e) => e.file === "v2_dot_gzip.zarr")!;
  const { counts } = await load(FIXTURES + entry.file, [0]);
  // 13 x 17 in chunks of 8 x 8 is 2 x 3 chunks; documents: .zattrs and .zgroup, .zattrs and .zarray.
  assert.equal(counts.opens, 6 + 4);
});

Deno.test("one channel of a shard reads its index and the inner chunks of that channel", async () => {
  const entry = expected.find((e) => e.file === "v3_shard.ome.zarr")!;
  const bytesFor = async (channels: number[]) => (await load(FIXTURES + entry.file, channels)).counts.bytes;
  const [first, second, both] = [await bytesFor([0]), await bytesFor([1]), await bytesFor([0, 1])];
  // 13 x 17 in shards of 8 x 8: six shards, each with an index of 2 x 2 x 2 entries of 16 bytes and a checksum.
  const documents = ["zarr.json", "0/zarr.json"].map((name) =>
    Deno.statSync(`${FIXTURES}${entry.file}/${name}`).size
  );
  const shared = 6 * (8 * 16 + 4) + documents[0]! + documents[1]!;
  assert.equal(first - shared + (second - shared), both - shared);
  assert.ok(first > shared && second > shared);
});

Deno.test("a load can be divided between compressed chunks", async () => {
  // gzip in chunks of one channel and 8 rows; zstd in inner chunks of one channel and 4 rows; chunks without a codec.
  const stores = {
    "v2_dot_gzip.zarr": { channels: 1, rows: 8 },
    "v3_shard.ome.zarr": { channels: 1, rows: 4 },
    "v2_ome_0.3.ome.zarr": null,
  };
  for (const [file, division] of Object.entries(stores)) {
    const plan = await planHere(FIXTURES + file);
    assert.deepEqual([plan.channels, plan.division], [[0, 1], division], file);
  }
});
