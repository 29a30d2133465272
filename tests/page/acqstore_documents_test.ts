/** The page shows regions and acceptance of a member that acqstore 0.2.0 wrote. */
import assert from "node:assert/strict";
import { foreignMember } from "../../readers/collection/acqstore_layout.ts";
import { collectionOfList } from "../../readers/collection/acqstore_list.ts";
import { findDocumentsIn, restoreDocuments } from "../../static/demo/v2/saving/restored.ts";

const ROOT = new URL("../fixtures/acqstore/analyses.ome.zarr/", import.meta.url);
const read = (path: string) => JSON.parse(Deno.readTextFileSync(new URL(path, ROOT)));

Deno.test("regions of acqstore are drawn where acqstore drew them", () => {
  const { members } = collectionOfList(read("acqstore/acq_image_collection.json"));
  const member = members[1]!;
  const { acqimage, analyses } = member.resources;
  const made = foreignMember(member, read(acqimage), read(analyses!));
  const files = [
    // The page passes over the files of acqstore itself.
    { name: acqimage, text: JSON.stringify(read(acqimage)) },
    ...[made.image, made.analyses].map((value, i) => ({ name: `${i}.json`, text: JSON.stringify(value) })),
  ];
  const [documents, ...others] = findDocumentsIn(files);
  assert.equal(others.length, 0);
  const axis = { arrayDimension: 0, name: "Y", size: 144, step: 0.002, unit: "seconds" };
  const { drawn, note, outside } = restoreDocuments(
    documents!,
    {
      plane: { shape: [144, 40], axes: [axis, { ...axis, name: "X", size: 40, unit: "um" }] },
      header: { sizes: { Y: 144, X: 40 } },
      channels: [{ index: 0, name: "CH1" }],
      collection: { id: "c", name: "c", member: { id: member.id, name: member.name, accepted: true } },
    } as unknown as Parameters<typeof restoreDocuments>[1],
  );
  assert.deepEqual([note, outside], ["", []]);
  assert.equal(drawn.accepted, null, "as in the collection");
  assert.deepEqual(drawn.regions.map(({ id }) => id), ["1", "2", "3"]);
});
