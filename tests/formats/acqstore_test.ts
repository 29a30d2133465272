/** Collections of acqstore whose documents are like those of this program, under other constants. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { validatePath } from "../../cli/verdict.ts";
import { DOCUMENTS, FILES, writeCollection } from "../collection_tree.ts";
import { expectError, Harness } from "../contract/harness.ts";
import { write } from "../fixtures/plain_store.ts";
import { temporaryFolder } from "../temporary_files.ts";

type Name = keyof typeof FILES;

/** Writes a document as acqstore does, with some fields replaced. */
function writeForeign(root: string, name: Name, fields: Readonly<Record<string, unknown>> = {}): void {
  const format = DOCUMENTS[name].format.replace(/^store-/, "acqstore-");
  write(join(root, FILES[name]), { ...DOCUMENTS[name], format, ...fields });
}

/** A collection of two members whose documents all have the constants of acqstore. */
function foreignCollection(root: string): void {
  writeCollection(root);
  const [member] = DOCUMENTS.collection.members;
  const second = {
    ...member,
    id: "m2",
    name: "Second",
    resources: { acqimage: "meta/0002/acqimage.json", analyses: "meta/0002/analyses.json" },
  };
  writeForeign(root, "collection", { members: [member, second] });
  for (const name of ["acqimage", "analyses", "reference"] as const) writeForeign(root, name);
  const { resources: _, ...bare } = DOCUMENTS.analyses.analyses[0];
  for (const [name, file] of [["acqimage", "acqimage.json"], ["analyses", "analyses.json"]] as const) {
    const format = DOCUMENTS[name].format.replace(/^store-/, "acqstore-");
    const analyses = name === "analyses" ? { analyses: [bare, { ...bare, id: "a2" }] } : {};
    write(join(root, "meta/0002", file), { ...DOCUMENTS[name], format, image_id: "m2", ...analyses });
  }
}

Deno.test("opens the documents of acqstore, and analyses without tables, with a warning", async () => {
  using temporary = temporaryFolder();
  foreignCollection(temporary.path);
  await using server = new Harness();
  const opened = await server.open(temporary.path);
  assert.deepEqual(opened.collection!.member, { id: "m1", name: "First", accepted: true });
  assert.deepEqual(opened.plane.axes.map(({ step, unit }) => [step, unit]), [[0.004, "seconds"], [
    0.25,
    "um",
  ]]);
  assert.deepEqual(opened.reference!.scanPath, { x: [1, 9], y: [2, 7] });
  assert.deepEqual(opened.warningCodes, ["foreign_document"]);
  for (const name of ["collection.json", "acqimage.json", "analyses.json", "reference-image.json"]) {
    assert.ok(opened.warnings[0]!.includes(name), opened.warnings[0]);
  }
  const second = await (await server.post("/api/v2/open", { path: temporary.path, scene: 1 })).json();
  assert.match(second.warnings.join("\n"), /analyses have no tables/);
});

Deno.test("validate names the constants and the lack of tables once a kind of document", async () => {
  using temporary = temporaryFolder();
  foreignCollection(temporary.path);
  const { problems } = await validatePath(temporary.path);
  const own = problems.filter(({ message }) => !message.includes("the member of the collection"));
  assert.deepEqual(own.map(({ pointer, message }) => `${pointer}: ${message}`).sort(), [
    "/analyses/0/resources: missing field",
    '/format: expected "store-acqimage", not "acqstore-acqimage"',
    '/format: expected "store-analyses", not "acqstore-analyses"',
    '/format: expected "store-ome-zarr-collection", not "acqstore-ome-zarr-collection"',
    '/format: expected "store-reference-image", not "acqstore-reference-image"',
  ]);
});

Deno.test("an export of a collection of acqstore leaves out analyses without tables with a warning", async () => {
  using temporary = temporaryFolder();
  foreignCollection(temporary.path);
  await using server = new Harness();
  const order = { members: [{ path: temporary.path, scene: 1 }] };
  const { warnings } = await (await server.post("/api/v2/export", order)).json();
  assert.ok(
    warnings.includes('"Second": The analysis "a1" is left out: it has no table'),
    warnings.join("\n"),
  );
});

Deno.test("documents that are neither name the field, the value and the one that was expected", async () => {
  using temporary = temporaryFolder();
  const root = temporary.path;
  writeCollection(root);
  await using server = new Harness();
  write(join(root, FILES.acqimage), { ...DOCUMENTS.acqimage, format: "other-acqimage" });
  const { warnings } = await server.open(root);
  assert.match(warnings.join("\n"), /\/format: expected "store-acqimage", not "other-acqimage"/);
  write(join(root, FILES.collection), { ...DOCUMENTS.collection, format: "other" });
  const { message } = await expectError(server.post("/api/v2/open", { path: root }), 500, "decode_failed");
  assert.match(message, /"format" is "other", not "store-ome-zarr-collection"/);
});
