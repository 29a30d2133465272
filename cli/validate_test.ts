import assert from "node:assert/strict";
import { join } from "node:path";
import { FILES, writeCollection } from "../tests/collection_tree.ts";
import { write } from "../tests/fixtures/plain_store.ts";
import { run as runByName } from "./commands.ts";
import { findCsvProblem } from "../schemas/csv_table.ts";
import { validatePath } from "./verdict.ts";
import { NO_LINKS } from "../tests/no_links.ts";
import { temporaryFolder } from "../tests/temporary_files.ts";

// deno-lint-ignore no-explicit-any -- documents are changed at will here
type Doc = any;
type Name = keyof typeof FILES;

function inFolder(run: (root: string) => void | Promise<void>): () => Promise<void> {
  return async () => {
    using temporary = temporaryFolder();
    const { path: folder } = temporary;
    const root = join(folder, "set");
    writeCollection(root);
    await run(root);
  };
}

const read = (path: string): Doc => JSON.parse(Deno.readTextFileSync(path));

interface Case {
  readonly name: string;
  /** Document that is changed, and how; with the root for changes of other files. */
  readonly file: Name;
  readonly change: (doc: Doc, root: string) => void;
  /** File and pointer of the one problem; `null` for a valid tree. */
  readonly problem: readonly [Name, string] | null;
  readonly says?: RegExp;
}

const CASES: Case[] = [];
const tree = (
  name: string,
  file: Name,
  problem: Case["problem"],
  change: Case["change"],
  says?: RegExp,
) => CASES.push({ name, file, problem, change, ...(says ? { says } : {}) });

const member = "/members/0";
tree("nothing changed", "collection", null, () => {});
tree("two members with one id", "collection", ["collection", "/members/1/id"], (doc) => {
  doc.members.push(structuredClone(doc.members[0]));
}, /"m1"/);
tree("too many members", "collection", ["collection", "/members"], (doc) => {
  doc.members = Array.from({ length: 100_001 }, () => ({}));
}, /100001 members, more than 100000/);
tree("two tables with one id", "collection", ["collection", "/resources/tables/1/id"], (doc) => {
  doc.resources.tables.push(doc.resources.tables[0]);
});
tree("the image is missing", "collection", ["collection", `${member}/ome_zarr`], (_, root) => {
  Deno.renameSync(join(root, "images/0001"), join(root, "images/0002"));
}, /does not exist/);
tree("the image is a TIFF", "collection", ["collection", `${member}/ome_zarr`], (doc, root) => {
  write(join(root, "a.tif"), new Uint8Array([0x49, 0x49, 42, 0, 8, 0, 0, 0]));
  doc.members[0].ome_zarr = "a.tif";
}, /not an OME-Zarr image/);
tree("the image has no metadata", "collection", ["collection", `${member}/ome_zarr`], (_, root) => {
  write(join(root, "images/0001/zarr.json"), { zarr_format: 3, node_type: "group", attributes: {} });
});
tree("the array is of no known type", "collection", ["collection", `${member}/ome_zarr`], (_, root) => {
  const path = join(root, "images/0001/0/zarr.json");
  write(path, { ...read(path), data_type: "complex64" });
}, /complex64/);
tree(
  "the image has more chunks than may be",
  "collection",
  ["collection", `${member}/ome_zarr`],
  (_, root) => {
    const path = join(root, "images/0001_reference/0/zarr.json");
    write(join(root, "images/0001/zarr.json"), read(join(root, "images/0001_reference/zarr.json")));
    const array = { ...read(path), shape: [2048, 2048] };
    array.chunk_grid.configuration.chunk_shape = [1, 1];
    write(join(root, "images/0001/0/zarr.json"), array);
    const image = read(join(root, FILES.acqimage));
    write(join(root, FILES.acqimage), { ...image, rois: [] });
    const collection = read(join(root, FILES.collection));
    delete collection.members[0].resources.analyses;
    write(join(root, FILES.collection), collection);
  },
  /4194304 chunks of array "0", more than 1048576/,
);
tree("a link inside the root to the image", "collection", null, (_, root) => {
  Deno.renameSync(join(root, "images/0001"), join(root, "stored"));
  Deno.symlinkSync("../stored", join(root, "images/0001"));
});
tree("the path of the image names a marker file", "collection", null, (doc) => {
  doc.members[0].ome_zarr += "/zarr.json";
});
tree("the image document is of another kind", "acqimage", ["acqimage", "/format"], (doc, root) => {
  Object.keys(doc).forEach((key) => delete doc[key]);
  Object.assign(doc, read(join(root, FILES.reference)));
  const collection = read(join(root, FILES.collection));
  delete collection.members[0].resources.analyses;
  write(join(root, FILES.collection), collection);
}, /"reference-image"/);
tree("the table has a short row", "collection", ["collection", "/resources/tables/0/path"], (_, root) => {
  write(join(root, "tables/all.csv"), "a,b\n1,2\n3\n");
}, /line 3 has 1 fields, the header has 2/);
tree("display of an axis that is not there", "acqimage", ["acqimage", "/axis_display/Y"], (doc) => {
  doc.axis_display.Y = doc.axis_display.y;
}, /"c", "y", "x"/);
tree(
  "two analyses with one id",
  "analyses",
  ["analyses", "/analyses/1/id"],
  (d) => void d.analyses.push(d.analyses[0]),
);
tree("two resources with one id", "analyses", ["analyses", "/analyses/0/resources/1/id"], (d) => {
  d.analyses[0].resources.push(d.analyses[0].resources[0]);
});
tree(
  "table of an analysis is damaged",
  "analyses",
  ["analyses", "/analyses/0/resources/0/path"],
  (_, root) => {
    write(join(root, "tables/0001.csv"), 'a,"b\n');
  },
);
tree("a link out of the root", "collection", ["collection", "/resources/tables/0/path"], (_, root) => {
  write(join(root, "../outside.csv"), "a\n1\n");
  Deno.removeSync(join(root, "tables/all.csv"));
  Deno.symlinkSync("../../outside.csv", join(root, "tables/all.csv"));
}, /leaves the root/);
tree("a link inside the root", "collection", null, (_, root) => {
  Deno.renameSync(join(root, "tables/all.csv"), join(root, "tables/other.csv"));
  Deno.symlinkSync("other.csv", join(root, "tables/all.csv"));
});
tree("a link that leads nowhere", "collection", ["collection", "/resources/tables/0/path"], (_, root) => {
  Deno.removeSync(join(root, "tables/all.csv"));
  Deno.symlinkSync("none.csv", join(root, "tables/all.csv"));
});

