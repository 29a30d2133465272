import assert from "node:assert/strict";
import { dirname, join } from "node:path";
import { DOCUMENTS, FILES, writeCollection } from "../../tests/collection_tree.ts";
import { write } from "../../tests/fixtures/plain_store.ts";
import { loadHere, openHere } from "../../tests/load_here.ts";
import { NO_LINKS } from "../../tests/no_links.ts";
import { inFolder } from "../../tests/temporary_files.ts";
import { codesOf } from "../../tests/warning_codes.ts";
import { AcquisitionChanged } from "../errors.ts";
import { collectDocuments } from "../io/document_list.ts";

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
    const applied = `The collection "${
      join(root, FILES.collection)
    }" gives this image steps, the reference image`;
    assert.deepEqual(summary.warnings, [{ code: "collection_applied", text: applied }]);
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
      const warnings = summary.warnings.filter(({ code }) => code !== "collection_applied");
      assert.equal(warnings.length, 1, JSON.stringify(summary.warnings));
      assert.equal(summary.warnings.length - warnings.length, lost === "all" ? 0 : 1);
      assert.match(warnings[0]!.text, warning);
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
    assert.deepEqual(codesOf(summary.warnings), ["content_left_out", "collection_applied"]);
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
    assert.deepEqual(codesOf(summary.warnings), ["collection_applied"]);
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
      return [reference!.scanPath, codesOf(warnings).filter((code) => code !== "collection_applied").length];
    };
    assert.deepEqual(await served([[0, 0], [9, 7]]), [{ x: [0, 9], y: [0, 7] }, 0]);
    for (const point of [[10, 7], [9, 8], [10, 8]]) {
      assert.deepEqual(await served([[0, 0], point]), [null, 1], point.join());
    }
  }),
);

/** Writes the collection with its document inside the image that it belongs to; the member names files beside the image. */
function writeInside(folder: string): string {
  const image = join(folder, "evil.ome.zarr");
  writeCollection(join(folder, "other"));
  Deno.renameSync(join(folder, "other/images/0001"), image);
  const member = {
    ...DOCUMENTS.collection.members[0],
    ome_zarr: "evil.ome.zarr",
    resources: { acqimage: "other/meta/0001/acqimage.json", analyses: "other/meta/0001/analyses.json" },
    reference_image: {
      ome_zarr: "other/images/0001_reference",
      metadata: "other/meta/0001/reference-image.json",
    },
  };
  write(join(image, "collection.json"), { ...DOCUMENTS.collection, members: [member] });
  return image;
}

Deno.test("a collection document inside an image reaches nothing beside the image", () =>
  inFolder(async (_, folder) => {
    const image = writeInside(folder);
    const { summary } = await open(image);
    assert.deepEqual([summary.reference, summary.collection ?? null], [null, null]);
    // The same document in a folder that is not an image counts.
    Deno.mkdirSync(join(folder, "meta"));
    Deno.renameSync(join(image, "collection.json"), join(folder, "meta/collection.json"));
    assert.equal((await open(image)).summary.collection?.id, "col");
  }));

const isOwner = Deno.build.os !== "windows";

/** Whether this account may give files away. */
const mayGive = isOwner && Deno.uid() === 0;
if (!mayGive) console.log("Skipped: tests of folders of other owners, which only root can make");

Deno.test(
  "the upward search ends at a folder that everybody may write to, unless it is sticky",
  { ignore: !isOwner },
  inCollection(async (root) => {
    const image = join(root, "images/0001");
    const codes = async () => codesOf((await open(image)).summary.warnings);
    Deno.chmodSync(root, 0o777);
    assert.deepEqual(await codes(), []);
    Deno.chmodSync(root, 0o1777);
    assert.deepEqual(await codes(), ["collection_applied"]);
    Deno.chmodSync(root, 0o777);
    // Whoever can change the image can change its steps anyhow.
    Deno.chmodSync(image, 0o777);
    assert.deepEqual(await codes(), ["collection_applied"]);
    Deno.chmodSync(image, 0o755);
    Deno.chmodSync(root, 0o755);
    Deno.chmodSync(join(root, "meta"), 0o777);
    assert.deepEqual(await codes(), []);
  }),
);

