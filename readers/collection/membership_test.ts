import assert from "node:assert/strict";
import { dirname, join } from "node:path";
import { DOCUMENTS, FILES, writeCollection } from "../../tests/collection_tree.ts";
import { write } from "../../tests/fixtures/plain_store.ts";
import { loadHere } from "../../tests/load_here.ts";
import { NO_LINKS } from "../../tests/no_links.ts";
import { inFolder } from "../../tests/temporary_files.ts";
import { codesOf } from "../../tests/warning_codes.ts";

const open = (path: string, roots: string[] | null = null) => loadHere(path, { roots });

const inCollection = (run: (root: string) => Promise<void>) => () =>
  inFolder(async (_, folder) => {
    writeCollection(join(folder, "set"));
    await run(join(folder, "set"));
  });

Deno.test(
  "serves a member with its reference image, scan path and display of axes",
  inCollection(async (root) => {
    const { summary, planes, referencePlanes } = await open(join(root, "images/0001"));
    assert.deepEqual(codesOf(summary.warnings), []);
    // 4 ms and 250 nm in the served vocabulary; C has no calibration.
    assert.deepEqual(summary.axes, [
      { name: "C", size: 2, step: 1, unit: "Pixels" },
      { name: "Y", size: 4, step: 0.004, unit: "seconds" },
      { name: "X", size: 6, step: 0.25, unit: "um" },
    ]);
    assert.deepEqual([...planes[1]!.subarray(0, 3)], [24, 25, 26]);
    assert.deepEqual([summary.reference!.rows, summary.reference!.columns], [8, 10]);
    assert.deepEqual(summary.reference!.scanPath, { x: [1, 9], y: [2, 7] });
    assert.equal(summary.reference!.lineRoi, null);
    assert.deepEqual(summary.reference!.axes.map(({ step, unit }) => `${step} ${unit}`), [
      "0.25 um",
      "0.25 um",
    ]);
    assert.equal(referencePlanes[0]![79], 1079);
  }),
);

Deno.test(
  "finds the document in the root or in a folder of any name",
  inCollection(async (root) => {
    for (const place of ["collection.json", "x/collection.json", "images/collection.json"]) {
      Deno.mkdirSync(dirname(join(root, place)), { recursive: true });
      Deno.renameSync(join(root, FILES.collection), join(root, place));
      assert.notEqual((await open(join(root, "images/0001"))).summary.reference, null, place);
      Deno.renameSync(join(root, place), join(root, FILES.collection));
    }
  }),
);

Deno.test(
  "follows a member that is a link to its image",
  { ignore: NO_LINKS },
  inCollection(async (root) => {
    Deno.renameSync(join(root, "images/0001"), join(root, "stored"));
    Deno.symlinkSync("../stored", join(root, "images/0001"));
    assert.notEqual((await open(join(root, "stored"))).summary.reference, null);
  }),
);

Deno.test(
  "reads nothing outside the roots",
  inCollection(async (root) => {
    const image = join(root, "images/0001");
    const { summary } = await open(image, [join(root, "images")]);
    assert.equal(summary.reference, null);
    assert.deepEqual(codesOf(summary.warnings), []);
    assert.notEqual((await open(image, [root])).summary.reference, null);
  }),
);

Deno.test(
  "searches a collection up to six folders above",
  inCollection(async (root) => {
    const collection = structuredClone(DOCUMENTS.collection) as unknown as {
      members: { ome_zarr: string }[];
    };
    const place = async (path: string) => {
      Deno.mkdirSync(dirname(join(root, path)), { recursive: true });
      Deno.renameSync(join(root, collection.members[0]!.ome_zarr), join(root, path));
      collection.members[0]!.ome_zarr = path;
      write(join(root, FILES.collection), collection);
      return (await open(join(root, path))).summary.reference !== null;
    };
    assert.equal(await place("1/2/3/4/5/image"), true);
    assert.equal(await place("1/2/3/4/5/6/image"), false);
  }),
);

const DAMAGES: [string, (root: string) => void, RegExp, "reference" | "path" | "display" | "all"][] = [
  [
    "collection.json is cut off",
    (root) => write(join(root, FILES.collection), '{"format":'),
    /collection\.json" cannot be used: it is not JSON/,
    "all",
  ],
  [
    "collection.json has an unknown field",
    (root) => write(join(root, FILES.collection), { ...DOCUMENTS.collection, extra: 1 }),
    /cannot be used/,
    "all",
  ],
  [
    "the image document is missing",
    (root) => Deno.removeSync(join(root, FILES.acqimage)),
    /acqimage\.json" of the collection does not exist/,
    "display",
  ],
  [
    "the image document is of another image",
    (root) => write(join(root, FILES.acqimage), { ...DOCUMENTS.acqimage, image_id: "x" }),
    /describes the image "x", not "m1"/,
    "display",
  ],
  [
    "the reference document is damaged",
    (root) => write(join(root, FILES.reference), { ...DOCUMENTS.reference, version: 2 }),
    /\/version/,
    "path",
  ],
  [
    "the reference image is missing",
    (root) => Deno.removeSync(join(root, "images/0001_reference"), { recursive: true }),
    /0001_reference" of the collection does not exist/,
    "reference",
  ],
  [
    "the reference image is damaged",
    (root) => Deno.truncateSync(join(root, "images/0001_reference/0/c/0/0"), 10),
    /The reference image cannot be decoded: chunk "0\/c\/0\/0" has 10 bytes instead of 160/,
    "reference",
  ],
  [
    "the reference image is a link out of the collection",
    (root) => {
      Deno.renameSync(join(root, "images/0001_reference"), join(root, "../outside"));
      Deno.symlinkSync("../../outside", join(root, "images/0001_reference"));
    },
    /lies outside of it/,
    "reference",
  ],
];

