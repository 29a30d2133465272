import assert from "node:assert/strict";
import { findExtension, FORMATS, mayHoldPaths } from "./formats.ts";

Deno.test("prefers compound extensions to simple ones, in any case", () => {
  const cases: [string, string | null][] = [
    ["/a/b.TIF", ".tif"],
    ["/a/b.Ome.Tiff", ".ome.tiff"],
    ["/a/b.ome.zarr", ".ome.zarr"],
    ["/a/b.zarr", ".zarr"],
    ["/a/tif", null],
    ["/a/b.docx", null],
    ["/a.tif/b", null],
    ["/data/companion.ome", ".companion.ome"],
    ["Companion.OME", ".companion.ome"],
    ["C:\\data\\companion.ome", ".companion.ome"],
    ["/data/mycompanion.ome", null],
  ];
  for (const [path, extension] of cases) assert.equal(findExtension(path), extension, path);
});

Deno.test("only Zarr stores accept a path inside them", () => {
  for (const path of ["/a/b.zarr", "/a/b.ome.zarr", "/a/b.OME.ZARR.ZIP"]) {
    assert.equal(mayHoldPaths(path), true, path);
  }
  for (const path of ["/a/b.tif", "/a/b.oir", "/a/b.zip", "/a/b"]) {
    assert.equal(mayHoldPaths(path), false, path);
  }
});

/** Folders of `readers/` without a format of their own. */
const SHARED = ["codecs", "hdf5", "io", "metadata", "ome_zarr", "samples"];

Deno.test("each folder with a format is listed", async () => {
  const folders = [...Deno.readDirSync(import.meta.dirname!)].filter(({ isDirectory }) => isDirectory)
    .map(({ name }) => name).filter((name) => !SHARED.includes(name));
  for (const folder of folders) {
    const declared = Object.values(await import(`./${folder}/format.ts`));
    assert.notEqual(declared.length, 0, folder);
    for (const format of declared) assert(FORMATS.some((listed) => listed === format), folder);
  }
});