/** Values at places of documents, `undefined` for none, and the pointer of the one problem. */
const VALUES: [name: string, file: Name, place: string, value: Doc, problem: string | null][] = [
  ["no reference image", "collection", "/members/0/reference_image", undefined, null],
  ["no analyses", "collection", "/members/0/resources/analyses", undefined, null],
  ["no members", "collection", "/members", [], null],
  ["the analyses are missing", "collection", "/members/0/resources/analyses", "meta/none.json", ""],
  ["the analyses are a folder", "collection", "/members/0/resources/analyses", "meta/0001", ""],
  ["the reference image is missing", "collection", "/members/0/reference_image/ome_zarr", "images/none", ""],
  ["its document is missing", "collection", "/members/0/reference_image/metadata", "meta/none.json", ""],
  ["the table is missing", "collection", "/resources/tables/0/path", "tables/none.csv", ""],
  ["the image document has another image id", "acqimage", "/image_id", "x", ""],
  ["the analyses have another image id", "analyses", "/image_id", "x", ""],
  ["the reference has another image id", "reference", "/image_id", "x", ""],
  ["two regions with one id", "acqimage", "/rois/2/id", "p", ""],
  ["point beyond the columns", "acqimage", "/rois/0/position", [6, 3], ""],
  ["point beyond the rows", "acqimage", "/rois/0/position", [5, 4], ""],
  ["line starts outside", "acqimage", "/rois/1/start", [6, 0], ""],
  ["line ends outside", "acqimage", "/rois/1/stop", [0, 4], ""],
  ["line with equal ends", "acqimage", "/rois/1/stop", [0, 0], null],
  ["rectangle without columns", "acqimage", "/rois/2/stop", [0, 4], ""],
  ["rectangle without rows", "acqimage", "/rois/2/start", [0, 4], "/rois/2/stop"],
  ["rectangle too wide", "acqimage", "/rois/2/stop", [7, 4], ""],
  ["rectangle too high", "acqimage", "/rois/2/stop", [6, 5], ""],
  ["analysis of an unknown region", "analyses", "/analyses/0/roi_id", "q", ""],
  ["analysis of an unknown channel", "analyses", "/analyses/0/channel", 2, ""],
  ["table of an analysis is missing", "analyses", "/analyses/0/resources/0/path", "none.csv", ""],
  ["scan path leaves the columns", "reference", "/scan_path/points/1", [10, 0], ""],
  ["scan path leaves the rows", "reference", "/scan_path/points/1", [0, 8], ""],
  ["no scan path", "reference", "/scan_path", undefined, null],
  ["a schema problem in a linked document", "acqimage", "/accepted", 1, ""],
];
for (const [name, file, place, value, problem] of VALUES) {
  tree(name, file, problem === null ? null : [file, problem || place], (doc) => {
    const keys = place.split("/").slice(1);
    const owner = keys.slice(0, -1).reduce<Doc>((inner, key) => inner[key], doc);
    if (value === undefined) delete owner[keys.at(-1)!];
    else owner[keys.at(-1)!] = value;
  });
}

