/** Layouts and plates: their lists of scenes, what is left out, and what an open reads. */
import { deepEqual, equal, ok, rejects } from "node:assert/strict";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { collectDocuments } from "../../readers/io/document_list.ts";
import { chooseFormat, openChosen, type OpenedScene } from "../../readers/choose_format.ts";
import { FileAccess } from "../../readers/io/file_access.ts";
import type { Scenes } from "../../readers/reader.ts";
import { SUPPORTED_EXTENSIONS } from "../../readers/formats.ts";
import { LINE_SCAN, OVERVIEW, writeCollection, writeImage } from "../collection_tree.ts";
import { write } from "../fixtures/plain_store.ts";
import { loadHere } from "../load_here.ts";
import { hashAt } from "../planes.ts";
import { inFolder } from "../temporary_files.ts";
import { codesOf } from "../warning_codes.ts";

const FIXTURES = fileURLToPath(new URL("../fixtures/ome_zarr_scenes/", import.meta.url));

/** What `make.py` had zarr-python say: planes by `t,z,c`, the start of a hash each. */
interface Expected {
  readonly file: string;
  readonly scenes: readonly {
    readonly path: string;
    readonly name: string;
    readonly sizes: Readonly<Record<string, number>>;
    readonly planes: Readonly<Record<string, string>>;
  }[];
  readonly absent: readonly string[];
}

const EXPECTED: readonly Expected[] = JSON.parse(Deno.readTextFileSync(join(FIXTURES, "expected.json")));

async function opened<T>(
  path: string,
  use: (opened: OpenedScene, files: FileAccess) => T | Promise<T>,
  scene: number | null = null,
): Promise<T> {
  using files = new FileAccess();
  return await use(
    await openChosen(await chooseFormat(path, SUPPORTED_EXTENSIONS, files), files, scene),
    files,
  );
}

for (const { file, scenes: expected, absent } of EXPECTED) {
  const path = join(FIXTURES, file);
  const isPlate = file.startsWith("plate");

  Deno.test(`lists the scenes of ${file}, and names what it leaves out`, () =>
    opened(path, ({ scenes }) => {
      const listed = expected.map(({ name, sizes }, index) => ({
        name,
        sizes: isPlate && index !== 1 ? {} : sizes,
      }));
      deepEqual(scenes.entries(10), listed);
      deepEqual(scenes.entries(2), listed.slice(0, 2));
      const [warning, ...more] = scenes.warnings;
      deepEqual([warning!.code, more], ["scenes_left_out", []]);
      ok(absent.every((name) => warning!.text.includes(`"${name}"`)), warning!.text);
    }, 1));

  Deno.test(`opens the path of an image in ${file} as that image alone`, async () => {
    for (const scene of expected) {
      await opened(join(path, scene.path), async ({ acquisition, scenes }) => {
        deepEqual([scenes.count, scenes.own, codesOf(scenes.warnings)], [1, 0, []]);
        for (const [at, hash] of Object.entries(scene.planes)) {
          equal(await hashAt(acquisition, at.replace(/(\d+)$/, "0,$1")), hash, at);
        }
        deepEqual(scenes.entries(10).map(({ sizes }) => sizes), [scene.sizes]);
        if (!isPlate) equal(scenes.entries(1)[0]!.name, scene.name);
      });
    }
    await rejects(opened(join(path, expected[0]!.path), () => {}, 1), { tag: "scene_out_of_range" });
  });
}

Deno.test("the OME-XML of a layout gives names, colours, times and date of each scene", async () => {
  // As make.py writes them; frame t is 250 t (t + 1) ms after the start.
  const cells = {
    names: ["dye 00", "dye 01"],
    colors: ["#ff0000", "#00ff00"],
    times: [0, 0.5],
    date: "20240301",
  };
  const beads = {
    names: ["dye 10", "dye 11", "dye 12"],
    colors: ["#0000ff", null, "#ff7f00"],
    times: null,
    date: "20240302",
  };
  const third = { names: ["dye 20"], colors: [null], times: [0, 0.5, 1.5], date: "20240303" };
  const layouts = [
    ["layout_v04.ome.zarr", [third, cells, beads]],
    ["layout_v05.ome.zarr.zip", [cells, beads, third]],
  ] as const;
  for (const [file, expected] of layouts) {
    for (const [index, scene] of expected.entries()) {
      await opened(join(FIXTURES, file), ({ acquisition: { channels, times, date } }) => {
        deepEqual(channels.map(({ name }) => name), scene.names);
        deepEqual(channels.map(({ color }) => color), scene.colors);
        deepEqual([times, date], [scene.times, scene.date]);
      }, index);
    }
  }
});

