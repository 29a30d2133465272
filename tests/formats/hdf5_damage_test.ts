/** Damage to HDF5 files. */
import { deepEqual, equal, ok } from "node:assert/strict";
import { join } from "node:path";
import { deflateSync } from "node:zlib";
import { Hdf5File } from "../../readers/hdf5/file.ts";
import { Hdf5Blocks } from "../../readers/hdf5/blocks.ts";
import { openIndex } from "../../readers/hdf5/chunk_index.ts";
import { countChunkBytes } from "../../readers/hdf5/filters.ts";
import { FileAccess } from "../../readers/io/file_access.ts";
import { checkCuts, loadBytes, openBytes, refused, testDamage } from "../damage.ts";
import { FIXTURES } from "../fixtures/expected.ts";
import { codesOf } from "../warning_codes.ts";

const fixture = (name: string) => Deno.readFileSync(join(FIXTURES, "hdf5", name));

const DATA = "/DataSet/ResolutionLevel 0/TimePoint 0/Channel 0/Data";

/** Where the first chunk of a dataset is stored. */
function firstChunk(name: string, path = DATA): { readonly position: number; readonly length: number } {
  using files = new FileAccess();
  const source = files.open(join(FIXTURES, "hdf5", name));
  using file = new Hdf5File(source);
  const dataset = file.dataset(path);
  const { layout } = dataset;
  ok(layout.kind === "chunked");
  const { chunk, index } = layout;
  const about = {
    ...dataset,
    chunk,
    index,
    bytes: countChunkBytes(dataset),
    isFiltered: dataset.filters.length > 0,
  };
  const found = openIndex(new Hdf5Blocks(source), about)(dataset.shape.map(() => 0));
  ok(found);
  return { position: found.address, length: found.bytes };
}

/** A copy with other bytes at a place. */
function changed(bytes: Uint8Array, at: number, other: ArrayLike<number>): Uint8Array {
  const copy = bytes.slice();
  copy.set(other, at);
  return copy;
}

/** All places of a text or of bytes. */
function* placesOf(bytes: Uint8Array, what: string | readonly number[]): Generator<number> {
  const wanted = typeof what === "string" ? [...new TextEncoder().encode(what)] : what;
  for (let at = bytes.indexOf(wanted[0]!); at >= 0; at = bytes.indexOf(wanted[0]!, at + 1)) {
    if (wanted.every((byte, i) => bytes[at + i] === byte)) yield at;
  }
}

/** Bytes of a chunk of 2 x 8 x 8 samples of 16 bits. */
const CHUNK = 2 * 8 * 8 * 2;

for (const [what, length] of [["ends early", CHUNK - 2], ["goes on", 2 * CHUNK]] as const) {
  Deno.test(`refuses a deflate stream that ${what}, which HDF5 takes for whole`, async () => {
    const { position, length: stored } = firstChunk("padded.ims");
    const stream = deflateSync(new Uint8Array(length));
    ok(stream.length <= stored, "it fits into the chunk");
    const bytes = changed(fixture("padded.ims"), position, [
      ...stream,
      ...new Uint8Array(stored - stream.length),
    ]);
    await refused(
      "a.ims",
      bytes,
      length < CHUNK ? /decodes to 254 bytes, 256 are needed/ : /decodes to more than 256 bytes/,
    );
  });
}

Deno.test("refuses damaged chunks of LZ4", async () => {
  const { position } = firstChunk("filters.ims");
  const whole = fixture("filters.ims");
  // The size of the decoded chunk, the size of a block, and that of the first block.
  await refused("a.ims", changed(whole, position + 7, [0xff]), /its header states another size/);
  await refused("a.ims", changed(whole, position + 8, [0, 0, 0, 0]), /its blocks are empty/);
  await refused(
    "a.ims",
    changed(whole, position + 12, [0, 0, 0, 9]),
    /bytes follow its last block|ends within a block|LZ4/,
  );
});