for (const { name, file, change, problem, says } of CASES) {
  Deno.test(
    `collection tree: ${name}`,
    { ignore: NO_LINKS && /\blink\b/.test(name) },
    inFolder(async (root) => {
      const path = join(root, FILES[file]);
      const before = Deno.readTextFileSync(path);
      const doc = JSON.parse(before);
      change(doc, root);
      if (JSON.stringify(doc) !== before) write(path, doc);
      const { problems, unreadable } = await validatePath(root);
      assert.equal(unreadable, null);
      const found = problems.map(({ file, pointer }) => `${file}: ${pointer}`);
      assert.deepEqual(found, problem ? [`${join(root, FILES[problem[0]])}: ${problem[1]}`] : []);
      if (says) assert.match(problems[0]!.message, says);
    }),
  );
}

Deno.test(
  "finds a collection by its root, its document and its metadata folder",
  inFolder(async (root) => {
    for (const path of [root, join(root, "meta"), join(root, FILES.collection)]) {
      assert.deepEqual(await validatePath(path), {
        path,
        valid: true,
        unreadable: null,
        problems: [],
        missingPlanes: [],
      });
    }
    Deno.renameSync(join(root, FILES.collection), join(root, "collection.json"));
    assert.equal((await validatePath(root)).valid, true);
    assert.equal((await validatePath(join(root, "collection.json"))).valid, true);
  }),
);

Deno.test(
  "reports a document outside the root that is reached through a link",
  { ignore: NO_LINKS },
  inFolder(async (root) => {
    using temporary = temporaryFolder();
    const { path: outside } = temporary;
    Deno.renameSync(join(root, "meta"), join(outside, "meta"));
    Deno.symlinkSync(join(outside, "meta"), join(root, "meta"));
    const { problems } = await validatePath(root);
    assert.deepEqual([problems[0]!.file, problems[0]!.pointer], [join(root, FILES.collection), ""]);
    assert.match(problems[0]!.message, /leaves the root of the collection through a link/);
  }),
);