Deno.test(
  "the upward search ends at a folder of another owner than that of the image and root",
  { ignore: !mayGive },
  inCollection(async (root) => {
    const image = join(root, "images/0001");
    const codes = async () => codesOf((await open(image)).summary.warnings);
    Deno.chownSync(image, 1234, null);
    assert.deepEqual(await codes(), ["collection_applied"], "a folder of root");
    Deno.chownSync(root, 1234, null);
    Deno.chownSync(join(root, "meta"), 1234, null);
    assert.deepEqual(await codes(), ["collection_applied"], "a folder of the owner of the image");
    Deno.chownSync(root, 4321, null);
    assert.deepEqual(await codes(), []);
    Deno.chownSync(root, 0, null);
    Deno.chownSync(join(root, "meta"), 4321, null);
    assert.deepEqual(await codes(), []);
    // Anybody can put a document into a sticky folder that everybody may write to.
    Deno.renameSync(join(root, FILES.collection), join(root, "collection.json"));
    Deno.chmodSync(root, 0o1777);
    assert.deepEqual(await codes(), ["collection_applied"]);
    Deno.chownSync(join(root, "collection.json"), 4321, null);
    assert.deepEqual(await codes(), []);
  }),
);

Deno.test(
  "serves no document that its schema refuses, and no table whose name does not end in .csv",
  inCollection(async (root) => {
    const served = () =>
      openHere(
        join(root, "images/0001"),
        (acquisition) =>
          collectDocuments(acquisition).map(({ name }) => name).filter((name) => !name.endsWith("zarr.json")),
      );
    const { analyses } = DOCUMENTS;
    const naming = (path: string) => ({
      ...analyses,
      analyses: [{ ...analyses.analyses[0], resources: [{ id: "r1", media_type: "text/csv", path }] }],
    });
    write(join(root, "secret.txt"), "secret");
    write(join(root, FILES.analyses), naming("secret.txt"));
    const others = [FILES.acqimage, FILES.analyses, FILES.reference];
    assert.deepEqual(await served(), others);
    if (!NO_LINKS) {
      Deno.symlinkSync("secret.txt", join(root, "table.csv"));
      write(join(root, FILES.analyses), naming("table.csv"));
      assert.deepEqual(await served(), others);
    }
    write(join(root, FILES.analyses), {
      ...analyses,
      analyses: [{ resources: [{ path: "tables/0001.csv" }] }],
    });
    assert.deepEqual(await served(), [FILES.acqimage, FILES.reference]);
    const { warnings } = (await open(join(root, "images/0001"))).summary;
    assert.match(warnings[0]!.text, /analyses\.json" cannot be used: \/analyses\/0\/id/);
    assert.equal(warnings[0]!.code, "metadata_damaged");
    // What was accepted at the open may not become something else.
    write(join(root, FILES.analyses), analyses);
    await openHere(join(root, "images/0001"), (acquisition) => {
      write(join(root, FILES.analyses), naming("secret.txt"));
      assert.throws(() => collectDocuments(acquisition), AcquisitionChanged);
    });
  }),
);

Deno.test(
  "a collection has at most 100,000 members, and the names of its files at most 64 folders",
  inCollection(async (root) => {
    const member = DOCUMENTS.collection.members[0];
    const warned = async (members: unknown) => {
      write(join(root, FILES.collection), { ...DOCUMENTS.collection, members });
      return (await open(join(root, "images/0001"))).summary.warnings[0]!.text;
    };
    const many = (count: number) => Array.from({ length: count }, () => ({}));
    assert.match(await warned(many(100_001)), /it has 100001 members, more than 100000/);
    assert.match(await warned(many(100_000)), /cannot be used: \/members\/0\/id: /);
    const deep = (folders: number) => ({ ...member, id: "deep", ome_zarr: `${"a/".repeat(folders)}b` });
    assert.match(await warned([deep(65), member]), /\/members\/0\/ome_zarr: must have at most 64 folders/);
    assert.match(await warned([deep(64), member]), /gives this image steps/);
  }),
);
