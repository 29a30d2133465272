/** Whatever bytes a store holds: planes, or an error of the reader, never anything else. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import fc from "fast-check";
import { DecodeFailed, ReaderError } from "../errors.ts";
import { loadHere } from "../../tests/load_here.ts";
import { FileAccess } from "../io/random_access.ts";
import { byteCodec } from "./byte_codecs.ts";
import { readValue } from "./store.ts";
import { readZipDirectory } from "./zip_directory.ts";
import { ZipStore } from "./zip_store.ts";

const FIXTURES = fileURLToPath(new URL("../../tests/fixtures/ome_zarr/", import.meta.url));

interface Change {
  readonly at: number;
  readonly byte: number;
  readonly cut: number | null;
}

const CHANGES = fc.array(
  fc.record({ at: fc.nat(), byte: fc.nat(255), cut: fc.option(fc.nat(), { freq: 20 }) }),
  { minLength: 1, maxLength: 4 },
);

function changed(bytes: Uint8Array, changes: readonly Change[]): Uint8Array<ArrayBuffer> {
  let result = Uint8Array.from(bytes);
  for (const { at, byte, cut } of changes) {
    if (result.length === 0) break;
    result[at % result.length] = byte;
    if (cut !== null) result = result.slice(0, cut % result.length);
  }
  return result;
}

async function load(path: string): Promise<string> {
  try {
    await loadHere(path);
    return "read";
  } catch (error) {
    if (error instanceof ReaderError) return error.tag;
    throw error;
  }
}

/** Changes one file of a copy of a store, loads it, and puts the file back. */
async function damageFiles(store: string, names: readonly string[], numRuns: number): Promise<Set<string>> {
  const temporary = Deno.realPathSync(Deno.makeTempDirSync());
  // Deep enough that no collection is sought among the temporary folders of others.
  const folder = join(temporary, "1/2/3/4/5/6");
  const results = new Set<string>();
  try {
    const files = new Map(names.map((name) => [name, Deno.readFileSync(join(FIXTURES, store, name))]));
    for (const [name, bytes] of files) {
      Deno.mkdirSync(join(folder, store, name, ".."), { recursive: true });
      Deno.writeFileSync(join(folder, store, name), bytes);
    }
    const run = fc.asyncProperty(fc.constantFrom(...names), CHANGES, async (name, changes) => {
      const path = join(folder, store, name);
      Deno.writeFileSync(path, changed(files.get(name)!, changes));
      results.add(await load(join(folder, store)));
      Deno.writeFileSync(path, files.get(name)!);
    });
    await fc.assert(run, { numRuns, seed: 4, timeout: 2000 });
  } finally {
    Deno.removeSync(temporary, { recursive: true });
  }
  return results;
}

Deno.test("changed bytes of a sharded store give planes or an error of the reader", async () => {
  const names = ["zarr.json", "0/zarr.json", "0/c/0/0/0", "0/c/0/1/2"];
  const results = await damageFiles("v3_shard.ome.zarr", names, 1000);
  assert.ok(results.has("read") && results.has("DecodeFailed"), [...results].join());
});

Deno.test("changed bytes of a store of version 2 give planes or an error of the reader", async () => {
  const names = [".zattrs", ".zgroup", "0/.zarray", "0/0.0.0", "0/1.1.2"];
  const results = await damageFiles("v2_dot_gzip.zarr", names, 1000);
  assert.ok(results.has("read") && results.has("DecodeFailed"), [...results].join());
});

Deno.test("changed bytes of a ZIP file give planes or an error of the reader", async () => {
  const path = join(FIXTURES, "folder_deflated.ome.zarr.zip");
  const folder = Deno.makeTempDirSync();
  const original = Deno.readFileSync(path);
  const results = new Set<string>();
  try {
    const target = join(folder, "a.ome.zarr.zip");
    const run = fc.asyncProperty(CHANGES, async (changes) => {
      Deno.writeFileSync(target, changed(original, changes));
      results.add(await load(target));
    });
    await fc.assert(run, { numRuns: 1000, seed: 5, timeout: 2000 });
  } finally {
    Deno.removeSync(folder, { recursive: true });
  }
  assert.ok(results.has("read") && results.has("DecodeFailed"), [...results].join());
});

/** First chunk of a fixture. */
function chunkOf(fixture: string): Uint8Array {
  const files = new FileAccess();
  try {
    const file = files.open(join(FIXTURES, fixture));
    return readValue(new ZipStore(file, readZipDirectory(file), ""), "0/0/0/0", 1 << 20)!;
  } finally {
    files.close();
  }
}

/** Bytes of a decoded chunk of 1 x 40 x 64 uint16. */
const SIZE = 40 * 64 * 2;

for (const name of ["lz4_shuffle", "blosclz_plain", "zstd_bitshuffle", "zlib_shuffle"]) {
  Deno.test(`changed bytes of a Blosc chunk (${name}) give whole chunks or an error`, () => {
    const original = chunkOf(`v2_blosc_${name}.ome.zarr.zip`);
    const codec = byteCodec("blosc", {}, 2)!;
    assert.equal(codec.decode(original, SIZE).length, SIZE);
    let failed = 0;
    const run = fc.property(CHANGES, (changes) => {
      try {
        assert.ok(codec.decode(changed(original, changes), SIZE).length <= SIZE);
      } catch (error) {
        failed += 1;
        assert.ok(error instanceof DecodeFailed, `${error}`);
      }
    });
    fc.assert(run, { numRuns: 1000, seed: 6 });
    assert.ok(failed > 100, `${failed}`);
  });
}
