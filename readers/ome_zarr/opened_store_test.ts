import { deepEqual, equal, throws } from "node:assert/strict";
import { join } from "node:path";
import { OVERVIEW, writeImage } from "../../tests/collection_tree.ts";
import { write } from "../../tests/fixtures/plain_store.ts";
import { loadHere } from "../../tests/load_here.ts";
import { NO_LINKS } from "../../tests/no_links.ts";
import { inFolder } from "../../tests/temporary_files.ts";
import { FileAccess } from "../io/file_access.ts";
import { joinKey, readValue, storeKey } from "./hierarchy.ts";
import { openDirectoryStore } from "./opened_store.ts";

Deno.test("keys stay inside the store", () => {
  deepEqual(
    [storeKey("a", "b/c"), storeKey("a", "../b"), storeKey("./a//b/"), storeKey(""), storeKey("a/..")],
    ["a/b/c", "b", "a/b", "", ""],
  );
  deepEqual([storeKey(".."), storeKey("a", "../.."), storeKey("a\0")], [null, null, null]);
  deepEqual([joinKey("", "a"), joinKey("a", "b", "c")], ["a", "a/b/c"]);
});

Deno.test("keys have at most 64 folders", () => {
  const name = (folders: number) => `${"a/".repeat(folders)}b`;
  equal(storeKey(name(64)), name(64));
  for (const folders of [65, 300_000]) {
    throws(() => storeKey("x", name(folders)), /the path "a\/a.*" has more than 64 folders/);
  }
});

Deno.test("a directory store distinguishes absent from unreachable values and bounds reads", () =>
  inFolder((put, folder) => {
    put("in/five", "12345");
    put("one", "1");
    const files = new FileAccess();
    const store = openDirectoryStore(folder, files);
    const length = (key: string, most: number) => readValue(store, key, most)?.length ?? null;
    equal(length("in/five", 5), 5);
    throws(() => length("in/five", 4), /"in\/five" has 5 bytes, more than 4/);
    equal(length("one", 1), 1);
    for (const key of ["in/six", "six", "none/six", "none/none/six"]) equal(length(key, 9), null);
    throws(() => length("in", 9), /"in" is not a regular file/);
    throws(() => length("one/two", 9), /"one\/two" exists but leads nowhere/);
    if (!NO_LINKS) {
      Deno.symlinkSync("/etc/hostname", join(folder, "link"));
      throws(() => store.open("link", 9), /"link" is a link that leaves the store/);
    }
    files.close();
  }));

Deno.test("finds the store of a series up to six groups above it", async () => {
  const group = (ome: object) => ({ zarr_format: 3, node_type: "group", attributes: { ome } });
  /** Channel name, from the OME-XML of the store, of an image some groups below. */
  const nameOf = (groups: number) =>
    inFolder(async (_, folder) => {
      const names = Array.from({ length: groups }, (_, i) => `g${i}`);
      write(join(folder, "zarr.json"), group({ "bioformats2raw.layout": 3 }));
      write(join(folder, "OME/zarr.json"), group({ series: [names.join("/")] }));
      const xml = `<OME><Image><Pixels><Channel Name="DAPI"/></Pixels></Image></OME>`;
      write(join(folder, "OME/METADATA.ome.xml"), xml);
      names.slice(1).forEach((_, i) => write(join(folder, ...names.slice(0, i + 1), "zarr.json"), group({})));
      writeImage(join(folder, ...names), OVERVIEW);
      return (await loadHere(join(folder, ...names))).summary.channels[0]!.name;
    });
  deepEqual(await Promise.all([1, 6, 7].map(nameOf)), ["DAPI", "DAPI", "CH1"]);
});
