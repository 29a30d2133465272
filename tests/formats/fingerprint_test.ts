/** Copies, moved folders, every file of a set and every scene have one fingerprint; other content has another. */
import { equal, match, notEqual } from "node:assert/strict";
import { basename, join } from "node:path";
import { loadHere } from "../load_here.ts";
import { grayLayout, tiffBytes } from "../fixtures/tiff_writer.ts";
import { copy, inFolder } from "../temporary_files.ts";

const FIXTURES = join(import.meta.dirname!, "../fixtures");

const fingerprintOf = async (path: string, scene: number | null = null) =>
  (await loadHere(path, { scene })).summary.fingerprint;

/** 400 x 300 samples of 16 bits: 240,000 bytes, of which the first, middle and last 16 KiB count. */
const LARGE = tiffBytes(grayLayout(400, 300, 16), (x, y) => BigInt(x * y % 4096));

Deno.test("a copy, another name and another time have the same fingerprint", () =>
  inFolder(async (_, folder) => {
    const [path, other] = [join(folder, "a.tif"), join(folder, "b.tif")];
    Deno.writeFileSync(path, LARGE);
    const own = await fingerprintOf(path);
    match(own!, /^[0-9a-f]{32}$/);
    Deno.copyFileSync(path, other);
    Deno.utimeSync(other, 1, 1);
    equal(await fingerprintOf(other), own);
    Deno.renameSync(other, join(folder, "c.tif"));
    equal(await fingerprintOf(join(folder, "c.tif")), own);
  }));

Deno.test("a changed byte near the start, the middle or the end, and another length change the fingerprint", () =>
  inFolder(async (_, folder) => {
    const path = join(folder, "a.tif");
    Deno.writeFileSync(path, LARGE);
    const own = await fingerprintOf(path);
    const seen = new Set([own]);
    // The samples follow the directory; the last byte of the file is one of them.
    for (const at of [2000, LARGE.length / 2 | 0, LARGE.length - 1]) {
      const changed = LARGE.slice();
      changed[at]! ^= 1;
      Deno.writeFileSync(path, changed);
      seen.add(await fingerprintOf(path));
    }
    for (const more of [1, 2]) {
      Deno.writeFileSync(path, new Uint8Array([...LARGE, ...new Uint8Array(more)]));
      seen.add(await fingerprintOf(path));
    }
    equal(seen.size, 6);
  }));

/** A set of files, of which each opens the whole acquisition. */
const SETS: readonly [folder: string, files: readonly string[]][] = [
  ["tiff_scenes", ["set_a.ome.tif", "set_b.ome.tif", "set_c.ome.tif"]],
  ["oir", ["long.oir", "long_00001"]],
  ["czi", ["split.czi", "split (1).czi", "split(2).czi"]],
  ["oif", ["series.oif", "series.oif.files/s_C001Z001T001.tif", "series.oif.files/s_C001Z001T002.tif"]],
  ["ndtiff/explored", ["", "NDTiff.index", "explored_NDTiffStack.tif", "explored_NDTiffStack_1.tif"]],
];

for (const [folder, files] of SETS) {
  Deno.test(`each file of ${folder}/${files[0]} has the fingerprint of the set, also in another folder`, () =>
    inFolder(async (_, elsewhere) => {
      const own = await fingerprintOf(join(FIXTURES, folder, files[0]!));
      match(own!, /^[0-9a-f]{32}$/);
      copy(join(FIXTURES, folder), join(elsewhere, "moved"));
      for (const file of files) {
        equal(await fingerprintOf(join(FIXTURES, folder, file)), own, file);
        equal(await fingerprintOf(join(elsewhere, "moved", file)), own, file);
      }
    }));
}

Deno.test("each image of a Prairie series has the fingerprint of its document, and a changed one changes it", () =>
  inFolder(async (_, folder) => {
    const from = join(FIXTURES, "prairie/TSeries-01022020-1030-003");
    const to = join(folder, basename(from));
    copy(from, to);
    const document = join(to, `${basename(from)}.xml`);
    const own = await fingerprintOf(document);
    const images = [...Deno.readDirSync(to)].map(({ name }) => name).filter((name) =>
      /_Ch\d.*\.tif$/.test(name)
    ).sort();
    for (const name of images.slice(0, 4)) equal(await fingerprintOf(join(to, name)), own, name);
    const bytes = Deno.readFileSync(join(to, images.at(-1)!));
    bytes[bytes.length - 1]! ^= 1;
    Deno.writeFileSync(join(to, images.at(-1)!), bytes);
    notEqual(await fingerprintOf(document), own);
  }));

Deno.test("each file of a set of FluoView and each scene of a file has one fingerprint", () =>
  inFolder(async (_, folder) => {
    const names = ["a_C001T001.tif", "a_C001T002.tif", "a_C002T001.tif", "a_C002T002.tif"];
    for (const [i, name] of names.entries()) {
      const bytes = tiffBytes(grayLayout(8, 6, 16), (x, y) => BigInt(100 * i + x + y));
      Deno.writeFileSync(join(folder, name), bytes);
    }
    const found = new Set<string | null>();
    for (const name of names) found.add(await fingerprintOf(join(folder, name)));
    equal(found.size, 1);
    Deno.removeSync(join(folder, names[3]!));
    notEqual(await fingerprintOf(join(folder, names[0]!)), [...found][0]);

    for (const file of ["lif/line_scans.lif", "nd2/positions.nd2", "lsm/positions.lsm"]) {
      const scenes = new Set<string | null>();
      for (const scene of [0, 1]) scenes.add(await fingerprintOf(join(FIXTURES, file), scene));
      equal(scenes.size, 1, file);
    }
  }));

Deno.test("identifies an OME-Zarr folder by its documents and its first chunk", () =>
  inFolder(async (_, folder) => {
    const { ramp, writePlainStore } = await import("../fixtures/plain_store.ts");
    const write = (name: string, from: number) =>
      writePlainStore(join(folder, name), {
        planes: [ramp(30, 20, from)],
        rows: 30,
        columns: 20,
        y: { step: 1, unit: "micrometer" },
        x: { step: 1, unit: "micrometer" },
        names: ["A"],
      });
    await write("a.ome.zarr", 0);
    await write("b.ome.zarr", 1);
    const own = await fingerprintOf(join(folder, "a.ome.zarr"));
    copy(join(folder, "a.ome.zarr"), join(folder, "c.ome.zarr"));
    equal(await fingerprintOf(join(folder, "c.ome.zarr")), own);
    equal(await fingerprintOf(join(folder, "c.ome.zarr/zarr.json")), own);
    notEqual(await fingerprintOf(join(folder, "b.ome.zarr")), own);
  }));
