import assert from "node:assert/strict";
import { extensionOf, FORMAT_NAMES, mayHoldPaths } from "./format.ts";
import { FORMATS } from "./registry.ts";

Deno.test("prefers compound extensions to simple ones, in any case", () => {
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

Deno.test("only Zarr stores accept a path inside them", () => {
  for (const path of ["/a/b.zarr", "/a/b.ome.zarr", "/a/b.OME.ZARR.ZIP"]) {
    assert.equal(mayHoldPaths(path), true, path);
  }
  for (const path of ["/a/b.tif", "/a/b.oir", "/a/b.zip", "/a/b"]) {
    assert.equal(mayHoldPaths(path), false, path);
  }
});

Deno.test("reads each named format, and no other", () => {
  const named = FORMATS.map(({ name, title }) => `${name}: ${title}`);
  assert.deepEqual(
    named.sort(),
    Object.values(FORMAT_NAMES).map(({ name, title }) => `${name}: ${title}`).sort(),
  );
});
