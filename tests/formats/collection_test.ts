/** Collections opened as a whole: folder, document, ZIP file. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { DOCUMENTS, FILES, LINE_SCAN, writeCollection, writeImage } from "../collection_tree.ts";
import { write } from "../fixtures/plain_store.ts";
import { entriesBelow, zipOf } from "../fixtures/zip_writer.ts";
import { loadHere, type LoadOptions, openHere } from "../load_here.ts";
import { NO_LINKS } from "../no_links.ts";
import { collectDocuments } from "../../readers/io/document_list.ts";
import { DecodeFailed, PlaneNotFound, UnsupportedFormat } from "../../readers/errors.ts";
import { inFolder as inTemporary } from "../temporary_files.ts";
import { codesOf } from "../warning_codes.ts";

const [MEMBER] = DOCUMENTS.collection.members;

/** Two members of the collection of `writeCollection`, one of them without documents beyond its own. */
function writeTwo(root: string): void {
  writeCollection(root);
  writeImage(join(root, "images/0002"), { ...LINE_SCAN, value: (index) => 100 + index });
  write(join(root, "meta/0002.json"), { ...DOCUMENTS.acqimage, image_id: "m2", accepted: false, rois: [] });
  const second = {
    id: "m2",
    name: "Second",
    ome_zarr: "images/0002",
    resources: { acqimage: "meta/0002.json" },
  };
  write(join(root, FILES.collection), { ...DOCUMENTS.collection, members: [MEMBER, second] });
}

const inFolder = (run: (folder: string) => Promise<void>) => () => inTemporary((_, folder) => run(folder));

const zipped = (folder: string, prefix = "", ...more: (readonly [string, Uint8Array])[]) =>
  zipOf([...entriesBelow(folder).map(([name, bytes]) => [prefix + name, bytes] as const), ...more]);

const fails = (
  path: string,
  type: typeof DecodeFailed | typeof UnsupportedFormat,
  message: RegExp,
  options?: LoadOptions,
) =>
  assert.rejects(loadHere(path, options), (error: unknown) => {
    assert.ok(error instanceof type, String(error));
    assert.match((error as Error).message, message);
    return true;
  });

Deno.test(
  "opens a folder and ZIP files of it as the same scenes",
  inFolder(async (folder) => {
    const root = join(folder, "set");
    writeTwo(root);
    write(join(folder, "flat.zip"), zipped(root));
    write(join(folder, "nested.ome.zarr.zip"), zipped(root, "set/"));
    write(join(folder, "finder.zip"), zipped(root, "set/", ["__MACOSX/set/._meta", new Uint8Array(4)]));
    for (const name of ["set", "flat.zip", "nested.ome.zarr.zip", "finder.zip"]) {
      const first = await loadHere(join(folder, name));
      assert.equal(first.summary.format, "collection", name);
      assert.deepEqual(first.summary.scenes.map((scene) => scene.name), ["First", "Second"]);
      assert.deepEqual(codesOf(first.summary.warnings), []);
      assert.deepEqual([first.summary.scene, first.summary.sceneCount], [0, 2]);
      assert.deepEqual(first.summary.collection, {
        id: "col",
        name: "Collection",
        member: { id: "m1", name: "First", accepted: true },
      });
      assert.deepEqual(first.summary.reference!.scanPath, { x: [1, 9], y: [2, 7] });
      assert.equal(first.referencePlanes[0]![79], 1079);
      const second = await loadHere(join(folder, name), { scene: 1 });
      // 4 ms and 250 nm of the image document.
      assert.deepEqual(second.summary.axes.map(({ name, step, unit }) => [name, step, unit]), [
        ["C", 1, "Pixels"],
        ["Y", 0.004, "seconds"],
        ["X", 0.25, "um"],
      ]);
      assert.equal(second.summary.reference, null);
      assert.equal(second.summary.collection!.member.accepted, false);
      assert.deepEqual([...second.planes[1]!.subarray(0, 3)], [124, 125, 126]);
      assert.equal(second.summary.fingerprint, first.summary.fingerprint);
    }
  }),
);

Deno.test(
  "lists the collection of a member, its documents and its tables in its metadata",
  inFolder(async (root) => {
    writeTwo(root);
    for (const path of [root, join(root, "images/0001")]) {
      await openHere(path, (acquisition) => {
        assert.equal(acquisition.collection?.member.id, "m1");
        const documents = collectDocuments(acquisition).filter(({ name }) => !name.includes("zarr.json"));
        assert.deepEqual(documents.map(({ name, mediaType }) => [name, mediaType]), [
          ["meta/0001/acqimage.json", "application/json"],
          ["meta/0001/analyses.json", "application/json"],
          ["tables/0001.csv", "text/csv"],
          ["meta/0001/reference-image.json", "application/json"],
        ]);
        assert.equal(documents[2]!.text, "t,v\n0,1\n1,\n");
      });
    }
  }),
);

