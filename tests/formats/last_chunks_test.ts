/** Chunks of volumes are decoded once for the planes that follow each other. */
import { deepEqual, equal, ok } from "node:assert/strict";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { FileAccess } from "../../readers/io/file_access.ts";
import {
  beginPlane,
  countLastChunkBytes,
  dropLastChunks,
  findLastChunk,
  keepLastChunk,
  MOST_CHUNK_BYTES,
} from "../../readers/io/last_chunks.ts";
import { openHere } from "../load_here.ts";
import { planesAt } from "../planes.ts";

const FIXTURES = fileURLToPath(new URL("../fixtures/hdf5/", import.meta.url));

Deno.test("a chunk of several focus planes is read for the first of them only", async () => {
  const files = new FileAccess();
  const sizes = await openHere(
    join(FIXTURES, "filters.ims"),
    async (acquisition) => {
      const planes = async (z: number) => {
        const before = files.counts.bytes;
        const samples = await planesAt(acquisition, { z }, { channels: [0] });
        return { samples, bytes: files.counts.bytes - before };
      };
      dropLastChunks();
      const [first, second, third] = [await planes(0), await planes(1), await planes(2)];
      // Without what was kept, the same samples.
      dropLastChunks();
      const alone = await planes(1);
      deepEqual(second.samples, alone.samples);
      return [first, second, third, alone].map(({ bytes }) => bytes);
    },
    null,
    files,
  );
  const [first = 0, second = 0, third = 0, alone = 0] = sizes;
  ok(second < alone, `${sizes}`);
  equal(first, alone);
  ok(third > second, "the next chunk is read again");
});

Deno.test("keeps chunks of the last planes of one file, up to a bound, those of this plane first", () => {
  const [one, other] = [{}, {}];
  const quarter = () => new Uint8Array(MOST_CHUNK_BYTES / 4);
  dropLastChunks();
  beginPlane(one);
  for (const address of [1, 2, 3, 4, 5]) keepLastChunk(address, quarter());
  equal(countLastChunkBytes(), MOST_CHUNK_BYTES);
  deepEqual([1, 4, 5].map((address) => findLastChunk(address) !== undefined), [true, true, false]);
  beginPlane(one);
  ok(findLastChunk(1));
  keepLastChunk(5, quarter());
  deepEqual([1, 2, 3, 4, 5].map((address) => findLastChunk(address) !== undefined), [
    true,
    false,
    true,
    true,
    true,
  ]);
  beginPlane(other);
  equal(countLastChunkBytes(), 0);
  equal(findLastChunk(1), undefined);
});
