/** Whatever the metadata say: an image whose planes fill, or an error of the reader, never anything else. */
import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import fc from "fast-check";
import { storeOf } from "../../tests/fixtures/plain_store.ts";
import { entriesBelow } from "../../tests/fixtures/zip_writer.ts";
import { ReaderError } from "../errors.ts";
import { FileAccess } from "../io/file_access.ts";
import { FIRST_POSITION } from "../reader.ts";
import { listImages } from "./image_list.ts";
import { describeZarrImage, readStoredImage } from "./mod.ts";

const FIXTURES = fileURLToPath(new URL("../../tests/fixtures/ome_zarr/", import.meta.url));

/** All values of a directory store, by key. */
const valuesOf = (folder: string) =>
  new Map(entriesBelow(folder).map(([key, bytes]) => [key, Uint8Array.from(bytes)]));

type Json = unknown;

/** Every place of a document, as paths of keys. */
function places(value: Json, path: string[] = []): string[][] {
  if (typeof value !== "object" || value === null) return [path];
  return [path, ...Object.entries(value).flatMap(([key, inner]) => places(inner, [...path, key]))];
}

const WORDS =
  "a / 0 ../0 uint8 int64 float16 bool gzip blosc bytes transpose F sharding_indexed crc32c delta scale_offset " +
  "cast_value big start NaN t c z y x time space 0.1 0.6";

const VALUE = fc.oneof(
  fc.constantFrom<Json>(0, -1, 1, 2, 3, 4, 8, 17, 2.5, 1e9, 1e300, null, true, "", [], {}, [1, 1], [1, 1, 1]),
  fc.constantFrom<Json>(...WORDS.split(" "), { name: "bytes" }, ["y", "x"]),
  fc.jsonValue({ maxDepth: 2 }),
);

const CHANGES = fc.array(
  fc.record({ document: fc.nat(), place: fc.nat(), remove: fc.boolean(), value: VALUE }),
  { minLength: 1, maxLength: 3 },
);

/** Planes of more samples are planned and not decoded. */
const MAX_SAMPLES = 1 << 16;

async function read(values: ReadonlyMap<string, Uint8Array<ArrayBuffer>>): Promise<string> {
  const files = new FileAccess();
  try {
    const store = storeOf(values);
    const opened = { store, path: "", shown: (path: string) => path, entries: () => [], fileSize: null };
    const list = listImages(opened);
    const acquisition = describeZarrImage(readStoredImage(opened, list, list.images.length - 1), files.stop);
    const channels = acquisition.channels.slice(0, 3).map((channel) => channel.index);
    const plan = await acquisition.plan(channels, FIRST_POSITION);
    if (plan.rows * plan.columns > MAX_SAMPLES) return "planned";
    await plan.decode(channels.map(() => new Float32Array(plan.rows * plan.columns)));
    return "read";
  } catch (error) {
    if (error instanceof ReaderError) return error.tag;
    throw error;
  }
}

const STORES: [string, string[]][] = [
  ["v3_shard.ome.zarr", ["zarr.json", "0/zarr.json"]],
  ["v2_dot_gzip.zarr", [".zattrs", ".zgroup", "0/.zarray"]],
  ["v2_ome_0.3.ome.zarr", [".zattrs", "full/.zarray"]],
  ["../ome_zarr_scenes/layout_v04.ome.zarr", [".zattrs", "OME/.zattrs", "2/.zattrs"]],
  ["../ome_zarr_scenes/plate_v05.ome.zarr", ["zarr.json", "A/1/zarr.json", "B/1/zarr.json"]],
];

for (const [name, documents] of STORES) {
  Deno.test(`changed metadata of ${name} give planes or an error of the reader`, async () => {
    const original = valuesOf(FIXTURES + name);
    const results: Record<string, number> = {};
    const run = fc.asyncProperty(CHANGES, async (changes) => {
      const values = new Map(original);
      for (const { document, place, remove, value } of changes) {
        const key = documents[document % documents.length]!;
        const holder: Json = { doc: JSON.parse(new TextDecoder().decode(values.get(key))) };
        const all = places((holder as { doc: Json }).doc, ["doc"]);
        const path = all[place % all.length]!;
        const owner = path.slice(0, -1).reduce((o, k) => (o as Record<string, Json>)[k], holder) as Record<
          string,
          Json
        >;
        if (remove && path.length > 1) delete owner[path.at(-1)!];
        else owner[path.at(-1)!] = value;
        values.set(key, new TextEncoder().encode(JSON.stringify((holder as { doc: Json }).doc)));
      }
      const result = await read(values);
      results[result] = (results[result] ?? 0) + 1;
    });
    await fc.assert(run, { numRuns: 1000, seed: 8, timeout: 2000 });
    assert.ok(results["read"]! > 50 && results["decode_failed"]! > 50, JSON.stringify(results));
  });
}