Deno.test(
  "names two documents below one root",
  inFolder(async (root) => {
    write(join(root, "other/collection.json"), {});
    const { problems } = await validatePath(root);
    assert.equal(problems.length, 1);
    assert.match(problems[0]!.message, /meta.{1,2}collection\.json", ".*other.{1,2}collection\.json"/);
  }),
);

Deno.test(
  "validates each linked document on its own",
  inFolder(async (root) => {
    for (const file of Object.values(FILES)) {
      assert.equal((await validatePath(join(root, file))).valid, true, file);
    }
    write(join(root, "x.json"), { ...read(join(root, FILES.acqimage)), rois: [{ id: "p" }] });
    assert.deepEqual((await validatePath(join(root, "x.json"))).problems.map((p) => p.pointer), [
      "/rois/0/type",
      "/rois/0/coordinate_space",
    ]);
    write(join(root, "x.json"), { format: "other" });
    assert.deepEqual((await validatePath(join(root, "x.json"))).problems.map((p) => p.pointer), ["/format"]);
    write(join(root, "x.json"), "{");
    assert.deepEqual((await validatePath(join(root, "x.json"))).problems.map((p) => p.pointer), [""]);
  }),
);

Deno.test(
  "reports all problems if one field has a problem",
  inFolder(async (root) => {
    const image = read(join(root, FILES.acqimage));
    image.rois[0].position = [99, 99];
    image.rois[0].extra = 1;
    image.rois[1] = { ...image.rois[1], id: "p", name: "", start: [6, 0], stop: "x" };
    image.rois[2] = { ...image.rois[2], metadata: 1, start: [1, 1], stop: [1, 9] };
    image.rois.push({ id: "p", type: "polygon" });
    image.axis_display.q = { unit: "" };
    write(join(root, FILES.acqimage), image);
    const analyses = read(join(root, FILES.analyses));
    Object.assign(analyses.analyses[0], { type: "", roi_id: "q", channel: 7 });
    Object.assign(analyses.analyses[0].resources[0], { id: "", path: "none.csv" });
    write(join(root, FILES.analyses), analyses);
    const reference = read(join(root, FILES.reference));
    reference.scan_path = { points: [[99, 0]] };
    write(join(root, FILES.reference), reference);
    const collection = read(join(root, FILES.collection));
    collection.members[0].name = "";
    collection.members.push({ id: "m1", resources: { acqimage: "/x", analyses: "none.json" } });
    Object.assign(collection.resources.tables[0], { media_type: "text/tsv", path: "none.csv" });
    write(join(root, FILES.collection), collection);
    const { problems } = await validatePath(root);
    const found = (file: Name) =>
      problems.filter((p) => p.file === join(root, FILES[file])).map((p) => p.pointer)
        .toSorted();
    assert.deepEqual(found("collection"), [
      "/members/0/name",
      "/members/1/id",
      "/members/1/name",
      "/members/1/ome_zarr",
      "/members/1/resources/acqimage",
      "/members/1/resources/analyses",
      "/resources/tables/0/media_type",
      "/resources/tables/0/path",
    ]);
    assert.deepEqual(found("acqimage"), [
      "/axis_display/q",
      "/axis_display/q/scale",
      "/axis_display/q/type",
      "/axis_display/q/unit",
      "/rois/0/extra",
      "/rois/0/position",
      "/rois/1/id",
      "/rois/1/name",
      "/rois/1/start",
      "/rois/1/stop",
      "/rois/2/metadata",
      "/rois/2/stop",
      "/rois/2/stop",
      "/rois/3/coordinate_space",
      "/rois/3/id",
      "/rois/3/type",
    ]);
    assert.deepEqual(found("analyses"), [
      "/analyses/0/channel",
      "/analyses/0/resources/0/id",
      "/analyses/0/resources/0/path",
      "/analyses/0/roi_id",
      "/analyses/0/type",
    ]);
    assert.deepEqual(found("reference"), [
      "/scan_path/coordinate_space",
      "/scan_path/points",
      "/scan_path/points/0",
    ]);
  }),
);

async function runCommand(name: "validate" | "schema", ...args: string[]) {
  const out: string[] = [];
  const errors: string[] = [];
  const { error } = console;
  const { write } = Deno.stdout;
  Deno.stdout.write = (bytes) => {
    out.push(new TextDecoder().decode(bytes).replace(/\n$/, ""));
    return Promise.resolve(bytes.length);
  };
  console.error = (line: string) => errors.push(line);
  try {
    return { status: await runByName(name, args), out, errors };
  } finally {
    console.error = error;
    Deno.stdout.write = write;
  }
}

const run = (...args: string[]) => runCommand("validate", ...args);

Deno.test(
  "prints a line per problem and a line per path",
  inFolder(async (root) => {
    assert.deepEqual(await run(root), { status: 0, out: [`VALID ${root}`], errors: [] });
    const table = join(root, "tables/all.csv");
    Deno.removeSync(table);
    const { status, out } = await run(root, join(root, FILES.acqimage));
    assert.equal(status, 1);
    assert.deepEqual(out, [
      `${join(root, FILES.collection)}: /resources/tables/0/path: "tables/all.csv" does not exist`,
      `INVALID ${root} (1 problem)`,
      `VALID ${join(root, FILES.acqimage)}`,
    ]);
    const json = await run("--json", root);
    assert.equal(json.status, 1);
    const { valid, results } = JSON.parse(json.out.join("\n"));
    assert.equal(valid, false);
    assert.equal(results[0].problems[0].pointer, "/resources/tables/0/path");
  }),
);

Deno.test(
  "names the file of each problem, an empty archive and a damaged one too",
  inFolder(async (root) => {
    const at = (name: string) => join(root, name);
    Deno.writeTextFileSync(at("empty.oir.zip"), "");
    Deno.writeTextFileSync(at("cut.oir.zip"), "PK\x03\x04");
    Deno.writeTextFileSync(at("cut.json"), "{");
    Deno.writeTextFileSync(at("text.json"), "[]");
    const names = ["empty.oir.zip", "cut.oir.zip", "cut.json", "text.json", "none.json"];
    const { status, out, errors } = await run(...names.map(at));
    assert.equal(status, 1);
    const lines = [...out.filter((line) => !line.startsWith("INVALID ")), ...errors];
    for (const name of names) {
      assert.equal(lines.filter((line) => line.includes(at(name))).length, 1, `${name}: ${lines.join("\n")}`);
    }
    assert(errors.includes(`Cannot read "${at("empty.oir.zip")}": the file is empty`), errors.join("\n"));
    assert(!lines.some((line) => line.includes(": : ")), lines.join("\n"));
  }),
);

Deno.test(
  "resolves a relative path from the working directory and prints it as given",
  inFolder(async (root) => {
    const before = Deno.cwd();
    try {
      Deno.chdir(join(root, "meta"));
      for (const path of [".", "..", "./collection.json", "collection.json", "../meta"]) {
        assert.deepEqual(await run(path), { status: 0, out: [`VALID ${path}`], errors: [] });
      }
      Deno.removeSync(join(root, "tables/all.csv"));
      const problem = '/resources/tables/0/path: "tables/all.csv" does not exist';
      for (const path of ["..", "./collection.json"]) {
        assert.deepEqual((await run(path)).out, [
          `collection.json: ${problem}`,
          `INVALID ${path} (1 problem)`,
        ]);
      }
    } finally {
      Deno.chdir(before);
    }
  }),
);

Deno.test(
  "prints a problem in one line for any content of the document",
  inFolder(async (root) => {
    const image = read(join(root, FILES.acqimage));
    image.image_id = "a\nVALID /everything\r\u001b[2J\u2028";
    write(join(root, FILES.acqimage), image);
    const { out } = await run(root);
    assert.equal(out.length, 2);
    assert.ok(out[0]!.includes(String.raw`"a\u000aVALID /everything\u000d\u001b[2J\u2028"`), out[0]!);
  }),
);

Deno.test("exits with status 2 if nothing can be read, and 1 if something can", async () => {
  const none = await run("/nonexistent/a");
  assert.equal(none.status, 2);
  assert.equal(none.errors.length, 1);
  assert.equal((await run()).status, 2);
  assert.equal((await run("--what", ".")).status, 2);
  await inFolder(async (root) => assert.equal((await run(root, "/nonexistent/a")).status, 1))();
});

Deno.test("the schema command prints the JSON Schema of a kind", async () => {
  const { status, out } = await runCommand("schema", "analyses");
  assert.equal(status, 0);
  assert.equal(JSON.parse(out[0]!).properties.format.const, "store-analyses");
  const other = await runCommand("schema", "other");
  assert.equal(other.status, 2);
  assert.match(other.errors[0]!, /^Unknown kind.* collection, acqimage, analyses, reference-image$/);
});

Deno.test("CSV rules of RFC 4180", () => {
  const judged: [string, RegExp | null][] = [
    ["a,b\r\n1,2\r\n", null],
    ["a,b\n1,2", null],
    ["a\n", null],
    ['"a","b ""c"""\n"1\n2",3\n', null],
    ["a,b\n,\n", null],
    ["", /empty/],
    ["a,a\n", /"a" twice/],
    ["a,\n", /column 2/],
    ["a,b\n1,2,3\n", /line 2 has 3 fields, the header has 2/],
    ["a,b\n1,2\n\n", /line 3 has 1 fields/],
    ['a,b\n1,x"y\n', /line 2 has a quote/],
    ['a,b\n1,"x"y\n', /line 2 has a quote/],
    ['a,b\n1,"x\n', /line 2 has a quote/],
    ["a,b\r1,2\r", /line 1 has a carriage return/],
    ['a,b\n"x\ny",1\n1\n', /line 4 has 1 fields/],
  ];
  for (const [text, expected] of judged) {
    const problem = findCsvProblem(new TextEncoder().encode(text));
    if (expected) assert.match(problem ?? "no problem", expected, JSON.stringify(text));
    else assert.equal(problem, null, JSON.stringify(text));
  }
  assert.match(findCsvProblem(new Uint8Array([0x61, 0xff])) ?? "", /UTF-8/);
});
