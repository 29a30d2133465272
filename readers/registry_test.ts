import assert from "node:assert/strict";
import { extensionOf } from "./registry.ts";

Deno.test("compound extensions win over simple ones, without case", () => {
  const cases: [string, string | null][] = [
    ["/a/b.TIF", ".tif"],
    ["/a/b.Ome.Tiff", ".ome.tiff"],
    ["/a/b.ome.zarr", ".ome.zarr"],
    ["/a/b.zarr", ".zarr"],
    ["/a/tif", null],
    ["/a/b.docx", null],
    ["/a.tif/b", null],
  ];
  for (const [path, extension] of cases) assert.equal(extensionOf(path), extension, path);
});
