import { deepEqual } from "node:assert/strict";
import { join } from "node:path";
import { FileAccess } from "../io/random_access.ts";
import { openStore } from "./opened_store.ts";
import { readLinkedImage } from "./mod.ts";

Deno.test("a series belongs to a store that is up to six groups above it", () => {
  const folder = Deno.realPathSync(Deno.makeTempDirSync());
  const files = new FileAccess();
  const json = (path: string, value: unknown) => Deno.writeTextFileSync(path, JSON.stringify(value));
  /** Channel name, from the OME-XML of the store, of an image some groups below. */
  const nameOf = (groups: number) => {
    const root = join(folder, `${groups}`);
    const names = Array.from({ length: groups }, (_, i) => `g${i}`);
    let path = root;
    for (const name of ["", ...names]) {
      path = join(path, name);
      Deno.mkdirSync(path);
      json(join(path, ".zgroup"), { zarr_format: 2 });
    }
    json(join(root, ".zattrs"), { "bioformats2raw.layout": 3 });
    Deno.mkdirSync(join(root, "OME"));
    json(join(root, "OME", ".zgroup"), { zarr_format: 2 });
    json(join(root, "OME", ".zattrs"), { series: [names.join("/")] });
    Deno.writeTextFileSync(
      join(root, "OME", "METADATA.ome.xml"),
      `<OME><Image><Pixels><Channel Name="DAPI"/></Pixels></Image></OME>`,
    );
    const axes = ["y", "x"].map((name) => ({ name, type: "space" }));
    json(join(path, ".zattrs"), { multiscales: [{ version: "0.4", axes, datasets: [{ path: "0" }] }] });
    Deno.mkdirSync(join(path, "0"));
    const shape = { shape: [2, 3], chunks: [2, 3], dtype: "<u2", order: "C" };
    const stored = { compressor: null, filters: null, fill_value: 0 };
    json(join(path, "0", ".zarray"), { zarr_format: 2, ...shape, ...stored });
    return readLinkedImage(openStore({ path, files })).image.channels[0]?.name;
  };
  try {
    deepEqual([1, 6, 7].map(nameOf), ["DAPI", "DAPI", "CH1"]);
  } finally {
    files.close();
    Deno.removeSync(folder, { recursive: true });
  }
});