for (const [name, damage, warning, lost] of DAMAGES) {
  Deno.test(
    `warns and still opens: ${name}`,
    { ignore: NO_LINKS && /\blink\b/.test(name) },
    inCollection(async (root) => {
      damage(root);
      const { summary, planes } = await open(join(root, "images/0001"));
      assert.equal(planes[0]![5], 5);
      assert.equal(summary.warnings.length, 1, JSON.stringify(summary.warnings));
      assert.match(summary.warnings[0]!.text, warning);
      assert.equal(summary.reference === null, lost === "reference" || lost === "all");
      if (lost === "path") assert.equal(summary.reference!.scanPath, null);
      const step = lost === "display" || lost === "all" ? 0.002 : 0.004;
      assert.equal(summary.axes.find((axis) => axis.name === "Y")!.step, step);
    }),
  );
}

Deno.test(
  "ignores a member outside the collection that is reached through a link",
  { ignore: NO_LINKS },
  inCollection(async (root) => {
    const outside = join(root, "../outside");
    Deno.renameSync(join(root, "images/0001"), outside);
    Deno.symlinkSync("../../outside", join(root, "images/0001"));
    Deno.renameSync(join(root, FILES.collection), join(root, "collection.json"));
    const { summary } = await open(outside);
    assert.deepEqual([summary.reference, codesOf(summary.warnings)], [null, []]);
  }),
);

Deno.test(
  "accepts a member that names a marker file of its image",
  inCollection(async (root) => {
    for (const path of ["images/0001/zarr.json", "images/0001/", "images//0001"]) {
      const [member] = DOCUMENTS.collection.members;
      write(join(root, FILES.collection), {
        ...DOCUMENTS.collection,
        members: [{ ...member, ome_zarr: path }],
      });
      assert.notEqual((await open(join(root, "images/0001"))).summary.reference, null, path);
    }
  }),
);

Deno.test(
  "uses the first of two collections below a folder, with a warning",
  inCollection(async (root) => {
    write(join(root, "other/collection.json"), { ...DOCUMENTS.collection, members: [] });
    const { summary } = await open(join(root, "images/0001"));
    assert.notEqual(summary.reference, null);
    assert.equal(summary.warnings.length, 1);
    assert.deepEqual(codesOf(summary.warnings), ["content_left_out"]);
  }),
);

Deno.test(
  "opens an image beside a collection with too many members or documents",
  inCollection(async (root) => {
    const other = join(root, "images/0001_reference");
    const [member] = DOCUMENTS.collection.members;
    const many = Array.from({ length: 20_000 }, (_, i) => ({ ...member, id: `m${i}`, ome_zarr: `no/${i}` }));
    write(join(root, FILES.collection), { ...DOCUMENTS.collection, members: [...many, member] });
    assert.notEqual((await open(join(root, "images/0001"))).summary.reference, null);
    const { summary } = await open(other);
    assert.deepEqual(codesOf(summary.warnings), ["content_left_out"]);
    write(join(root, FILES.collection), DOCUMENTS.collection);
    const padding = new TextEncoder().encode("{}".padEnd(15 << 20));
    for (const name of ["a", "b", "c"]) write(join(root, name, "collection.json"), padding);
    assert.deepEqual(codesOf((await open(other)).summary.warnings), ["content_left_out"]);
  }),
);

Deno.test(
  "ignores another program's collection.json without a warning",
  inCollection(async (root) => {
    write(join(root, "images/collection.json"), { items: [] });
    const { summary } = await open(join(root, "images/0001"));
    assert.deepEqual(codesOf(summary.warnings), []);
    assert.notEqual(summary.reference, null);
  }),
);

Deno.test(
  "each point of a scan path lies inside the reference image of 8 rows and 10 columns",
  inCollection(async (root) => {
    const served = async (points: number[][]) => {
      const scan_path = { ...DOCUMENTS.reference.scan_path, points };
      write(join(root, FILES.reference), { ...DOCUMENTS.reference, scan_path });
      const { reference, warnings } = (await open(join(root, "images/0001"))).summary;
      return [reference!.scanPath, warnings.length];
    };
    assert.deepEqual(await served([[0, 0], [9, 7]]), [{ x: [0, 9], y: [0, 7] }, 0]);
    for (const point of [[10, 7], [9, 8], [10, 8]]) {
      assert.deepEqual(await served([[0, 0], point]), [null, 1], point.join());
    }
  }),
);
