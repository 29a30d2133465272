/** Bad collections in the layout of acqstore 0.2.0, and what becomes of a good one in exports, listings and `validate`. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { validatePath } from "../../cli/verdict.ts";
import { temporaryFolder } from "../temporary_files.ts";
import { entriesBelow, zipOf } from "../fixtures/zip_writer.ts";
import { ACQSTORE, copyOf, EXPECTED, planesOf } from "./acqstore_collections.ts";
import { expectError, Harness } from "./harness.ts";

const LIST = "acqstore/acq_image_collection.json";
const MEMBER = "acq_images/acq_image_000";
const SIDECAR = `${MEMBER}/acqstore/acq_image.json`;
const MANIFEST = `${MEMBER}/acqstore/manifest.json`;

/** What JSON holds. */
type Json = ReturnType<typeof JSON.parse>;

/** What is changed in a copy of a collection: a document, or the text that replaces it. */
interface Fault {
  readonly name: string;
  readonly of?: "analyses" | "reference";
  readonly file: string;
  readonly change: string | ((value: Json) => void);
}

function damaged(folder: string, { of = "reference", file, change }: Fault): string {
  const root = copyOf(of, folder);
  const path = join(root, file);
  if (typeof change === "string") Deno.writeTextFileSync(path, change);
  else {
    const value = JSON.parse(Deno.readTextFileSync(path));
    change(value);
    Deno.writeTextFileSync(path, JSON.stringify(value));
  }
  return root;
}

