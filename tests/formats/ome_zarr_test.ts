/** What is read of an OME-Zarr store for some channels and rows, and how a load can be divided. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { chooseFormat, openChosen } from "../../readers/choose_format.ts";
import { SUPPORTED_EXTENSIONS } from "../../readers/formats.ts";
import { FileAccess } from "../../readers/io/file_access.ts";
import type { RowRange } from "../../readers/reader.ts";
import { loadHere, planHere } from "../load_here.ts";
import { decodeAt } from "../planes.ts";

const FIXTURES = join(import.meta.dirname!, "../fixtures/ome_zarr");

/** Loads with the fixtures as the root, so that no collection near the checkout is read. */
const load = (file: string, channelIndices: number[] | null = null) =>
  loadHere(join(FIXTURES, file), { channelIndices, roots: [FIXTURES] });

Deno.test("serves channels alone and in any order", async () => {
  const { planes } = await load("v3_shard.ome.zarr");
  const both = await load("v3_shard.ome.zarr", [1, 0]);
  assert.deepEqual(both.planes, planes.toReversed());
  assert.deepEqual(both.summary.loaded.map((channel) => channel.name), ["Red", "Green"]);
  assert.deepEqual((await load("v3_shard.ome.zarr", [1])).planes, [planes[1]]);
});

Deno.test("opens only the chunks of one channel of an unsharded store", async () => {
  const { counts } = await load("v2_dot_gzip.zarr", [0]);
  // 13 x 17 in chunks of 8 x 8 is 2 x 3 chunks; documents: .zattrs and .zgroup, .zattrs and .zarray.
  assert.equal(counts.opens, 6 + 4);
});

Deno.test("reads only the index and the inner chunks of one channel of a shard", async () => {
  const file = "v3_shard.ome.zarr";
  const bytesFor = async (channels: number[]) => (await load(file, channels)).counts.bytes;
  const [first, second, both] = [await bytesFor([0]), await bytesFor([1]), await bytesFor([0, 1])];
  // 13 x 17 in shards of 8 x 8: six shards, each with an index of 2 x 2 x 2 entries of 16 bytes and a checksum.
  const documents = ["zarr.json", "0/zarr.json"].map((name) =>
    Deno.statSync(join(FIXTURES, file, name)).size
  );
  const shared = 6 * (8 * 16 + 4) + documents[0]! + documents[1]!;
  assert.equal(first - shared + (second - shared), both - shared);
  assert.ok(first > shared && second > shared);
});

Deno.test("divides a load between compressed chunks", async () => {
  // gzip in chunks of one channel and 8 rows; zstd in inner chunks of one channel and 4 rows; chunks without a codec.
  const stores = {
    "v2_dot_gzip.zarr": { channels: 1, rows: 8 },
    "v3_shard.ome.zarr": { channels: 1, rows: 4 },
    "v2_ome_0.3.ome.zarr": null,
  };
  for (const [file, division] of Object.entries(stores)) {
    const plan = await planHere(join(FIXTURES, file));
    assert.deepEqual([plan.channels, plan.division], [[0, 1], division], file);
  }
});

Deno.test("does not read chunks and shards without requested rows", async () => {
  const read = async (name: string, rows?: RowRange) => {
    using files = new FileAccess();
    const chosen = await chooseFormat(join(FIXTURES, name), SUPPORTED_EXTENSIONS, files);
    const { acquisition } = await openChosen(chosen, files, null);
    const { opens, bytes } = files.counts;
    await decodeAt(acquisition, {}, rows ? { rows } : {});
    return { opens: files.counts.opens - opens, bytes: files.counts.bytes - bytes };
  };
  for (const name of ["v2_dot_gzip.zarr", "v3_shard.ome.zarr"]) {
    const [whole, one] = [await read(name), await read(name, { start: 0, end: 1 })];
    assert.ok(one.bytes < whole.bytes && one.opens <= whole.opens, `${name} ${JSON.stringify([whole, one])}`);
  }
});