Deno.test("names a filter that is not read", async () => {
  const bytes = fixture("padded.ims");
  // The filter message names it after its number, the length of the name, flags and the number of values.
  for (const at of [...placesOf(bytes, "deflate\0")]) bytes.set([0x34, 0x7d], at - 8);
  await refused("a.ims", bytes, /is compressed with filter 32052 \("deflate"\), which is not read/);
});

Deno.test("refuses a heap of texts that leads to itself", async () => {
  const whole = fixture("series.nwb");
  const [heap] = [...placesOf(whole, "GCOL")];
  // Index 0 is free space, whose size is the way to the next object.
  const free = changed(whole, heap! + 16, new Uint8Array(16));
  deepEqual(await codesAfter(free), []);
  // A length that leads back when addresses wrap around.
  deepEqual(await codesAfter(changed(whole, heap! + 24, new Uint8Array(8).fill(0xff))), []);
});

/** Codes of the warnings with which a damaged file opens; none if it is refused. */
async function codesAfter(bytes: Uint8Array): Promise<readonly string[]> {
  const loaded = await loadBytes("a.nwb", bytes).catch((error) => error);
  if (!(loaded instanceof Error)) return codesOf(loaded.summary.warnings);
  equal((loaded as { tag?: string }).tag, "decode_failed", loaded.stack);
  return [];
}

Deno.test("refuses samples in another file by its name", async () => {
  await refused(
    "a.ims",
    fixture("outside.ims"),
    /a link into another file, "elsewhere\.h5", which is not read/,
  );
});

Deno.test("refuses an HDF5 file that is cut anywhere", async () => {
  const bytes = fixture("gap.ims");
  await refused(
    "a.ims",
    bytes.subarray(0, bytes.length - 1),
    /the file has \d+ of the \d+ bytes that it states/,
  );
  for (const name of ["gap.ims", "manifest.nwb", "units.mesc"]) {
    const bytes = fixture(name);
    const { served } = await checkCuts(name, bytes, 997);
    equal(served, 0, name);
  }
});

testDamage("manifest of acqstore", {
  "another version": [
    () => replaced("manifest.nwb", '"version": 1', '"version": 7'),
    ["metadata_damaged"],
  ],
  "a still that is missing": [() => replaced("manifest.nwb", '["channel_0000"', '["channel_0009"'), [
    "metadata_damaged",
  ]],
  "another shape": [() => replaced("manifest.nwb", "[2, 30, 11]", "[2, 31, 11]"), ["metadata_damaged"]],
}, () => replaced("manifest.nwb", '"version": 1', '"version": 7'));

/** A fixture with a text in place of another one of the same length. */
function replaced(name: string, from: string, to: string): Uint8Array {
  const bytes = fixture(name);
  const places = [...placesOf(bytes, from)];
  deepEqual([places.length, from.length], [1, to.length], from);
  return changed(bytes, places[0]!, new TextEncoder().encode(to));
}

Deno.test("refuses a superblock with another size of lengths than the file has", async () => {
  const bytes = fixture("manifest.nwb");
  // The size of lengths stands after that of offsets in the first superblocks (section II.A).
  equal(bytes[8]! < 2 && bytes[14], 8);
  await refused(
    "a.nwb",
    changed(bytes, 14, [4]),
    /ends after the data of the file|shares bytes with|no free place/,
  );
});

Deno.test("links that lead to each other, or nowhere, are left out", async () => {
  const { summary } = await loadBytes("a.nwb", fixture("links.nwb"));
  deepEqual(summary.scenes.map(({ name }) => name), ["a_series", "image"]);
});

Deno.test("refuses time stamps whose deflate stream ends early, and serves the series without them", async () => {
  const path = "/acquisition/a_series/timestamps";
  const { position, length } = firstChunk("links.nwb", path);
  const stream = deflateSync(new Uint8Array(8));
  ok(stream.length <= length);
  const bytes = changed(fixture("links.nwb"), position, [
    ...stream,
    ...new Uint8Array(length - stream.length),
  ]);
  const { codes, times } = await openBytes("a.nwb", bytes, (acquisition) => ({
    codes: codesOf(acquisition.warnings),
    times: acquisition.times,
  }));
  deepEqual([codes, times], [["metadata_damaged"], null]);
});