Deno.test("lists the stored documents of the layout, image and array of a scene", async () => {
  const path = join(FIXTURES, "layout_v04.ome.zarr");
  const keys = [
    ".zgroup",
    ".zattrs",
    "0/.zgroup",
    "0/.zattrs",
    "0/s0/.zarray",
    "0/s0/.zattrs",
    "OME/METADATA.ome.xml",
  ];
  await opened(path, ({ acquisition }) => {
    const documents = collectDocuments(acquisition);
    deepEqual(documents.map(({ name }) => name), keys);
    const types = keys.map((key) => key.endsWith("xml") ? "application/xml" : "application/json");
    deepEqual(documents.map(({ mediaType }) => mediaType), types);
    for (const { name, text } of documents) equal(text, Deno.readTextFileSync(join(path, name)));
  }, 1);
  await opened(join(FIXTURES, "plate_v05.ome.zarr"), ({ acquisition }) => {
    const names = collectDocuments(acquisition).map(({ name }) => name);
    deepEqual(names, ["zarr.json", "B/2/1/zarr.json", "B/2/1/s0/zarr.json"]);
  }, 4);
});

/** Runs in a folder of its own, deep enough that no collection is sought among the temporary folders of others. */
const inDeepFolder = (run: (folder: string) => Promise<void>) =>
  inFolder((_, folder) => run(join(folder, "1/2/3/4/5/6")));

const group = (ome: object) => ({ zarr_format: 3, node_type: "group", attributes: { ome } });

Deno.test("opens a plate of 10,000 fields with the documents of its wells and of one field", () =>
  inDeepFolder(async (folder) => {
    const wells = Array.from({ length: 100 }, (_, i) => `${"ABCDEFGHIJ"[i % 10]}/${1 + Math.floor(i / 10)}`);
    const fields = Array.from({ length: 100 }, (_, i) => ({ path: String(i) }));
    write(
      join(folder, "zarr.json"),
      group({ version: "0.5", plate: { wells: wells.map((path) => ({ path })) } }),
    );
    for (const well of wells) {
      write(join(folder, well, "zarr.json"), group({ version: "0.5", well: { images: fields } }));
      // Damaged, so that an open that reads one of them fails.
      for (const { path } of fields) write(join(folder, well, path, "zarr.json"), "{");
    }
    writeImage(join(folder, "A/1/0"), LINE_SCAN);
    writeImage(join(folder, "J/10/99"), OVERVIEW);
    Deno.removeSync(join(folder, "C/3/7"), { recursive: true });
    for (const [scene, sizes] of [[0, { C: 2, Y: 4, X: 6 }], [9998, { Y: 8, X: 10 }]] as const) {
      await opened(folder, ({ scenes }, files) => {
        equal(scenes.count, 9999);
        const entries = scenes.entries(10_000);
        deepEqual(entries[scene]!.sizes, sizes);
        equal(entries.filter((entry) => Object.keys(entry.sizes).length > 0).length, 1);
        deepEqual(entries.slice(0, 2).map(({ name }) => name), ["A/1/0", "A/1/1"]);
        deepEqual(codesOf(scenes.warnings), ["scenes_left_out"]);
        // The plate, its wells, the group of the field and its array.
        deepEqual([files.counts.opens, files.counts.reads], [1 + 100 + 2, 1 + 100 + 2]);
      }, scene);
    }
    await rejects(opened(folder, () => {}, 1), {
      tag: "decode_failed",
      message: /"A\/1\/1\/zarr.json" is not JSON/,
    });
  }));

