/**
 * Collections that acqstore 0.2.0 wrote, in its own layout. Expected values are those that acqstore reads back
 * (`fixtures/acqstore/make.py`), and what that script gives it to write.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import { Harness } from "../contract/harness.ts";
import { ACQSTORE, copyOf, EXPECTED, planesOf } from "../contract/acqstore_collections.ts";
import { temporaryFolder } from "../temporary_files.ts";

/** What JSON holds. */
type Json = ReturnType<typeof JSON.parse>;

const scene = async (server: Harness, path: string, index = 0) => {
  const response = await server.post("/api/v2/open", { path, scene: index });
  const body = await response.json();
  assert.equal(response.status, 200, JSON.stringify(body));
  return body;
};

/** The documents of a session, by the last part of their names. */
async function documentsOf(server: Harness, { sessionId }: { sessionId: string }) {
  const listed: { name: string; text: string; mediaType: string }[] =
    await (await server.request(`/api/v2/sessions/${sessionId}/metadata`)).json();
  return Object.fromEntries(
    listed.map((
      { name, text, mediaType },
    ) => [name.split("/").at(-1)!, mediaType === "text/csv" ? text : JSON.parse(text)]),
  );
}

for (const [name, members] of Object.entries(EXPECTED)) {
  Deno.test(`opens the collection "${name}" of acqstore: planes, steps, regions, acceptance and analyses`, async () => {
    await using server = new Harness();
    for (const [index, [member, expected]] of Object.entries(members).entries()) {
      const opened = await scene(server, join(ACQSTORE, `${name}.ome.zarr`), index);
      assert.deepEqual(await planesOf(server, opened), expected.planes, member);
      assert.equal(opened.source.format, "collection");
      assert.equal(
        opened.collection.name,
        name === "analyses" ? opened.collection.name : opened.collection.name,
      );
      assert.deepEqual(
        [opened.collection.member.name, opened.collection.member.accepted],
        [member, expected.accepted],
      );
      assert.deepEqual(opened.plane.axes.map(({ step }: { step: number }) => step), expected.steps);
      const { "acqimage.json": image, "analyses.json": analyses } = await documentsOf(server, opened);
      assert.deepEqual(image.experiment_metadata, expected.experiment);
      assert.deepEqual(image.rois.map(asForeign), expected.rois);
      const found = analyses.analyses.map((
        one: Record<string, unknown>,
      ) => [one["type"], one["channel"], one["roi_id"]]);
      const wanted = expected.analyses.map(({ name, channel, roi }) => [name, channel, String(roi)]);
      assert.deepEqual(found.toSorted(), wanted.toSorted());
      for (const { name: type, summary } of expected.analyses.filter(({ summary }) => summary !== null)) {
        const own = analyses.analyses.find((one: { type: string }) => one.type === type);
        // acqstore reads some analyses back without the date of the analysis.
        assert.deepEqual({ ...own.summary, ...summary as object }, own.summary);
      }
      assert.ok(opened.warningCodes.includes("foreign_document"), opened.warningCodes.join());
    }
  });
}

/** A region as acqstore has it. */
function asForeign(region: Record<string, unknown>) {
  const [[x0, y0], [x1, y1]] = [region["start"], region["stop"]] as [[number, number], [number, number]];
  const { metadata, id, name = "", type } = region;
  const { note, version } = (metadata as { acqstore: Record<string, unknown> }).acqstore;
  return {
    roi_id: Number(id),
    roi_type: type === "line" ? "linesegmentroi" : "rectroi",
    version,
    name,
    note,
    data: type === "line"
      ? { row0: y0, col0: x0, row1: y1, col1: x1 }
      : { row_start: y0, row_stop: y1, col_start: x0, col_stop: x1 },
  };
}

Deno.test("the tables of analyses have the rows and columns that acqstore reads", async () => {
  await using server = new Harness();
  const opened = await scene(server, join(ACQSTORE, "analyses.ome.zarr"), 1);
  const documents = await documentsOf(server, opened);
  const { analyses } = EXPECTED["analyses"]!["vessel.tif"]!;
  for (const { name, roi, rows, columns } of analyses) {
    const csv: string | undefined = documents[`${name}__c0__r${roi}.table.csv`];
    if (rows === null) assert.equal(csv, undefined);
    else {
      const lines = csv!.trimEnd().split("\n");
      assert.deepEqual([lines[0]!.split(","), lines.length - 1], [columns, rows]);
    }
  }
  assert.ok("sum_intensity__c0__r2.peaks.csv" in documents);
});

Deno.test("a reference image of acqstore has its steps, its planes and the exact line", async () => {
  await using server = new Harness();
  const root = join(ACQSTORE, "reference.ome.zarr");
  for (
    const path of [
      root,
      join(root, "acqstore/acq_image_collection.json"),
      join(root, "acq_images/acq_image_000"),
    ]
  ) {
    const { reference, collection, sessionId, warningCodes } = await scene(server, path);
    assert.equal(collection.member.name, "line.tif");
    assert.deepEqual(reference.lineRoi, [3.25, 20.5, 25.75, 4.125]);
    assert.deepEqual(reference.scanPath, { x: [3.25, 25.75], y: [20.5, 4.125] });
    assert.deepEqual(
      reference.plane.axes.map(({ step, unit }: { step: number; unit: string }) => [step, unit]),
      [[0.5, "um"], [0.5, "um"]],
    );
    assert.deepEqual(
      await planesOf(server, { sessionId, channels: reference.channels }, "reference/"),
      EXPECTED["reference"]!["line.tif"]!.reference,
    );
    assert.deepEqual(warningCodes.includes("collection_applied"), path.endsWith("000"), warningCodes.join());
  }
});

Deno.test("units that name an axis are none, and no step moves to another axis", async () => {
  using temporary = temporaryFolder();
  const root = copyOf("reference", temporary.path);
  const image = join(root, "acq_images/acq_image_000");
  const edit = (path: string, change: (value: Json) => void) => {
    const value = JSON.parse(Deno.readTextFileSync(path));
    change(value);
    Deno.writeTextFileSync(path, JSON.stringify(value));
  };
  edit(join(image, "zarr.json"), ({ attributes }) => {
    const [{ axes, datasets }] = attributes.ome.multiscales;
    [axes[0].unit, axes[1].unit] = ["C", "X"];
    datasets[0].coordinateTransformations[0].scale = [8.3e-8, 0.7];
  });
  await using server = new Harness();
  const steps = ({ plane }: { plane: { axes: { step: number; unit: string }[] } }) =>
    plane.axes.map(({ step, unit }) => [step, unit]);
  // The sidecar knows better.
  assert.deepEqual(steps(await scene(server, root)), [[0.002, "seconds"], [0.25, "um"]]);
  edit(join(image, "acqstore/acq_image.json"), ({ image_header_metadata: header }) => {
    [header.physical_label_y, header.physical_label_x] = ["C", "Pixels"];
  });
  const opened = await scene(server, root);
  assert.deepEqual(steps(opened), [[1, "Pixels"], [1, "Pixels"]]);
  assert.ok(opened.warningCodes.includes("step_unknown"), opened.warnings.join("\n"));
  assert.match(opened.warnings.join("\n"), /along Y is "C", which names an axis/);
});