Deno.test(
  "collection.json opens when its images lie below it",
  inFolder(async (root) => {
    writeTwo(root);
    await fails(join(root, FILES.collection), DecodeFailed, /lie above its document; open the folder/);
    Deno.renameSync(join(root, FILES.collection), join(root, "collection.json"));
    const { summary } = await loadHere(join(root, "collection.json"));
    assert.deepEqual([summary.format, summary.sceneCount], ["collection", 2]);
    await fails(join(root, "collection.json"), UnsupportedFormat, /not allowed here/, {
      allowedExtensions: [".zip", ".tif"],
    });
    await loadHere(root, { allowedExtensions: [".ome.zarr"] });
  }),
);

Deno.test(
  "opens an image with a collection in it as an image, and a bare group as the collection",
  inFolder(async (root) => {
    writeTwo(root);
    writeImage(root, LINE_SCAN);
    assert.equal((await loadHere(root)).summary.format, "ome.zarr");
    write(join(root, "zarr.json"), { zarr_format: 3, node_type: "group", attributes: {} });
    assert.equal((await loadHere(root)).summary.format, "collection");
  }),
);

Deno.test(
  "leaves out members without an image with a warning, and fails a damaged one when it is opened",
  inFolder(async (root) => {
    writeTwo(root);
    Deno.removeSync(join(root, "images/0001"), { recursive: true });
    const { summary } = await loadHere(root);
    assert.deepEqual(summary.scenes.map(({ name }) => name), ["Second"]);
    assert.deepEqual(codesOf(summary.warnings), ["scenes_left_out"]);
    Deno.mkdirSync(join(root, "images/0001"));
    write(join(root, "images/0001/zarr.json"), "{");
    await fails(root, DecodeFailed, /its member "First" cannot be opened/);
    assert.equal((await loadHere(root, { scene: 1 })).summary.scene, 1);
    Deno.removeSync(join(root, "images"), { recursive: true });
    await fails(root, DecodeFailed, /holds none of its images: "First", "Second"/);
  }),
);

Deno.test(
  "reports planes that the image document lists as missing",
  inFolder(async (root) => {
    writeTwo(root);
    const own = { acq_server: { missing_planes: [{ c: 1 }] } };
    write(join(root, "meta/0002.json"), {
      ...DOCUMENTS.acqimage,
      image_id: "m2",
      rois: [],
      image_metadata: own,
    });
    await openHere(root, async (acquisition) => {
      await acquisition.plan([0], { t: 0, z: 0, l: 0 });
      assert.throws(() => acquisition.plan([1], { t: 0, z: 0, l: 0 }), PlaneNotFound);
    }, 1);
    const { summary } = await loadHere(root, { scene: 1 });
    assert.deepEqual(summary.loaded.map(({ index }) => index), [0]);
    assert.deepEqual(codesOf(summary.warnings), ["channel_missing"]);
  }),
);

Deno.test(
  "rejects ZIP files without a collection, truncated ones and crafted ones",
  inFolder(async (folder) => {
    const root = join(folder, "set");
    writeTwo(root);
    const entries = entriesBelow(root);
    const at = (name: string, bytes: Uint8Array) => {
      Deno.writeFileSync(join(folder, name), bytes);
      return join(folder, name);
    };
    const whole = zipOf(entries);
    await fails(at("cut.zip", whole.subarray(0, whole.length - 10)), DecodeFailed, /truncated/);
    await fails(at("text.zip", new TextEncoder().encode("hello")), UnsupportedFormat, /no known format/);
    await fails(
      at("other.zip", zipOf([["a.txt", new Uint8Array(3)]])),
      UnsupportedFormat,
      /neither a collection/,
    );
    const document = entries.find(([name]) => name === FILES.collection)![1];
    await fails(
      at("two.zip", zipOf([...entries, ["collection.json", document]])),
      DecodeFailed,
      /more than one/,
    );
    await fails(
      at("again.zip", zipOf([...entries, [FILES.collection, document]])),
      DecodeFailed,
      /several entries/,
    );
    await fails(at("out.zip", zipOf([...entries, ["../x", document]])), DecodeFailed, /"..\/x"/);
    const image = join(folder, "image");
    writeImage(image, LINE_SCAN);
    assert.equal(
      (await loadHere(at("image.zip", zipOf(entriesBelow(image))))).summary.format,
      "ome.zarr.zip",
    );
  }),
);

Deno.test(
  "opens members through a link inside the root, and not through one that leaves it",
  { ignore: NO_LINKS },
  inFolder(async (folder) => {
    const root = join(folder, "set");
    writeTwo(root);
    Deno.renameSync(join(root, "images"), join(root, "elsewhere"));
    Deno.symlinkSync("elsewhere", join(root, "images"));
    const names = async () => (await loadHere(root)).summary.scenes.map(({ name }) => name);
    assert.deepEqual(await names(), ["First", "Second"]);
    Deno.renameSync(join(root, "elsewhere/0001"), join(folder, "outside"));
    Deno.symlinkSync(join(folder, "outside"), join(root, "elsewhere/0001"));
    assert.deepEqual(await names(), ["Second"]);
  }),
);
