import { deepEqual, equal, throws } from "node:assert/strict";
import { codesOf } from "../../tests/warning_codes.ts";
import { PlaneGrid, planeNames } from "./planes.ts";
import { lastPart } from "./streams.ts";

Deno.test("distinguishes planes, reference images and other files by name", () => {
  const { places, references, warnings } = planeNames([
    "S_c001z002T0003.TIF",
    "s_C001Z001T0001.tif",
    "s_C001-R001.tif",
    "s_C001-R002.tif",
    "s_C001Z001T0001.pty",
    "s_C01.tif",
    "s_C000Z001T001.tif",
    "s_C001C002.tif",
    "s_Thumb.bmp",
    "other_C001.tif",
    "notes.txt",
  ]);
  deepEqual(places[0]!.planes.map(({ name, numbers }) => [name, Object.fromEntries(numbers)]), [
    ["S_c001z002T0003.TIF", { C: 1, Z: 2, T: 3 }],
    ["s_C001Z001T0001.tif", { C: 1, Z: 1, T: 1 }],
  ]);
  deepEqual(references.map(({ name }) => name), ["s_C001-R001.tif"]);
  deepEqual(codesOf(warnings), ["content_left_out", "reference_unreadable"]);
});

Deno.test("rejects two files for one plane", () => {
  for (const other of ["s_C0001.tif", "S_c001.TIF"]) {
    const { places: [place] } = planeNames(["s_C001.tif", other]);
    throws(
      () => new PlaneGrid(place!.planes, 1),
      new RegExp(`"s_C001.tif" and "${other}" are the same plane`),
    );
  }
});

Deno.test("names a missing plane by its channel and the axes with several positions", () => {
  const grid = new PlaneGrid(planeNames(["s_C001Z001.tif", "s_C002Z002.tif"]).places[0]!.planes, 2);
  equal(grid.name({ channel: 1, z: 1, t: 0, l: 0 }), "s_C002Z002.tif");
  throws(() => grid.name({ channel: 1, z: 0, t: 0, l: 0 }), {
    tag: "plane_not_found",
    message: "there is no image for C002Z001",
  });
});

Deno.test("serves stage positions as scenes, and other axes at their first position", () => {
  const { places, warnings } = planeNames(["s_C001P002A001.tif", "s_C001P001A001.tif", "s_C001P001A002.tif"]);
  deepEqual(places.map(({ number, planes }) => [number, planes.map(({ name }) => name)]), [
    [1, ["s_C001P001A001.tif"]],
    [2, ["s_C001P002A001.tif"]],
  ]);
  deepEqual(codesOf(warnings), ["axis_reduced"]);
});

Deno.test("drops storage and export marks from names of an OIB", () => {
  equal(lastPart("Storage00001/s_C001.tif"), "s_C001.tif");
  equal(lastPart("..\\..\\etc\\s_C001.tif"), "s_C001.tif");
  equal(lastPart("Storage00001/s_GSTabc=C001.tif"), "s_C001.tif");
  for (const name of ["GST.tif", "s=C001.tif", "a=GST.tif"]) equal(lastPart(name), name);
});
