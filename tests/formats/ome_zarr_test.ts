/** What is read of an OME-Zarr store for some channels and rows, and how a load can be divided. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { chooseFormat, openChosen } from "../../readers/choose_format.ts";
import { SUPPORTED_EXTENSIONS } from "../../readers/format.ts";
import { FileAccess } from "../../readers/io/random_access.ts";
import type { RowRange } from "../../readers/reader.ts";
import { loadHere } from "../load_here.ts";
import { decodeAt } from "../planes.ts";

const FIXTURES = join(import.meta.dirname!, "../fixtures/ome_zarr/");

const load = (file: string, channelIndices: number[] | null = null) =>
  loadHere(FIXTURES + file, { channelIndices });

Deno.test("one channel of a shard reads its index and the inner chunks of that channel", async () => {
  const file = "v3_shard.ome.zarr";
  const bytesFor = async (channels: number[]) => (await load(file, channels)).counts.bytes;
  const [first, second, both] = [await bytesFor([0]), await bytesFor([1]), await bytesFor([0, 1])];
  // 13 x 17 in shards of 8 x 8: six shards, each with an index of 2 x 2 x 2 entries of 16 bytes and a checksum.
  const documents = ["zarr.json", "0/zarr.json"].map((name) =>
    Deno.statSync(`${FIXTURES}${file}/${name}`).size
  );
  const shared = 6 * (8 * 16 + 4) + documents[0]! + documents[1]!;
  assert.equal(first - shared + (second - shared), both - shared);
  assert.ok(first > shared && second > shared);
});

Deno.test("chunks and shards without wanted rows are not read", async () => {
  const read = async (name: string, rows?: RowRange) => {
    const files = new FileAccess();
    try {
      const chosen = chooseFormat(FIXTURES + name, SUPPORTED_EXTENSIONS, files);
      const { acquisition } = await openChosen(chosen, files, null);
      const { opens, bytes } = files.counts;
      await decodeAt(acquisition, {}, rows ? { rows } : {});
      return { opens: files.counts.opens - opens, bytes: files.counts.bytes - bytes };
    } finally {
      files.close();
    }
  };
  for (const name of ["v2_dot_gzip.zarr", "v3_shard.ome.zarr"]) {
    const [whole, one] = [await read(name), await read(name, { start: 0, end: 1 })];
    assert.ok(one.bytes < whole.bytes && one.opens <= whole.opens, `${name} ${JSON.stringify([whole, one])}`);
  }
});
