/** What a page of another site gets of the collection around the file that the user chose for it. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { DOCUMENTS, FILES, writeCollection } from "../collection_tree.ts";
import { write } from "../fixtures/plain_store.ts";
import { inFolder } from "../temporary_files.ts";
import { Harness, type HarnessOptions } from "./harness.ts";

const FOREIGN = { origin: "https://example.org" };

async function pick(path: string, headers: Record<string, string>, options: HarnessOptions = {}) {
  await using server = new Harness({ pick: () => Promise.resolve(path), ...options });
  const answer = async (response: Response) => {
    const body = await response.json();
    assert.equal(response.status, 200, JSON.stringify(body));
    return body;
  };
  const opened = await answer(await server.post("/api/v2/pick-and-open", {}, { headers }));
  const session = `/api/v2/sessions/${opened.sessionId}`;
  const documents: { name: string }[] = await answer(await server.request(`${session}/metadata`));
  const again = await answer(await server.post(`${session}/open`, {}, { headers: FOREIGN }));
  return { opened, again, names: documents.map(({ name }) => name) };
}

/** Marks the image as a member, as archives do. */
function mark(image: string): void {
  const path = join(image, "zarr.json");
  const group = JSON.parse(Deno.readTextFileSync(path));
  write(path, { ...group, attributes: { ...group.attributes, acq_server: { member: "m1" } } });
}

Deno.test("a foreign page's dialog reads no collection above the chosen image", () =>
  inFolder(async (_, root) => {
    writeCollection(root);
    const image = join(root, "images/0001");
    for (const isMarked of [false, true]) {
      if (isMarked) mark(image);
      for (const path of [image, join(image, "zarr.json")]) {
        const { opened, again, names } = await pick(path, FOREIGN, { dialogOnly: true });
        for (const { collection, reference, warningCodes } of [opened, again]) {
          const codes = isMarked ? ["collection_not_read"] : [];
          assert.deepEqual([collection, reference, warningCodes], [null, null, codes]);
        }
        assert.ok(!names.includes(FILES.acqimage), names.join());
      }
    }
    const { opened, again, names } = await pick(image, {});
    assert.deepEqual([opened.collection.id, opened.warningCodes], ["col", ["collection_applied"]]);
    assert.ok(names.includes(FILES.acqimage));
    assert.equal(again.collection, null, "a foreign page opens the user's own session again");
    const whole = (await pick(root, FOREIGN)).opened;
    assert.deepEqual([whole.collection.id, whole.warningCodes], ["col", []], "the folder of the collection");
  }));

Deno.test("a foreign page gets nothing beside the picked image that holds a collection document", () =>
  inFolder(async (_, root) => {
    writeCollection(join(root, "other"));
    const image = join(root, "evil.ome.zarr");
    Deno.renameSync(join(root, "other/images/0001"), image);
    write(join(root, "secret.txt"), "secret");
    write(join(image, "a.json"), DOCUMENTS.acqimage);
    write(join(image, "an.json"), { analyses: [{ resources: [{ path: "secret.txt" }] }] });
    const member = {
      ...DOCUMENTS.collection.members[0],
      ome_zarr: "evil.ome.zarr",
      resources: { acqimage: "evil.ome.zarr/a.json", analyses: "evil.ome.zarr/an.json" },
      reference_image: {
        ome_zarr: "other/images/0001_reference",
        metadata: "other/meta/0001/reference-image.json",
      },
    };
    write(join(image, "collection.json"), { ...DOCUMENTS.collection, members: [member] });
    for (const headers of [FOREIGN, {}]) {
      const { opened, names } = await pick(image, headers, { dialogOnly: true });
      assert.deepEqual([opened.reference, opened.collection], [null, null]);
      assert.deepEqual(names.filter((name) => !name.includes("zarr.json")), []);
    }
  }));