Deno.test("warns that only the first 10,000 scenes are listed", () =>
  inDeepFolder(async (folder) => {
    const wells = Array.from({ length: 101 }, (_, i) => ({ path: `A/${i}` }));
    const images = Array.from({ length: 100 }, (_, i) => ({ path: String(i) }));
    write(join(folder, "zarr.json"), group({ version: "0.5", plate: { wells } }));
    for (const { path } of wells) {
      write(join(folder, path, "zarr.json"), group({ version: "0.5", well: { images } }));
      for (const field of images) write(join(folder, path, field.path, "zarr.json"), "{");
    }
    writeImage(join(folder, "A/0/0"), OVERVIEW);
    writeImage(join(folder, "A/100/99"), OVERVIEW);
    const { summary } = await loadHere(folder, { scene: 10_099 });
    deepEqual([summary.sceneCount, summary.scenes.length, summary.scene], [10_100, 10_000, 10_099]);
    ok(summary.warnings.some(({ code, text }) =>
      code === "scenes_left_out" && text.startsWith("Only the first 10000 of 10100 scenes are listed")
    ));
  }));

Deno.test("sees a chunk that is written while the image is open", () =>
  inDeepFolder(async (folder) => {
    // Each of 40 rows is a chunk, and all are absent at first.
    writeImage(folder, { ...OVERVIEW, shape: [40, 2] });
    const array = JSON.parse(Deno.readTextFileSync(join(folder, "0/zarr.json")));
    array.chunk_grid.configuration.chunk_shape = [1, 2];
    array.chunk_key_encoding.configuration.separator = ".";
    write(join(folder, "0/zarr.json"), array);
    await opened(folder, async ({ acquisition }) => {
      const read = async () => {
        const plan = await acquisition.plan([0], { t: 0, z: 0, l: 0 });
        const plane = new Float32Array(80);
        await plan.decode([plane]);
        return [...plane.subarray(76)];
      };
      deepEqual(await read(), [0, 0, 0, 0]);
      write(join(folder, "0/c.39.0"), Uint8Array.of(7, 0, 8, 0));
      deepEqual(await read(), [0, 0, 7, 8]);
    });
  }));

Deno.test("lists sizes for the first 64 images of a layout and for the opened one", () =>
  inDeepFolder(async (folder) => {
    write(join(folder, "zarr.json"), group({ version: "0.5", "bioformats2raw.layout": 3 }));
    for (let i = 0; i < 70; i += 1) writeImage(join(folder, String(i)), i % 2 ? OVERVIEW : LINE_SCAN);
    write(join(folder, "5/zarr.json"), "{");
    const withSizes = (scenes: Scenes) =>
      scenes.entries(1000).flatMap(({ sizes }, i) => Object.keys(sizes).length > 0 ? [i] : []);
    const first = Array.from({ length: 64 }, (_, i) => i).filter((i) => i !== 5);
    await opened(folder, ({ scenes }) => {
      equal(scenes.count, 70);
      deepEqual(withSizes(scenes), [...first, 68]);
      const entries = scenes.entries(70);
      deepEqual([entries[1]!.sizes, entries[68]!.sizes], [{ Y: 8, X: 10 }, { C: 2, Y: 4, X: 6 }]);
    }, 68);
    await rejects(opened(folder, () => {}, 5), { tag: "decode_failed" });
  }));

Deno.test("applies a collection to the first scene of a layout, and to no field of a plate", () =>
  inDeepFolder(async (folder) => {
    writeCollection(folder);
    const member = join(folder, "images/0001");
    Deno.removeSync(member, { recursive: true });
    write(join(member, "zarr.json"), group({ version: "0.5", "bioformats2raw.layout": 3 }));
    for (const series of ["0", "1"]) writeImage(join(member, series), LINE_SCAN);
    const facts = async (path: string, scene: number | null) => {
      const { summary } = await loadHere(path, { scene });
      return [summary.reference !== null, summary.axes[1]!.step];
    };
    // The image states 2 ms, the collection shows 4 ms.
    deepEqual(await facts(member, null), [true, 0.004]);
    deepEqual(await facts(member, 1), [false, 0.002]);
    deepEqual(await facts(join(member, "1"), null), [false, 0.002]);
    write(join(member, "zarr.json"), group({ version: "0.5", plate: { wells: [{ path: "A/1" }] } }));
    write(join(member, "A/zarr.json"), group({}));
    write(join(member, "A/1/zarr.json"), group({ version: "0.5", well: { images: [{ path: "0" }] } }));
    writeImage(join(member, "A/1/0"), LINE_SCAN);
    deepEqual(await facts(member, null), [false, 0.002]);
  }));