/** Faults of the list, which refuse the collection, with their messages. */
const REFUSED: readonly (Fault & { readonly message: RegExp })[] = [
  { name: "no JSON", file: LIST, change: "no JSON", message: /acq_image_collection\.json": it is not JSON/ },
  {
    name: "another format",
    file: LIST,
    change: (list) => list.format = "other",
    message: /\/format: expected "acqstore-acq-image-collection", not "other"/,
  },
  {
    name: "another version",
    file: LIST,
    change: (list) => list.version = 2,
    message: /\/version: expected 1, not 2/,
  },
  ...["../outside", "/etc", "a/../../b", "file:x"].flatMap((path) =>
    ["ome_zarr_path", "sidecar_path", "manifest_path", "reference_image_path"].map((field) => ({
      name: `${field} is "${path}"`,
      file: LIST,
      change: (list: Json) => void (list.acq_images[0][field] = path),
      message: new RegExp(`/acq_images/0/${field}: must be a relative path`),
    }))
  ),
  {
    name: "no member exists",
    file: LIST,
    change: (list) => list.acq_images[0].ome_zarr_path = "acq_images/none",
    message: /holds none of its images: "line\.tif"/,
  },
  {
    name: "too many members",
    file: LIST,
    change: `{"acq_images": [${Array(100_001).fill("{}").join(",")}]}`,
    message: /100001 members, more than 100000/,
  },
];

Deno.test("a list of images that cannot be used refuses the collection and says where", async () => {
  await using server = new Harness();
  for (const fault of REFUSED) {
    using temporary = temporaryFolder();
    const root = damaged(temporary.path, fault);
    const { message } = await expectError(server.post("/api/v2/open", { path: root }), 500, "decode_failed");
    assert.match(message, fault.message, fault.name);
    // The image alone opens, without its collection.
    const { collection, plane } = await server.open(join(root, MEMBER));
    assert.deepEqual([collection, plane.shape], [null, [20, 12]], fault.name);
    const { valid } = await validatePath(root);
    assert.equal(valid, false, fault.name);
  }
});

/** Faults of a member, which are named while the image opens. */
const NAMED:
  readonly (Fault & { readonly code: string; readonly message: RegExp; readonly path?: boolean })[] = [
    { name: "sidecar no JSON", file: SIDECAR, change: "{", code: "metadata_damaged", message: /is not JSON/ },
    {
      name: "manifest no JSON",
      file: MANIFEST,
      change: "[",
      code: "metadata_damaged",
      message: /is not JSON/,
      path: true,
    },
    {
      name: "unequal path",
      file: SIDECAR,
      change: ({ reference_image_metadata: path }) => path.scan_path_y_pixels.push(3),
      code: "reference_unreadable",
      message: /2 columns and 3 rows for 2 points/,
    },
    {
      name: "count of points",
      file: SIDECAR,
      change: ({ reference_image_metadata: path }) => path.scan_path_num_points = 401,
      code: "reference_unreadable",
      message: /for 401 points/,
    },
    {
      name: "path of text",
      file: SIDECAR,
      change: ({ reference_image_metadata: path }) => path.scan_path_x_pixels[1] = "7",
      code: "reference_unreadable",
      message: /\/scan_path_x_pixels\/1: expected number/,
    },
    {
      name: "path outside",
      file: SIDECAR,
      change: ({ reference_image_metadata: path }) => path.scan_path_x_pixels[1] = 30,
      code: "reference_unreadable",
      message: /30, 4\.125, lies outside the reference image/,
    },
    {
      name: "unknown region",
      file: SIDECAR,
      change: ({ rois }) => rois.push({ roi_id: 9, roi_type: "spiral", name: "odd", data: {} }),
      code: "metadata_damaged",
      message: /neither rectangles nor lines in whole pixels are left out: "odd"/,
      path: true,
    },
    {
      name: "missing sidecar",
      file: LIST,
      change: (list) => list.acq_images[0].sidecar_path = "acqstore/none.json",
      code: "file_missing",
      message: /none\.json" of the collection does not exist/,
    },
    {
      name: "not finite",
      file: SIDECAR,
      change: JSON.stringify(
        JSON.parse(Deno.readTextFileSync(join(ACQSTORE, `reference.ome.zarr/${SIDECAR}`))),
      )
        .replace(
          '"experiment_metadata":{',
          '"experiment_metadata":{"depth2":-Infinity,"text":"NaN","speed":NaN,',
        ),
      code: "metadata_damaged",
      message: /not finite and count as missing/,
      path: true,
    },
  ];

Deno.test("what cannot be used of a member is named, and the image opens", async () => {
  await using server = new Harness();
  for (const fault of NAMED) {
    using temporary = temporaryFolder();
    const opened = await server.open(damaged(temporary.path, fault));
    const at = opened.warnings.findIndex((text) => fault.message.test(text));
    assert.equal(opened.warningCodes[at], fault.code, `${fault.name}: ${opened.warnings.join("\n")}`);
    assert.deepEqual(await planesOf(server, opened), EXPECTED["reference"]!["line.tif"]!.planes);
    assert.equal(opened.reference!.scanPath !== null, fault.path === true, fault.name);
    const documents = await (await server.request(`/api/v2/sessions/${opened.sessionId}/metadata`)).json();
    for (const { name, text } of documents) if (name.endsWith(".json")) JSON.parse(text);
  }
});

Deno.test("a missing member is left out by name, and ids that repeat do not hide a member", async () => {
  using temporary = temporaryFolder();
  const root = damaged(temporary.path, {
    name: "",
    of: "analyses",
    file: LIST,
    change: ({ acq_images: images }) => {
      images[1].id = images[0].id;
      images.push({ ...images[0], name: "gone", ome_zarr_path: "acq_images/gone" });
    },
  });
  await using server = new Harness();
  const { warnings, scenes } = await server.open(root) as Json;
  assert.match(warnings.join("\n"), /do not exist and are left out: "gone"/);
  assert.deepEqual(scenes.map(({ name }: Json) => name), ["other.tif", "vessel.tif"]);
  const { problems } = await validatePath(root);
  assert.ok(problems.some(({ pointer }) => pointer === "/acq_images/1/id"), JSON.stringify(problems));
});

Deno.test("long lists and sidecars may have fields that nothing reads, as short ones", async () => {
  using temporary = temporaryFolder();
  const root = damaged(temporary.path, {
    name: "",
    file: LIST,
    change: (list) => {
      list.later = 1;
      const [image] = list.acq_images;
      list.acq_images = Array.from({ length: 40 }, (_, i) => ({ ...image, id: `image-${i}`, later: [i] }));
    },
  });
  const path = join(root, SIDECAR);
  const sidecar = JSON.parse(Deno.readTextFileSync(path));
  const region = {
    roi_type: "rectroi",
    name: "",
    data: { row_start: 0, row_stop: 2, col_start: 0, col_stop: 3 },
  };
  const rois = Array.from({ length: 40 }, (_, i) => ({ roi_id: i + 1, ...region }));
  Deno.writeTextFileSync(path, JSON.stringify({ ...sidecar, rois, later: {} }));
  await using server = new Harness();
  const opened = await server.open(root) as Json;
  assert.deepEqual([opened.scenes.length, opened.warningCodes], [40, ["foreign_document"]]);
});

Deno.test("a link from a member out of the collection is not followed", {
  ignore: Deno.build.os === "windows",
}, async () => {
  using temporary = temporaryFolder();
  const root = copyOf("reference", temporary.path);
  const outside = join(temporary.path, "outside.json");
  Deno.renameSync(join(root, SIDECAR), outside);
  Deno.symlinkSync(outside, join(root, SIDECAR));
  await using server = new Harness();
  const { warnings, collection } = await server.open(root);
  assert.match(warnings.join("\n"), /does not exist or lies outside/);
  assert.equal(collection!.member.accepted, null);
});

Deno.test("a list of images in a folder that everybody may write to is not followed", {
  ignore: Deno.build.os === "windows",
}, async () => {
  using temporary = temporaryFolder();
  const root = copyOf("reference", temporary.path);
  await using server = new Harness();
  const collectionOf = async () => (await server.open(join(root, MEMBER))).collection;
  assert.notEqual(await collectionOf(), null);
  Deno.chmodSync(join(root, "acqstore"), 0o777);
  assert.equal(await collectionOf(), null);
});

Deno.test(
  "a link in place of the list's folder is not followed",
  { ignore: Deno.build.os === "windows" },
  async () => {
    using temporary = temporaryFolder();
    const root = copyOf("reference", temporary.path);
    Deno.renameSync(join(root, "acqstore"), join(temporary.path, "elsewhere"));
    Deno.symlinkSync(join(temporary.path, "elsewhere"), join(root, "acqstore"));
    await using server = new Harness();
    assert.equal((await server.open(join(root, MEMBER))).collection, null);
    const response = await server.post("/api/v2/open", { path: root });
    assert.notEqual((await response.json()).ok, true);
  },
);

Deno.test("a ZIP file of the folder opens like the folder", async () => {
  using temporary = temporaryFolder();
  const zip = join(temporary.path, "day.zip");
  const entries = entriesBelow(ACQSTORE).filter(([name]) => name.startsWith("reference.ome.zarr/"));
  Deno.writeFileSync(zip, zipOf(entries));
  await using server = new Harness();
  const opened = await server.open(zip);
  assert.deepEqual(await planesOf(server, opened), EXPECTED["reference"]!["line.tif"]!.planes);
  assert.deepEqual(opened.reference!.lineRoi, [3.25, 20.5, 25.75, 4.125]);
  assert.deepEqual([opened.source.format, opened.collection!.member.name], ["collection", "line.tif"]);
});

Deno.test("a table of 100 MB hinders no open, and is named when an export leaves it out", async () => {
  using temporary = temporaryFolder();
  const root = copyOf("analyses", temporary.path);
  const member = "acq_images/acq_image_001";
  Deno.truncateSync(join(root, member, "acqstore/analysis/diameter__c0__r2.table.csv"), 100 << 20);
  await using server = new Harness();
  const opened = await server.open(join(root, member));
  assert.equal(opened.collection!.member.name, "vessel.tif");
  const { warnings } =
    await (await server.post("/api/v2/export", { members: [{ path: join(root, member) }] })).json();
  assert.match(
    warnings.join("\n"),
    /diameter__c0__r2\.table\.csv" is left out: the tables of a member would have more/,
  );
});

Deno.test("a page of another site gets nothing from above the image", async () => {
  const pick = () => Promise.resolve(join(ACQSTORE, "reference.ome.zarr", MEMBER));
  await using server = new Harness({ pick });
  const headers = { origin: "https://example.org" };
  const { collection, reference } = await (await server.post("/api/v2/pick-and-open", {}, { headers }))
    .json();
  assert.deepEqual([collection, reference], [null, null]);
});

Deno.test("a listing shows the folder as a collection", async () => {
  await using server = new Harness();
  const { entries } = await (await server.post("/api/v2/list", { path: ACQSTORE })).json();
  const kinds = entries.filter(({ name }: Json) => name.endsWith(".zarr")).map((
    { kind, format }: Json,
  ) => [kind, format]);
  assert.deepEqual(kinds, Array(3).fill(["collection", "collection"]));
});

Deno.test("an export is a collection of ours with the same planes, path, regions, analyses and tables", async () => {
  using temporary = temporaryFolder();
  await using server = new Harness();
  const order = {
    members: ["analyses", "analyses", "reference", "stack"].map((name, i) => ({
      path: join(ACQSTORE, `${name}.ome.zarr`),
      scene: i === 1 ? 1 : 0,
    })),
  };
  const { downloadUrl, warnings } = await (await server.post("/api/v2/export", order)).json();
  const zip = join(temporary.path, "new.zip");
  Deno.writeFileSync(zip, new Uint8Array(await (await server.request(downloadUrl)).arrayBuffer()));
  const verdict = await validatePath(zip);
  assert.deepEqual(verdict.problems, []);
  assert.ok(
    warnings.some((text: string) => /"event__c0__r1" is left out: it has no table/.test(text)),
    warnings.join("\n"),
  );
  const expected = [
    ...Object.entries(EXPECTED["analyses"]!),
    ...Object.entries(EXPECTED["reference"]!),
    ...Object.entries(EXPECTED["stack"]!),
  ];
  for (const [scene, [name, { planes, accepted, rois, steps }]] of expected.entries()) {
    const opened = await (await server.post("/api/v2/open", { path: zip, scene })).json();
    assert.deepEqual(await planesOf(server, opened), planes);
    assert.deepEqual(opened.plane.axes.map(({ step }: Json) => step), steps);
    assert.deepEqual([opened.collection.member.name, opened.collection.member.accepted], [name, accepted]);
    const documents: Json[] = await (await server.request(`/api/v2/sessions/${opened.sessionId}/metadata`))
      .json();
    const read = (kind: string) =>
      documents.map(({ name, text }) => name.endsWith(".json") ? JSON.parse(text) : {})
        .find(({ format }) => format === `store-${kind}`);
    assert.equal(read("acqimage").rois.length, rois.length);
    assert.equal(read("acqimage").image_metadata.acqstore.version, 2);
    if (name === "vessel.tif") {
      assert.equal(read("acqimage").rois[0].metadata.acqstore.note, "middle");
      assert.deepEqual(read("acqimage").image_metadata.acqstore.analyses[0].summary.events[0].id, 1);
      const types = read("analyses").analyses.map(({ type, resources }: Json) => [type, resources.length]);
      assert.deepEqual(types, [["diameter", 1], ["radon_velocity", 1], ["sum_intensity", 2]]);
      const csv = documents.filter(({ mediaType }) => mediaType === "text/csv").map(({ text }) => text);
      const table = join(ACQSTORE, "analyses.ome.zarr/acq_images/acq_image_001/acqstore/analysis");
      assert.equal(csv[0], Deno.readTextFileSync(join(table, "diameter__c0__r2.table.csv")));
    }
    if (name === "line.tif") {
      assert.deepEqual(opened.reference.scanPath, { x: [3.25, 25.75], y: [20.5, 4.125] });
      assert.deepEqual(opened.reference.lineRoi, [3.25, 20.5, 25.75, 4.125]);
    }
  }
});

Deno.test("full paths of sources are cut to names", async () => {
  using temporary = temporaryFolder();
  const root = damaged(temporary.path, {
    name: "",
    file: LIST,
    change: ({ acq_images: [image] }) => {
      image.name = "/home/somebody/line.tif";
      image.source = { filename: "C:\\Users\\somebody\\line.tif", relative_path: "/home/somebody/line.tif" };
      image.summary.acquisition = { date: "20250722", time: "12:14:20" };
    },
  });
  await using server = new Harness();
  const opened = await server.open(root);
  assert.deepEqual([opened.header.date, opened.header.time], ["20250722", "12:14:20"]);
  assert.equal(opened.collection!.member.name, "line.tif");
  const order = { members: [{ path: root }] };
  const { downloadUrl } = await (await server.post("/api/v2/export", order)).json();
  const bytes = new Uint8Array(await (await server.request(downloadUrl)).arrayBuffer());
  assert.ok(!new TextDecoder().decode(bytes).includes("somebody"));
});

Deno.test("validate says what the collection is, and what differs", async () => {
  const path = join(ACQSTORE, "analyses.ome.zarr");
  for (const given of [path, join(path, LIST)]) {
    const { problems, valid, unreadable } = await validatePath(given);
    assert.deepEqual([valid, unreadable], [false, null]);
    assert.deepEqual(problems.map(({ file, pointer }) => [file, pointer]), [[join(path, LIST), "/format"]]);
    assert.match(problems[0]!.message, /layout of acqstore 0\.2\.0.*export/);
  }
  using temporary = temporaryFolder();
  const root = damaged(temporary.path, {
    name: "",
    of: "analyses",
    file: "acq_images/acq_image_001/acqstore/acq_image.json",
    change: ({ rois: [region, other] }) => {
      region.data.col_stop = 4000;
      other.roi_id = 1;
    },
  });
  Deno.removeSync(join(root, "acq_images/acq_image_001/acqstore/analysis/diameter__c0__r2.table.csv"));
  Deno.removeSync(join(root, "acqstore/analysis_tables/velocity.csv"));
  const found = (await validatePath(root)).problems.map(({ message }) => message).join("\n");
  assert.match(found, /the stop \[4000, 144\] lies outside/);
  assert.match(found, /item 0 has the id "1", too/);
  assert.match(found, /diameter__c0__r2\.table\.csv" does not exist/);
  assert.match(found, /velocity\.csv" does not exist/);
});
